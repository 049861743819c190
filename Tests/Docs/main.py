"""Runs the code of docs/BACKENDS.md behind a real gateway.

    python3 Tests/Docs/main.py [--binary FILE]

Every block of the page is a file of that name. The Swift ones are compiled and run by the tests in Tests/Docs/Swift.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness import http  # noqa: E402
from harness.checks import expect, failures  # noqa: E402
from harness.documents import file_blocks  # noqa: E402
from harness.gateway import Gateway, Sandbox  # noqa: E402
from harness.processes import Workspace, accepts, free_port, wait_until  # noqa: E402

_PAGE = _ROOT / "docs" / "BACKENDS.md"
_NOTES, _OTHER = 123, 124
"""The page's app, and its double whose backend is the one in TypeScript."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the code of docs/BACKENDS.md behind a real gateway.")
    parser.add_argument("--binary", type=Path, default=_ROOT / ".build" / "debug" / "speed-gateway")
    wishes = parser.parse_args()
    with Workspace("speed-docs-") as workspace:
        place = Place(workspace, wishes.binary)
        tests = [place.python, place.python_balance]
        if shutil.which("esbuild") and shutil.which("node"):
            tests += [place.type_script, place.type_script_balance]
        else:
            print("skipped: TypeScript, as esbuild or node is missing")
        failed = failures(tests + [place.deletion])
        if failed:
            print(place.gateway.child.log_tail())
    print(f"{len(tests) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


class Place:
    """The page's files, and what they run in."""

    def __init__(self, workspace: Workspace, binary: Path) -> None:
        self._workspace = workspace
        self._page = workspace.folder / "page"
        self._write_page()
        self._ports = {_NOTES: free_port(), _OTHER: free_port()}
        self._key = {_NOTES: f"sk_{secrets.token_hex(24)}", _OTHER: f"sk_{secrets.token_hex(24)}"}
        os.environ["NOTES_SERVER_KEY"], os.environ["OTHER_SERVER_KEY"] = self._key.values()
        self._write_double()
        self._sandbox = Sandbox.start(workspace, binary)
        self.gateway = Gateway.start(
            workspace, binary, tenants=self._page / "tenants", issuer=self._sandbox.issuer)
        self._session = self._backend("backend.py", [sys.executable, "backend.py"], _NOTES)

    def _write_page(self) -> None:
        blocks = file_blocks(_PAGE)
        expect("the page has its blocks", len(blocks) >= 8)
        expect("every block of the page is a file", len(blocks) == _PAGE.read_text().count("\n```") // 2)
        for name, content in blocks.items():
            file = self._page / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)

    def _write_double(self) -> None:
        tenant = self._page / "tenants" / "notes.yaml"
        text = tenant.read_text()
        tenant.write_text(text.replace("9001", str(self._ports[_NOTES])))
        text = text.replace("123", str(_OTHER)).replace("notes", "other").replace("NOTES_", "OTHER_")
        (tenant.parent / "other.yaml").write_text(text.replace("9001", str(self._ports[_OTHER])))

    def _environment(self, app: int) -> dict[str, str]:
        return {
            "SPEED_API": f"http://localhost:{self.gateway.port}", "SPEED_APP": str(app), "PORT": str(self._ports[app]),
            "NOTES_SERVER_KEY": self._key[app]}

    def _backend(self, name: str, command: list[str | Path], app: int) -> dict[str, Any]:
        """Starts a backend, and waits until the gateway's checks have found it well; a user's session."""
        child = self._workspace.start(
            name, ["env", "-C", self._page, *command], environment=self._environment(app))
        wait_until(child, lambda: accepts(self._ports[app]))
        session = self._sign_in(app)
        wait_until(child, lambda: self._call("GET", "/v1/notes", app, session["token"]).status != 503)
        return session

    def _sign_in(self, app: int) -> dict[str, Any]:
        name = "notes" if app == _NOTES else "other"
        answer = self.gateway.sign_in(self._sandbox.mint(f"com.example.{name}", f"001.{secrets.token_hex(8)}"), app)
        expect("the user signs in", answer.status == 200)
        return dict(answer.json())

    def _call(self, method: str, path: str, app: int = _NOTES, token: str = "", body: object = None) -> http.Answer:
        """A request of the app, by way of the gateway."""
        fields = {"X-Speed-Request-From": "app"} | ({"Authorization": f"Bearer {token}"} if token else {})
        host = "notes.localhost" if app == _NOTES else "other.localhost"
        return http.send(self.gateway.port, method, path, host=host, fields=fields, body=body)

    def _refuses_others(self, app: int, token: str) -> None:
        """Who does not come by way of the gateway is nobody, whatever he says."""
        for forged in ({}, {"X-Speed-User-Id": "1"}, {"X-Speed-Assertion": "a.b.c"}, {"X-Speed-Assertion": token}):
            answer = http.send(self._ports[app], "GET", "/v1/notes", fields=forged)
            expect(f"a direct request gets 403, not {answer.status}", answer.status == 403)

    def python(self) -> None:
        token, stranger = self._session["token"], self._sign_in(_NOTES)["token"]
        expect("a note is taken", self._call("POST", "/v1/notes", token=token, body="milk").status == 201)
        expect("it is there", self._call("GET", "/v1/notes", token=token).json() == ['"milk"'])
        expect("for its user alone", self._call("GET", "/v1/notes", token=stranger).json() == [])
        expect("not without a token", self._call("GET", "/v1/notes").error == "missing_token")
        events = self._call("GET", "/v1/events", token=token).body
        expect("the stream arrives", events == b"data: 0 of 1\n\ndata: 1 of 1\n\ndata: 2 of 1\n\n")
        self._refuses_others(_NOTES, token)

    def python_balance(self) -> None:
        user = self._session["user"]["id"]
        code = (
            f"import balance; first, again = (balance.credit({user!r}, 500, 'order-1') for _ in range(2)); "
            f"print(first == again, first['balanceAfter'], balance.balance({user!r}))")
        expect("one order is one credit", self._run([sys.executable, "-c", code], _NOTES) == "True 500 500")

    def type_script(self) -> None:
        script = self._bundle("backend.ts")
        session = self._backend("backend.ts", ["node", script], _OTHER)
        user, token = session["user"]["id"], session["token"]
        expect("it knows its user", self._call("GET", "/v1/notes", _OTHER, token).json() == {"user": user})
        self._refuses_others(_OTHER, token)
        head, frame = self._web_socket(token, len(f"hello {user}") + 2)
        expect("the handshake passes", head.startswith("HTTP/1.1 101 "))
        expect("the gateway answers `speed`", "\r\nsec-websocket-protocol: speed\r\n" in head.lower())
        expect("the backend greets its user", frame[2:] == f"hello {user}".encode())

    def type_script_balance(self) -> None:
        user = self._sign_in(_OTHER)["user"]["id"]
        (self._page / "use.ts").write_text(
            'import { balance, credit } from "./balance.ts";\n'
            f'await credit("{user}", 70, "order-2");\nawait credit("{user}", 70, "order-2");\n'
            f'const refused = await credit("{user}", -71, "order-3").catch((error) => error.message);\n'
            f'console.log(await balance("{user}"), refused);\n')
        expect("one order is one credit, and refusals have their code", self._run(
            ["node", self._bundle("use.ts")], _OTHER) == "70 insufficient_balance")

    def deletion(self) -> None:
        token = self._session["token"]
        expect("the account is deleted", self._call("DELETE", "/v1/account", token=token).json() == {"deleted": True})
        expect("its token has ended", self._call("GET", "/v1/notes", token=token).error == "invalid_token")

    def _bundle(self, name: str) -> Path:
        script = self._page / f"{name}.mjs"
        self._run(["esbuild", name, "--bundle", "--platform=node", "--format=esm", f"--outfile={script}"], _OTHER)
        return script

    def _run(self, command: list[str | Path], app: int) -> str:
        done = subprocess.run(
            command, cwd=self._page, env=os.environ | self._environment(app), capture_output=True, text=True,
            timeout=60)
        expect(f"{command[0]} ends well:\n{done.stderr}", done.returncode == 0)
        return done.stdout.strip()

    def _web_socket(self, token: str, count: int) -> tuple[str, bytes]:
        """The head of a browser's handshake with its token as a subprotocol, and the first bytes behind."""
        with socket.create_connection(("127.0.0.1", self.gateway.port), timeout=10) as wire:
            wire.sendall(
                "GET /v1/live HTTP/1.1\r\nHost: other.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                f"Origin: http://other.localhost\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n"
                f"Sec-WebSocket-Protocol: speed, speed.bearer.{token}\r\n\r\n".encode())
            received = b""
            while b"\r\n\r\n" not in received or len(received.split(b"\r\n\r\n", 1)[1]) < count:
                more = wire.recv(4096)
                if not more:
                    break
                received += more
        head, _, rest = received.partition(b"\r\n\r\n")
        return head.decode() + "\r\n", rest


if __name__ == "__main__":
    sys.exit(main())
