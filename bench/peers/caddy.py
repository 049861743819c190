"""Caddy, plain and asking a service by `forward_auth`."""

from __future__ import annotations

from harness.processes import accepts, free_port, wait_until

import backend
import tools
from setting import HOST, Peer, Setting


def start_plain(setting: Setting) -> Peer:
    return _start(setting, "caddy", "plain `reverse_proxy`; looks at no token", "", {})


def start_forward_auth(setting: Setting) -> Peer:
    service = backend.start_token_service(setting)
    return _start(
        setting, "caddy-forward-auth",
        "`forward_auth` to a service that knows good tokens and costs it nothing", f"""
  forward_auth 127.0.0.1:{service} {{
    uri /auth
    copy_headers X-User
    {_TRANSPORT}
  }}""", setting.refused())


_TRANSPORT = "transport http { \n keepalive 600s \n keepalive_idle_conns_per_host 128 \n }"


def _start(setting: Setting, name: str, does: str, checks: str, refused: dict[str, str | None]) -> Peer:
    program, port = tools.program("caddy"), free_port()
    folder = setting.workspace.folder / name
    folder.mkdir()
    certificate = setting.certificate
    scheme, tls = "http", ""
    if certificate is not None:
        scheme, tls = "https", f"tls {certificate.certificate} {certificate.key}"
    config = folder / "Caddyfile"
    config.write_text(f"""{{
  admin off
  auto_https off
  persist_config off
  log default {{
    output stderr
    level ERROR
  }}
}}
{scheme}://{HOST}:{port} {{
  bind 127.0.0.1
  {tls}
  {checks}
  reverse_proxy 127.0.0.1:{setting.backend_port} {{
    {_TRANSPORT}
  }}
}}
""")
    child = setting.workspace.start(
        name, [program, "run", "--config", config, "--adapter", "caddyfile"], cores=setting.cores.proxy,
        environment={"GOMAXPROCS": "1", "HOME": str(folder), "XDG_DATA_HOME": str(folder),
                     "XDG_CONFIG_HOME": str(folder)})
    wait_until(child, lambda: accepts(port))
    return Peer(name, does, child, port, setting.bearers, certificate is not None, refused)
