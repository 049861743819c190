"""The gateway as a peer: an app whose only route requires a token, and tokens from real sign-ins."""

from __future__ import annotations

from pathlib import Path

from harness import http
from harness.gateway import Gateway, Sandbox, release_binary
from harness.processes import Failure, Workspace

import tokens
from setting import HOST, Peer, Setting

APP, BUNDLE = 1, "com.example.bench"
OTHER_APP, OTHER_BUNDLE = 2, "com.example.other"


def start(setting: Setting) -> Peer:
    tenants = write_tenants(setting.workspace, setting.backend_port)
    sandbox = Sandbox.start(setting.workspace, release_binary())
    gateway = Gateway.start(
        setting.workspace, release_binary(), tenants=tenants, issuer=sandbox.issuer, cores=setting.cores.proxy,
        more=quiet_and_open(setting.connections))

    def sign_in(app: int, credentials: dict[str, str]) -> str:
        answer = gateway.sign_in(credentials, app)
        if answer.status != 200:
            raise Failure(f"a sign-in was answered with {answer.status} {answer.error}")
        return str(answer.json()["token"])

    *users, leaving = sandbox.mint_many(BUNDLE, len(setting.bearers) + 1)
    bearers = [sign_in(APP, credentials) for credentials in users]
    ended = sign_in(APP, leaving)
    _sign_out(gateway, ended)
    refused = {
        "no token": None,
        "a changed signature": tokens.tampered(bearers[0]),
        "alg none": tokens.unsigned(bearers[0]),
        "a key of somebody else": setting.bearers[0],
        "another app's token": sign_in(OTHER_APP, sandbox.mint(OTHER_BUNDLE, "bench.other")),
        "a signed-out token": ended,
    }
    return Peer(
        "gateway", "token, identity headers, assertion, all hygiene", gateway.child, gateway.port, bearers, refused)


def write_tenants(workspace: Workspace, backend_port: int) -> Path:
    """The folder with the two apps of the benchmark."""
    folder = workspace.folder / "bench-tenants"
    folder.mkdir(exist_ok=True)
    for app, bundle_id, domain in ((APP, BUNDLE, HOST), (OTHER_APP, OTHER_BUNDLE, "other.localhost")):
        (folder / f"{app}.yaml").write_text(
            f"appId: {app}\nname: Bench\ndomains: [{domain}]\nios: {{ bundleIds: [{bundle_id}] }}\n"
            f"providers: [apple-native]\nbackends: {{ api: {{ servers: [http://127.0.0.1:{backend_port}] }} }}\n"
            "routes: [{ path: /, backend: api, auth: required }]\n")
    return folder


def quiet_and_open(connections: int) -> str:
    """Further configuration: no line a request, as with the peers, and no limit that the load would meet."""
    return (
        "log: { format: json, level: error }\n"
        f"limits: {{ maxConnections: {connections + 512}, signIns: {{ requests: 1000000, per: 1m }} }}\n")


def _sign_out(gateway: Gateway, token: str) -> None:
    answer = http.send(
        gateway.port, "POST", "/api/platform/auth/sign-out", fields={"Authorization": f"Bearer {token}"})
    if answer.status != 204:
        raise Failure(f"a sign-out was answered with {answer.status} {answer.error}")
