"""Peers with thousands of virtual hosts, each with a rule of its own, and how one of them is changed while they run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import http
from harness.gateway import Gateway, release_binary
from harness.processes import Child, Failure, find_program, free_port

import tools
from peers import speed
from setting import TARGET, Setting

SECONDS_TO_START = 180


def host(number: int) -> str:
    return f"app{number:06}.apps.example.com"


@dataclass(frozen=True)
class Many:
    """A peer with many hosts, which answers on all of them."""

    name: str
    child: Child
    port: int
    rename: Callable[[int, str], None]
    """Gives the app of a number another host, as its operator would: in its files, and with a reload where it takes one."""

    def answers(self, name: str) -> bool:
        return http.answers_ok(self.port, TARGET, name)


@dataclass
class _Ground:
    """What a starter is given: the names of the hosts as they are now, and where to write."""

    setting: Setting
    hosts: list[str]
    folder: Path
    port: int

    def renamed(self, number: int, name: str) -> None:
        self.hosts[number] = name


def nginx(ground: _Ground) -> Many:
    setting, folder, port = ground.setting, ground.folder, ground.port
    config = folder / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    scratch = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in
                       ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))

    def write() -> None:
        _replace(config, f"""
        {user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr error;
        events {{ worker_connections 1024; }}
        http {{
          access_log off; {scratch} server_names_hash_max_size 65536; server_names_hash_bucket_size 128;
          proxy_http_version 1.1; proxy_set_header Connection "";
          upstream backend {{
            server 127.0.0.1:{setting.backend_port};
            keepalive 128; keepalive_requests 1000000000; keepalive_timeout 600s;
          }}
          keepalive_requests 1000000000; keepalive_timeout 600s;
          server {{ listen 127.0.0.1:{port} default_server backlog=1024; return 421; }}
          {"".join(f'''server {{ listen 127.0.0.1:{port}; server_name {name};
            location / {{ proxy_pass http://backend; }} }}
          ''' for name in ground.hosts)}
        }}""")

    write()
    child = setting.workspace.start(
        "nginx", [find_program("nginx"), "-p", folder, "-e", "stderr", "-c", config], cores=setting.cores.proxy)

    def rename(number: int, name: str) -> None:
        ground.renamed(number, name)
        write()
        os.kill(child.pid, signal.SIGHUP)

    return Many("nginx", child, port, rename)


def haproxy(ground: _Ground) -> Many:
    setting, folder, port = ground.setting, ground.folder, ground.port
    config, table = folder / "haproxy.cfg", folder / "hosts.map"
    backends = "\n".join(
        f"backend b{number}\n  server s 127.0.0.1:{setting.backend_port}" for number in range(len(ground.hosts)))
    config.write_text(f"""
global
  nbthread 1
  maxconn 1024
  no strict-limits
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  timeout http-keep-alive 600s
  http-reuse always
frontend all
  bind 127.0.0.1:{port} backlog 1024
  use_backend %[req.hdr(host),lower,map({table})]
{backends}
""")

    def write() -> None:
        _replace(table, "".join(f"{name} b{number}\n" for number, name in enumerate(ground.hosts)))

    write()
    child = setting.workspace.start(
        "haproxy", [find_program("haproxy"), "-W", "-db", "-f", config], cores=setting.cores.proxy)

    def rename(number: int, name: str) -> None:
        ground.renamed(number, name)
        write()
        os.kill(child.pid, signal.SIGUSR2)

    return Many("haproxy", child, port, rename)


def envoy(ground: _Ground) -> Many:
    setting, folder, port = ground.setting, ground.folder, ground.port
    routes, config = folder / "routes.json", folder / "envoy.json"
    types = "type.googleapis.com/envoy"

    def write() -> None:
        _replace(routes, json.dumps({"resources": [{
            "@type": f"{types}.config.route.v3.RouteConfiguration", "name": "all",
            "virtual_hosts": [{
                "name": f"v{number}", "domains": [name, f"{name}:*"],
                "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "backend", "timeout": "0s"}}],
            } for number, name in enumerate(ground.hosts)]}]}))

    manager: dict[str, Any] = {
        "@type": f"{types}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "bench",
        "rds": {"route_config_name": "all", "config_source": {
            "path_config_source": {"path": str(routes)}, "resource_api_version": "V3"}},
        "http_filters": [{"name": "router", "typed_config": {
            "@type": f"{types}.extensions.filters.http.router.v3.Router"}}]}
    config.write_text(json.dumps({
        "node": {"id": "bench", "cluster": "bench"},
        "static_resources": {
            "listeners": [{
                "name": "bench", "address": _address(port), "tcp_backlog_size": 1024,
                "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}]}],
            "clusters": [{
                "name": "backend", "type": "STATIC", "connect_timeout": "5s",
                "load_assignment": {"cluster_name": "backend", "endpoints": [{"lb_endpoints": [
                    {"endpoint": {"address": _address(setting.backend_port)}}]}]}}]}}))
    write()
    child = setting.workspace.start(
        "envoy", [tools.program("envoy"), "--config-path", config, "--concurrency", "1", "--disable-hot-restart",
                  "--log-level", "error"], cores=setting.cores.proxy)

    def rename(number: int, name: str) -> None:
        ground.renamed(number, name)
        write()

    return Many("envoy", child, port, rename)


def caddy(ground: _Ground) -> Many:
    setting, folder, port = ground.setting, ground.folder, ground.port
    config, admin = folder / "caddy.json", free_port()

    def document() -> dict[str, Any]:
        transport = {"protocol": "http", "keep_alive": {
            "enabled": True, "max_idle_conns_per_host": 128, "idle_timeout": "600s"}}
        return {
            "admin": {"listen": f"127.0.0.1:{admin}"}, "logging": {"logs": {"default": {"level": "ERROR"}}},
            "apps": {"http": {"servers": {"all": {
                "listen": [f"127.0.0.1:{port}"], "automatic_https": {"disable": True},
                "routes": [{
                    "match": [{"host": [name]}], "terminal": True,
                    "handle": [{"handler": "reverse_proxy", "transport": transport,
                                "upstreams": [{"dial": f"127.0.0.1:{setting.backend_port}"}]}],
                } for name in ground.hosts]}}}}}

    config.write_text(json.dumps(document()))
    child = setting.workspace.start(
        "caddy", [tools.program("caddy"), "run", "--config", config], cores=setting.cores.proxy,
        environment={"GOMAXPROCS": "1", "HOME": str(folder), "XDG_DATA_HOME": str(folder),
                     "XDG_CONFIG_HOME": str(folder)})

    def rename(number: int, name: str) -> None:
        ground.renamed(number, name)
        answer = http.send(admin, "POST", "/load", host=f"127.0.0.1:{admin}", body=document(), seconds=120)
        if answer.status != 200:
            raise Failure(f"caddy did not take its configuration: {answer.status}")

    return Many("caddy", child, port, rename)


def gateway(ground: _Ground, cores: set[int] | None = None) -> Many:
    """Starts with both cores where `cores` says so, as a start may use all that there are."""
    setting, folder = ground.setting, ground.folder

    def write(number: int) -> None:
        _replace(folder / f"{number}.yaml", (
            f"appId: {number + 1}\nname: App {number + 1}\ndomains: [{ground.hosts[number]}]\n"
            f"ios: {{ bundleIds: [com.example.app{number}] }}\nproviders: [apple-native]\n"
            f"backends: {{ api: {{ servers: [http://127.0.0.1:{setting.backend_port}] }} }}\n"
            "routes:\n  - { path: /v1/, backend: api, auth: none }\n  - { path: /, backend: api }\n"))

    for number in range(len(ground.hosts)):
        write(number)
    started = Gateway.start(
        setting.workspace, release_binary(), tenants=folder, issuer="http://127.0.0.1:9",
        name=f"gateway-{len(ground.hosts)}", port=ground.port, cores=cores or setting.cores.proxy, loops=1,
        more=speed.open_wide(setting.connections), step=0.01)

    def rename(number: int, name: str) -> None:
        ground.renamed(number, name)
        write(number)

    return Many("gateway", started.child, started.port, rename)


STARTERS: dict[str, Callable[[_Ground], Many]] = {
    "nginx": nginx, "haproxy": haproxy, "envoy-jwt": envoy, "caddy": caddy, "gateway": gateway,
}


def ground(setting: Setting, name: str, count: int) -> _Ground:
    folder = setting.workspace.folder / f"{name}-{count}-hosts"
    folder.mkdir()
    return _Ground(setting, [host(number) for number in range(count)], folder, free_port())


def _replace(path: Path, text: str) -> None:
    """As editors and deployments do: under another name first."""
    other = path.with_name(f".{path.name}.new")
    other.write_text(text)
    other.rename(path)


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}
