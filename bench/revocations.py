"""How a long queue of revocations at Apple drains: pace, memory, and what a killed process leaves.

The process is killed with SIGKILL when half of the queue is done, and started again. What it had under way is leased
for a minute; at the end that minute is taken out of the store, so that the run need not wait for it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from harness.gateway import Gateway, release_binary
from harness.processes import Failure, Workspace, wait_until

import cpu
from account import AppleApp

CALLS_A_SECOND = 250
PACE = "calls a second, of those that are configured"
GROWTH_BYTES = "bytes that memory grows while the queue drains"
LOST, TWICE = "revocations lost", "revocations made again after SIGKILL"
UNDER_WAY = 8
"""Attempts that a process has under way at once: those may be made again after its end."""
_SECONDS = 50


def measure(workspace: Workspace, *, count: int) -> dict[str, float]:
    app = AppleApp.start(workspace, calls_a_second=CALLS_A_SECOND)
    database = app.gateway.config.parent / "var" / "gateway.db"
    _make_one(app)
    _kill(app.gateway)
    _run(database, _COPY, count - 1)
    _run(database, "UPDATE provider_jobs SET due_at = 0, attempts = 0")
    app.sandbox.ask("failures", revoke="ok")
    before = app.sandbox.count("revoke")

    def made() -> int:
        return app.sandbox.count("revoke") - before

    binary = release_binary()
    gateway = app.gateway.again(workspace, binary)
    pace, growth = _drain(gateway, made, count // 10, count // 2)
    _kill(gateway)
    gateway = gateway.again(workspace, binary)
    wait_until(gateway.child, lambda: _count(database, _DUE, _now()) == 0, seconds=_SECONDS, step=0.2)
    # The last ones are under way still, and no end of the process is to be counted but the one above.
    time.sleep(1)
    gateway.child.stop()
    _run(database, "UPDATE provider_jobs SET due_at = 0")
    gateway = gateway.again(workspace, binary)
    wait_until(gateway.child, lambda: gateway.waiting("release") == 0, seconds=_SECONDS, step=0.2)
    gateway.child.stop()
    done = _count(database, "SELECT COUNT(*) FROM audit WHERE act = 'revoke'")
    return {PACE: pace / CALLS_A_SECOND, GROWTH_BYTES: growth, LOST: count - done, TWICE: made() - count}


_COLUMNS = "priority, kind, provider, app, user_id, client, sealed, attempts, created_at, due_at"
_COPY = f"""
    WITH RECURSIVE number(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ?)
    INSERT INTO provider_jobs ({_COLUMNS})
    SELECT {_COLUMNS} FROM number, (SELECT * FROM provider_jobs LIMIT 1)"""
_DUE = "SELECT COUNT(*) FROM provider_jobs WHERE due_at <= ?"


def _make_one(app: AppleApp) -> None:
    """One revocation that has failed and waits."""
    bearer = app.sign_in("bench.user")
    app.await_exchanges()
    app.sandbox.ask("failures", revoke="unavailable")
    app.delete(bearer)
    wait_until(app.gateway.child, lambda: app.sandbox.count("revoke") > 0)
    wait_until(app.gateway.child, lambda: app.gateway.waiting("release") == 1)


def _drain(gateway: Gateway, made: Callable[[], int], first: int, last: int) -> tuple[float, float]:
    """Calls a second between the `first` call and the `last`, and how much memory grew meanwhile."""
    wait_until(gateway.child, lambda: made() >= first, seconds=_SECONDS)
    begun, counted, resident = time.monotonic(), made(), cpu.resident_bytes(gateway.child.pid)
    most = resident
    while (now := made()) < last:
        gateway.child.fail_if_ended()
        if time.monotonic() - begun > _SECONDS:
            raise Failure(f"only {now} of {last} revocations were made in {_SECONDS} s")
        most = max(most, cpu.resident_bytes(gateway.child.pid))
        time.sleep(0.1)
    return (now - counted) / (time.monotonic() - begun), most - resident


def _kill(gateway: Gateway) -> None:
    gateway.child.process.kill()
    gateway.child.process.wait()


def _run(database: Path, sql: str, *values: int) -> None:
    with sqlite3.connect(database, timeout=10) as connection:
        connection.execute(sql, values)
    connection.close()


def _count(database: Path, sql: str, *values: int) -> int:
    connection = sqlite3.connect(database, timeout=10)
    try:
        return int(connection.execute(sql, values).fetchone()[0])
    finally:
        connection.close()


def _now() -> int:
    """Unix milliseconds, as the store has them."""
    return time.time_ns() // 1_000_000
