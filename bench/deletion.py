"""How long the deletion of an account takes while Apple takes calls and does not answer them."""

from __future__ import annotations

import secrets
import socket
import statistics

from harness.processes import Workspace

import answers
from account import ME, AppleApp

MEDIAN_MILLISECONDS = "milliseconds a deletion, median"
SLOWEST_MILLISECONDS = "milliseconds of the slowest: it finds out that Apple does not answer"


def measure(workspace: Workspace, *, count: int) -> dict[str, float]:
    """Accounts with a token of Apple's each, one at a time on SQLite; every second request brings a code of its own."""
    app = AppleApp.start(workspace, calls_a_second=1000)
    requests = []
    for number in range(count):
        subject = f"000001.{secrets.token_hex(16)}.0001"
        bearer = app.sign_in(subject)
        body: dict[str, object] | None = {"authorizationCode": app.code(subject)} if number % 2 else None
        requests.append(answers.request("DELETE", ME, body, bearer=bearer))
    app.await_exchanges()
    app.sandbox.child.stop()
    with socket.socket() as silent:
        # Connections are made, and nobody is there: the worst way to be out of reach.
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        silent.bind(("127.0.0.1", app.sandbox.port))
        silent.listen(1024)
        times = answers.one_by_one(app.gateway.port, requests)
        app.gateway.child.stop()
    return {MEDIAN_MILLISECONDS: statistics.median(times) * 1000, SLOWEST_MILLISECONDS: max(times) * 1000}
