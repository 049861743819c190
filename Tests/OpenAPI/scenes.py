"""Short stories of the platform API that reach the answers which chance does not."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from harness.processes import Failure, wait_until

from page import Page
from place import BARE, BUNDLES, CLOSED, LISTS, MOVING, NOTES, REDIRECT, TWIN, Place, challenge
from stage import Stage

AUTH = "/api/platform/auth"
APPLE, RELAY, EXCHANGE, REFRESH = (f"{AUTH}/{name}" for name in ("apple-native", "relay", "exchange", "refresh"))
ME, SIGN_OUT, TICKET, LINK, UNLINK = (
    f"{AUTH}/{name}" for name in ("me", "sign-out", "relay/ticket", "link", "me/speed-link"))
NOTICES = f"{AUTH}/apple-notifications/{{appId}}"
BALANCE = "/api/platform/apps/{appId}/users/{user}/balance"
ADJUSTMENTS = f"{BALANCE}/adjustments"
SPEED, APPLE_WEB, CALLBACK = "/platform/auth", "/platform/auth/apple", "/platform/auth/apple/callback"
KEYS = "/.well-known/jwks.json"


class Scene:
    """Makes calls, and has each answer compared with the page."""

    def __init__(self, stage: Stage, page: Page, place: Place | None = None) -> None:
        self.stage = stage
        self.place: Place = place or stage.place
        self._page = page

    def at(self, port: int) -> Scene:
        """The same at another gateway."""
        return Scene(self.stage, self._page, replace(self.place, port=port))

    @property
    def operations(self) -> list[tuple[str, str]]:
        return self._page.operations

    def expect(
        self, status: int, code: str | None, method: str, path: str, token: str | None = None, body: object = None,
        **more: Any,
    ) -> requests.Response:
        """A call whose answer must be this one; `at` replaces what stands in braces in the path."""
        answer = self.place.call(method, path.format_map(more.pop("at", {})), token, body, **more)
        self._page.check(method, path, answer)
        if (answer.status_code, answer.headers.get("X-Speed-Error")) != (status, code):
            raise Failure(
                f"{method} {path} was answered with {answer.status_code} {answer.headers.get('X-Speed-Error')}"
                f" instead of {status} {code}")
        return answer


def sign_in_with_apple(scene: Scene) -> None:
    place = scene.place
    credentials = place.apple()
    body = {"appId": NOTES, "fullName": "Jane Doe", **credentials}
    scene.expect(200, None, "POST", APPLE, body=body)
    scene.expect(401, "invalid_identity_token", "POST", APPLE, body=body)
    scene.expect(200, None, "POST", APPLE, body={"domain": "Notes.localhost.", **place.apple()})
    scene.expect(200, None, "POST", APPLE, body={"appId": str(NOTES), "domain": "notes.localhost", **place.apple()})
    scene.expect(
        400, "invalid_request", "POST", APPLE, body={"appId": NOTES, "domain": "lists.localhost", **place.apple()})
    scene.expect(404, "Target not found", "POST", APPLE, body={"appId": 999, **place.apple()})
    scene.expect(400, "ios_not_configured", "POST", APPLE, body={"appId": BARE, **place.apple()})
    scene.expect(400, "provider_not_enabled", "POST", APPLE, body={"appId": CLOSED, **place.apple()})
    scene.expect(403, "bundle_id_conflict", "POST", APPLE, body={"appId": TWIN, **place.apple(TWIN)})
    # A Speed account with the same verified address is offered for linking.
    scene.expect(200, None, "POST", APPLE, body={
        "appId": NOTES, **place.apple(email="guest0@example.com", email_verified=True, is_private_email=False)})


def relay(scene: Scene) -> None:
    place = scene.place
    token = place.subject_token(name="Jane Doe", email="jane@example.com", email_verified=True)
    scene.expect(200, None, "POST", RELAY, body={"appId": NOTES, "subjectToken": token})
    scene.expect(401, "invalid_subject_token", "POST", RELAY, body={"appId": NOTES, "subjectToken": token})
    scene.expect(200, None, "POST", RELAY, body={
        "domain": "notes.localhost", "issuer": place.issuer, "nonce": "n-1", "fullName": None,
        "subjectToken": place.subject_token(nonce="n-1")})
    scene.expect(401, "invalid_subject_token", "POST", RELAY, body={
        "appId": NOTES, "subjectToken": place.subject_token(aud="lists")})
    scene.expect(200, None, "POST", RELAY, body={"appId": NOTES, "subjectToken": f"verified-{secrets.token_hex(8)}"})
    scene.expect(401, "invalid_subject_token", "POST", RELAY, body={"appId": NOTES, "subjectToken": "unknown"})
    scene.expect(503, "provider_unavailable", "POST", RELAY, body={"appId": NOTES, "subjectToken": "broken"})
    scene.expect(400, "relay_not_configured", "POST", RELAY, body={"appId": BARE, "subjectToken": token})
    scene.expect(400, "provider_not_enabled", "POST", RELAY, body={"appId": LISTS, "subjectToken": token})
    scene.expect(404, "Target not found", "POST", RELAY, body={"domain": "nobody.localhost", "subjectToken": token})
    scene.expect(400, "invalid_request", "POST", RELAY, body={"subjectToken": token})


def ticket(scene: Scene) -> None:
    place = scene.place
    token = place.signed_in()["token"]
    page = "https://notes.example.com/signed-in"
    answer = scene.expect(200, None, "POST", TICKET, token, {"redirect": page})
    assert answer.json()["url"].startswith(f"{page}?_speed_auth_data=")
    scene.expect(400, "invalid_redirect", "POST", TICKET, token, {"redirect": REDIRECT})
    scene.expect(400, "invalid_request", "POST", TICKET, token, {})
    scene.expect(401, "missing_token", "POST", TICKET, None, {"redirect": page})
    scene.expect(401, "invalid_token", "POST", TICKET, "none", {"redirect": page})
    scene.expect(400, "provider_not_enabled", "POST", TICKET, place.signed_in(LISTS)["token"], {"redirect": page})


def exchange(scene: Scene) -> None:
    verifier = secrets.token_urlsafe(32)
    body = {"code": scene.place.code(0, verifier), "codeVerifier": verifier}
    scene.expect(200, None, "POST", EXCHANGE, body=body)
    scene.expect(400, "invalid_code", "POST", EXCHANGE, body=body)
    scene.expect(400, "invalid_request", "POST", EXCHANGE, body={"code": body["code"]})


def refresh(scene: Scene) -> None:
    token = scene.place.signed_in(LISTS)["refreshToken"]
    again = scene.expect(200, None, "POST", REFRESH, body={"refreshToken": token}).json()
    scene.expect(401, "invalid_refresh_token", "POST", REFRESH, body={"refreshToken": token})
    scene.expect(401, "invalid_token", "GET", ME, again["token"])
    scene.expect(400, "invalid_request", "POST", REFRESH, body={})


def session(scene: Scene) -> None:
    token = scene.place.signed_in()["token"]
    scene.expect(200, None, "GET", ME, token)
    scene.expect(401, "missing_token", "GET", ME)
    scene.expect(400, "invalid_request", "GET", f"{ME}", token, params={"access_token": token})
    scene.expect(400, "invalid_request", "POST", SIGN_OUT, token, params={"access_token": token})
    scene.expect(204, None, "POST", SIGN_OUT, token)
    scene.expect(401, "invalid_token", "POST", SIGN_OUT, token)
    scene.expect(401, "missing_token", "POST", SIGN_OUT)


def deletion(scene: Scene) -> None:
    place = scene.place
    token = place.signed_in()["token"]
    scene.expect(400, "invalid_request", "DELETE", ME, token, [])
    scene.expect(200, None, "DELETE", ME, token)
    scene.expect(401, "invalid_token", "DELETE", ME, token)
    scene.expect(401, "missing_token", "DELETE", ME)
    token = place.signed_in(LISTS)["token"]
    code = place.apple(LISTS, code=True)["authorizationCode"]
    scene.expect(409, "apple_account_mismatch", "DELETE", ME, token, {"authorizationCode": code})


def linking(scene: Scene) -> None:
    place = scene.place
    speed, local = place.speed_session(0)["token"], place.signed_in()["token"]
    scene.expect(401, "missing_token", "POST", LINK, None, {"speedToken": speed})
    scene.expect(401, "invalid_token", "POST", LINK, "none", {"speedToken": speed})
    scene.expect(400, "invalid_request", "POST", LINK, local, {"speedToken": speed, "keep": "both"})
    scene.expect(400, "not_linkable", "POST", LINK, speed, {"speedToken": speed})
    scene.expect(400, "invalid_speed_token", "POST", LINK, local, {"speedToken": local})
    scene.expect(409, "app_data_conflict", "POST", LINK, local, {"speedToken": speed})
    scene.expect(400, "not_linked", "DELETE", UNLINK, local)
    scene.expect(200, None, "POST", LINK, local, {"speedToken": speed, "keep": "local"})
    scene.expect(409, "speed_account_in_use", "POST", LINK, place.signed_in()["token"], {
        "speedToken": place.link_token(0), "keep": "local"})
    scene.expect(200, None, "DELETE", UNLINK, local)
    scene.expect(401, "missing_token", "DELETE", UNLINK)
    scene.expect(401, "invalid_token", "DELETE", UNLINK, "none")
    scene.expect(400, "invalid_request", "DELETE", UNLINK, local, params={"access_token": local})
    merged = scene.expect(200, None, "POST", LINK, place.signed_in()["token"], {
        "speedToken": place.speed_session(1)["token"], "keep": "speed"})
    assert "previousUserId" in merged.json()


def notices(scene: Scene) -> None:
    def send(app: int | str, status: int, code: str | None, body: object) -> None:
        scene.expect(status, code, "POST", NOTICES, body=body, at={"appId": app})

    send(NOTES, 401, "invalid_notification", {"payload": scene.place.apple(LISTS)["identityToken"]})
    send(NOTES, 400, "invalid_request", {})
    send(999, 404, "Target not found", {"payload": "a.b.c"})
    send(BARE, 400, "ios_not_configured", {"payload": "a.b.c"})
    send(CLOSED, 400, "provider_not_enabled", {"payload": "a.b.c"})
    for form in ("json", "form"):
        url = f"{scene.place.origin}{AUTH}/apple-notifications/{NOTES}"
        told = scene.stage.sandbox.ask(
            "notification", type="email-disabled", aud=BUNDLES[NOTES], sub=f"nobody-{form}", url=url, body=form)
        assert told["status"] == 200, told
    # The door takes any token of Apple's for the app; one without events changes nothing.
    send(NOTES, 200, None, {"payload": scene.place.apple()["identityToken"]})


def balances(scene: Scene) -> None:
    place = scene.place
    key, user = place.server_key, place.signed_in()["user"]["id"]
    here = {"appId": NOTES, "user": user}
    gift: dict[str, object] = {"amount": 500, "reason": "gift", "idempotencyKey": secrets.token_hex(8)}

    def adjust(status: int, code: str | None, body: dict[str, object]) -> requests.Response:
        return scene.expect(status, code, "POST", ADJUSTMENTS, key, body, at=here)

    adjust(201, None, gift)
    adjust(200, None, gift)
    adjust(409, "idempotency_conflict", gift | {"amount": 501})
    adjust(409, "insufficient_balance", gift | {"amount": -501, "idempotencyKey": secrets.token_hex(8)})
    adjust(400, "invalid_request", gift | {"amount": 0})
    adjust(201, None, {
        "amount": -1, "reason": "correction", "idempotencyKey": secrets.token_hex(8), "reference": "order 1"})
    page = scene.expect(200, None, "GET", ADJUSTMENTS, key, at=here, params={"limit": 1}).json()
    scene.expect(200, None, "GET", ADJUSTMENTS, key, at=here, params={"cursor": page["cursor"]})
    scene.expect(400, "invalid_request", "GET", ADJUSTMENTS, key, at=here, params={"limit": 0})
    for method, path in (("GET", BALANCE), ("GET", ADJUSTMENTS), ("POST", ADJUSTMENTS)):
        body = gift if method == "POST" else None
        scene.expect(401, "missing_token", method, path, None, body, at=here)
        scene.expect(401, "invalid_token", method, path, place.bare_server_key, body, at=here)
        scene.expect(404, "unknown_user", method, path, key, body, at=here | {"user": "nobody"})
        scene.expect(404, "no_route", method, path, key, body, at=here | {"appId": "x"})
    scene.expect(200, None, "GET", BALANCE, key, at=here)
    scene.expect(400, "invalid_request", "GET", BALANCE, f"{key},{key}", at=here)
    # Nobody can sign in to the app, but its server's key is good: the user is looked for before the source is.
    scene.expect(404, "unknown_user", "POST", ADJUSTMENTS, place.bare_server_key, gift, at=here | {"appId": BARE})


def no_local_balance(scene: Scene) -> None:
    place = scene.place
    query = urlencode({"appId": BARE, "redirect": "https://bare.example.com/"})
    guest = place.guest(2)
    guest.get(f"{SPEED}?{query}")
    location = guest.submit(f"{SPEED}/consent?{query}", decision="allow").location
    data = json.loads(parse_qs(urlsplit(location).query)["_speed_auth_data"][0])
    scene.expect(
        409, "usage_source_not_local", "POST", ADJUSTMENTS, place.bare_server_key,
        {"amount": 1, "reason": "gift", "idempotencyKey": "1"}, at={"appId": BARE, "user": data["user"]["id"]})


def in_a_browser(scene: Scene) -> None:
    query = {"appId": NOTES, "redirect": REDIRECT}
    scene.expect(200, None, "GET", SPEED, params=query | {"link": "1", "code_challenge": challenge("x" * 43)})
    scene.expect(303, None, "GET", SPEED, params=query, headers={
        "Cookie": "; ".join(f"{name}={value}" for name, value in scene.place.cookies[0].items())})
    scene.expect(303, None, "GET", APPLE_WEB, params=query)
    scene.expect(200, None, "GET", APPLE_WEB, params=query | {"popup": "1"})
    for path in (SPEED, APPLE_WEB):
        scene.expect(400, "invalid_request", "GET", path, params={"appId": NOTES})
        scene.expect(400, "invalid_redirect", "GET", path, params=query | {"redirect": "https://evil.example/"})
        scene.expect(404, "Target not found", "GET", path, params=query | {"appId": 999})
        scene.expect(400, "provider_not_enabled", "GET", path, params={
            "appId": CLOSED, "redirect": "https://closed.example.com/"})
    scene.expect(400, "web_not_configured", "GET", APPLE_WEB, params={
        "appId": BARE, "redirect": "https://bare.example.com/"})
    scene.expect(403, "bundle_id_conflict", "GET", APPLE_WEB, params={"appId": TWIN, "redirect": "twinapp://x"})
    scene.expect(400, "invalid_state", "POST", CALLBACK, data={"state": "unknown"})
    scene.expect(400, "invalid_request", "POST", CALLBACK, data={"code": "x"})
    state, cookie = _begun_at_apple(scene.place, query)
    scene.expect(
        303, None, "POST", CALLBACK, data={"state": state, "error": "user_cancelled_authorize"},
        headers={"Cookie": cookie})


def dropped_meanwhile(scene: Scene) -> None:
    """An app that drops a target, then the provider, while its users are at Apple's."""
    query = {"appId": MOVING, "redirect": "movingapp://x"}
    begun = [_begun_at_apple(scene.place, query) for _ in range(2)]
    changes = (("scheme", "invalid_redirect"), ("provider", "provider_not_enabled"))
    for (change, code), (state, cookie) in zip(changes, begun):
        scene.stage.move(change)
        wait_until(
            scene.stage.gateway.child,
            lambda: scene.place.call("GET", APPLE_WEB, params=query).headers.get("X-Speed-Error") == code)
        scene.expect(400, code, "POST", CALLBACK, data={"state": state}, headers={"Cookie": cookie})


