"""Follows the ten minutes of docs/PLUGINS.md: installs the gateway, writes a plugin, builds and tests it out of tree, loads
it, signs in, changes it while the gateway runs, and gives it a process of its own.

    python3 Tests/Plugins/main.py

The commands are those of the page, but for its ports and for the debug build in place of the optimised one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness.processes import Failure, Workspace, free_port  # noqa: E402

_CODES = {"Zx3hWq8T1vLmKc7RbN5yPd": "Ada", "pYk2vD0sQ7uHnB4xWm9RtE": "Bob"}


def main() -> int:
    page = (_ROOT / "docs" / "PLUGINS.md").read_text()
    blocks = re.findall(r"^```sh\n((?:.*\n)*?)```$", page, re.MULTILINE)
    script = "\n".join(blocks)
    for text, other in {
        "scripts/build\n": "", '"$HOME/speed"\n': '"$HOME/speed" debug\n', " -c release": "", "/release/": "/debug/",
        "8080": str(free_port()), "9901": str(free_port()),
    }.items():
        if text not in script:
            raise Failure(f"the page has no {text!r} any more")
        script = script.replace(text, other)
    with Workspace("speed-plugins-") as workspace:
        output = _run(script, workspace.folder)
        log = (workspace.folder / "club" / "gateway.log").read_text()
    users = [json.loads(line)["user"] for line in output.splitlines() if line.startswith("{")]
    names = [user["name"] for user in users]
    _expect(f"Ada, Bob and Bob again sign in, not {names}", names == ["Ada", "Bob", "Bob"])
    _expect("Bob is one account", users[1]["id"] == users[2]["id"] != users[0]["id"])
    states = re.findall(r"^pear-club .* (loaded.*)$", output, re.MULTILINE)
    _expect(f"it is loaded, then isolated, not {states}", states == ["loaded", "loaded, isolated"])
    _expect("three versions were loaded", log.count('"a plugin is loaded"') == 3)
    _expect("no code is in the log", not any(code in log for code in _CODES))
    print("passed: the ten minutes of docs/PLUGINS.md")
    return 0


def _run(script: str, home: Path) -> str:
    """The output of a script, all of whose processes end with it."""
    output = home / "output"
    with output.open("w") as file:
        process = subprocess.Popen(
            ["bash", "-eu", "-o", "pipefail", "-c", script], cwd=_ROOT, env=os.environ | {"HOME": str(home)},
            stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(300)
        finally:
            # The gateway of the page runs in the background.
            os.killpg(process.pid, signal.SIGKILL)
    text = output.read_text(errors="replace")
    if status:
        raise Failure("a command of the page fails:\n" + "\n".join(text.splitlines()[-40:]))
    return text


def _expect(what: str, holds: object) -> None:
    if not holds:
        raise Failure(what)


if __name__ == "__main__":
    sys.exit(main())
