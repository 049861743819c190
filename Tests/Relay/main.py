"""Relays sign-ins of real third parties to a real gateway: an OpenID provider made with Authlib, issuers whose tokens are
shaped as those of Firebase, Supabase and Auth0, and the verifiers of the plugin's page.

    python3 Tests/Relay/main.py [--binary FILE]
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import secrets
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness import http  # noqa: E402
from harness.checks import expect, failures  # noqa: E402
from harness.documents import file_blocks  # noqa: E402
from harness.gateway import Gateway  # noqa: E402
from harness.processes import Child, Failure, Workspace, accepts, free_port, wait_until  # noqa: E402
from shaped import ShapedIssuer  # noqa: E402

RELAY = "/api/platform/auth/relay"
TICKET = f"{RELAY}/ticket"
_SECRET = secrets.token_hex(24)
_LATE = 61
"""Seconds after which a ticket that was not used has ended."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Relays sign-ins of real third parties to a real gateway.")
    parser.add_argument("--binary", type=Path, default=_ROOT / ".build" / "debug" / "speed-gateway")
    wishes = parser.parse_args()
    os.environ["NOTES_VERIFIER"] = _SECRET
    with Workspace("speed-relay-") as workspace:
        place = Place(workspace, wishes.binary)
        tests = [
            place.tickets_begin, place.third_party_es256, place.third_party_rs256, place.firebase, place.supabase,
            place.auth0, place.strangers, place.verifier_python, place.verifier_in_trouble, place.name_over_two_hops,
            place.ticket_targets, place.silent_issuer,
        ]
        if shutil.which("esbuild") and shutil.which("node"):
            tests.append(place.verifier_type_script)
        else:
            print("skipped: the verifier in TypeScript, as esbuild or node is missing")
        tests.append(place.tickets_end)
        failed = failures(tests)
        if failed:
            print(place.gateway.child.log_tail())
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


class ThirdParty:
    """The provider of Tests/Relay/issuer.py, and a person who signs in there."""

    def __init__(self, workspace: Workspace, algorithm: str) -> None:
        self.child: Child = workspace.start(
            f"issuer-{algorithm}", [sys.executable, _ROOT / "Tests" / "Relay" / "issuer.py", algorithm])
        wait_until(self.child, lambda: "http://127.0.0.1" in self.child.log_tail(), seconds=30)
        self.url = re.search(r"http://127\.0\.0\.1:\d+", self.child.log_tail()).group()
        wait_until(self.child, lambda: accepts(int(self.url.rsplit(":", 1)[1])))

    def sign_in(self, person: str, nonce: str) -> str:
        """The ID token of an authorization code flow with PKCE."""
        verifier = secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        redirect = "http://127.0.0.1:9/signed-in"
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": "notes", "redirect_uri": redirect, "scope": "openid email profile",
            "nonce": nonce, "state": "s", "login_hint": person, "code_challenge_method": "S256",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        })
        try:
            urllib.request.build_opener(_NoRedirect).open(f"{self.url}/authorize?{query}")
            raise Failure("the issuer sends nobody back")
        except urllib.error.HTTPError as answer:
            target = urllib.parse.urlparse(answer.headers["Location"])
        code = urllib.parse.parse_qs(target.query)["code"][0]
        form = urllib.parse.urlencode({
            "grant_type": "authorization_code", "client_id": "notes", "redirect_uri": redirect, "code": code,
            "code_verifier": verifier,
        })
        with urllib.request.urlopen(f"{self.url}/token", form.encode()) as answer:
            return json.load(answer)["id_token"]

    def rotate(self) -> None:
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/rotate", b"", method="POST")).close()


