"""Files of a folder of tenants that are made to be costly: what each takes until it is refused, or taken."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from harness.gateway import release_binary
from harness.processes import Failure, Workspace

_COPIES = 40
"""Of a file, so that what one takes is told apart from a start of the command."""
_LINE = 256 * 1024
_PLAIN = "appId: 1\nname: A\ndomains: [a.example.com]\nbackends: { api: { servers: [http://127.0.0.1:9001] } }\n" \
    "routes: [{ path: /, backend: api }]\n"


def _bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 10)]
    return "\n".join(lines) + "\n"


def _padded(begin: str, filler: str, end: str) -> str:
    return _PLAIN + begin + filler * ((_LINE - len(_PLAIN) - len(begin) - len(end)) // len(filler)) + end


FILES = {
    "an alias bomb": _bomb(),
    "a line of 256 KiB": _padded("x-a: ", "b", "\n"),
    "a list of 256 KiB on one line": _padded("x-a: [", "b, ", "c]\n"),
    "a quoted line of 256 KiB": _padded('x-a: "', "\\\\", '"\n'),
    "5,000 nodes": _PLAIN + "x-a: [" + ",".join(["1"] * 4_970) + "]\n",
    "10,000 nodes": _PLAIN + "x-a:\n" + "  - 1\n" * 10_000,
    "brackets without end": _padded("x-a: ", "[", "\n"),
}


def measure(workspace: Workspace) -> dict[str, float]:
    """Milliseconds of processor time for a file of each kind, beyond what an ordinary one takes."""
    plain = _milliseconds(workspace, "plain", _PLAIN)
    return {name: max(0.0, _milliseconds(workspace, f"kind{number}", text) - plain) / _COPIES
            for number, (name, text) in enumerate(FILES.items())}


def _milliseconds(workspace: Workspace, name: str, text: str) -> float:
    folder = workspace.folder / name
    folder.mkdir()
    for number in range(_COPIES):
        (folder / f"{number}.yaml").write_text(text)
    return min(_check(folder) for _ in range(3))


def _check(folder: Path) -> float:
    before = os.times()
    done = subprocess.run([release_binary(), "check", folder], cwd=folder.parent, capture_output=True, check=False)
    after = os.times()
    if done.returncode not in (0, 1):
        raise Failure(f"check ended with status {done.returncode}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent * 1000
