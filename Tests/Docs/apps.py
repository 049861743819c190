"""Runs the code of docs/APPS.md against a real gateway.

    python3 Tests/Docs/apps.py [--binary FILE]

Every block of the page is a file of that name. The Swift ones are compiled and run by the tests in Tests/SpeedAuthTests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness import http  # noqa: E402
from harness.checks import expect, failures  # noqa: E402
from harness.documents import file_blocks  # noqa: E402
from harness.gateway import Gateway, Sandbox  # noqa: E402
from harness.mailbox import Mailbox  # noqa: E402
from harness.pages import Guest  # noqa: E402
from harness.processes import Failure, Workspace, accepts, free_port, wait_until  # noqa: E402

_PAGE = _ROOT / "docs" / "APPS.md"
_APP, _BUNDLE, _HOST, _REDIRECT = 123, "com.example.notes", "notes.localhost", "com.example.notes://speed-auth"
_DOMAIN = "http://notes.localhost"

_resolve = socket.getaddrinfo
# Names below localhost are this machine (RFC 6761 section 6.3), which not every resolver knows.
socket.getaddrinfo = lambda host, *rest, **more: _resolve("127.0.0.1" if host == _HOST else host, *rest, **more)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the code of docs/APPS.md against a real gateway.")
    parser.add_argument("--binary", type=Path, default=_ROOT / ".build" / "debug" / "speed-gateway")
    wishes = parser.parse_args()
    with Workspace("speed-apps-") as workspace:
        place = Place(workspace, wishes.binary)
        tests = [place.python_apple, place.python_speed, place.python_elsewhere, place.python_redirects]
        if shutil.which("esbuild") and shutil.which("node"):
            tests += [place.type_script]
        else:
            print("skipped: TypeScript, as esbuild or node is missing")
        failed = failures(tests)
        if failed:
            print(place.gateway.child.log_tail())
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


class Place:
    """The page's files, and what they run against."""

    def __init__(self, workspace: Workspace, binary: Path) -> None:
        self._page = workspace.folder / "page"
        self._page.mkdir()
        blocks = {name: text for name, text in file_blocks(_PAGE).items() if not name.endswith(".swift")}
        expect("the page has its blocks", set(blocks) == {"speed.ts", "speed.py"})
        for name, text in blocks.items():
            (self._page / name).write_text(text)
        sys.path.insert(0, str(self._page))
        port = free_port()
        backend = workspace.start("backend", [_ROOT / "scripts" / "demo-backend", str(port)])
        wait_until(backend, lambda: accepts(port))
        tenants = workspace.folder / "tenants"
        tenants.mkdir()
        (tenants / "verifier").write_text(secrets.token_hex(16))
        (tenants / "notes.yaml").write_text(f"""\
appId: {_APP}
name: Notes
domains: [{_HOST}]
ios: {{ bundleIds: [{_BUNDLE}], urlSchemes: [{_BUNDLE}] }}
providers: [apple-native, speed-web, relay]
relay: {{ verifier: {{ url: "{_verifier()}", secretFile: verifier }} }}
backends:
  api: {{ servers: ["http://127.0.0.1:{port}"] }}
routes:
  - {{ path: /, backend: api }}
""")
        self._mailbox = Mailbox()
        self._sandbox = Sandbox.start(workspace, binary)
        self.gateway = Gateway.start(
            workspace, binary, tenants=tenants, issuer=self._sandbox.issuer,
            more=f"mail: {{ smtp: {json.dumps(self._mailbox.url)}, from: no-reply@speed.example }}\n")
        self._base = f"http://localhost:{self.gateway.port}"

    def _client(self) -> Any:
        import speed  # The page's.

        return speed.SpeedAuth(
            self._base, self._base, f"http://{_HOST}:{self.gateway.port}", _APP, _REDIRECT)

    def _mint(self, raw_nonce: str, hashed: str, subject: str, email: str = "") -> str:
        """What Apple would sign for a request with this digest."""
        expect("Apple gets the digest in hex", hashed == hashlib.sha256(raw_nonce.encode()).hexdigest())
        more = {"email": email, "email_verified": True} if email else {}
        return str(self._sandbox.mint(_BUNDLE, subject, rawNonce=raw_nonce, **more)["identityToken"])

    def _apple(self, client: Any, subject: str, email: str = "", name: str | None = None) -> dict[str, Any]:
        raw, hashed = client.nonce()
        return dict(client.sign_in_with_apple(self._mint(raw, hashed, subject, email), raw, name))

    def _end(self, guest: Guest, url: str, email: str = "") -> str:
        """Where a person ends who opens the page, and says yes."""
        entrance = url.removeprefix(self._base)
        seen = guest.sign_up(self._mailbox, entrance, email) if email else guest.get(entrance)
        if seen.status == 303 and not seen.location.startswith(_REDIRECT):
            seen = guest.get(seen.location)
        if seen.status == 200:
            seen = guest.submit(f"/platform/auth/consent?{urlsplit(entrance).query}", decision="allow")
        expect(f"the page comes back to the app, not with {seen.status}", seen.location.startswith(_REDIRECT))
        return seen.location

    def python_apple(self) -> None:
        client, subject = self._client(), f"001.{secrets.token_hex(8)}"
        session = self._apple(client, subject, name="Ada Example")
        expect("the account is new", session["isNewAccount"] and session["user"]["name"] == "Ada Example")
        expect("the platform knows it", client.me()["user"] == session["user"])
        expect("the backend too", session["user"]["id"].encode() in client.request("GET", "/v1/notes"))
        stale = session["token"]
        client.sign_out()
        client.session = session | {"token": stale}
        expect("a token that is over ends the session", _code(lambda: client.request("GET", "/")) == "invalid_token")
        expect("here too", client.session is None)
        self._apple(client, subject)
        client.delete_account()
        expect("a deleted account begins anew", self._apple(client, subject)["isNewAccount"])

    def python_speed(self) -> None:
        client, guest, email = self._client(), Guest(self.gateway.port), "ada@example.org"
        url, verifier = client.visit()
        session = client.sign_in_with_speed(self._end(guest, url, email), verifier)
        expect("a Speed account is none of the app's own", session["isLocalUser"] is False)
        local = self._apple(client, f"001.{secrets.token_hex(8)}", email)
        expect("the address is known", local["linkSuggestion"] == "matching_email")
        url, verifier = client.visit(link=True)
        end = self._end(guest, url)
        expect("both have data", _code(lambda: client.link(end, verifier)) == "app_data_conflict")
        url, verifier = client.visit(link=True)
        linked = client.link(self._end(guest, url), verifier, "speed")
        expect("the Speed account is what is left", linked["previousUserId"] == local["user"]["id"])
        expect("its token works", client.me()["user"]["id"] == session["user"]["id"])
        url, _ = client.visit()
        other = client.visit()[1]
        expect("a code is its visit's", _code(lambda: client.sign_in_with_speed(self._end(guest, url), other)) == "invalid_code")

    def python_elsewhere(self) -> None:
        client, token = self._client(), f"py-{secrets.token_hex(8)}"
        session = client.sign_in_elsewhere(token, "Ada Example")
        expect("whom the verifier knows has an account", session["isNewAccount"] and session["user"]["name"] == "Ada Example")
        expect("a token is good once", _code(lambda: client.sign_in_elsewhere(token)) == "invalid_subject_token")

    def python_redirects(self) -> None:
        client = self._client()
        self._apple(client, f"001.{secrets.token_hex(8)}")
        for path in ("@evil.example/", "http://evil.example/"):
            try:
                client.request("GET", path)
            except ValueError:
                continue
            raise Failure("a token went to another origin")

    def type_script(self) -> None:
        script = self._page / "speed.mjs"
        self._run(["esbuild", "speed.ts", "--format=esm", f"--outfile={script}"])
        (self._page / "use.mjs").write_text(_USE)
        raw_of = json.loads(self._run(["node", "use.mjs", "nonce"]))
        token = self._mint(raw_of["raw"], raw_of["hashed"], f"001.{secrets.token_hex(8)}", "ts@example.org")
        done = json.loads(self._run(["node", "use.mjs", "apple", token, raw_of["raw"]]))
        expect("the account is new, and the platform and the backend know it", done == {
            "isNew": True, "same": True, "seen": True, "protocols": 2, "foreign": "TypeError", "ended": 401, "session": None})
        elsewhere = json.loads(self._run(["node", "use.mjs", "elsewhere", f"ts-{secrets.token_hex(8)}"]))
        expect("whom the verifier knows has an account, once a token", elsewhere == {
            "isNew": True, "again": "invalid_subject_token"})
        guest = Guest(self.gateway.port)
        visit = json.loads(self._run(["node", "use.mjs", "visit"]))
        expect("the page gets a challenge", parse_qs(urlsplit(visit["url"]).query)["code_challenge_method"] == ["S256"])
        end = self._end(guest, visit["url"], "ts@example.org")
        speed = json.loads(self._run(["node", "use.mjs", "speed", end, visit["verifier"]]))
        link = json.loads(self._run(["node", "use.mjs", "visit", "link"]))
        end = self._end(guest, link["url"])
        raw_of = json.loads(self._run(["node", "use.mjs", "nonce"]))
        token = self._mint(raw_of["raw"], raw_of["hashed"], f"001.{secrets.token_hex(8)}", "ts@example.org")
        linked = json.loads(self._run(["node", "use.mjs", "link", token, raw_of["raw"], end, link["verifier"]]))
        expect("a conflict, then the Speed account", linked == {
            "suggestion": "matching_email", "conflict": "app_data_conflict", "user": speed["user"], "clean": f"{_DOMAIN}/a?b=1"})

    def _run(self, command: list[str | Path]) -> str:
        environment = os.environ | {
            "BASE": self._base, "ORIGIN": f"http://{_HOST}:{self.gateway.port}", "REDIRECT": _REDIRECT}
        done = subprocess.run(
            command, cwd=self._page, env=environment, capture_output=True, text=True, timeout=60)
        expect(f"{command[:3]} ends well:\n{done.stderr}", done.returncode == 0)
        return done.stdout.strip()


