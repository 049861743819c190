"""A gateway with two apps, a backend, a mail relay and a stand-in for Apple."""

from __future__ import annotations

import http.server
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from harness import http as calls
from harness.gateway import Gateway, Sandbox
from harness.mailbox import Mailbox
from harness.processes import Failure, Workspace, free_port

BUNDLE = "com.example.notes"
LOGO = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#7a3ff2"/>
<path d="M14 12h20v4H14zm0 10h20v4H14zm0 10h12v4H14z" fill="#fff"/></svg>
"""


class _Backend(http.server.BaseHTTPRequestHandler):
    """The apps' backend: says what it got."""

    def do_GET(self) -> None:
        body = json.dumps({"user": self.headers.get("X-Speed-User-Id"), "local": self.headers.get("X-Speed-Local-User")})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class Stage:
    gateway: Gateway
    sandbox: Sandbox
    mailbox: Mailbox
    origin: str
    """Of the pages."""

    @staticmethod
    def open(workspace: Workspace, binary: Path) -> Stage:
        backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Backend)
        backend.daemon_threads = True
        threading.Thread(target=backend.serve_forever, daemon=True).start()
        mailbox = Mailbox()
        tenants = workspace.folder / "tenants"
        tenants.mkdir()
        (tenants / "notes.svg").write_text(LOGO)
        for number, name in ((1, "notes"), (2, "lists")):
            (tenants / f"{name}.yaml").write_text(_tenant(number, name, backend.server_port))
        sandbox = Sandbox.start(workspace, binary)
        port = free_port()
        gateway = Gateway.start(
            workspace, binary, tenants=tenants, issuer=sandbox.issuer, port=port,
            more=f"mail: {{ smtp: {json.dumps(mailbox.url)}, from: no-reply@speed.example }}\n")
        return Stage(gateway, sandbox, mailbox, f"http://localhost:{port}")

    def entrance(self, redirect: str, app: int = 1, **fields: str) -> str:
        """Where an app sends a browser to sign in."""
        return f"{self.origin}/platform/auth?" + urlencode({"appId": app, "redirect": redirect} | fields)

    def home(self, name: str = "notes") -> str:
        """A page of an app on the web, to which it has browsers sent back."""
        return f"http://{name}.localhost:{self.gateway.port}/signed-in"

    def call(self, method: str, path: str, token: str | None = None, **members: object) -> calls.Answer:
        """A call of the platform API."""
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        return calls.send(self.gateway.port, method, path, fields=fields, body=members or None)

    def apple_user(self, subject: str, **claims: object) -> dict[str, Any]:
        """The JSON of a native sign-in with Apple."""
        answer = self.gateway.sign_in(self.sandbox.mint(BUNDLE, subject, **claims), 1)
        if answer.status != 200:
            raise Failure(f"a sign-in with Apple was answered with {answer.status}")
        return dict(answer.json())


def _tenant(number: int, name: str, backend: int) -> str:
    ios = f"ios: {{ bundleIds: [{BUNDLE}], urlSchemes: [{name}app] }}\nlogo: notes.svg\n" if number == 1 else ""
    return f"""\
appId: {number}
name: {name.title()}
domains: [{name}.localhost]
{ios}providers: [{'apple-native, ' if number == 1 else ''}speed-web]
backends: {{ api: {{ servers: ["http://127.0.0.1:{backend}"] }} }}
routes:
  - {{ path: /signed-in, backend: api, auth: none }}
  - {{ path: /, backend: api }}
"""
