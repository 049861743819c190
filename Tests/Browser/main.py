"""Drives every flow of the pages in a real browser, on a phone's screen and a desktop's.

    python3 Tests/Browser/main.py [--binary FILE] [--pictures FOLDER] [JOURNEY …]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import traceback
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness.processes import Failure, Workspace  # noqa: E402

from journeys import JOURNEYS, Place  # noqa: E402
from stage import Stage  # noqa: E402
from visitor import DESKTOP, PHONE  # noqa: E402


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

    passed = failed = 0
    with Workspace("speed-browser-") as workspace:
        stage = Stage.open(workspace, wishes.binary)
        for name in wishes.journeys or JOURNEYS:
            for screen in (PHONE, DESKTOP):
                pictures = wishes.pictures / name
                pictures.mkdir(exist_ok=True)
                begun = time.monotonic()
                try:
                    JOURNEYS[name](Place(stage, screen, pictures))
                except Failure as failure:
                    failed += 1
                    print(f"error: {name} on a {screen.name}: {failure}", flush=True)
                except Exception:
                    failed += 1
                    print(f"error: {name} on a {screen.name}:\n{traceback.format_exc(limit=4)}", flush=True)
                else:
                    passed += 1
                    print(f"passed: {name} on a {screen.name}, {time.monotonic() - begun:.1f} s", flush=True)
        if failed:
            print(stage.gateway.child.log_tail(), flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
