"""HAProxy, plain and with its own check of ES256 bearers."""

from __future__ import annotations

from harness.processes import Child, accepts, find_program, free_port, wait_until

import tokens
from setting import Peer, Setting


def start_plain(setting: Setting) -> Peer:
    child, port = _start(setting, "haproxy", "")
    return Peer(
        "haproxy", "plain; looks at no token", child, port, setting.bearers, setting.certificate is not None)


def start_jwt(setting: Setting) -> Peer:
    payload = "var(txn.bearer),jwt_payload_query"
    child, port = _start(setting, "haproxy-jwt", f"""
  http-request set-var(txn.bearer) http_auth_bearer
  http-request set-var(txn.now) date()
  http-request deny deny_status 401 unless {{ var(txn.bearer),jwt_header_query('$.alg') -m str ES256 }}
  http-request deny deny_status 401 unless {{ {payload}('$.iss') -m str {tokens.ISSUER} }}
  http-request deny deny_status 401 unless {{ {payload}('$.aud') -m str {tokens.AUDIENCE} }}
  http-request deny deny_status 401 unless {{ {payload}('$.exp','int'),sub(txn.now) -m int gt 0 }}
  http-request deny deny_status 401 unless {{ var(txn.bearer),jwt_verify("ES256","{setting.signer.public}") -m int 1 }}
""")
    return Peer(
        "haproxy-jwt", "`jwt_verify` ES256, issuer, audience, expiry", child, port, setting.bearers,
        setting.certificate is not None, setting.refused())


def _start(setting: Setting, name: str, rules: str) -> tuple[Child, int]:
    port = free_port()
    tls = f"ssl crt {setting.certificate.both} alpn h2,http/1.1" if setting.certificate else ""
    config = setting.workspace.folder / f"{name}.cfg"
    # HAProxy wants two descriptors a connection, more than many machines allow; idle connections need one.
    config.write_text(f"""
global
  nbthread 1
  maxconn {setting.connections + 512}
  ulimit-n {setting.connections + 2048}
  no strict-limits
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  timeout http-keep-alive 600s
listen {name}
  bind 127.0.0.1:{port} backlog 1024 {tls}
{rules}
  http-reuse always
  server backend 127.0.0.1:{setting.backend_port}
""")
    child = setting.workspace.start(name, [find_program("haproxy"), "-db", "-f", config], cores=setting.cores.proxy)
    wait_until(child, lambda: accepts(port))
    return child, port
