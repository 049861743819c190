"""Drives a running gateway from docs/openapi.yaml: scenes that reach what chance does not, then schemathesis.

    python3 Tests/OpenAPI/main.py [--binary FILE] [--examples COUNT]

Each answer must be one that the page describes, and each one that it describes must come.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness.processes import Failure, Workspace  # noqa: E402

from page import Page  # noqa: E402
from scenes import SCENES, Scene  # noqa: E402
from stage import Stage  # noqa: E402

_FOLDER = Path(__file__).resolve().parent

_FOR_SCENES = {
    "POST /api/platform/auth/link", "DELETE /api/platform/auth/me/speed-link",
    "POST /api/platform/auth/apple-notifications/{appId}", "POST /platform/auth/apple/callback",
}
"""Calls that only what came before them can make good."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Drives a running gateway from docs/openapi.yaml.")
    parser.add_argument("--binary", type=Path, default=_ROOT / ".build" / "debug" / "speed-gateway")
    parser.add_argument("--examples", type=int, default=20, help="cases that chance makes of each call and mode")
    wishes = parser.parse_args()
    page = Page()
    with Workspace("speed-openapi-") as workspace:
        stage = Stage.open(workspace, wishes.binary)
        failed = _scenes(stage, page)
        failed += _by_chance(stage, workspace, page, wishes.examples)
        for answer in page.unseen():
            failed += 1
            print(f"error: described, and never seen: {answer}")
        for answer in page.unexpected():
            failed += 1
            print(f"error: seen, and not described: {answer}")
        if failed:
            print(stage.gateway.child.log_tail(), flush=True)
    print(f"{page.count} answers, {failed} failures")
    return 1 if failed else 0


def _scenes(stage: Stage, page: Page) -> int:
    failed = 0
    for play in SCENES:
        try:
            play(Scene(stage, page))
        except Exception as problem:
            failed += 1
            text = str(problem) if isinstance(problem, Failure) else traceback.format_exc(limit=6)
            print(f"error: {play.__name__}: {text}", flush=True)
    return failed


def _by_chance(stage: Stage, workspace: Workspace, page: Page, examples: int) -> int:
    """Has schemathesis make well-formed and malformed requests, the same in each run."""
    seen, description = workspace.folder / "seen.txt", workspace.folder / "openapi.json"
    description.write_text(json.dumps(page.closed))
    run = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", _FOLDER / "schemathesis.toml", "run", description,
         "--url", stage.place.origin, "--max-examples", str(examples)],
        cwd=workspace.folder, timeout=600,
        env=os.environ | {
            "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": os.pathsep.join([str(_FOLDER), str(_ROOT / "scripts")]),
            "SPEED_PLACE": json.dumps(stage.place.members), "SPEED_SEEN": str(seen), "NO_COLOR": "1"})
    refused = {f"{method} {path}" for method, path in page.operations} - page.read(seen) - _FOR_SCENES
    for operation in sorted(refused):
        print(f"error: no request made by chance came through: {operation}")
    return (1 if run.returncode else 0) + len(refused)


if __name__ == "__main__":
    sys.exit(main())
