"""How soon a gateway with the example apps is ready, and what it holds by then."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from harness.gateway import ROOT, Gateway, release_binary
from harness.processes import Workspace

import cpu


@dataclass(frozen=True)
class Startup:
    milliseconds: float
    """From the start of the process to `/readyz` saying 200, with a new database and new signing keys."""
    resident_bytes: float


def measure(workspace: Workspace, *, times: int) -> Startup:
    spans, sizes = [], []
    for index in range(times):
        # Apple's keys are fetched by the first sign-in, so none need be there.
        gateway = Gateway.start(
            workspace, release_binary(), tenants=ROOT / "tenants", issuer="http://127.0.0.1:9", name=f"start-{index}")
        spans.append(gateway.milliseconds_to_ready)
        sizes.append(cpu.resident_bytes(gateway.child.pid))
        gateway.child.stop()
    return Startup(statistics.median(spans), statistics.median(sizes))