def _begun_at_apple(place: Place, query: dict[str, object]) -> tuple[str, str]:
    """The state of a sign-in that was begun, and the cookie of its browser."""
    begun = place.call("GET", APPLE_WEB, params=query)
    return (
        parse_qs(urlsplit(begun.headers["Location"]).query)["state"][0], begun.headers["Set-Cookie"].split(";")[0])


def without_apple(scene: Scene) -> None:
    """A gateway that never reached Apple, and takes few sign-ins of one address."""
    scene = scene.at(scene.stage.bleak.port)
    query = {"appId": NOTES, "redirect": REDIRECT}
    token = scene.place.apple()
    scene.expect(503, "provider_unavailable", "POST", APPLE, body={"appId": NOTES, **token})
    notice = {"payload": token["identityToken"]}
    scene.expect(503, "provider_unavailable", "POST", NOTICES, body=notice, at={"appId": NOTES})
    state, cookie = _begun_at_apple(scene.place, query)
    scene.expect(503, "provider_unavailable", "POST", CALLBACK, headers={"Cookie": cookie}, data={
        "state": state, "code": "x", "id_token": token["identityToken"]})
    while scene.place.call("POST", REFRESH, body={}).status_code != 429:
        pass
    for path in (APPLE, RELAY, EXCHANGE, REFRESH, TICKET, CALLBACK):
        scene.expect(429, "rate_limited", "POST", path, body={})
    scene.expect(429, "rate_limited", "GET", APPLE_WEB, params=query)
    cookies = "; ".join(f"{name}={value}" for name, value in scene.stage.bleak_guest.items())
    scene.expect(429, "rate_limited", "GET", SPEED, params=query, headers={"Cookie": cookies})


