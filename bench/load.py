"""Load from wrk: many keep-alive connections that each ask again as soon as they are answered."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from harness.processes import Failure, find_program

import cpu
from setting import FIELDS, TARGET, Cores, Peer

_SCRIPT = """\
local bearers, turn = {}, 0
for line in io.lines("BEARERS") do bearers[#bearers + 1] = "Bearer " .. line end
FIELDS
wrk.headers["Authorization"] = bearers[1]
-- Without a request function wrk sends one fixed text, which costs its core less.
if #bearers > 1 then
  local texts = {}
  function init()
    for index, bearer in ipairs(bearers) do
      wrk.headers["Authorization"] = bearer
      texts[index] = wrk.format()
    end
  end
  function request()
    turn = turn % #texts + 1
    return texts[turn]
  end
end
function done(summary, latency, requests)
  local e = summary.errors
  print(string.format('\\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"errors":%d}', summary.requests,
    summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


@dataclass(frozen=True)
class Sample:
    """One round of one peer."""

    cpu_microseconds: float
    """User and system time of the peer's whole process tree, a request."""
    requests_per_second: float
    p50_microseconds: float
    p99_microseconds: float
    busy: float
    """The part of one core that the peer used."""


def write_script(folder: Path, peer: Peer) -> Path:
    """The wrk script of a peer; tokens stay out of the argument list, which other users of a machine can see."""
    bearers = folder / f"{peer.name}.bearers"
    bearers.write_text("".join(f"{bearer}\n" for bearer in peer.bearers))
    fields = "\n".join(f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}" for name, value in FIELDS.items())
    script = folder / f"{peer.name}.lua"
    script.write_text(_SCRIPT.replace("BEARERS", str(bearers)).replace("FIELDS", fields))
    return script


def run(peer: Peer, script: Path, cores: Cores, *, seconds: float, connections: int) -> Sample:
    command = [
        find_program("taskset"), "-c", ",".join(map(str, sorted(cores.load))), find_program("wrk"), "--threads", "1",
        "--connections", str(connections), "--duration", f"{seconds:.0f}s", "--timeout", "5s", "--script", str(script),
        f"http://127.0.0.1:{peer.port}{TARGET}"]
    cpu_before, begun = cpu.cpu_seconds(peer.child.pid), time.monotonic()
    wrk = subprocess.run(command, capture_output=True, text=True, check=False)
    used, elapsed = cpu.cpu_seconds(peer.child.pid) - cpu_before, time.monotonic() - begun
    peer.child.fail_if_ended()
    if wrk.returncode != 0:
        raise Failure(f"wrk failed against {peer.name}: {wrk.stderr.strip()}")
    counted = json.loads(wrk.stdout.splitlines()[-1])
    if counted["errors"] or not counted["requests"]:
        raise Failure(f"{peer.name}: {counted['errors']} of {counted['requests']} requests failed under load")
    return Sample(
        cpu_microseconds=used * 1e6 / counted["requests"],
        requests_per_second=counted["requests"] * 1e6 / counted["microseconds"],
        p50_microseconds=counted["p50"], p99_microseconds=counted["p99"], busy=used / elapsed)
