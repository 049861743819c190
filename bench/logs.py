"""What access log and metrics cost: a gateway that writes a line a request and is scraped, beside a quiet one."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from harness import http
from harness.processes import Failure

import load
from contest import Contestant, Outcome, Pace, compete
from load import Load, Sample
from peers import speed
from proof import prove
from setting import Peer, Setting

QUIET, LOGGED = "gateway", "gateway-logged"
_SCRAPE_SECONDS = 1.0
"""Far more often than is usual."""


def measure(setting: Setting, pace: Pace, outcome: Outcome) -> None:
    # In memory: what a disk's file system does for a line would be counted as the gateway's, and differs by machine.
    with tempfile.TemporaryDirectory(prefix="speed-bench-", dir="/dev/shm") as folder:
        _compare(setting, Path(folder) / "access.log", pace, outcome)


def _compare(setting: Setting, access_log: Path, pace: Pace, outcome: Outcome) -> None:
    quiet = speed.start_as(setting, QUIET, "no line a request, never scraped", cores=setting.cores.proxy)
    logged = speed.start_as(
        setting, LOGGED, f"a line a request, scraped each {_SCRAPE_SECONDS:g} s", cores=setting.cores.proxy,
        log=f"{{ format: json, level: error, access: {{ mode: on, file: {access_log} }} }}")
    for peer in (quiet, logged):
        prove(peer, Load())

    def measure_logged(seconds: float) -> Sample:
        lines = _lines(access_log)
        with _Scraper(logged):
            sample = load.run(setting, logged, Load(), seconds)
        if _lines(access_log) - lines < sample.per_second * seconds * 0.9:
            raise Failure("the access log has fewer lines than requests were answered")
        access_log.write_bytes(b"")
        return sample

    compete(
        [Contestant(QUIET, quiet.does, lambda seconds: load.run(setting, quiet, Load(), seconds)),
         Contestant(LOGGED, logged.does, measure_logged)], pace, outcome)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


class _Scraper:
    """Reads `/metrics` at a regular pace for as long as the `with` block lasts."""

    def __init__(self, peer: Peer) -> None:
        assert peer.admin_port is not None
        self._port = peer.admin_port
        self._over = threading.Event()
        self._failure: Failure | None = None
        self._thread = threading.Thread(target=self._scrape)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._failure:
            raise self._failure

    def _scrape(self) -> None:
        while not self._over.is_set():
            if not http.answers_ok(self._port, "/metrics"):
                self._failure = Failure("the gateway has no metrics")
                return
            self._over.wait(_SCRAPE_SECONDS)
