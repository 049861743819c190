"""Reading answers from raw sockets, for clients that must cost little."""

from __future__ import annotations

import re

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
