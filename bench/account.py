"""A gateway of an app with an Apple key: codes are exchanged, deleted accounts' tokens revoked, at the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness import http
from harness.gateway import Gateway, Sandbox, release_binary
from harness.processes import Failure, Workspace, wait_until

from peers import speed

ME = "/api/platform/auth/me"
_TEAM = "ABCDE12345"


@dataclass
class AppleApp:
    sandbox: Sandbox
    gateway: Gateway

    @staticmethod
    def start(workspace: Workspace, *, calls_a_second: int) -> AppleApp:
        """`calls_a_second` is how fast queued work is done at Apple."""
        sandbox = Sandbox.start(workspace, release_binary())
        gateway = Gateway.start(
            workspace, release_binary(), tenants=_tenants(workspace, sandbox), issuer=sandbox.issuer,
            more=f"log: {speed.QUIET}\nlimits: {{ signIns: {{ requests: 1000000, per: 1m }}, "
                 f"providerCalls: {{ requests: {calls_a_second}, per: 1s }} }}\n")
        return AppleApp(sandbox, gateway)

    def sign_in(self, subject: str) -> str:
        """The bearer of a user, whose code is exchanged soon after."""
        answer = self.gateway.sign_in(self.sandbox.mint(speed.BUNDLE, subject, code=True), speed.APP)
        if answer.status != 200:
            raise Failure(f"a sign-in was answered with {answer.status} {answer.error}")
        return str(answer.json()["token"])

    def code(self, subject: str) -> str:
        """Another code of a user."""
        return self.sandbox.mint(speed.BUNDLE, subject, code=True)["authorizationCode"]

    def await_exchanges(self) -> None:
        """Returns when all codes have been exchanged."""
        wait_until(self.gateway.child, lambda: self.gateway.waiting("follow-up") == 0, seconds=30)

    def delete(self, bearer: str) -> None:
        answer = http.send(self.gateway.port, "DELETE", ME, fields={"Authorization": f"Bearer {bearer}"})
        if answer.status != 200:
            raise Failure(f"a deletion was answered with {answer.status} {answer.error}")


def _tenants(workspace: Workspace, sandbox: Sandbox) -> Path:
    key = sandbox.ask("developer-key")
    file = workspace.folder / "apple.p8"
    file.touch(mode=0o600)
    file.write_text(key["privateKey"])
    folder = workspace.folder / "apple-tenants"
    folder.mkdir()
    # No backend is called; the port is only a valid one.
    (folder / "app.yaml").write_text(
        f"appId: {speed.APP}\nname: Bench\ndomains: [bench.localhost]\nproviders: [apple-native]\n"
        f"ios: {{ bundleIds: [{speed.BUNDLE}], teamId: {_TEAM}, signInKey: {{ id: {key['keyId']}, file: {file} }} }}\n"
        "backends: { api: { servers: [http://127.0.0.1:9] } }\nroutes: [{ path: /, backend: api }]\n")
    return folder
