"""What a tree of processes used, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(root: int) -> float:
    """User and system time of a process, all its descendants, and those of them that have ended."""
    # utime, stime, cutime and cstime of proc(5): fields 14 to 17, counted after the command's closing bracket.
    return sum(sum(int(field) for field in _stat(pid)[11:15]) for pid in tree(root)) / _TICKS


def resident_bytes(root: int) -> int:
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in tree(root)) * _PAGE


def age_seconds(pid: int) -> float:
    """Since the process began, to a hundredth (proc(5), field 22)."""
    return float(Path("/proc/uptime").read_text().split()[0]) - int(_stat(pid)[19]) / _TICKS


def tree(root: int) -> list[int]:
    """A process and all its living descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                children.setdefault(int(_stat(int(entry.name))[1]), []).append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue  # It ended while we looked.
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third one (state) on; the second one may hold blanks."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
