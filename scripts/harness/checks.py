"""Tests that are run one after another, each told as it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from harness.processes import Failure


def expect(what: str, holds: object) -> None:
    if not holds:
        raise Failure(what)


def failures(tests: Iterable[Callable[[], None]]) -> int:
    """Runs all of them, also after one that fails; how many did."""
    return sum(_fails(test) for test in tests)


def _fails(test: Callable[[], None]) -> bool:
    try:
        test()
    except Exception as problem:
        print(f"error: {test.__name__}: {type(problem).__name__}: {problem}", flush=True)
        return True
    print(f"passed: {test.__name__}", flush=True)
    return False
