"""How soon a gateway with the example apps is ready, and what it holds by then."""

from __future__ import annotations

import statistics

from harness.gateway import ROOT, Gateway, release_binary
from harness.processes import Workspace

import cpu

MILLISECONDS, RESIDENT_BYTES = "milliseconds to ready", "resident bytes when ready"


def measure(workspace: Workspace, *, times: int) -> dict[str, float]:
    """Medians: from the start of the process to `/readyz` saying 200, with a new database and new keys; memory then."""
    spans, sizes = [], []
    for index in range(times):
        # Apple's keys are fetched by the first sign-in, so none need be there.
        gateway = Gateway.start(
            workspace, release_binary(), tenants=ROOT / "tenants", issuer="http://127.0.0.1:9", name=f"start-{index}")
        spans.append(gateway.milliseconds_to_ready)
        sizes.append(cpu.resident_bytes(gateway.child.pid))
        gateway.child.stop()
    return {MILLISECONDS: statistics.median(spans), RESIDENT_BYTES: statistics.median(sizes)}
