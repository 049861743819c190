"""A `speed-gateway serve` and a `speed-gateway sandbox` of one's own, and sign-ins through both."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass, replace
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
    def start(workspace: Workspace, binary: Path, port: int | None = None, name: str = "sandbox") -> Sandbox:
        port = port or free_port()
        child = workspace.start(name, [binary, "sandbox", "--listen", f"127.0.0.1:{port}"])
        wait_until(child, lambda: accepts(port))
        return Sandbox(child, port)

    def mint(self, bundle_id: str, subject: str, **claims: object) -> dict[str, str]:
        """An identity token as Apple gives it to an app: `{"identityToken": …, "rawNonce": …}`.

        With `code=True` an authorization code comes along.
        """
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

    def ask(self, door: str, **members: object) -> Any:
        """What another door of the sandbox answers to a POST."""
        answer = http.send(self.port, "POST", f"/sandbox/{door}", host=f"127.0.0.1:{self.port}", body=members)
        if answer.status != 200:
            raise Failure(f"the sandbox answered {door} with {answer.status}")
        return answer.json()

    def count(self, service: str) -> int:
        """How often a service of Apple's was called."""
        answer = http.send(self.port, "GET", "/sandbox/counters", host=f"127.0.0.1:{self.port}")
        return int(answer.json()[service])


def _credentials(minted: dict[str, str]) -> dict[str, str]:
    names = ("identityToken", "rawNonce", "authorizationCode")
    return {name: minted[name] for name in names if name in minted}


@dataclass(frozen=True)
class Gateway:
    child: Child
    port: int
    admin_port: int
    config: Path
    milliseconds_to_ready: float
    tls_port: int | None
    """The port of the listener with TLS, where one was asked for."""

    @staticmethod
    def start(
        workspace: Workspace, binary: Path, *, tenants: Path, issuer: str, name: str = "gateway",
        port: int | None = None, cores: set[int] | None = None, loops: int | None = None, more: str = "",
        certificate: tuple[Path, Path] | None = None, drain: str = "{ delay: 100ms, timeout: 5s }",
        step: float = 0.0005, plugins: Path = ROOT / "plugins",
    ) -> Gateway:
        """Starts a gateway with a database and keys of its own; returns when `/readyz` says ready.

        `loops` is one a core of `cores` unless given, `more` is further YAML for its `gateway.yaml`, and `certificate`
        a chain and its key for a second listener, with TLS. `step` is the pause between two questions whether it is ready.
        """
        port = port or free_port()
        admin_port = free_port()
        tls_port = free_port() if certificate else None
        folder = workspace.folder / name
        folder.mkdir()
        config = folder / "gateway.yaml"
        listeners = [_listener(port)]
        if certificate and tls_port:
            listeners.append(_listener(tls_port, certificate))
        config.write_text(_configuration(port, listeners, admin_port, tenants, issuer, drain, plugins) + more)
        # One event loop a core is the gateway's own rule; said again, so that a peer's one thread is certain.
        loops = loops or (len(cores) if cores else None)
        child, milliseconds = _serve(workspace, binary, name, config, admin_port, cores, loops, step)
        return Gateway(child, port, admin_port, config, milliseconds, tls_port)

    def again(self, workspace: Workspace, binary: Path) -> Gateway:
        """The same gateway, started anew after its end: on the same ports, database and keys."""
        child, milliseconds = _serve(workspace, binary, self.child.name, self.config, self.admin_port)
        return replace(self, child=child, milliseconds_to_ready=milliseconds)

    def waiting(self, kind: str) -> int:
        """How much queued work of a kind the admin listener tells of."""
        waiting = http.send(self.admin_port, "GET", "/jobs", host=f"127.0.0.1:{self.admin_port}").json()["waiting"]
        return sum(int(each["count"]) for each in waiting if each["kind"] == kind)

    def sign_in(self, credentials: dict[str, str], app_id: int, **more: object) -> http.Answer:
        body: dict[str, Any] = {"appId": app_id, **credentials, **more}
        return http.send(self.port, "POST", "/api/platform/auth/apple-native", body=body)


def _serve(
    workspace: Workspace, binary: Path, name: str, config: Path, admin_port: int, cores: set[int] | None = None,
    loops: int | None = None, step: float = 0.0005,
) -> tuple[Child, float]:
    begun = time.monotonic()
    child = workspace.start(
        name, [binary, "serve", "--config", config], cores=cores,
        environment={"SPEED_LOOPS": str(loops)} if loops else None)
    wait_until(child, lambda: http.answers_ok(admin_port, "/readyz"), seconds=60, step=step)
    return child, (time.monotonic() - begun) * 1000


def _listener(port: int, certificate: tuple[Path, Path] | None = None) -> dict[str, object]:
    listener: dict[str, object] = {"address": f"127.0.0.1:{port}"}
    if certificate:
        listener["tls"] = [{"certificate": str(certificate[0]), "key": str(certificate[1])}]
    return listener


def _configuration(
    port: int, listeners: list[dict[str, object]], admin_port: int, tenants: Path, issuer: str, drain: str,
    plugins: Path,
) -> str:
    # JSON is valid YAML, whatever a path holds.
    return f"""\
listen: {json.dumps(listeners)}
admin: {{ address: "127.0.0.1:{admin_port}" }}
platform:
  apiHosts: [localhost, "127.0.0.1"]
  dashHosts: [localhost, "127.0.0.1"]
  publicUrl: "http://localhost:{port}"
store: {{ url: "sqlite:var/gateway.db" }}
tenants: {json.dumps(str(tenants))}
plugins: {json.dumps(str(plugins))}
tokens: {{ keys: var/keys }}
apple: {{ issuer: {json.dumps(issuer)} }}
drain: {drain}
"""