class Place:
    """A gateway, the third parties, and an app for each."""

    def __init__(self, workspace: Workspace, binary: Path) -> None:
        self._workspace = workspace
        self._parties = {name: ThirdParty(workspace, name) for name in ("ES256", "RS256")}
        self._shaped = ShapedIssuer()
        self._verifier_port, self._trouble_port, self._silent_port = free_port(), free_port(), free_port()
        tenants = workspace.folder / "tenants"
        tenants.mkdir()
        shaped = self._shaped.url
        verifier = "url: http://127.0.0.1:{}/verify, secretEnv: {}"
        for number, relay in {
            1: f"issuers: [{{ issuer: {self._parties['ES256'].url}, audience: notes }}]",
            2: f"issuers: [{{ issuer: {self._parties['RS256'].url}, audience: notes }}]",
            3: f"issuers: [{{ issuer: {shaped}/notes-firebase, audience: notes-firebase }}]",
            4: f"issuers: [{{ issuer: {shaped}/auth/v1, audience: authenticated }}]",
            5: f"issuers: [{{ issuer: {shaped}/auth0/, audience: AbCdEf123 }}, "
            f"{{ issuer: {shaped}/auth0/, audience: https://api.example }}]",
            6: f"verifier: {{ {verifier.format(self._verifier_port, 'NOTES_VERIFIER')} }}",
            7: f"verifier: {{ {verifier.format(self._trouble_port, 'NOTES_VERIFIER')} }}",
            8: f"verifier: {{ {verifier.format(self._verifier_port, 'NO_SUCH_SECRET')} }}",
            9: f"issuers: [{{ issuer: http://127.0.0.1:{self._silent_port}, audience: notes }}]",
        }.items():
            (tenants / f"app{number}.yaml").write_text(f"""\
appId: {number}
name: App {number}
domains: [app{number}.localhost]
redirects: [https://app{number}.example.com/signed-in]
ios: {{ urlSchemes: [app{number}] }}
providers: [relay]
relay: {{ {relay} }}
backends: {{ main: {{ servers: ["http://127.0.0.1:9"] }} }}
routes: [{{ path: /, backend: main }}]
""")
        self.gateway = Gateway.start(workspace, binary, tenants=tenants, issuer="http://127.0.0.1:9")
        self._tickets: dict[str, str] = {}
        self._issued_at = 0.0

    # What an app does.

    def relay(self, app: int, token: str, **more: object) -> http.Answer:
        body = {"appId": app, "subjectToken": token} | more
        return http.send(self.gateway.port, "POST", RELAY, body=body, seconds=20)

    def signed_in(self, app: int, token: str, **more: object) -> dict:
        answer = self.relay(app, token, **more)
        expect(f"a good sign-in is 200, not {answer.status} {answer.error}", answer.status == 200)
        return answer.json()

    def refused(self, status: int, code: str, app: int, token: str, **more: object) -> http.Answer:
        answer = self.relay(app, token, **more)
        expect(f"{status} {code}, not {answer.status} {answer.error}", (answer.status, answer.error) == (status, code))
        expect("the answer tells when to come again", status != 503 or int(answer.fields["retry-after"]) > 0)
        return answer

    def me(self, bearer: str) -> http.Answer:
        return http.send(
            self.gateway.port, "GET", "/api/platform/auth/me", fields={"Authorization": f"Bearer {bearer}"})

    def ticket(self, bearer: str, redirect: str) -> http.Answer:
        return http.send(
            self.gateway.port, "POST", TICKET, host=f"localhost:{self.gateway.port}",
            fields={"Authorization": f"Bearer {bearer}"}, body={"redirect": redirect})

    # Third parties.

    def third_party_es256(self) -> None:
        self._third_party(1, self._parties["ES256"])

    def third_party_rs256(self) -> None:
        self._third_party(2, self._parties["RS256"])

    def _third_party(self, app: int, party: ThirdParty) -> None:
        token = party.sign_in("ada", "n-1")
        self.refused(401, "invalid_subject_token", app, token, nonce="n-2")
        self.refused(401, "invalid_subject_token", app, token, issuer="https://other.example")
        first = self.signed_in(app, token, nonce="n-1", issuer=party.url)
        user = first["user"]
        expect("the account is new and local", first["isNewAccount"] and first["isLocalUser"])
        expect("name and address are the issuer's", (user["name"], user["email"]) == ("Name of ada", "ada@example.org"))
        expect("the token is good", self.me(first["token"]).status == 200)
        self.refused(401, "invalid_subject_token", app, token, nonce="n-1")
        again = self.signed_in(app, party.sign_in("ada", "n-3"))
        expect("one subject is one account", again["user"]["id"] == user["id"] and not again["isNewAccount"])
        expect("another one is another", self.signed_in(app, party.sign_in("bob", "n-4"))["user"]["id"] != user["id"])
        party.rotate()
        expect("a new key is found", self.signed_in(app, party.sign_in("ada", "n-5"))["user"]["id"] == user["id"])
        last = party.sign_in("ada", "n-6")
        party.child.stop()
        expect("the last keys serve on", self.signed_in(app, last)["user"]["id"] == user["id"])

    # Issuers by the shape of their tokens.

    def firebase(self) -> None:
        issuer, now = f"{self._shaped.url}/notes-firebase", int(time.time())
        claims = {
            "iss": issuer, "aud": "notes-firebase", "auth_time": now, "user_id": "u1", "sub": "u1", "iat": now,
            "exp": now + 3600, "email": "ada@example.org", "email_verified": True, "name": "Ada",
            "firebase": {"identities": {"email": ["ada@example.org"]}, "sign_in_provider": "password"},
        }
        answer = self.signed_in(3, self._shaped.token("RS256", claims, typ="JWT"))
        expect("name and address", (answer["user"]["name"], answer["user"]["email"]) == ("Ada", "ada@example.org"))
        guest = {"iss": issuer, "aud": "notes-firebase", "sub": "anonymous-1", "iat": now, "exp": now + 3600,
                 "firebase": {"identities": {}, "sign_in_provider": "anonymous"}}
        expect("a guest has no address", self.signed_in(3, self._shaped.token("RS256", guest))["user"]["email"] is None)

    def supabase(self) -> None:
        issuer, now = f"{self._shaped.url}/auth/v1", int(time.time())
        claims = {
            "iss": issuer, "aud": "authenticated", "sub": "6b1c8f0e-0000-4000-8000-000000000001", "iat": now,
            "exp": now + 3600, "role": "authenticated", "aal": "aal1", "session_id": "s", "is_anonymous": False,
            "amr": [{"method": "password", "timestamp": now}], "app_metadata": {"provider": "email"},
            "user_metadata": {"email": "victim@example.org", "email_verified": True, "name": "Victim"},
        }
        answer = self.signed_in(4, self._shaped.token("ES256", claims, typ="JWT"))
        expect("what users write themselves is not believed",
               answer["user"]["email"] is None and answer["user"]["name"] is None)

    def auth0(self) -> None:
        issuer, now = f"{self._shaped.url}/auth0/", int(time.time())
        claims = {"iss": issuer, "sub": "auth0|1", "iat": now, "exp": now + 3600, "nickname": "ada",
                  "email": "ada@example.org", "email_verified": "true"}
        first = self.signed_in(5, self._shaped.token("RS256", claims | {"aud": "AbCdEf123", "sid": "s"}))
        access = claims | {"aud": ["https://other.example", "https://api.example"], "azp": "AbCdEf123", "scope": "x"}
        second = self.signed_in(5, self._shaped.token("RS256", access, typ="at+jwt"))
        expect("both tokens are one person's", first["user"]["id"] == second["user"]["id"])
        without = claims | {"iss": issuer.rstrip("/"), "aud": "AbCdEf123"}
        self.refused(401, "invalid_subject_token", 5, self._shaped.token("RS256", without))

    def strangers(self) -> None:
        now = int(time.time())
        good = {"iss": f"{self._shaped.url}/auth/v1", "aud": "authenticated", "sub": "s", "iat": now, "exp": now + 60}
        for change in (
            {"aud": "other"}, {"aud": []}, {"sub": ""}, {"sub": 7}, {"sub": "a\nb"}, {"sub": "x" * 256},
            {"exp": now - 61}, {"exp": None}, {"iat": now + 120}, {"nbf": now + 120}, {"iss": "https://other.example"},
        ):
            self.refused(401, "invalid_subject_token", 4, self._shaped.token("ES256", good | change))
        for token in (
            "", "x", "a.b.c", self._shaped.token("ES256", good, typ="logout+jwt"), self._shaped.unsigned(good),
            self._shaped.token("ES256", good, kid="unknown"), self._shaped.symmetric(good),
            self._shaped.token("ES256", good)[:-8] + "AAAAAAAA",
        ):
            self.refused(401, "invalid_subject_token", 4, token)
        self.refused(400, "invalid_request", 4, 7)  # type: ignore[arg-type]
        # The same person in another app is somebody else there.
        expect("a good one still passes", self.signed_in(4, self._shaped.token("ES256", good)))

    def silent_issuer(self) -> None:
        """One that never was there."""
        claims = {"iss": f"http://127.0.0.1:{self._silent_port}", "aud": "notes", "sub": "s",
                  "iat": int(time.time()), "exp": int(time.time()) + 60}
        self.refused(503, "provider_unavailable", 9, self._shaped.token("ES256", claims))

    # Verifiers.

    def _page(self, name: str) -> str:
        return file_blocks(_ROOT / "plugins" / "relay" / "README.md")[name]

    def _verifies(self, child: Child) -> None:
        wait_until(child, lambda: accepts(self._verifier_port))
        token = f"good-{secrets.token_hex(8)}"
        answer = self.signed_in(6, token, nonce="n")
        expect("what the verifier says", (answer["user"]["name"], answer["user"]["email"]) == ("Ada", "a@example.org"))
        self.refused(401, "invalid_subject_token", 6, token, nonce="n")
        self.refused(401, "invalid_subject_token", 6, "bad")
        # Whoever lacks the secret is nobody to it.
        body = json.dumps({"subjectToken": "good-x", "appId": 6}).encode()
        for signature in ("", "t=1,v1=00", f"t={int(time.time())},v1={'0' * 64}"):
            request = urllib.request.Request(
                f"http://127.0.0.1:{self._verifier_port}/verify", body, {"X-Speed-Signature": signature})
            try:
                urllib.request.urlopen(request, timeout=5)
                raise Failure("the verifier believes anybody")
            except urllib.error.HTTPError as problem:
                expect("a forged question is 401", problem.code == 401)
        child.stop()
        self.refused(503, "provider_unavailable", 6, "good-late")

    def verifier_python(self) -> None:
        program = self._page("verifier.py") + f"""
def find_user(token):
    if token.startswith("good-"):
        return {{"subject": "u1", "email": "a@example.org", "emailVerified": True, "name": "Ada"}}

HTTPServer(("127.0.0.1", {self._verifier_port}), Verifier).serve_forever()
"""
        file = self._workspace.folder / "verifier.py"
        file.write_text(program)
        self._verifies(self._workspace.start(
            "verifier-python", [sys.executable, file], environment={"NOTES_VERIFIER": _SECRET}))

    def verifier_type_script(self) -> None:
        program = self._page("verifier.ts") + f"""
async function findUser(token: string) {{
  if (token.startsWith("good-")) return {{ subject: "u1", email: "a@example.org", emailVerified: true, name: "Ada" }};
}}
verifier.listen({self._verifier_port}, "127.0.0.1");
"""
        file = self._workspace.folder / "verifier.ts"
        file.write_text(program)
        built = self._workspace.folder / "verifier.mjs"
        os.system(f"esbuild --log-level=error --format=esm {file} --outfile={built}")
        self._verifies(self._workspace.start(
            "verifier-ts", ["node", built], environment={"NOTES_VERIFIER": _SECRET}))

    def verifier_in_trouble(self) -> None:
        self.refused(503, "provider_unavailable", 7, "nobody is there")
        child = self._workspace.start(
            "trouble", [sys.executable, _ROOT / "Tests" / "Relay" / "trouble.py", str(self._trouble_port)])
        wait_until(child, lambda: accepts(self._trouble_port))
        for token in ("500", "302", "204", "text", "list", "no subject", "empty subject", "huge"):
            self.refused(503, "provider_unavailable", 7, token)
        begun = time.monotonic()
        self.refused(503, "provider_unavailable", 7, "silence")
        expect("five seconds are enough", 4 < time.monotonic() - begun < 8)
        self.refused(401, "invalid_subject_token", 7, "401")
        # Without its secret nothing is asked.
        self.refused(503, "provider_unavailable", 8, "good-1")

    # Names and tickets.

    def name_over_two_hops(self) -> None:
        """B43: what the first hop was told once reaches the account, and the ticket that goes on from there."""
        now = int(time.time())
        claims = {"iss": f"{self._shaped.url}/auth/v1", "aud": "authenticated", "sub": "two-hops", "iat": now,
                  "exp": now + 60}
        answer = self.signed_in(4, self._shaped.token("ES256", claims), fullName="Zoë 🚲 Once")
        expect("the account has the name", answer["user"]["name"] == "Zoë 🚲 Once")
        url = self.ticket(answer["token"], "https://app4.example.com/signed-in").json()["url"]
        expect("so has the ticket", self._brought(url)["user"]["name"] == "Zoë 🚲 Once")

    @staticmethod
    def _brought(url: str) -> dict:
        query = urllib.parse.parse_qs(urllib.parse.urlparse(url).query)
        return json.loads(query["_speed_auth_data"][0])

    def _bearer(self, subject: str) -> str:
        now = int(time.time())
        claims = {"iss": f"{self._shaped.url}/auth/v1", "aud": "authenticated", "sub": subject, "iat": now,
                  "exp": now + 60}
        return self.signed_in(4, self._shaped.token("ES256", claims))["token"]

    def tickets_begin(self) -> None:
        """Two tickets: one is used at once, the other not before it is too late."""
        bearer = self._bearer("ticket")
        port = self.gateway.port
        for name in ("used", "late"):
            answer = self.ticket(bearer, f"http://app4.localhost:{port}")
            expect(f"a ticket is 200, not {answer.status} {answer.error}", answer.status == 200)
            url = answer.json()["url"]
            expect("it is a page of the app", url.startswith(f"http://app4.localhost:{port}/?_speed_auth_data="))
            self._tickets[name] = self._brought(url)["token"]
        expect("each is a token of its own", len({bearer, *self._tickets.values()}) == 3)
        self._issued_at = time.monotonic()
        expect("a ticket is good", self.me(self._tickets["used"]).status == 200)

    def ticket_targets(self) -> None:
        bearer = self._bearer("targets")
        for target in ("https://app4.example.com/signed-in", "https://app4.localhost/a?b=c"):
            expect(f"{target} is taken", self.ticket(bearer, target).status == 200)
        for target in (
            "app4://x", "https://evil.example/", "https://app3.localhost/", "https://app4.localhost@evil.example/",
            "https://app4.localhost/#x", "https://app4.localhost/?_speed_auth_data=x", "//app4.localhost/", "", "javascript:x",
        ):
            answer = self.ticket(bearer, target)
            expect(f"{target!r} is refused, not {answer.status}",
                   (answer.status, answer.error) == (400, "invalid_redirect"))
        expect("without a bearer there is none", self.ticket("x", "https://app4.localhost/").status == 401)
        signed_out = http.send(
            self.gateway.port, "POST", "/api/platform/auth/sign-out", fields={"Authorization": f"Bearer {bearer}"})
        expect("signed out", signed_out.status == 204)
        expect("who has signed out gets none", self.ticket(bearer, "https://app4.localhost/").status == 401)

    def tickets_end(self) -> None:
        time.sleep(max(0.0, self._issued_at + _LATE - time.monotonic()))
        expect("what was not used in time has ended", self.me(self._tickets["late"]).status == 401)
        expect("what was used lives on", self.me(self._tickets["used"]).status == 200)


if __name__ == "__main__":
    sys.exit(main())
