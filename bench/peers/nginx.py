"""nginx: plain, with larger buffers, with its own check of tokens in Lua, and asking a service by `auth_request`."""

from __future__ import annotations

import os
from pathlib import Path

from harness.processes import Child, accepts, find_program, free_port, wait_until

import backend
import tokens
from setting import Absent, Peer, Setting

_MODULES = Path("/usr/lib/nginx/modules")
_PASS = 'proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";'
_KEPT = "keepalive 128; keepalive_requests 1000000000; keepalive_timeout 600s;"


def start_plain(setting: Setting) -> Peer:
    child, port = _start(setting, "nginx", f"location / {{ {_PASS} }}")
    return _peer(setting, "nginx", "plain `proxy_pass`; looks at no token", child, port)


def start_64k(setting: Setting) -> Peer:
    buffers = "proxy_buffer_size 64k; proxy_buffers 16 64k; proxy_busy_buffers_size 128k;"
    child, port = _start(setting, "nginx-64k", f"location / {{ {buffers} {_PASS} }}")
    return _peer(setting, "nginx-64k", "the same with buffers of 64 KiB instead of its defaults", child, port)


def start_lua(setting: Setting) -> Peer:
    needed = [_MODULES / "ndk_http_module.so", _MODULES / "ngx_http_lua_module.so"]
    if not all(module.exists() for module in needed):
        raise Absent("nginx has no Lua module here (Debian: libnginx-mod-http-lua)")
    verifier = Path(__file__).with_name("verify.lua")
    settings = f"""
      lua_shared_dict verified 32m;
      init_by_lua_block {{
        verify = assert(loadfile("{verifier}"))("{setting.signer.public}", "{tokens.ISSUER}", "{tokens.AUDIENCE}")
      }}"""
    child, port = _start(
        setting, "nginx-lua", f"location / {{ access_by_lua_block {{ verify() }} {_PASS} }}", settings=settings,
        modules=needed)
    return _peer(
        setting, "nginx-lua", "ES256 in Lua with OpenSSL; verified tokens in a shared dictionary; user to backend",
        child, port, refused=setting.refused())


def start_auth_request(setting: Setting) -> Peer:
    service = backend.start_token_service(setting)
    settings = f"upstream service {{ server 127.0.0.1:{service}; {_KEPT} }}"
    child, port = _start(setting, "nginx-auth-request", f"""
      location = /auth {{
        internal; proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
        proxy_pass_request_body off; proxy_set_header Content-Length "";
      }}
      location / {{
        auth_request /auth; auth_request_set $user $upstream_http_x_user; proxy_set_header X-User $user; {_PASS}
      }}""", settings=settings)
    return _peer(
        setting, "nginx-auth-request", "`auth_request` to a service that knows good tokens and costs it nothing",
        child, port, refused=setting.refused())


def _peer(
    setting: Setting, name: str, does: str, child: Child, port: int, *, refused: dict[str, str | None] | None = None
) -> Peer:
    return Peer(name, does, child, port, setting.bearers, setting.certificate is not None, refused or {})


def _start(
    setting: Setting, name: str, locations: str, *, settings: str = "", modules: list[Path] | None = None
) -> tuple[Child, int]:
    port = free_port()
    folder = setting.workspace.folder / name
    folder.mkdir()
    # A worker would else become `nobody`, which can't write in a folder of root's.
    user = "user root;" if os.geteuid() == 0 else ""
    # nginx closes idle connections while fewer than a sixteenth of its slots are free.
    slots = setting.connections * 5 // 4 + 512
    config = folder / "nginx.conf"
    config.write_text(f"""
    {"".join(f"load_module {module};" for module in modules or [])}
    {user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr error;
    events {{ worker_connections {slots}; }}
    http {{
      access_log off; {_scratch(folder)}
      {settings}
      upstream backend {{ server 127.0.0.1:{setting.backend_port}; {_KEPT} }}
      server {{
        listen 127.0.0.1:{port} {"ssl http2" if setting.certificate else ""} backlog=1024;
        {_tls(setting)} keepalive_requests 1000000000; keepalive_timeout 600s;
        {locations}
      }}
    }}
    """)
    child = setting.workspace.start(
        name, [find_program("nginx"), "-p", folder, "-e", "stderr", "-c", config], cores=setting.cores.proxy)
    wait_until(child, lambda: accepts(port))
    return child, port


def _tls(setting: Setting) -> str:
    if setting.certificate is None:
        return ""
    return (f"ssl_certificate {setting.certificate.certificate}; ssl_certificate_key {setting.certificate.key}; "
            "ssl_protocols TLSv1.2 TLSv1.3;")


def _scratch(folder: Path) -> str:
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    return " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