def _verifier() -> str:
    """Starts a verifier that vouches for everybody, by the token itself."""

    class Verifier(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"subject": question["subjectToken"]}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Verifier)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/verify"


def _code(call: Callable[[], object]) -> str | None:
    try:
        call()
    except Exception as refusal:
        return str(getattr(refusal, "code", type(refusal).__name__))
    return None


_USE = """
import dns from "node:dns";
const resolve = dns.lookup;
dns.lookup = (host, ...rest) => resolve(host.endsWith(".localhost") ? "127.0.0.1" : host, ...rest);
const { SpeedAuth } = await import("./speed.mjs");
const { BASE, ORIGIN, REDIRECT } = process.env;
const make = () => new SpeedAuth({ api: BASE, dash: BASE, origin: ORIGIN, appId: 123, redirect: REDIRECT });
const [step, ...given] = process.argv.slice(2);
const auth = make();
const say = (value) => console.log(JSON.stringify(value));
if (step === "nonce") say(await SpeedAuth.nonce());
if (step === "visit") say(await auth.visit(given[0] === "link"));
if (step === "speed") say({ user: (await auth.signInWithSpeed(...given)).user.id });
if (step === "elsewhere") {
  const { isNewAccount } = await auth.signInElsewhere(given[0], "Ada Example");
  say({ isNew: isNewAccount, again: await auth.signInElsewhere(given[0]).catch((error) => error.code) });
}
if (step === "apple") {
  const session = await auth.signInWithApple(...given, "Ada Example");
  const me = await auth.me();
  const seen = await (await auth.fetch("/v1/notes")).text();
  const foreign = await auth.fetch("//evil.example/").catch((error) => error.name);
  const protocols = auth.webSocketProtocols().length;
  await auth.signOut();
  auth.session = session;
  const ended = (await auth.fetch("/v1/notes")).status;
  say({ isNew: session.isNewAccount, same: me.user.id === session.user.id, seen: seen.includes(session.user.id),
    protocols, foreign, ended, session: auth.session });
}
if (step === "link") {
  const session = await auth.signInWithApple(given[0], given[1]);
  const proof = await auth.speedToken(given[2], given[3]);
  const conflict = await auth.link(proof).catch((error) => error.code);
  const linked = await auth.link(proof, "speed");
  const adopted = make().adopt("http://notes.localhost/a?b=1&_speed_auth_data=" + encodeURIComponent(JSON.stringify(linked)));
  say({ suggestion: session.linkSuggestion, conflict, user: adopted.session.user.id, clean: adopted.clean });
}
"""

if __name__ == "__main__":
    sys.exit(main())