def without_plugins(scene: Scene) -> None:
    """A gateway whose plugins can't be loaded."""
    scene = scene.at(scene.stage.bare.port)
    query = {"appId": NOTES, "redirect": REDIRECT}
    scene.expect(503, "provider_unavailable", "GET", SPEED, params=query)
    scene.expect(503, "provider_unavailable", "GET", APPLE_WEB, params=query)
    scene.expect(503, "provider_unavailable", "POST", RELAY, body={"appId": NOTES, "subjectToken": "x"})


def transport(scene: Scene) -> None:
    """What every call may be answered with, whatever it is for."""
    token = scene.place.signed_in()["token"]
    scene.expect(200, None, "GET", KEYS)
    for method, path in scene.operations:
        at = {"appId": NOTES, "user": "nobody"}
        many = {f"X-Field-{number}": "x" for number in range(130)}
        scene.expect(431, "header_too_large", method, path, token, at=at, headers=many)
        scene.expect(414, "target_too_long", method, path, token, at=at, params={"q": "x" * 9000})
        scene.expect(413, "body_too_large", method, path, token, at=at, data=b"x" * 70_000)
        scene.expect(421, "unknown_host", method, path, token, at=at, headers={"Host": "nobody.example"})
        scene.expect(400, "bad_request", method, path, token, at=at, headers={"Host": "a b"})


SCENES: list[Callable[[Scene], None]] = [
    sign_in_with_apple, relay, ticket, exchange, refresh, session, deletion, linking, notices,
    balances, no_local_balance, in_a_browser, dropped_meanwhile, without_apple, without_plugins, transport,
]
