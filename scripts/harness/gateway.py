"""A `speed-gateway serve` and a `speed-gateway sandbox` of one's own, and sign-ins through both."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import http
from .processes import Child, Failure, Workspace, accepts, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]


_BATCH = 1000
"""Identity tokens asked for at once: some seconds' work for the sandbox, which signs each."""


def release_binary() -> Path:
    binary = ROOT / ".build" / "release" / "speed-gateway"
    if not binary.exists():
        raise Failure("the gateway is not built: run scripts/build")
    return binary


@dataclass(frozen=True)
class Sandbox:
    """The stand-in for Apple."""

    child: Child
    port: int

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @staticmethod
    def start(workspace: Workspace, binary: Path, port: int | None = None) -> Sandbox:
        port = port or free_port()
        child = workspace.start("sandbox", [binary, "sandbox", "--listen", f"127.0.0.1:{port}"])
        wait_until(child, lambda: accepts(port))
        return Sandbox(child, port)

    def mint(self, bundle_id: str, subject: str, **claims: object) -> dict[str, str]:
        """An identity token as Apple gives it to an app: `{"identityToken": …, "rawNonce": …}`."""
        wish = {"aud": bundle_id, "sub": subject, "rawNonce": secrets.token_hex(32)} | claims
        # The issuer that the token names is the host that it was asked for at.
        answer = http.send(
            self.port, "POST", "/sandbox/identity-token", host=f"127.0.0.1:{self.port}", body=wish)
        if answer.status != 200:
            raise Failure(f"the sandbox refused to mint an identity token: {answer.status}")
        return _credentials(answer.json())

    def mint_many(self, bundle_id: str, count: int, **claims: object) -> list[dict[str, str]]:
        """Identity tokens of `count` users whom nobody has seen before."""
        minted: list[dict[str, str]] = []
        while len(minted) < count:
            wish = {"aud": bundle_id, "count": min(_BATCH, count - len(minted))} | claims
            answer = http.send(
                self.port, "POST", "/sandbox/identity-token", host=f"127.0.0.1:{self.port}", body=wish, seconds=60)
            if answer.status != 200:
                raise Failure(f"the sandbox refused to mint identity tokens: {answer.status}")
            minted += map(_credentials, answer.json()["tokens"])
        return minted


def _credentials(minted: dict[str, str]) -> dict[str, str]:
    return {"identityToken": minted["identityToken"], "rawNonce": minted["rawNonce"]}


@dataclass(frozen=True)
class Gateway:
    child: Child
    port: int
    admin_port: int
    config: Path
    milliseconds_to_ready: float

    @staticmethod
    def start(
        workspace: Workspace, binary: Path, *, tenants: Path, issuer: str, name: str = "gateway",
        port: int | None = None, cores: set[int] | None = None, more: str = "",
    ) -> Gateway:
        """Starts a gateway with a database and keys of its own; returns when `/readyz` says ready.

        `more` is further YAML for its `gateway.yaml`.
        """
        port = port or free_port()
        admin_port = free_port()
        folder = workspace.folder / name
        folder.mkdir()
        config = folder / "gateway.yaml"
        config.write_text(_configuration(port, admin_port, tenants, issuer) + more)
        # One event loop a core is the gateway's own rule; said again, so that a peer's one thread is certain.
        loops = {"SPEED_LOOPS": str(len(cores))} if cores else {}
        begun = time.monotonic()
        child = workspace.start(name, [binary, "serve", "--config", config], cores=cores, environment=loops)
        wait_until(child, lambda: http.answers_ok(admin_port, "/readyz"), step=0.0005)
        return Gateway(child, port, admin_port, config, (time.monotonic() - begun) * 1000)

    def sign_in(self, credentials: dict[str, str], app_id: int, **more: object) -> http.Answer:
        body: dict[str, Any] = {"appId": app_id, **credentials, **more}
        return http.send(self.port, "POST", "/api/platform/auth/apple-native", body=body)


def _configuration(port: int, admin_port: int, tenants: Path, issuer: str) -> str:
    # JSON strings are valid YAML strings, whatever a path holds.
    def quoted(value: object) -> str:
        return json.dumps(str(value))

    return f"""\
listen:
  - {{ address: "127.0.0.1:{port}" }}
admin: {{ address: "127.0.0.1:{admin_port}" }}
platform:
  apiHosts: [localhost, "127.0.0.1"]
  dashHosts: [localhost, "127.0.0.1"]
  publicUrl: "http://localhost:{port}"
store: {{ url: "sqlite:var/gateway.db" }}
tenants: {quoted(tenants)}
plugins: {quoted(ROOT / "plugins")}
tokens: {{ keys: var/keys }}
apple: {{ issuer: {quoted(issuer)} }}
drain: {{ delay: 100ms, timeout: 5s }}
"""
