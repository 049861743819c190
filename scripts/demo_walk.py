"""The demo's steps. Started by scripts/demo, which builds first. Each step is checked, not only shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from harness import http
from harness.gateway import ROOT, Gateway, Sandbox, release_binary
from harness.mailbox import Mailbox, code_of
from harness.pages import PASSWORD, Guest
from harness.processes import Child, Failure, Workspace, accepts, free_port, is_free, wait_until
from harness.terminal import expect, pretty, say, shortened, show, step

APP, DOMAIN, BUNDLE = 123, "notes.localhost", "com.example.notes"
"""The example app of tenants/notes.yaml."""
IMITATION_APP, IMITATION_DOMAIN = 900_001, "imitation.localhost"
TARGET = "/v1/notes?limit=20"
SIGN_IN = "/api/platform/auth/apple-native"
REDIRECT = "com.example.notes://speed-auth"
VISIT = urlencode({"appId": APP, "redirect": REDIRECT})


class Demo:
    """What runs during the demo, and the steps in the order in which they are shown."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.binary = release_binary()
        self.tenants = workspace.folder / "tenants"
        shutil.copytree(ROOT / "tenants", self.tenants)
        self.backend, self.backend_address = self._start_backend()
        self.sandbox = Sandbox.start(workspace, self.binary, _port(9400, "the sandbox"))
        self.mailbox = Mailbox()
        self.gateway = Gateway.start(
            workspace, self.binary, tenants=self.tenants, issuer=self.sandbox.issuer,
            port=_port(8080, "the gateway"),
            more=f"mail: {{ smtp: {json.dumps(self.mailbox.url)}, from: no-reply@speed.example }}\n")
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
        self.speed_account()

    def what_runs(self) -> None:
        step(1, "What runs")
        ready = f"ready after {self.gateway.milliseconds_to_ready:.0f} ms"
        show(f"gateway  http://localhost:{self.gateway.port}   {ready}, with a new database and new keys")
        show(f"sandbox  {self.sandbox.issuer}   stands in for Apple: its key set, its identity tokens")
        show(f"backend  {self.backend_address}   the app's own service; answers with what it received")
        say("All that the gateway knows of the app is one file, tenants/notes.yaml:")
        show(_without_comments((self.tenants / "notes.yaml").read_text()), kind="quiet")
        check = self._check()
        expect("speed-gateway check finds no problem in the files",
               check.returncode == 0 and "warning" not in check.stdout, check.stdout + check.stderr)

    def sign_in(self) -> dict[str, str]:
        step(2, "The app signs its user in with Apple")
        say("Apple gave the app an identity token. The gateway checks it, makes the account and answers with a token of"
            " its own.")
        credentials = self.sandbox.mint(
            BUNDLE, "001234.demo.0001", email="jane@example.com", email_verified=True, is_private_email=False)
        show(f"POST http://localhost:{self.gateway.port}{SIGN_IN}\n"
             + pretty({"appId": APP, **credentials, "fullName": "Jane Doe"}), mark="→")
        answer = self.gateway.sign_in(credentials, APP, fullName="Jane Doe")
        if answer.status != 200:
            raise Failure(f"the sign-in was answered with {answer.status}: {answer.body.decode(errors='replace')}")
        session = answer.json()
        show(f"200\n{pretty(session)}", mark="←")
        expect("a new account, with the name that came along",
               session["isNewAccount"] is True and session["user"]["name"] == "Jane Doe", session)
        self.token, self.user = session["token"], session["user"]
        return credentials

    def replay(self, credentials: dict[str, str]) -> None:
        step(3, "Somebody sends the same identity token again")
        show("the same POST", mark="→")
        _expect_refusal(self.gateway.sign_in(credentials, APP), 401, "invalid_identity_token")

    def forward(self) -> None:
        step(4, "The app calls its backend through the gateway")
        bearer = f"Authorization: Bearer {self.token}"
        show(f"GET http://{DOMAIN}:{self.gateway.port}{TARGET}\n{bearer}\nX-Speed-Request-From: app", mark="→")
        received = self._forwarded({})
        say("The backend received:")
        show("\n".join(f"{name}: {value}" for name, value in received), kind="quiet")
        fields = _by_name(received)
        expect("X-Speed-User-Id is the user of the sign-in", fields["x-speed-user-id"] == [self.user["id"]], fields)
        expect("X-Speed-App-Id is the app", fields["x-speed-app-id"] == [str(APP)], fields)
        expect("X-Speed-Assertion is a signed proof of both, for backends that want one",
               len(fields["x-speed-assertion"]) == 1, fields)

    def forged_identity(self) -> None:
        step(5, "A client claims to be somebody else")
        forged = {"X-Speed-User-Id": "admin", "X_Speed_User_Id": "admin", "x-speed-role": "admin"}
        show("the same GET, and\n" + "\n".join(f"{name}: {value}" for name, value in forged.items()), mark="→")
        received = self._forwarded(forged)
        fields = _by_name(received)
        expect("the backend received the user of the token", fields["x-speed-user-id"] == [self.user["id"]], fields)
        expect("and nothing of the claim", "admin" not in [value for _, value in received], fields)

    def bad_tokens(self) -> None:
        step(6, "Requests that must not reach the backend")
        before = self._requests_at_backend()
        head, claims, signature = self.token.split(".")
        first = "B" if signature[0] == "A" else "A"
        show("the same GET without a token", mark="→")
        _expect_refusal(self._call({}), 401, "missing_token")
        show("with a token whose signature was changed", mark="→")
        tampered = f"{head}.{claims}.{first}{signature[1:]}"
        _expect_refusal(self._call({"Authorization": f"Bearer {tampered}"}), 401, "invalid_token")
        expect("the backend received neither", self._requests_at_backend() == before)

    def conflict(self) -> None:
        step(7, f"A second app claims the bundle ID {BUNDLE}")
        say("A file more in the folder, while the gateway runs: tenants/imitation.yaml")
        imitation = self.tenants / "imitation.yaml"
        imitation.write_text(
            f"appId: {IMITATION_APP}\nname: Imitation\ndomains: [{IMITATION_DOMAIN}]\n"
            f"ios: {{ bundleIds: [{BUNDLE}] }}\nproviders: [apple-native]\n"
            f"backends: {{ api: {{ servers: [{self.backend_address}] }} }}\nroutes: [{{ path: /, backend: api }}]\n")
        show(imitation.read_text(), kind="quiet")
        live = self._wait_for_imitation(to_be_there=True)
        say(f"It is live {live * 1000:.0f} ms later. speed-gateway check says:")
        check = self._check()
        show(check.stdout.replace(f"{self.tenants}/", "tenants/"), kind="quiet")
        expect("it names both places, and exits with 1",
               check.returncode == 1 and "bundle_id_conflict" in check.stdout, check.stdout + check.stderr)
        for app in (APP, IMITATION_APP):
            show(f"a sign-in to app {app}", mark="→")
            _expect_refusal(
                self.gateway.sign_in(self.sandbox.mint(BUNDLE, "001234.demo.0002"), app), 403, "bundle_id_conflict")
        imitation.unlink()
        self._wait_for_imitation(to_be_there=False)
        show(f"the file is taken away; a sign-in to app {APP}", mark="→")
        answer = self.gateway.sign_in(self.sandbox.mint(BUNDLE, "001234.demo.0002"), APP)
        show(str(answer.status), mark="←")
        expect("signing in works again", answer.status == 200, answer.body.decode(errors="replace"))

    def speed_account(self) -> None:
        step(8, "A person signs up with a Speed account, which all apps share")
        email = "jane@example.com"
        say("The app opens a page in the phone's browser. Of everything below, the person sees pages and one letter.")
        show(f"GET http://localhost:{self.gateway.port}/platform/auth?{VISIT}", mark="→")
        guest = Guest(self.gateway.port)
        guest.get(f"/platform/auth?{VISIT}")
        asked = guest.submit(f"/platform/auth/sign-up?{VISIT}", name="Jane Doe", email=email, password=PASSWORD)
        expect("the address must be verified first", "/platform/auth/verify" in asked.location, asked.status)
        letter = self.mailbox.newest(email)
        show(f"To: {letter['To']}\nSubject: {letter['Subject']}", kind="quiet")
        guest.get(asked.location)
        identifier = parse_qs(urlsplit(asked.location).query)["id"][0]
        guest.submit(f"/platform/auth/verify?{VISIT}", id=identifier, code=code_of(letter))
        consent = guest.get(f"/platform/auth?{VISIT}")
        expect("the person is asked whether the app may know them", 'id="allow"' in consent.text, consent.status)
        done = guest.submit(f"/platform/auth/consent?{VISIT}", decision="allow")
        data = parse_qs(urlsplit(done.location).query).get("_speed_auth_data", ["{}"])[0]
        session = json.loads(data)
        show(f"{REDIRECT}?_speed_auth_data=\n{pretty(session)}", mark="←")
        expect("the app gets a regular account's session", session.get("isLocalUser") is False, session)
        self.token, self.user = session["token"], session["user"]
        fields = _by_name(self._forwarded({}))
        expect("with which its backend is called as before",
               fields["x-speed-user-id"] == [session["user"]["id"]], fields)
        evil = guest.get("/platform/auth?" + urlencode({"appId": APP, "redirect": "https://evil.example/"}))
        expect("and a redirect that no app registered shows a page that leads nowhere",
               evil.status == 400 and "evil.example" not in evil.text, evil.status)

    def by_hand(self) -> list[str]:
        """Commands to copy. Each has been run once by the time they are shown."""
        app = f"http://{DOMAIN}:{self.gateway.port}"
        api = f"http://localhost:{self.gateway.port}"
        token = self.workspace.folder / "token"
        token.write_text(self.token)
        bearer = "-H \"Authorization: Bearer $TOKEN\""
        call = f"curl -s {bearer} -H 'X-Speed-Request-From: app'"
        wish = f'\'{{"aud":"{BUNDLE}","sub":"001234.demo.0003","rawNonce":"\'$(openssl rand -hex 32)\'"}}\''
        config = f"--config {self.gateway.config}"
        commands = [
            ("The token of the sign-in above", f"TOKEN=$(cat {token})", ""),
            ("Call the backend", f"{call} '{app}{TARGET}'", self.user["id"]),
            ("Claim to be somebody else", f"{call} -H 'X-Speed-User-Id: admin' '{app}{TARGET}'", self.user["id"]),
            ("Leave the token out", f"curl -si -H 'X-Speed-Request-From: app' '{app}{TARGET}'", "missing_token"),
            ("Ask who is signed in", f"curl -s {bearer} {api}/api/platform/auth/me", self.user["id"]),
            ("Sign another user in: a token from the sandbox, sent on to the gateway",
             f"curl -s {self.sandbox.issuer}/sandbox/identity-token -d {wish} |\n"
             f"  sed 's/^{{/{{\"appId\":{APP},/' |\n"
             f"  curl -s {api}{SIGN_IN} -H 'Content-Type: application/json' -d @-", '"isNewAccount"'),
            ("See why a token is good or not",
             f"{self.binary} token inspect $TOKEN {config}", ""),
            ("Check the files", f"{self.binary} check {config}", ""),
            ("List the plugins", f"{self.binary} plugin list {config}", "apple-native"),
        ]
        environment = os.environ | {"TOKEN": self.token}
        for _, command, wanted in commands:
            run = subprocess.run(
                ["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
            if run.returncode != 0 or wanted not in run.stdout:
                raise Failure(f"not as expected: {command}\n{shortened(run.stdout + run.stderr)}")
        return [f"# {purpose}\n{command}" for purpose, command, _ in commands]

    def _start_backend(self) -> tuple[Child, str]:
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
        return child, f"http://127.0.0.1:{next(iter(ports.values()))}"

    def _call(self, fields: dict[str, str]) -> http.Answer:
        return http.send(
            self.gateway.port, "GET", TARGET, host=DOMAIN, fields={"X-Speed-Request-From": "app"} | fields)

    def _forwarded(self, fields: dict[str, str]) -> list[list[str]]:
        """The fields that the backend received for a call with the user's token."""
        answer = self._call({"Authorization": f"Bearer {self.token}"} | fields)
        if answer.status != 200:
            raise Failure(f"the backend's 200 came as {answer.status}: {answer.body.decode(errors='replace')}")
        show("200", mark="←")
        received: list[list[str]] = answer.json()["fields"]
        return received

    def _requests_at_backend(self) -> int:
        return self.backend.log.read_text().count(f"GET {TARGET}\n")

    def _check(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.binary, "check", "--config", self.gateway.config], capture_output=True, text=True, check=False)

    def _wait_for_imitation(self, *, to_be_there: bool) -> float:
        """Returns the seconds until the gateway knows the second app's host, or no longer does."""
        begun = time.monotonic()

        def is_known() -> bool:
            return http.send(self.gateway.port, "GET", "/", host=IMITATION_DOMAIN).status != 421

        wait_until(self.gateway.child, lambda: is_known() == to_be_there)
        return time.monotonic() - begun


def _port(wanted: int, purpose: str) -> int:
    if is_free(wanted):
        return wanted
    other = free_port()
    print(f"note: port {wanted} is taken on this machine; {purpose} uses {other} instead", file=sys.stderr)
    return other


def _without_comments(yaml: str) -> str:
    return "\n".join(line for line in yaml.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def _by_name(fields: list[list[str]]) -> dict[str, list[str]]:
    """The values of each field; names that a careless backend would take for one are one."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        names[name.lower().replace("_", "-").replace(".", "-")].append(value)
    return names


def _expect_refusal(answer: http.Answer, status: int, code: str) -> None:
    found = answer.body.decode(errors="replace")
    show(f"{answer.status} {found}", mark="←")
    expect(f"refused with {code}", answer.status == status and answer.error == code, f"{answer.status} {found}")


def _stay_up(demo: Demo, commands: list[str]) -> None:
    print("\nAll of it still runs. Try these in another terminal; Ctrl-C here ends everything.\n")
    print("\n\n".join(commands))
    print(f"\nA change in {demo.tenants}/ is live within a second.", flush=True)
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
