"""nginx, the proxy that the others are compared with."""

from __future__ import annotations

import os
from pathlib import Path

from harness.processes import Child, Workspace, accepts, find_program, free_port, wait_until

from setting import Peer, Setting


def start(setting: Setting) -> Peer:
    port = free_port()
    server = f"""
      upstream backend {{
        server 127.0.0.1:{setting.backend_port};
        keepalive 128; keepalive_requests 1000000000; keepalive_timeout 600s;
      }}
      server {{
        listen 127.0.0.1:{port} backlog=1024; keepalive_requests 1000000000; keepalive_timeout 600s;
        location / {{ proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; }}
      }}"""
    # nginx closes idle connections while fewer than a sixteenth of its slots are free.
    slots = setting.connections * 5 // 4 + 512
    child = _start(setting.workspace, "nginx", setting.cores.proxy, port, server, slots)
    return Peer("nginx", "plain `proxy_pass`; looks at no token", child, port, setting.bearers)


def _start(workspace: Workspace, name: str, cores: set[int], port: int, server: str, connections: int) -> Child:
    folder = workspace.folder / name
    folder.mkdir()
    # A worker would else become `nobody`, which can't write in a folder of root's.
    user = "user root;" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(f"""
    {user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr error;
    events {{ worker_connections {connections}; }}
    http {{
      access_log off; {_scratch(folder)}
      {server}
    }}
    """)
    child = workspace.start(name, [find_program("nginx"), "-p", folder, "-e", "stderr", "-c", config], cores=cores)
    wait_until(child, lambda: accepts(port))
    return child


def _scratch(folder: Path) -> str:
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    return " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
