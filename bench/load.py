"""Load on one peer over HTTP/1.1 from `client/`, a small C program, and what the peer used meanwhile."""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.processes import Failure, find_program

import cpu
from setting import BODY_BYTES, FIELDS, HOST, TARGET, Peer, Setting

CONNECTIONS = 64
SECONDS_TO_FINISH = 30


@dataclass(frozen=True)
class Sample:
    """One round of one peer."""

    cpu_microseconds: float
    """User and system time of the peer's whole process tree, a request (or handshake)."""
    per_second: float
    busy: float
    """The part of one core that the peer used."""
    p50_microseconds: float | None = None
    p99_microseconds: float | None = None


@dataclass(frozen=True)
class Load:
    """What is asked of the peer."""

    target: str = TARGET
    answer_bytes: int = BODY_BYTES
    post_bytes: int = 0
    """Bytes of each request's body; 0: a GET."""
    handshakes: bool = False
    """Full TLS handshakes in place of requests."""
    rate: float = 0
    """Requests a second, sent when they are due, and timed from then; 0: each connection asks again at once."""
    connections: int = CONNECTIONS
    hosts: tuple[str, ...] = ()
    """The hosts that requests name in turn; the usual one where there are none."""


@dataclass(frozen=True)
class Client:
    """One client process that is to run."""

    peer: Peer
    load: Load
    cores: set[int]
    bearers: list[str] | None = None
    """What its requests bear in turn; the peer's unless given."""
    requests: list[bytes] | None = None
    """Whole requests in turn, where they are not those of the load."""


class _Run:
    """A client process that runs."""

    def __init__(self, setting: Setting, client: Client, seconds: float, number: int) -> None:
        """`number` tells apart the clients that run at once."""
        peer, load, cores = client.peer, client.load, client.cores
        self._peer = peer
        command: list[str | Path] = [
            find_program("taskset"), "-c", ",".join(map(str, sorted(cores))), setting.programs.load,
            "--port", str(peer.port), "--connections", str(load.connections), "--seconds", str(seconds),
            "--answer-bytes", str(load.answer_bytes), "--rate", str(load.rate)]
        if peer.secure:
            command += ["--tls", HOST]
        if load.handshakes:
            command += ["--handshakes"]
        else:
            file = setting.workspace.folder / f"{peer.name}-{number}.requests"
            requests = client.requests or _requests(load, client.bearers or peer.bearers)
            file.write_bytes(b"".join(b"%d\n" % len(request) + request for request in requests))
            command += ["--requests", file]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def await_ready(self) -> None:
        """Returns when the connections are open and each has had an answer."""
        if self._line() != "ready":
            raise Failure(f"{self._peer.name}: the load client is not ready")

    def begin(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def counted(self) -> dict[str, float]:
        """What the client counted, once all requests are answered; its connections are still open then."""
        counted: dict[str, float] = json.loads(self._line())
        if not counted["requests"]:
            raise Failure(f"{self._peer.name}: no request was answered")
        return counted

    def close(self) -> None:
        """Ends the client; must be called in any case."""
        if self._process.poll() is None:
            assert self._process.stdin
            self._process.stdin.close()
            try:
                self._process.wait(SECONDS_TO_FINISH)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _line(self) -> str:
        assert self._process.stdout and self._process.stderr
        line = self._process.stdout.readline()
        if not line:
            self._peer.child.fail_if_ended()
            raise Failure(f"{self._peer.name} under load: {self._process.stderr.read().strip()}")
        return line.strip()


def run(setting: Setting, peer: Peer, load: Load, seconds: float) -> Sample:
    return run_together(setting, [Client(peer, load, setting.cores.load)], seconds)


def run_together(setting: Setting, clients: Sequence[Client], seconds: float) -> Sample:
    """Several clients at once, of one peer or of several: the sum of them all, and the times of the first client.

    What a peer used counts from when the connections are open until the last answer, before they are closed.
    """
    runs = [_Run(setting, client, seconds, number) for number, client in enumerate(clients)]
    try:
        for each in runs:
            each.await_ready()
        pids = {client.peer.child.pid for client in clients}
        before, begun = _used(pids), time.monotonic()
        for each in runs:
            each.begin()
        counted = [each.counted() for each in runs]
        used, elapsed = _used(pids) - before, time.monotonic() - begun
    finally:
        for each in runs:
            each.close()
    requests = sum(each["requests"] for each in counted)
    return Sample(
        cpu_microseconds=used * 1e6 / requests, per_second=sum(each["requests"] / each["seconds"] for each in counted),
        busy=used / elapsed, p50_microseconds=counted[0]["p50"], p99_microseconds=counted[0]["p99"])


def _used(pids: Iterable[int]) -> float:
    return sum(cpu.cpu_seconds(pid) for pid in pids)


def _requests(load: Load, bearers: list[str]) -> Iterator[bytes]:
    """They go by a file; tokens stay out of the argument list, which other users of a machine can see."""
    fields = FIELDS | ({"Content-Type": "application/octet-stream", "Content-Length": str(load.post_bytes)}
                       if load.post_bytes else {})
    method = "POST" if load.post_bytes else "GET"
    for host, bearer in itertools.product(load.hosts or (HOST,), bearers):
        lines = [f"{name}: {value}" for name, value in (fields | {"Host": host}).items()]
        head = "\r\n".join([f"{method} {load.target} HTTP/1.1", *lines])
        yield f"{head}\r\nAuthorization: Bearer {bearer}\r\n\r\n".encode() + b"y" * load.post_bytes
