"""The backend of all peers, and the service that `auth_request` and `forward_auth` ask: backend.c."""

from __future__ import annotations

import subprocess
from pathlib import Path

from harness.processes import Workspace, accepts, find_program, free_port, wait_until

from setting import Programs, Setting


def build(folder: Path) -> Programs:
    """Builds the C programs."""
    sources = Path(__file__).parent
    programs = Programs(folder / "backend", folder / "load")
    compiler = [find_program("cc"), "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, "-o", programs.backend, sources / "backend.c"], check=True)
    client = sorted((sources / "client").glob("*.c"))
    subprocess.run([*compiler, "-o", programs.load, *client, "-lssl", "-lcrypto"], check=True)
    return programs


def start(workspace: Workspace, programs: Programs, cores: set[int]) -> int:
    """Starts a backend and returns its port."""
    return _start(workspace, "backend", [programs.backend], cores)


def start_token_service(setting: Setting) -> int:
    """Starts a service that answers 200 to requests with a good token and 401 to others; returns its port.

    It runs beside the backend and not on the proxies' core, so what a real one would cost is on no peer's account.
    """
    bearers = setting.workspace.folder / "good.bearers"
    bearers.write_text("".join(f"{bearer}\n" for bearer in setting.bearers))
    name = f"token-service-{free_port()}"
    return _start(setting.workspace, name, [setting.programs.backend, bearers], setting.cores.load)


def _start(workspace: Workspace, name: str, command: list[Path], cores: set[int]) -> int:
    port = free_port()
    program, *arguments = command
    child = workspace.start(name, [program, str(port), *arguments], cores=cores)
    wait_until(child, lambda: accepts(port))
    return port
