"""One HTTP request on one loopback connection."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    status: int
    fields: dict[str, str]
    """By lower-case name."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str | None:
        """The gateway's error code, where this is an error answer of the gateway."""
        return self.fields.get("x-speed-error")


def send(
    port: int, method: str, target: str, *, host: str = "localhost", fields: dict[str, str] | None = None,
    body: object = None, seconds: float = 10,
) -> Answer:
    """Sends a request to 127.0.0.1 with the given `Host`; `body` goes as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        headers = {"Host": host} | (fields or {})
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        connection.request(method, target, body=content, headers=headers)
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())
    finally:
        connection.close()


def answers_ok(port: int, target: str, host: str = "localhost") -> bool:
    """Whether a GET is answered with 200 now; a refused connection is a no."""
    try:
        return send(port, "GET", target, host=host, seconds=2).status == 200
    except (OSError, http.client.HTTPException):
        return False
