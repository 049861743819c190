"""Where the gateway is and what is known of its apps: what scenes and schemathesis's process need to sign users in."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import requests

from harness.pages import Guest
from harness.processes import Failure

NOTES, LISTS, BARE, CLOSED, MOVING, TWIN = 1, 2, 3, 4, 5, 6
"""Apps: one with everything, one with refresh tokens and a key of Apple's, one without settings, one without
providers, one whose file changes, one whose bundle ID another app has too."""

BUNDLES = {
    NOTES: "com.example.notes", LISTS: "com.example.lists", MOVING: "com.example.moving", TWIN: "com.example.twin"}
REDIRECT = "notesapp://speed-auth"

_serial = itertools.count()


@dataclass(frozen=True)
class Place:
    port: int
    sandbox_port: int
    issuer: str
    """The OpenID issuer that the app Notes lists."""
    issuer_key: str
    """Its key, for tests alone."""
    server_key: str
    bare_server_key: str
    cookies: list[dict[str, str]]
    """Browsers in which someone has signed in with Speed, each someone else."""

    @property
    def members(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"

    def call(
        self, method: str, path: str, token: str | None = None, body: Any = None, **more: Any
    ) -> requests.Response:
        fields = more.pop("headers", {}) | ({"Authorization": f"Bearer {token}"} if token else {})
        return requests.request(
            method, self.origin + path, json=body, headers=fields, timeout=30, allow_redirects=False, **more)

    def apple(self, app: int = NOTES, subject: str | None = None, **claims: object) -> dict[str, str]:
        """What an app gets from Apple."""
        subject = subject or f"001000.{os.getpid()}.{next(_serial):04}"
        wish: Any = {"aud": BUNDLES[app], "sub": subject, "rawNonce": secrets.token_hex(32)} | claims
        answer = requests.post(f"http://127.0.0.1:{self.sandbox_port}/sandbox/identity-token", json=wish, timeout=30)
        names = ("identityToken", "rawNonce", "authorizationCode")
        return {name: value for name, value in answer.json().items() if name in names}

    def signed_in(self, app: int = NOTES, subject: str | None = None, **claims: object) -> dict[str, Any]:
        """The session of a user of Apple's."""
        body = {"appId": app, **self.apple(app, subject, **claims)}
        answer = self.call("POST", "/api/platform/auth/apple-native", body=body)
        if answer.status_code != 200:
            raise Failure(f"a sign-in with Apple was answered with {answer.status_code}")
        return dict(answer.json())

    def subject_token(self, **claims: object) -> str:
        """A token of the OpenID issuer; a claim of None is left out."""
        now = int(time.time())
        usual: dict[str, object] = {
            "iss": self.issuer, "aud": "notes", "sub": f"user-{os.getpid()}-{next(_serial)}", "iat": now,
            "exp": now + 600}
        payload = {name: value for name, value in (usual | claims).items() if value is not None}
        return jwt.encode(payload, self.issuer_key, algorithm="RS256", headers={"kid": "one"})

    def guest(self, number: int) -> Guest:
        guest = Guest(self.port)
        guest.cookies.update(self.cookies[number])
        return guest

    def code(self, number: int, verifier: str) -> str:
        """A code for the session of someone who has signed in with Speed and consented before."""
        query = {"appId": NOTES, "redirect": REDIRECT, "code_challenge": challenge(verifier)}
        seen = self.guest(number).get("/platform/auth?" + urlencode(query))
        codes = parse_qs(urlsplit(seen.location).query).get("code")
        if not codes:
            raise Failure(f"the page answered {seen.status} and brought no code")
        return codes[0]

    def link_token(self, number: int) -> str:
        """What the linking flow brings, which always asks."""
        query = urlencode({"appId": NOTES, "redirect": REDIRECT, "link": "1"})
        guest = self.guest(number)
        guest.get(f"/platform/auth?{query}")
        location = guest.submit(f"/platform/auth/consent?{query}", decision="allow").location
        return str(json.loads(parse_qs(urlsplit(location).query)["_speed_auth_data"][0])["token"])

    def speed_session(self, number: int) -> dict[str, Any]:
        verifier = secrets.token_urlsafe(32)
        body = {"code": self.code(number, verifier), "codeVerifier": verifier}
        return dict(self.call("POST", "/api/platform/auth/exchange", body=body).json())


def challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
