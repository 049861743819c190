"""What people do on the pages, from the app and back to it."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.mailbox import code_of, link_of
from harness.pages import PASSWORD
from harness.processes import Failure

from stage import Stage
from visitor import Screen, Visitor

OTHER_PASSWORD = "seven herons over the lake"


@dataclass(frozen=True)
class Place:
    """Where a journey takes place: a stage, a screen, a folder for pictures."""

    stage: Stage
    screen: Screen
    pictures: Path

    def visitor(self, **wishes: Any) -> Any:
        return Visitor.arrive(self.screen, self.pictures, **wishes)


def expect(holds: object, what: str) -> None:
    if not holds:
        raise Failure(f"not so: {what}")


def someone() -> str:
    return f"ada.{secrets.token_hex(4)}@example.org"


def sign_up(visitor: Visitor, place: Place, url: str, email: str, *, looks: bool = False, by_link: bool = False) -> None:
    """Makes an account, up to the page that follows the verified address; by the link of the letter, or its code."""
    visitor.open(url)
    if looks:
        visitor.look("sign-in")
    visitor.click("to-sign-up")
    visitor.element("sign-up")
    if looks:
        visitor.look("sign-up")
    visitor.fill(name="Ada Example", email=email, password=PASSWORD)
    visitor.click("sign-up")
    visitor.element("verify")
    if looks:
        visitor.look("verify")
    letter = place.stage.mailbox.newest(email)
    if by_link:
        visitor.open(link_of(letter))
        visitor.element("verify")
        visitor.look("verify-by-link")
    else:
        visitor.fill(code=code_of(letter))
    visitor.click("verify")


def sign_in(visitor: Visitor, email: str, password: str) -> None:
    visitor.fill(email=email, password=password)
    visitor.click("sign-in")


def sign_out(visitor: Visitor, place: Place) -> None:
    visitor.open(f"{place.stage.origin}/platform/account")
    visitor.click("sign-out")
    visitor.element("sign-in")


def first_visit(place: Place) -> None:
    """Sign-up, verification, consent; then straight through; then the token is good at the app."""
    home, email = place.stage.home(), someone()
    with place.visitor() as visitor:
        sign_up(visitor, place, place.stage.entrance(home), email, looks=True)
        visitor.element("allow")
        expect("Notes" in visitor.text(), "the consent names the app")
        visitor.look("consent")
        visitor.click("allow")
        first = visitor.data(visitor.arrives(home))
        expect(first["isNewAccount"] and not first["isLocalUser"], "a new account, and no local one")
        expect(first["user"]["name"] == "Ada Example", "the app gets the name")
        expect(place.stage.call("GET", "/api/platform/auth/me", first["token"]).status == 200, "the token is good")
        visitor.open(place.stage.entrance(home))
        again = visitor.data(visitor.arrives(home))
        expect(not again["isNewAccount"] and again["user"]["id"] == first["user"]["id"], "straight through, as the same")


def return_to_an_app(place: Place) -> None:
    """To the app's own scheme, from the link of the letter; the browser follows the redirect of a form."""
    with place.visitor() as visitor:
        sign_up(visitor, place, place.stage.entrance("notesapp://speed-auth"), someone(), by_link=True)
        visitor.click("allow")
        data = visitor.data(visitor.is_sent("notesapp://speed-auth?"))
        expect(data["token"], "the app gets a token")
        visitor.complains()


def without_scripts(place: Place) -> None:
    home = place.stage.home()
    with place.visitor(scripts=False) as visitor:
        sign_up(visitor, place, place.stage.entrance(home), someone(), looks=True)
        visitor.click("allow")
        expect(visitor.data(visitor.arrives(home))["isNewAccount"], "a new account")


def decline(place: Place) -> None:
    home = place.stage.home("lists")
    with place.visitor(dark=True) as visitor:
        visitor.open(place.stage.entrance(home, app=2))
        visitor.look("sign-in-dark")
        sign_up(visitor, place, place.stage.entrance(home, app=2), someone())
        visitor.element("deny")
        visitor.look("consent-dark")
        visitor.click("deny")
        expect(visitor.arrives(home) == {"error": "access_denied"}, "the app hears that access was denied, and no more")
        visitor.open(place.stage.entrance(home, app=2))
        visitor.element("allow")


def wrong_password(place: Place) -> None:
    home, email = place.stage.home(), someone()
    with place.visitor() as visitor:
        sign_up(visitor, place, place.stage.entrance(home), email)
        visitor.click("allow")
        visitor.arrives(home)
        sign_out(visitor, place)
        visitor.open(place.stage.entrance(home))
        sign_in(visitor, email, "not the password")
        expect(visitor.alert(), "the page says that it is wrong")
        visitor.look("wrong-password")
        expect(visitor.element("email").get_attribute("value") == email, "the address is kept")
        sign_in(visitor, email, PASSWORD)
        expect(not visitor.data(visitor.arrives(home))["isNewAccount"], "the account of before")


