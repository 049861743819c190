"""The backend of all peers: backend.c, built for the run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from harness.processes import Workspace, accepts, find_program, free_port, wait_until


def start(workspace: Workspace, cores: set[int]) -> int:
    """Starts a backend that answers every request with 1 KiB, and returns its port."""
    program = workspace.folder / "backend"
    source = Path(__file__).with_name("backend.c")
    subprocess.run([find_program("cc"), "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
    port = free_port()
    child = workspace.start("backend", [program, str(port)], cores=cores)
    wait_until(child, lambda: accepts(port))
    return port
