"""The gateway as a peer: an app whose only route requires a token, and tokens from real sign-ins."""

from __future__ import annotations

from pathlib import Path

from harness import http
from harness.gateway import Gateway, Sandbox, release_binary
from harness.processes import Failure, Workspace, accepts

import tokens
from setting import HOST, Absent, Peer, Setting

APP, BUNDLE = 1, "com.example.bench"
SCHEME = "benchapp"
OTHER_APP, OTHER_BUNDLE = 2, "com.example.other"
DOES = "token, identity headers, assertion, all hygiene"
QUIET = "{ format: json, level: error }"
"""No line a request, as with the peers."""


def start(setting: Setting) -> Peer:
    return start_as(setting, "gateway", DOES, cores=setting.cores.proxy)


def start_as(
    setting: Setting, name: str, does: str, *, cores: set[int], loops: int | None = None,
    log: str = QUIET,
) -> Peer:
    """A gateway of its own; `log` is the value of that key in its `gateway.yaml`."""
    tenants = write_tenants(setting.workspace, setting.backend_port)
    certificate = setting.certificate
    sandbox = Sandbox.start(setting.workspace, release_binary(), name=f"{name}-sandbox")
    gateway = Gateway.start(
        setting.workspace, release_binary(), tenants=tenants, issuer=sandbox.issuer, name=name, cores=cores,
        loops=loops, more=open_wide(setting.connections, log),
        certificate=(certificate.certificate, certificate.key) if certificate else None)
    if gateway.tls_port is not None and not accepts(gateway.tls_port):
        raise Absent("the gateway has no TLS listener")

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
    # By now the gateway holds the sandbox's key set.
    sandbox.child.stop()
    # A key file that the gateway made can sign as the gateway does.
    signer = tokens.Signer(next((gateway.config.parent / "var" / "keys").glob("*.pem")))
    return Peer(
        name, does, gateway.child, gateway.tls_port or gateway.port, bearers, certificate is not None, refused,
        unseen=lambda count: [signer.renewed(bearers[0]) for _ in range(count)], admin_port=gateway.admin_port)


def write_tenants(workspace: Workspace, backend_port: int) -> Path:
    """The folder with the two apps of the benchmark."""
    folder = workspace.folder / "bench-tenants"
    folder.mkdir(exist_ok=True)
    for app, bundle_id, domain in ((APP, BUNDLE, HOST), (OTHER_APP, OTHER_BUNDLE, "other.localhost")):
        (folder / f"{app}.yaml").write_text(
            f"appId: {app}\nname: Bench\ndomains: [{domain}]\nios: {{ bundleIds: [{bundle_id}], urlSchemes: [{SCHEME}] }}\n"
            f"providers: [apple-native, speed-web]\nbackends: {{ api: {{ servers: [http://127.0.0.1:{backend_port}] }} }}\n"
            "routes: [{ path: /, backend: api, auth: required }]\n")
    return folder


def open_wide(connections: int, log: str = QUIET) -> str:
    """Further configuration: no limit that the load would meet."""
    most = connections + 512
    return (
        f"log: {log}\n"
        f"limits: {{ maxConnections: {most}, maxConnectionsPerAddress: {most}, "
        "signIns: { requests: 1000000, per: 1m } }\n")


def _sign_out(gateway: Gateway, token: str) -> None:
    answer = http.send(
        gateway.port, "POST", "/api/platform/auth/sign-out", fields={"Authorization": f"Bearer {token}"})
    if answer.status != 204:
        raise Failure(f"a sign-out was answered with {answer.status} {answer.error}")
