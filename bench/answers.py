"""Requests and answers over raw sockets, for clients that must cost little."""

from __future__ import annotations

import json
import re
import socket
import time

from harness.processes import Failure

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_ERROR = re.compile(rb"\r\nx-speed-error: *([a-z_]+)\r\n", re.IGNORECASE)


def complete(buffer: bytes | bytearray) -> bool:
    """Whether the buffer holds an answer with `Content-Length` as a whole."""
    head = buffer.find(b"\r\n\r\n")
    if head < 0:
        return False
    length = _LENGTH.search(buffer, 0, head + 2)
    if length is None:
        raise ValueError("an answer without Content-Length")
    return len(buffer) >= head + 4 + int(length[1])


def error(buffer: bytes | bytearray) -> str:
    """The code in `X-Speed-Error`; empty where there is none."""
    code = _ERROR.search(buffer, 0, buffer.find(b"\r\n\r\n") + 2)
    return code[1].decode() if code else ""


def status(buffer: bytes | bytearray) -> int:
    return int(buffer[9:12])


def request(method: str, target: str, body: dict[str, object] | None = None, *, bearer: str | None = None) -> bytes:
    """A request to the platform's API, its body in JSON."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Content-Length: {len(content)}"]
    if content:
        lines.append("Content-Type: application/json")
    if bearer:
        lines.append(f"Authorization: Bearer {bearer}")
    return "\r\n".join([*lines, "", ""]).encode() + content


def require_success(answer: bytes | bytearray) -> None:
    if status(answer) != 200:
        raise Failure(f"a request was answered with {status(answer)} {error(answer)}")


def one_by_one(port: int, requests: list[bytes]) -> list[float]:
    """Seconds from sending each request to having its answer, on one connection."""
    times = []
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for each in requests:
            answer = bytearray()
            begun = time.perf_counter()
            connection.sendall(each)
            while not complete(answer):
                piece = connection.recv(65_536)
                if not piece:
                    raise Failure("the gateway closed the connection")
                answer += piece
            times.append(time.perf_counter() - begun)
            require_success(answer)
    return times
