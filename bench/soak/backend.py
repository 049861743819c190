"""The app's own service: tells what it received. Runs as a process of its own, so that it can be killed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys

PATTERN = bytes(range(256)) * 16


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ", 2)
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
            body = await read_body(reader, fields)
            if target.startswith("/slow/"):
                await asyncio.sleep(0.3)
            answer = json.dumps({
                "method": method, "target": target, "nonce": fields.get("x-nonce"),
                "user": fields.get("x-speed-user-id"), "app": fields.get("x-speed-app-id"),
                "body": hashlib.sha256(body).hexdigest(), "length": len(body)}).encode() + b"\n"
            if target.startswith("/big/"):
                size = int(target.split("/")[2])
                await send_chunked(writer, answer, size)
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(answer))
                writer.write(answer)
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()


async def read_body(reader: asyncio.StreamReader, fields: dict[str, str]) -> bytes:
    if "content-length" in fields:
        return await reader.readexactly(int(fields["content-length"]))
    body = b""
    if fields.get("transfer-encoding") == "chunked":
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readexactly(2)
    return body


async def send_chunked(writer: asyncio.StreamWriter, first: bytes, size: int) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    writer.write(b"%x\r\n%b\r\n" % (len(first), first))
    while size > 0:
        piece = PATTERN[:size]
        size -= len(piece)
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=512)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
