"""What schemathesis's process does beside: brings credentials, and makes a share of well-formed requests real ones."""

from __future__ import annotations

import itertools
import json
import os
import secrets
from pathlib import Path
from typing import Any

import schemathesis

from place import LISTS, NOTES, REDIRECT, Place

_place = Place(**json.loads(os.environ["SPEED_PLACE"]))
_seen = Path(os.environ["SPEED_SEEN"])
_turn = itertools.count()
_usual = _place.signed_in()
"""A user whose session stays."""

_ENDING = {"DELETE /api/platform/auth/me", "POST /api/platform/auth/sign-out", "POST /api/platform/auth/link"}
"""Calls that end the session they come with, or change its account."""


@schemathesis.auth(refresh_interval=None)
class Credentials:
    """The bearer that a call needs."""

    def get(self, case: schemathesis.Case[Any], context: Any) -> str | None:
        if case.path.startswith("/api/platform/apps/"):
            return _place.server_key
        return str(_place.signed_in()["token"] if _operation(case) in _ENDING else _usual["token"])

    def set(self, case: schemathesis.Case[Any], data: str, context: Any) -> None:
        if case.operation.definition.raw.get("security"):
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context: Any, case: schemathesis.Case[Any], kwargs: dict[str, Any]) -> None:
    """Every other well-formed request gets what no generator could invent."""
    if case.meta is None or not case.meta.generation.mode.is_positive or next(_turn) % 2:
        return
    match _operation(case):
        case "POST /api/platform/auth/apple-native" if isinstance(case.body, dict):
            case.body = _named(case.body) | _place.apple()
        case "POST /api/platform/auth/relay" if isinstance(case.body, dict):
            case.body = _named(case.body) | {
                "subjectToken": _place.subject_token(), "issuer": _place.issuer, "nonce": None}
        case "POST /api/platform/auth/exchange" if isinstance(case.body, dict):
            verifier = secrets.token_urlsafe(32)
            case.body = {"code": _place.code(0, verifier), "codeVerifier": verifier}
        case "POST /api/platform/auth/refresh" if isinstance(case.body, dict):
            case.body = {"refreshToken": _place.signed_in(LISTS)["refreshToken"]}
        case "POST /api/platform/auth/relay/ticket" if isinstance(case.body, dict):
            case.body = {"redirect": "https://notes.example.com/signed-in"}
        case "GET /platform/auth" | "GET /platform/auth/apple":
            case.query = _named(case.query or {}) | {"redirect": REDIRECT}
        case operation if operation.split(" ")[1].startswith("/api/platform/apps/"):
            case.path_parameters = {"appId": NOTES, "user": _usual["user"]["id"]}
        case _:
            pass


def _named(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "domain"} | {"appId": NOTES}


def _operation(case: schemathesis.Case[Any]) -> str:
    return f"{case.method.upper()} {case.path}"


@schemathesis.hook
def after_call(context: Any, case: schemathesis.Case[Any], response: schemathesis.Response) -> None:
    """Notes which answer came."""
    code = (response.headers.get("x-speed-error") or [""])[0]
    with _seen.open("a") as file:
        file.write(f"{_operation(case)}\t{response.status_code}\t{code}\n")
