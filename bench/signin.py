"""How long a sign-in takes, and how many a gateway does at once, with identity tokens made beforehand."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator

from harness.gateway import Gateway, Sandbox, release_binary
from harness.processes import Failure, Workspace

import answers
from peers import speed

CONCURRENT = 64
_WARM_UP = 64


MEDIAN_MILLISECONDS, PER_SECOND = "milliseconds a sign-in, one at a time", "sign-ins a second, many at once"
"""From sending a request to having its answer; and with `CONCURRENT` connections on all cores, client included."""


def measure(workspace: Workspace, *, one_by_one: int, at_once: int) -> dict[str, float]:
    """First sign-ins of new users on SQLite: the dearer kind, as each writes an account."""
    binary = release_binary()
    sandbox = Sandbox.start(workspace, binary)
    # Signing in calls no backend; the port is only a valid one.
    tenants = speed.write_tenants(workspace, backend_port=9)
    gateway = Gateway.start(
        workspace, binary, tenants=tenants, issuer=sandbox.issuer, name="sign-in-gateway",
        more=speed.open_wide(connections=1_000))
    # One address for all of them: nothing looks for accounts of apps by it.
    minted = sandbox.mint_many(
        speed.BUNDLE, _WARM_UP + one_by_one + at_once, email="jane@example.com", email_verified=True)
    requests = [_request(credentials) for credentials in minted]
    answers.one_by_one(gateway.port, requests[:_WARM_UP])
    # By now the gateway holds the sandbox's key set.
    sandbox.child.stop()
    times = answers.one_by_one(gateway.port, requests[_WARM_UP:_WARM_UP + one_by_one])
    begun = time.monotonic()
    asyncio.run(_at_once(gateway.port, iter(requests[_WARM_UP + one_by_one:])))
    elapsed = time.monotonic() - begun
    gateway.child.stop()
    return {MEDIAN_MILLISECONDS: statistics.median(times) * 1000, PER_SECOND: at_once / elapsed}


def _request(credentials: dict[str, str]) -> bytes:
    return answers.request(
        "POST", "/api/platform/auth/apple-native", {"appId": speed.APP, **credentials, "fullName": "Jane Doe"})


class _Client(asyncio.Protocol):
    """One connection that takes the next request as soon as its last one is answered."""

    def __init__(self, requests: Iterator[bytes]) -> None:
        self.requests = requests
        self.answer = bytearray()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        self.answer += data
        try:
            if answers.complete(self.answer):
                answers.require_success(self.answer)
                self.answer.clear()
                self._next()
        except (Failure, ValueError) as failure:
            self._end(failure)

    def connection_lost(self, _: Exception | None) -> None:
        self._end(Failure("the gateway closed a connection during sign-ins"))

    def _next(self) -> None:
        request = next(self.requests, None)
        if request is None:
            self._end(None)
        else:
            self.transport.write(request)

    def _end(self, failure: Exception | None) -> None:
        if self.ended.done():
            return
        if failure is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(failure)
        self.transport.close()


async def _at_once(port: int, requests: Iterator[bytes]) -> None:
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(lambda: _Client(requests), "127.0.0.1", port) for _ in range(CONCURRENT)]
    await asyncio.gather(*(client.ended for _, client in made))
