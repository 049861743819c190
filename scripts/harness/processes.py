"""Child processes and scratch files that never outlive the script that made them."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    """Something that the reader of the terminal can act on; the script ends with this text."""


class Child:
    """A running process, what it writes, and the one way to end it."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.process = process
        self.log = log

    @property
    def pid(self) -> int:
        return self.process.pid

    def log_tail(self, lines: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def fail_if_ended(self) -> None:
        code = self.process.poll()
        if code is not None:
            raise Failure(f"{self.name} ended with status {code}:\n{self.log_tail()}")

    def stop(self, patience: float = 5.0) -> int:
        """Asks the process to end, makes it end after `patience` seconds, and returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()


class Workspace:
    """A scratch folder and the processes started in it; leaving the `with` block ends and removes all of it."""

    def __init__(self, prefix: str) -> None:
        # Not /tmp, which is memory on many machines: a database's fsync would cost nothing there.
        self.folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/var/tmp"))
        self._children: list[Child] = []

    def __enter__(self) -> Workspace:
        # SIGTERM unwinds like Ctrl-C, so that the cleaning below happens.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return self

    def __exit__(self, *_: object) -> None:
        for child in reversed(self._children):
            child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(
        self, name: str, arguments: Iterable[str | Path], *, cores: set[int] | None = None,
        environment: dict[str, str] | None = None,
    ) -> Child:
        """Starts a process in the scratch folder, on `cores` only where they are given."""
        log = self.folder / f"{name}.log"

        def prepare() -> None:
            # Even `kill -9` of this script leaves nothing running.
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if cores:
                os.sched_setaffinity(0, cores)

        with log.open("ab") as output:
            process = subprocess.Popen(
                [str(argument) for argument in arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, env=os.environ | (environment or {}), preexec_fn=prepare, start_new_session=True)
        child = Child(name, process, log)
        self._children.append(child)
        return child


_given: set[int] = set()


def free_port() -> int:
    """A TCP port of the loopback address that the kernel says is free now, and that was not given before.

    Two listeners with `SO_REUSEPORT` may share a port without an error, so that a port given twice would go unnoticed.
    """
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port not in _given:
            _given.add(port)
            return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(child: Child, ready: Callable[[], bool], *, seconds: float = 10, step: float = 0.01) -> None:
    """Returns as soon as `ready()` holds; fails when the process ends or the time is over before that."""
    deadline = time.monotonic() + seconds
    while not ready():
        child.fail_if_ended()
        if time.monotonic() > deadline:
            raise Failure(f"{child.name} was not ready within {seconds:.0f} s:\n{child.log_tail()}")
        time.sleep(step)


def find_program(name: str) -> str:
    """The path of an installed program; Debian keeps some outside an ordinary user's PATH."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        raise Failure(f"{name} is not installed (Debian: apt-get install {name})")
    return found
