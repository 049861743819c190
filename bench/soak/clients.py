"""The clients of a soak: what each kind does, and what it may get for it."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from backend import PATTERN
from wire import Answer, Closed, Connection, Wire

HOST = "soak.localhost"


@dataclass
class Book:
    """What has happened, and what of it must not have."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    kills: list[float] = field(default_factory=list)
    """When a backend was killed."""
    ends: list[float] = field(default_factory=list)
    """When a gateway began to leave."""
    is_over: bool = False

    def fault(self, text: str) -> None:
        self.counts["wrong"] += 1
        if len(self.wrong) < 50:
            self.wrong.append(f"{time.strftime('%H:%M:%S')} {text}")

    def excused(self, begun: float, moments: list[float], seconds: float) -> bool:
        """Whether one of the moments lies within a request that began then and has just ended, or shortly before it."""
        return any(begun - seconds <= moment <= time.monotonic() for moment in moments[-20:])


@dataclass
class Setting:
    wires: list[Wire]
    """Clients take them in turn."""
    bearers: list[str]
    users: dict[str, str]
    """The user of each bearer."""
    book: Book
    numbers: itertools.count[int] = field(default_factory=itertools.count)


class Client:
    """One client with at most one connection: sends requests and judges each answer."""

    def __init__(self, setting: Setting, kind: str) -> None:
        self.setting = setting
        self.book = setting.book
        self.kind = kind
        self.connection: Connection | None = None
        number = next(setting.numbers)
        self.wire = setting.wires[number % len(setting.wires)]
        self.random = random.Random(f"{kind}{number}")

    def head(self, method: str, target: str, nonce: str, bearer: str, more: str = "") -> bytes:
        return (f"{method} {target} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {bearer}\r\n"
                f"X-Speed-Request-From: app\r\nX-Nonce: {nonce}\r\n{more}\r\n").encode()

    async def connect(self) -> Connection:
        if self.connection is None:
            try:
                self.connection = await self.wire.open()
            except OSError as error:
                self.book.fault(f"{self.kind}: no connection: {error}")
                await asyncio.sleep(0.1)
                raise
        return self.connection

    def drop(self) -> None:
        if self.connection:
            self.connection.close()
        self.connection = None

    async def exchange(
        self, method: str, target: str, body: bytes = b"", *, keeps: bool = True,
        send: Callable[[Connection, bytes, bytes], Awaitable[None]] | None = None, pause: float = 0,
    ) -> None:
        """Sends one request and judges what comes: itself again, or a failure that a killed backend excuses."""
        nonce = f"{self.kind}-{next(self.setting.numbers)}"
        bearer = self.random.choice(self.setting.bearers)
        framing = f"Content-Length: {len(body)}\r\n" if body else ""
        head = self.head(method, target, nonce, bearer, framing)
        begun = time.monotonic()
        for attempt in range(3):
            connection = await self.connect()
            was_used = connection.served > 0
            try:
                if send:
                    await send(connection, head, body)
                else:
                    await connection.send(head + body)
                answer = await connection.receive(pause=pause)
                break
            except (Closed, OSError) as closed:
                self.drop()
                if self.is_crossing(closed, was_used, method, begun) and attempt < 2:
                    self.book.counts["crossed"] += 1
                    continue
                if self.book.excused(begun, self.book.kills, 1):
                    self.book.counts["cut by a kill"] += 1
                else:
                    self.book.fault(f"{self.kind}: {method} {target}: {closed} (attempt {attempt + 1})")
                return
        self.judge(answer, method, target, nonce, bearer, body, begun)
        if not keeps or answer.fields.get("connection") == "close":
            self.drop()

    def is_crossing(self, closed: Exception, was_used: bool, method: str, begun: float) -> bool:
        """Whether the request met the end of a kept connection, which HTTP/1.1 lets happen (RFC 9112 section 9.3.1)."""
        began = isinstance(closed, Closed) and closed.began
        return was_used and not began and method == "GET" and self.book.excused(begun, self.book.ends, 6)

    def judge(
        self, answer: Answer, method: str, target: str, nonce: str, bearer: str, body: bytes, begun: float
    ) -> None:
        if answer.status != 200:
            if answer.status in (502, 503, 504) and self.book.excused(begun, self.book.kills, 1):
                self.book.counts[f"{answer.status} by a kill"] += 1
            else:
                self.book.fault(f"{self.kind}: {method} {target}: {answer.status} {answer.body[:200]!r}")
            return
        line, _, rest = answer.body.partition(b"\n")
        echo = json.loads(line)
        expected = {
            "method": method, "target": target, "nonce": nonce, "user": self.setting.users[bearer],
            "body": hashlib.sha256(body).hexdigest(), "length": len(body)}
        if any(echo[key] != value for key, value in expected.items()):
            self.book.fault(f"{self.kind}: {method} {target}: another's answer: {echo}")
        if target.startswith("/big/"):
            size = int(target.split("/")[2])
            if len(rest) != size or hashlib.sha256(rest).digest() != big_digest(size):
                self.book.fault(f"{self.kind}: {target}: {len(rest)} bytes that are not what was sent")
        self.book.counts[f"ok {self.kind}"] += 1


