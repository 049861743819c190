"""A person without a browser's screen: keeps cookies and sends the forms of pages."""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass
from html import unescape
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from .mailbox import Mailbox, code_of
from .processes import Failure

PASSWORD = "a quiet harbour at noon"


@dataclass(frozen=True)
class Seen:
    status: int
    fields: dict[str, str]
    text: str

    @property
    def location(self) -> str:
        return self.fields.get("location", "")


class Guest:
    """One browser's worth of cookies."""

    def __init__(self, port: int, host: str = "localhost") -> None:
        self._port = port
        self._host = host
        self.cookies: dict[str, str] = {}
        self._token = ""

    def get(self, path: str) -> Seen:
        return self._send("GET", path)

    def submit(self, path: str, **fields: str) -> Seen:
        """Sends a form with what proves that it was shown here; a page must have been seen before."""
        return self._send("POST", path, self.form(**fields))

    def form(self, **fields: str) -> str:
        return urlencode({"form_token": self._token} | fields)

    def sign_up(self, mailbox: Mailbox, entrance: str, email: str) -> Seen:
        """Makes an account; returns what follows the verified address."""
        query = urlsplit(entrance).query
        self.get(entrance)
        asked = self.submit(f"/platform/auth/sign-up?{query}", name="Ada Example", email=email, password=PASSWORD)
        if asked.status != 303:
            raise Failure(f"a sign-up was answered with {asked.status}")
        identifier = parse_qs(urlsplit(asked.location).query)["id"][0]
        self.get(asked.location)
        return self.submit(
            f"/platform/auth/verify?{query}", id=identifier, code=code_of(mailbox.newest(email)))

    def _send(self, method: str, path: str, body: str | None = None) -> Seen:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            headers = {"Host": self._host}
            if self.cookies:
                headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            if body is not None:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            text = response.read().decode()
            for line in response.headers.get_all("Set-Cookie") or []:
                for morsel in SimpleCookie(line).values():
                    self.cookies[morsel.key] = morsel.value
            found = re.search(r'name="form_token" value="([^"]+)"', text)
            if found:
                self._token = unescape(found.group(1))
            return Seen(response.status, {name.lower(): value for name, value in response.getheaders()}, text)
        finally:
            connection.close()
