"""A gateway with apps for every answer, a stand-in for Apple, an OpenID issuer and a verifier."""

from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import os
import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from harness.gateway import ROOT, Gateway, Sandbox
from harness.mailbox import Mailbox
from harness.pages import Guest
from harness.processes import Failure, Workspace, free_port

from place import BARE, BUNDLES, CLOSED, LISTS, MOVING, NOTES, REDIRECT, TWIN, Place

_GUESTS = 3
"""People with a Speed account: making one costs a password's digest."""
_VERIFIER_SECRET = secrets.token_hex(32)
_TEAM = "ABCDE12345"


class _Elsewhere(http.server.BaseHTTPRequestHandler):
    """An OpenID issuer's documents, and an app's verifier."""

    protocol_version = "HTTP/1.1"
    public_key: str

    def do_GET(self) -> None:
        origin = f"http://{self.headers['Host']}"
        if self.path == "/.well-known/openid-configuration":
            self._answer(200, {"issuer": origin, "jwks_uri": f"{origin}/keys"})
        elif self.path == "/keys":
            key = json.loads(self.public_key) | {"kid": "one", "alg": "RS256", "use": "sig"}
            self._answer(200, {"keys": [key]})
        else:
            self._answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        parts = dict(part.split("=", 1) for part in self.headers["X-Speed-Signature"].split(","))
        expected = hmac.new(_VERIFIER_SECRET.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
        token = str(json.loads(body)["subjectToken"])
        if not hmac.compare_digest(expected, parts["v1"]) or abs(time.time() - int(parts["t"])) > 300:
            self._answer(403, {})
        elif token.startswith("verified-"):
            self._answer(200, {"subject": token, "name": "Jane Doe"})
        else:
            self._answer(500 if token == "broken" else 401, {})

    def _answer(self, status: int, members: dict[str, object]) -> None:
        body = json.dumps(members).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class Stage:
    gateway: Gateway
    sandbox: Sandbox
    place: Place
    bleak: Gateway
    """One that can't reach Apple, and takes few sign-ins."""
    bleak_guest: dict[str, str]
    """The cookies of someone who has signed up there."""
    bare: Gateway
    """One that can't load its plugins."""

    def move(self, without: str) -> None:
        """Takes the scheme, or the provider, from the app whose file changes."""
        _write_moving(self.tenants, without)

    @property
    def tenants(self) -> Path:
        return self.gateway.config.parent.parent / "tenants"

    @staticmethod
    def open(workspace: Workspace, binary: Path) -> Stage:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        _Elsewhere.public_key = RSAAlgorithm.to_jwk(key.public_key())
        elsewhere = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
        elsewhere.daemon_threads = True
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{elsewhere.server_port}"

        mailbox = Mailbox()
        sandbox = Sandbox.start(workspace, binary)
        keys = {"NOTES_SERVER_KEY": f"sk_{secrets.token_hex(24)}", "BARE_SERVER_KEY": f"sk_{secrets.token_hex(24)}"}
        os.environ.update(keys | {"NOTES_VERIFIER": _VERIFIER_SECRET})
        tenants = workspace.folder / "tenants"
        tenants.mkdir()
        _write_tenants(tenants, sandbox, origin)
        mail = f"mail: {{ smtp: {json.dumps(mailbox.url)}, from: no-reply@speed.example }}\n"
        gateway = Gateway.start(
            workspace, binary, tenants=tenants, issuer=sandbox.issuer,
            more=f"{mail}limits: {{ signIns: {{ requests: 100000, per: 1m }} }}\n")
        bleak = Gateway.start(
            workspace, binary, tenants=tenants, issuer=f"http://127.0.0.1:{free_port()}", name="bleak",
            more=f"{mail}limits: {{ signIns: {{ requests: 12, per: 10m }} }}\n")
        bare = Gateway.start(
            workspace, binary, tenants=tenants, issuer=sandbox.issuer, name="bare", plugins=_broken_plugins(workspace))
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        cookies = [_guest(gateway.port, mailbox, number) for number in range(_GUESTS)]
        place = Place(
            gateway.port, sandbox.port, origin, private, keys["NOTES_SERVER_KEY"], keys["BARE_SERVER_KEY"], cookies)
        return Stage(gateway, sandbox, place, bleak, _guest(bleak.port, mailbox, _GUESTS), bare)


def _guest(port: int, mailbox: Mailbox, number: int) -> dict[str, str]:
    """The cookies of a browser in which someone has signed up and let the app Notes know."""
    guest = Guest(port)
    query = urlencode({"appId": NOTES, "redirect": REDIRECT})
    seen = guest.sign_up(mailbox, f"/platform/auth?{query}", f"guest{number}@example.com")
    guest.get(seen.location)
    answer = guest.submit(f"/platform/auth/consent?{query}", decision="allow")
    if not answer.location.startswith(REDIRECT):
        raise Failure(f"consent was answered with {answer.status}")
    return guest.cookies


def _write_tenants(folder: Path, sandbox: Sandbox, elsewhere: str) -> None:
    key = sandbox.ask("developer-key")
    (folder / "lists.p8").write_text(key["privateKey"])
    (folder / "lists.p8").chmod(0o600)
    issuer = json.dumps(elsewhere)
    verifier = json.dumps(f"{elsewhere}/verify")
    _write(folder, NOTES, "notes", f"""\
ios: {{ bundleIds: [{BUNDLES[NOTES]}], urlSchemes: [notesapp], servicesId: {BUNDLES[NOTES]}.web }}
redirects: ["https://notes.example.com/signed-in"]
providers: [apple-native, speed-web, relay]
relay:
  issuers: [{{ issuer: {issuer}, audience: notes }}]
  verifier: {{ url: {verifier}, secretEnv: NOTES_VERIFIER }}
usage: {{ source: local }}
serverKeys: [{{ id: main, env: NOTES_SERVER_KEY }}]
""")
    _write(folder, LISTS, "lists", f"""\
ios:
  bundleIds: [{BUNDLES[LISTS]}]
  urlSchemes: [listsapp]
  teamId: {_TEAM}
  signInKey: {{ id: {key['keyId']}, file: lists.p8 }}
providers: [apple-native]
sessions: {{ lifetime: 15m, refresh: true }}
""")
    _write(folder, BARE, "bare", """\
redirects: ["https://bare.example.com/"]
providers: [apple-native, speed-web, relay]
serverKeys: [{ id: main, env: BARE_SERVER_KEY }]
""")
    _write(folder, CLOSED, "closed", 'redirects: ["https://closed.example.com/"]\n')
    _write_moving(folder)
    for number, name in ((TWIN, "twin"), (TWIN + 1, "other")):
        _write(folder, number, name, f"""\
ios: {{ bundleIds: [{BUNDLES[TWIN]}], urlSchemes: [{name}app], servicesId: {BUNDLES[TWIN]}.web }}
providers: [apple-native]
""")


def _write_moving(folder: Path, without: str = "") -> None:
    scheme = "otherapp" if without == "scheme" else "movingapp"
    providers = "" if without == "provider" else "apple-native"
    _write(folder, MOVING, "moving", f"""\
ios: {{ bundleIds: [{BUNDLES[MOVING]}], urlSchemes: [{scheme}], servicesId: {BUNDLES[MOVING]}.web }}
providers: [{providers}]
""")


def _broken_plugins(workspace: Workspace) -> Path:
    """The plugins' manifests with libraries that are none."""
    folder = workspace.folder / "plugins"
    for manifest in (ROOT / "plugins").glob("*/plugin.yaml"):
        copy = folder / manifest.parent.name
        copy.mkdir(parents=True)
        text = manifest.read_text()
        (copy / "plugin.yaml").write_text(text)
        library = next(line.split(": ")[1] for line in text.splitlines() if line.startswith("library: "))
        (copy / library).write_text("no library")
    return folder


def _write(folder: Path, number: int, name: str, more: str) -> None:
    (folder / f"{name}.yaml").write_text(f"""\
appId: {number}
name: {name.title()}
domains: [{name}.localhost]
{more}backends: {{ api: {{ servers: ["http://127.0.0.1:9"] }} }}
routes: [{{ path: /, backend: api }}]
""")
