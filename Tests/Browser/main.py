"""Drives every flow of the pages in a real browser, on a phone's screen and a desktop's.

    python3 Tests/Browser/main.py [--binary FILE] [--pictures FOLDER] [JOURNEY …]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness.processes import Failure, Workspace  # noqa: E402

from journeys import JOURNEYS, Place  # noqa: E402
from stage import Stage  # noqa: E402
from visitor import DESKTOP, PHONE, Screen  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description="Drives the pages in a real browser.")
    parser.add_argument("--binary", type=Path, default=_ROOT / ".build" / "debug" / "speed-gateway")
    parser.add_argument("--pictures", type=Path, default=_ROOT / ".build" / "browser-pictures")
    parser.add_argument("journeys", nargs="*", metavar="JOURNEY", help=", ".join(JOURNEYS))
    wishes = parser.parse_args()
    unknown = [name for name in wishes.journeys if name not in JOURNEYS]
    if unknown:
        parser.error(f"no such journey: {unknown[0]}")
    shutil.rmtree(wishes.pictures, ignore_errors=True)
    wishes.pictures.mkdir(parents=True)

    names = wishes.journeys or list(JOURNEYS)
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(_walk, screen, names, wishes.binary, wishes.pictures) for screen in (PHONE, DESKTOP)]
        failed = sum(run.result() for run in runs)
    print(f"{len(names) * len(runs) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _walk(screen: Screen, names: list[str], binary: Path, pictures: Path) -> int:
    """Goes on all journeys with one kind of screen, on a stage of its own; returns how many failed."""
    failed = 0
    with Workspace(f"speed-browser-{screen.name}-") as workspace:
        stage = Stage.open(workspace, binary)
        for name in names:
            folder = pictures / name
            folder.mkdir(exist_ok=True)
            begun = time.monotonic()
            try:
                JOURNEYS[name](Place(stage, screen, folder))
            except Failure as failure:
                failed += 1
                print(f"error: {name} on a {screen.name}: {failure}", flush=True)
            except Exception:
                failed += 1
                print(f"error: {name} on a {screen.name}:\n{traceback.format_exc(limit=4)}", flush=True)
            else:
                print(f"passed: {name} on a {screen.name}, {time.monotonic() - begun:.1f} s", flush=True)
        if failed:
            print(stage.gateway.child.log_tail(), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
