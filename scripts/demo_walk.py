"""The demo's steps. Started by scripts/demo, which builds first. Each step is checked, not only shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from harness import http
from harness.gateway import ROOT, Gateway, Sandbox, release_binary
from harness.processes import Child, Failure, Workspace, accepts, free_port, is_free, wait_until
from harness.terminal import expect, pretty, shortened, show, step

APP, DOMAIN, BUNDLE = 123, "notes.localhost", "com.example.notes"
"""The example app of tenants/notes.yaml."""
IMITATION_APP = 900_001
TARGET = "/v1/notes?limit=20"


class Demo:
    """What runs during the demo, and the steps in the order in which they are shown."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.binary = release_binary()
        self.tenants = workspace.folder / "tenants"
        shutil.copytree(ROOT / "tenants", self.tenants)
        self.backend = self._start_backend()
        self.sandbox = Sandbox.start(workspace, self.binary, _port(9400, "the sandbox"))
        self.gateway = Gateway.start(
            workspace, self.binary, tenants=self.tenants, issuer=self.sandbox.issuer,
            port=_port(8080, "the gateway"))
        self.token = ""
        self.user: dict[str, Any] = {}

    def walk(self) -> None:
        self.what_runs()
        credentials = self.sign_in()
        self.replay(credentials)
        self.forward()
        self.forged_identity()
        self.bad_tokens()
        self.conflict()

    def what_runs(self) -> None:
        step(1, "What runs")
        ready = f"ready after {self.gateway.milliseconds_to_ready:.0f} ms"
        show(f"gateway  http://localhost:{self.gateway.port}   ({ready})")
        show(f"sandbox  {self.sandbox.issuer}   (a stand-in for Apple: its keys, its identity tokens)")
        show("backend  the app's own, as its tenant file names it")
        check = self._check(self.gateway)
        expect("speed-gateway check: the example tenants are good", check.returncode == 0, check.stdout + check.stderr)

    def sign_in(self) -> dict[str, str]:
        step(2, "An app signs its user in with Apple")
        credentials = self.sandbox.mint(
            BUNDLE, "001234.demo.0001", email="jane@example.com", email_verified=True, is_private_email=False)
        show(f"POST http://localhost:{self.gateway.port}/api/platform/auth/apple-native")
        show(pretty({"appId": APP, **credentials, "fullName": "Jane Doe"}))
        answer = self.gateway.sign_in(credentials, APP, fullName="Jane Doe")
        expect("200", answer.status == 200, answer.body.decode(errors="replace"))
        session = answer.json()
        show(pretty(session))
        expect("a new account with the name that came along",
               session["isNewAccount"] is True and session["user"]["name"] == "Jane Doe", session)
        self.token, self.user = session["token"], session["user"]
        return credentials

    def replay(self, credentials: dict[str, str]) -> None:
        step(3, "The same identity token again")
        _expect_refusal(self.gateway.sign_in(credentials, APP), 401, "invalid_identity_token")

    def forward(self) -> None:
        step(4, "The app calls its backend with the token")
        show(f"GET http://{DOMAIN}:{self.gateway.port}{TARGET}")
        show("Authorization: Bearer " + self.token)
        show("X-Speed-Request-From: app")
        received = self._forwarded({})
        show("what the backend received:", kind="quiet")
        show("\n".join(f"  {name}: {value}" for name, value in received))
        fields = _by_name(received)
        expect("the user of the sign-in, in X-Speed-User-Id", fields["x-speed-user-id"] == [self.user["id"]], fields)
        expect("the app, in X-Speed-App-Id", fields["x-speed-app-id"] == [str(APP)], fields)
        expect("a signed proof of both, in X-Speed-Assertion", len(fields["x-speed-assertion"]) == 1, fields)

    def forged_identity(self) -> None:
        step(5, "A client that claims to be somebody else")
        forged = {"X-Speed-User-Id": "admin", "X_Speed_User_Id": "admin", "x-speed-role": "admin"}
        for name, value in forged.items():
            show(f"{name}: {value}")
        received = self._forwarded(forged)
        fields = _by_name(received)
        expect("the backend received the user of the token", fields["x-speed-user-id"] == [self.user["id"]], fields)
        expect("and nothing of the claim", "admin" not in [value for _, value in received], fields)

    def bad_tokens(self) -> None:
        step(6, "Requests that must not reach the backend")
        before = self._requests_at_backend()
        head, claims, signature = self.token.split(".")
        first = "B" if signature[0] == "A" else "A"
        show("without a token")
        _expect_refusal(self._call({}), 401, "missing_token")
        show("with a token whose signature was changed")
        tampered = f"{head}.{claims}.{first}{signature[1:]}"
        _expect_refusal(self._call({"Authorization": f"Bearer {tampered}"}), 401, "invalid_token")
        expect("the backend received neither", self._requests_at_backend() == before)

    def conflict(self) -> None:
        step(7, f"A second app claims the bundle ID {BUNDLE}")
        folder = self.workspace.folder / "tenants-in-conflict"
        shutil.copytree(self.tenants, folder)
        (folder / "imitation.yaml").write_text(
            f"appId: {IMITATION_APP}\nname: Imitation\ndomains: [imitation.localhost]\n"
            f"ios: {{ bundleIds: [{BUNDLE}] }}\nproviders: [apple-native]\n"
            "backends: { api: { servers: [http://127.0.0.1:9001] } }\nroutes: [{ path: /, backend: api }]\n")
        show("another gateway starts with one file more:")
        show((folder / "imitation.yaml").read_text(), kind="quiet")
        gateway = Gateway.start(
            self.workspace, self.binary, tenants=folder, issuer=self.sandbox.issuer, name="gateway-in-conflict")
        check = self._check(gateway)
        show(check.stdout.replace(f"{folder}/", "tenants/"))
        expect("speed-gateway check names both places and exits with 1",
               check.returncode == 1 and "bundle_id_conflict" in check.stdout, check.stdout + check.stderr)
        for app in (APP, IMITATION_APP):
            show(f"a sign-in to app {app}")
            credentials = self.sandbox.mint(BUNDLE, "001234.demo.0002")
            _expect_refusal(gateway.sign_in(credentials, app), 403, "bundle_id_conflict")
        gateway.child.stop()

    def by_hand(self) -> list[str]:
        """Commands to copy. Each has been run once by the time they are shown."""
        app = f"http://{DOMAIN}:{self.gateway.port}"
        api = f"http://localhost:{self.gateway.port}/api/platform/auth"
        bearer = "-H \"Authorization: Bearer $TOKEN\" -H 'X-Speed-Request-From: app'"
        wish = f'\'{{"aud":"{BUNDLE}","sub":"001234.demo.0003","rawNonce":"\'$(openssl rand -hex 32)\'"}}\''
        sign_in = (
            f"curl -s {self.sandbox.issuer}/sandbox/identity-token -d {wish} | sed 's/^{{/{{\"appId\":{APP},/' | "
            f"curl -s {api}/apple-native -H 'Content-Type: application/json' -d @-")
        commands = {
            f"curl -s {bearer} '{app}{TARGET}'": self.user["id"],
            f"curl -s {bearer} -H 'X-Speed-User-Id: admin' '{app}{TARGET}'": self.user["id"],
            f"curl -si -H 'X-Speed-Request-From: app' '{app}{TARGET}'": "missing_token",
            f"curl -s {bearer} {api}/me": self.user["id"],
            sign_in: '"isNewAccount"',
            f"{self.binary} check --config {self.gateway.config}": "",
            f"{self.binary} plugin list --config {self.gateway.config}": "apple-native",
        }
        for command, wanted in commands.items():
            run = subprocess.run(
                ["bash", "-c", command], env=os.environ | {"TOKEN": self.token}, capture_output=True, text=True,
                check=False)
            if run.returncode != 0 or wanted not in run.stdout:
                raise Failure(f"not as expected: {command}\n{shortened(run.stdout + run.stderr)}")
        return list(commands)

    def _start_backend(self) -> Child:
        """Starts the backend where the tenant files look for it, or moves both where a port is taken."""
        files = [path for path in self.tenants.rglob("*") if path.suffix in (".yaml", ".yml")]
        server = re.compile(r"(http://127\.0\.0\.1:)(\d+)")
        named = sorted({int(port) for path in files for _, port in server.findall(path.read_text())})
        if not named:
            raise Failure("no tenant file names a backend on http://127.0.0.1:PORT")
        ports = {port: _port(port, "the backend") for port in named}
        for path in files:
            path.write_text(server.sub(lambda match: match[1] + str(ports[int(match[2])]), path.read_text()))
        program: list[str | Path] = [sys.executable, ROOT / "scripts" / "demo-backend"]
        child = self.workspace.start("backend", [*program, *map(str, ports.values())])
        wait_until(child, lambda: all(accepts(port) for port in ports.values()))
        return child

    def _call(self, fields: dict[str, str]) -> http.Answer:
        return http.send(
            self.gateway.port, "GET", TARGET, host=DOMAIN, fields={"X-Speed-Request-From": "app"} | fields)

    def _forwarded(self, fields: dict[str, str]) -> list[list[str]]:
        """The fields that the backend received for a call with the user's token."""
        answer = self._call({"Authorization": f"Bearer {self.token}"} | fields)
        expect("200 from the backend", answer.status == 200, answer.body.decode(errors="replace"))
        received: list[list[str]] = answer.json()["fields"]
        return received

    def _requests_at_backend(self) -> int:
        return self.backend.log.read_text().count(f"GET {TARGET}\n")

    def _check(self, gateway: Gateway) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.binary, "check", "--config", gateway.config], capture_output=True, text=True, check=False)