_digests: dict[int, bytes] = {}


def big_digest(size: int) -> bytes:
    if size not in _digests:
        whole, part = divmod(size, len(PATTERN))
        _digests[size] = hashlib.sha256(PATTERN * whole + PATTERN[:part]).digest()
    return _digests[size]


async def steady(client: Client) -> None:
    """Keeps its connection for as long as it may; reads and writes."""
    if client.random.random() < 0.3:
        await client.exchange("POST", "/items", client.random.randbytes(client.random.randrange(1, 20_000)))
    else:
        await client.exchange("GET", f"/items/{client.random.randrange(1000)}?page=2")


async def fresh(client: Client) -> None:
    """A connection a request."""
    await client.exchange("GET", "/fresh", keeps=False)


async def waiting(client: Client) -> None:
    """Requests that the backend takes its time for, so that hand-overs find them running."""
    await client.exchange("GET", "/slow/")


async def slow_writer(client: Client) -> None:
    """A body that arrives in small pieces."""
    async def send(connection: Connection, head: bytes, body: bytes) -> None:
        await connection.send(head[:20])
        await asyncio.sleep(0.05)
        await connection.send(head[20:])
        for start in range(0, len(body), 1500):
            await connection.send(body[start:start + 1500])
            await asyncio.sleep(0.01)
    await client.exchange("POST", "/upload", client.random.randbytes(30_000), send=send)


async def slow_reader(client: Client) -> None:
    """A large answer that is read piece by piece."""
    await client.exchange("GET", "/big/300000", pause=0.01)


async def vanishing(client: Client) -> None:
    """Leaves in the middle of its request, before the answer, or within it."""
    connection = await client.connect()
    bearer = client.random.choice(client.setting.bearers)
    head = client.head("POST", "/gone", "gone", bearer, "Content-Length: 50000\r\n")
    way = client.random.randrange(4)
    try:
        if way == 0:
            await connection.send(head[:client.random.randrange(len(head))])
        elif way == 1:
            await connection.send(head + b"x" * client.random.randrange(50_000))
        elif way == 2:
            await connection.send(client.head("GET", "/slow/", "gone", bearer))
        else:
            await connection.send(client.head("GET", "/big/3000000", "gone", bearer))
            await connection.reader.read(10_000)
    except OSError:
        pass
    if client.random.random() < 0.5:
        connection.reset()
    client.drop()
    client.book.counts["vanished"] += 1
    await asyncio.sleep(0.05)


async def stranger(client: Client) -> None:
    """Comes without a good token."""
    connection = await client.connect()
    try:
        await connection.send(client.head("GET", "/private", "x", "bad.token.text"))
        answer = await connection.receive()
    except (Closed, OSError):
        if connection.served == 0:
            client.book.fault("stranger: closed without an answer")
        return client.drop()
    if answer.status != 401:
        client.book.fault(f"stranger: {answer.status}")
    client.book.counts["ok stranger"] += 1
    if answer.fields.get("connection") == "close":
        client.drop()
    await asyncio.sleep(0.02)


KINDS: dict[Callable[[Client], Awaitable[None]], int] = {
    steady: 8, fresh: 3, waiting: 4, slow_writer: 4, slow_reader: 4, vanishing: 6, stranger: 1,
}
"""Half of the clients are slow or vanish."""


async def run(setting: Setting, act: Callable[[Client], Awaitable[None]]) -> None:
    client = Client(setting, act.__name__)
    while not setting.book.is_over:
        try:
            await act(client)
        except OSError:
            client.drop()
    client.drop()
