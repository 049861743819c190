"""The ground that all connections of the benchmark stand on: a network namespace of its own, with loopback only.

Its reason is congestion control. Where the system's default paces (BBR), every segment that a proxy sends over loopback
waits for a timer of the kernel, which costs more than the proxy's own work on large answers and tells nothing of it. In
a namespace of one's own the default can be another without touching the machine's.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from harness.processes import Failure, find_program

IN_NAMESPACE = "SPEED_BENCH_NAMESPACE"
"""Set in the environment by bench/run when it has made the namespace."""
_CONTROL = Path("/proc/sys/net/ipv4/tcp_congestion_control")


def prepare() -> dict[str, object]:
    """Brings up loopback and takes pacing out, inside a namespace of one's own; tells what holds now."""
    own = IN_NAMESPACE in os.environ
    if own:
        subprocess.run([find_program("ip"), "link", "set", "lo", "up"], check=True)
        try:
            _CONTROL.write_text("reno\n")
        except OSError as error:
            raise Failure(f"the congestion control of the namespace can't be set: {error}") from error
    return {"own_namespace": own, "congestion_control": _CONTROL.read_text().strip()}