def _port(wanted: int, purpose: str) -> int:
    if is_free(wanted):
        return wanted
    other = free_port()
    print(f"note: port {wanted} is taken on this machine; {purpose} uses {other} instead", file=sys.stderr)
    return other


def _by_name(fields: list[list[str]]) -> dict[str, list[str]]:
    """The values of each field; names that a careless backend would take for one are one."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        names[name.lower().replace("_", "-").replace(".", "-")].append(value)
    return names


def _expect_refusal(answer: http.Answer, status: int, code: str) -> None:
    found = answer.body.decode(errors="replace")
    show(found)
    expect(f"{status} {code}", answer.status == status and answer.error == code, f"{answer.status} {found}")


def _stay_up(demo: Demo, commands: list[str]) -> None:
    print("\nStill running; try these in another terminal, Ctrl-C here ends everything:\n")
    print(f"TOKEN={demo.token}\n")
    print("\n\n".join(commands), flush=True)
    try:
        code = demo.gateway.child.process.wait()
    except KeyboardInterrupt:
        print()
        return
    raise Failure(f"the gateway ended with status {code}:\n{demo.gateway.child.log_tail()}")


def main() -> None:
    once = sys.argv[1:] == ["--once"]
    try:
        with Workspace("speed-demo-") as workspace:
            demo = Demo(workspace)
            demo.walk()
            commands = demo.by_hand()
            if not once:
                _stay_up(demo, commands)
    except Failure as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
    if once:
        print("\nEvery step was as expected.")


if __name__ == "__main__":
    main()