def passkey(place: Place) -> None:
    home, email = place.stage.home(), someone()
    with place.visitor() as visitor:
        sign_up(visitor, place, place.stage.entrance(home), email)
        visitor.click("allow")
        user = visitor.data(visitor.arrives(home))["user"]["id"]
        visitor.gets_authenticator()
        visitor.open(f"{place.stage.origin}/platform/account")
        visitor.element("to-passkey")
        visitor.look("account")
        visitor.click("to-passkey")
        visitor.element("add-passkey")
        visitor.look("add-passkey")
        visitor.click("add-passkey")
        visitor.element("passkey-list")
        visitor.look("account-with-passkey")
        # As on another day: a browser that is not signed in, on the device that has the passkey.
        visitor.driver.delete_all_cookies()
        visitor.open(place.stage.entrance(home))
        visitor.uses_passkey(home)
        expect(visitor.data(visitor.arrives(home))["user"]["id"] == user, "the same account without a password")


def link(place: Place) -> None:
    """An app's own account is linked with a new Speed account."""
    local = place.stage.apple_user(f"link.{secrets.token_hex(4)}")
    home = place.stage.home()
    with place.visitor() as visitor:
        visitor.open(place.stage.entrance(home, link="1"))
        visitor.look("sign-in-to-link")
        sign_up(visitor, place, place.stage.entrance(home, link="1"), someone())
        visitor.element("allow")
        visitor.look("link")
        visitor.click("allow")
        speed = visitor.data(visitor.arrives(home))
        expect(
            place.stage.call("GET", "/api/platform/auth/me", speed["token"]).status == 401, "the token is no bearer")
        linked = place.stage.call(
            "POST", "/api/platform/auth/link", local["token"], speedToken=speed["token"])
        expect(linked.status == 200, "the link")
        expect(linked.json()["user"]["id"] == local["user"]["id"] and not linked.json()["isLocalUser"], "as the same")
        visitor.open(place.stage.entrance(home, link="1"))
        visitor.element("allow")
        visitor.open(place.stage.entrance(home))
        visitor.click("allow") if visitor.has("allow") else None
        expect(
            visitor.data(visitor.arrives(home))["user"]["id"] == local["user"]["id"],
            "signing in with Speed reaches the app's own account")


def reset(place: Place) -> None:
    home, email = place.stage.home(), someone()
    mailbox = place.stage.mailbox
    with place.visitor() as visitor:
        sign_up(visitor, place, place.stage.entrance(home), email)
        visitor.click("allow")
        visitor.arrives(home)
        sign_out(visitor, place)
        visitor.open(place.stage.entrance(home))
        visitor.click("to-reset")
        visitor.element("reset")
        visitor.look("reset")
        count = mailbox.count(email)
        visitor.fill(email=email)
        visitor.click("reset")
        visitor.element("new-password")
        visitor.look("reset-sent")
        visitor.open(link_of(mailbox.newest(email, after=count)))
        visitor.element("new-password")
        visitor.look("new-password")
        visitor.fill(password=OTHER_PASSWORD)
        visitor.click("new-password")
        visitor.arrives(home)
        sign_out(visitor, place)
        sign_in(visitor, email, PASSWORD)
        expect(visitor.alert(), "the old password is none any more")
        sign_in(visitor, email, OTHER_PASSWORD)
        visitor.element("sign-out")


def refused_redirect(place: Place) -> None:
    with place.visitor() as visitor:
        visitor.open(place.stage.entrance("https://evil.example/cb"))
        visitor.look("refused-redirect")
        expect("evil.example" not in visitor.driver.page_source, "the page leads nowhere")
        expect(not visitor.driver.find_elements("tag name", "form"), "the page asks nothing")


def code_for_an_app(place: Place) -> None:
    """PKCE (RFC 7636): the URL has a code, which is good once and with the verifier only."""
    home, verifier = place.stage.home(), secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    with place.visitor() as visitor:
        url = place.stage.entrance(home, code_challenge=challenge, code_challenge_method="S256")
        sign_up(visitor, place, url, someone())
        visitor.click("allow")
        query = visitor.arrives(home)
    expect(set(query) == {"code"}, "a code and nothing else")
    exchange = "/api/platform/auth/exchange"
    answer = place.stage.call("POST", exchange, code=query["code"], codeVerifier=verifier)
    expect(answer.status == 200 and answer.json()["isNewAccount"], "the code brings the sign-in")
    again = place.stage.call("POST", exchange, code=query["code"], codeVerifier=verifier)
    expect((again.status, again.error) == (400, "invalid_code"), "once")


def languages(place: Place) -> None:
    with place.visitor() as visitor:
        for language in ("de", "fr", "es", "pt", "ja"):
            visitor.speaks(language)
            visitor.open(place.stage.entrance(place.stage.home()))
            found = visitor.driver.find_element("tag name", "html").get_attribute("lang")
            expect(found == language, f"the page is in {language}")
            visitor.look(f"sign-in-{language}")


JOURNEYS: dict[str, Callable[[Place], None]] = {
    journey.__name__: journey for journey in (
        first_visit, return_to_an_app, without_scripts, decline, wrong_password, passkey, link, reset, refused_redirect,
        code_for_an_app, languages)
}
