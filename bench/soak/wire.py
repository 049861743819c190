"""HTTP/1.1 over one connection, as strict about answers as a test has to be. A wire is plain or TLS."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field


class Closed(Exception):
    """The gateway closed the connection where an answer was due. `began`: after bytes of that answer had come."""

    def __init__(self, began: bool) -> None:
        super().__init__("closed within an answer" if began else "closed before an answer")
        self.began = began


@dataclass(frozen=True)
class Wire:
    """How the gateway is reached."""

    port: int
    tls: ssl.SSLContext | None = None
    name: str = "soak.localhost"

    async def open(self, *, limit: int = 1 << 20) -> Connection:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.tls, server_hostname=self.name if self.tls else None, limit=limit)
        return Connection(reader, writer)


@dataclass
class Answer:
    status: int
    fields: dict[str, str]
    body: bytes = b""


@dataclass
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    served: int = field(default=0)
    """Answers that came on it."""

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def receive(self, *, pause: float = 0, head_only: bool = False) -> Answer:
        """The next final answer; with a `pause` between the pieces of its body for a slow reader."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, OSError) as error:
            raise Closed(bool(getattr(error, "partial", b""))) from None
        lines = head.decode("latin-1").split("\r\n")
        answer = Answer(int(lines[0].split(" ")[1]), {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)})
        if answer.status < 200:
            return await self.receive(pause=pause, head_only=head_only)
        try:
            answer.body = await self._body(answer, pause)
        except (asyncio.IncompleteReadError, OSError, ValueError):
            raise Closed(True) from None
        self.served += 1
        return answer

    async def _body(self, answer: Answer, pause: float) -> bytes:
        if "content-length" in answer.fields:
            return await self.reader.readexactly(int(answer.fields["content-length"]))
        pieces: list[bytes] = []
        if answer.fields.get("transfer-encoding") == "chunked":
            while size := int(await self.reader.readline(), 16):
                pieces.append(await self.reader.readexactly(size))
                await self.reader.readexactly(2)
                if pause:
                    await asyncio.sleep(pause)
            await self.reader.readexactly(2)
        return b"".join(pieces)

    def close(self) -> None:
        self.writer.close()

    def reset(self) -> None:
        self.writer.transport.abort()
