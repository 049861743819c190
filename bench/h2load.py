"""Load over HTTP/2 with TLS, from nghttp2's h2load."""

from __future__ import annotations

import re
import subprocess
import time

from harness.processes import Failure, find_program

import cpu
from load import Sample
from setting import BODY_BYTES, FIELDS, HOST, TARGET, Peer, Setting

CONNECTIONS = 8
STREAMS = 8
_REQUESTS = re.compile(
    r"^requests: (\d+) total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout$",
    re.MULTILINE)
_STATUS = re.compile(r"^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx$", re.MULTILINE)
_BODY_BYTES = re.compile(r"^traffic: .* \((\d+)\) data$", re.MULTILINE)
_RATE = re.compile(r"^finished in .*, ([\d.]+) req/s", re.MULTILINE)
_PROTOCOL = re.compile(r"^Application protocol: (\S+)$", re.MULTILINE)
_TLS = re.compile(r"^TLS Protocol: (\S+)$", re.MULTILINE)


def run(setting: Setting, peer: Peer, seconds: float) -> Sample:
    # A fixed number of requests, so that each has an answer that counts: about as many as take the time.
    calibration = _run(setting, peer, 2_000)
    return _run(setting, peer, max(2_000, int(calibration.per_second * seconds)))


def _run(setting: Setting, peer: Peer, requests: int) -> Sample:
    # The token is in the argument list, as h2load takes it from nowhere else: one of a gateway that lives for a minute.
    fields = [f"{name.lower()}: {value}" for name, value in FIELDS.items() if name != "Host"]
    fields.append(f"authorization: Bearer {peer.bearers[0]}")
    command = [
        find_program("taskset"), "-c", ",".join(map(str, sorted(setting.cores.load))), find_program("h2load"),
        "--threads", "1", "--clients", str(CONNECTIONS), "--max-concurrent-streams", str(STREAMS),
        "--requests", str(requests), *(part for field in fields for part in ("--header", field)),
        "--connect-to", f"127.0.0.1:{peer.port}", f"https://{HOST}{TARGET}"]
    before, begun = cpu.cpu_seconds(peer.child.pid), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    used, elapsed = cpu.cpu_seconds(peer.child.pid) - before, time.monotonic() - begun
    peer.child.fail_if_ended()
    if done.returncode != 0:
        raise Failure(f"h2load failed against {peer.name}: {done.stderr.strip()}")
    _require_success(peer, done.stdout, requests)
    rate = _RATE.search(done.stdout)
    return Sample(
        cpu_microseconds=used * 1e6 / requests, per_second=float(rate[1]) if rate else requests / elapsed,
        busy=used / elapsed)


def _require_success(peer: Peer, text: str, requests: int) -> None:
    counted, status, body = _REQUESTS.search(text), _STATUS.search(text), _BODY_BYTES.search(text)
    protocol, version = _PROTOCOL.search(text), _TLS.search(text)
    if not (counted and status and body and protocol and version):
        raise Failure(f"{peer.name}: h2load's report can't be read")
    if protocol[1] != "h2" or version[1] != "TLSv1.3":
        raise Failure(f"{peer.name}: {protocol[1]} over {version[1]} in place of h2 over TLSv1.3")
    total, finished, succeeded, *failures = map(int, counted.groups())
    if any(failures) or not total == finished == succeeded == int(status[1]) == requests:
        raise Failure(f"{peer.name}: {requests - succeeded} of {requests} requests failed: {status[0]}")
    if int(body[1]) != requests * BODY_BYTES:
        raise Failure(f"{peer.name}: {body[1]} bytes of bodies in place of {requests * BODY_BYTES}")
