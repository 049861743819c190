"""The peers by name."""

from __future__ import annotations

from collections.abc import Callable

from peers import caddy, envoy, haproxy, nginx, speed
from setting import Peer, Setting

STARTERS: dict[str, Callable[[Setting], Peer]] = {
    "nginx": nginx.start_plain,
    "nginx-64k": nginx.start_64k,
    "nginx-lua": nginx.start_lua,
    "nginx-auth-request": nginx.start_auth_request,
    "haproxy": haproxy.start_plain,
    "haproxy-jwt": haproxy.start_jwt,
    "envoy-jwt": envoy.start_jwt,
    "envoy-jwt-cache": envoy.start_jwt_cache,
    "caddy": caddy.start_plain,
    "caddy-forward-auth": caddy.start_forward_auth,
    "gateway": speed.start,
}

FAR = {"nginx-auth-request", "haproxy-jwt", "envoy-jwt", "envoy-jwt-cache", "caddy", "caddy-forward-auth"}
"""So far behind that every other round tells enough."""
