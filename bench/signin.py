"""How long a sign-in takes, and how many a gateway does at once, with identity tokens made beforehand."""

from __future__ import annotations

import asyncio
import json
import socket
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
    _one_by_one(gateway.port, requests[:_WARM_UP])
    # By now the gateway holds the sandbox's key set.
    sandbox.child.stop()
    times = _one_by_one(gateway.port, requests[_WARM_UP:_WARM_UP + one_by_one])
    begun = time.monotonic()
    asyncio.run(_at_once(gateway.port, iter(requests[_WARM_UP + one_by_one:])))
    elapsed = time.monotonic() - begun
    gateway.child.stop()
    return {MEDIAN_MILLISECONDS: statistics.median(times) * 1000, PER_SECOND: at_once / elapsed}


def _request(credentials: dict[str, str]) -> bytes:
    body = json.dumps({"appId": speed.APP, **credentials, "fullName": "Jane Doe"}).encode()
    head = (
        "POST /api/platform/auth/apple-native HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def _one_by_one(port: int, requests: list[bytes]) -> list[float]:
    times = []
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in requests:
            answer = bytearray()
            begun = time.perf_counter()
            connection.sendall(request)
            while not answers.complete(answer):
                piece = connection.recv(65_536)
                if not piece:
                    raise Failure("the gateway closed the connection during a sign-in")
                answer += piece
            times.append(time.perf_counter() - begun)
            _require_success(answer)
    return times


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
                _require_success(self.answer)
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


def _require_success(answer: bytes | bytearray) -> None:
    if answers.status(answer) != 200:
        error = answers.error(answer)
        raise Failure(f"a sign-in was answered with {answers.status(answer)} {error}")
