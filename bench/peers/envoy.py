"""Envoy with `jwt_authn`, which verifies each token's signature each time, or keeps verified ones in its cache."""

from __future__ import annotations

import json
from typing import Any

from harness.processes import accepts, free_port, wait_until

import tokens
import tools
from setting import Peer, Setting

_TYPES = "type.googleapis.com/envoy.extensions"


def start_jwt(setting: Setting) -> Peer:
    return _start(setting, "envoy-jwt", "`jwt_authn` ES256, issuer, audience, expiry", cache=False)


def start_jwt_cache(setting: Setting) -> Peer:
    return _start(setting, "envoy-jwt-cache", "`jwt_authn` with its cache of verified tokens", cache=True)


def _start(setting: Setting, name: str, does: str, *, cache: bool) -> Peer:
    program, port = tools.program("envoy"), free_port()
    config = setting.workspace.folder / f"{name}.json"
    config.write_text(json.dumps(_configuration(setting, port, cache)))
    child = setting.workspace.start(
        name, [program, "--config-path", config, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"],
        cores=setting.cores.proxy)
    wait_until(child, lambda: accepts(port))
    return Peer(name, does, child, port, setting.bearers, setting.certificate is not None, setting.refused())


def _configuration(setting: Setting, port: int, cache: bool) -> dict[str, Any]:
    manager = _typed(
        "filters.network.http_connection_manager.v3.HttpConnectionManager", stat_prefix="bench",
        http_filters=[_named("jwt_authn", _checks(setting, cache)),
                      _named("router", _typed("filters.http.router.v3.Router"))],
        route_config={"virtual_hosts": [{
            "name": "all", "domains": ["*"],
            "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "backend", "timeout": "0s"}}]}]})
    chain: dict[str, Any] = {"filters": [_named("http", manager)]}
    if setting.certificate is not None:
        chain["transport_socket"] = _named("tls", _typed(
            "transport_sockets.tls.v3.DownstreamTlsContext",
            common_tls_context={
                "alpn_protocols": ["h2", "http/1.1"],
                "tls_params": {"tls_minimum_protocol_version": "TLSv1_2", "tls_maximum_protocol_version": "TLSv1_3"},
                "tls_certificates": [{
                    "certificate_chain": {"filename": str(setting.certificate.certificate)},
                    "private_key": {"filename": str(setting.certificate.key)}}]}))
    return {"static_resources": {
        "listeners": [{
            "name": "bench", "address": _address(port), "filter_chains": [chain], "tcp_backlog_size": 1024}],
        "clusters": [{
            "name": "backend", "type": "STATIC", "connect_timeout": "5s",
            "load_assignment": {"cluster_name": "backend", "endpoints": [
                {"lb_endpoints": [{"endpoint": {"address": _address(setting.backend_port)}}]}]}}]}}


def _checks(setting: Setting, cache: bool) -> dict[str, Any]:
    provider: dict[str, Any] = {
        "issuer": tokens.ISSUER, "audiences": [tokens.AUDIENCE], "forward": True,
        "local_jwks": {"inline_string": setting.signer.jwks()},
        "claim_to_headers": [{"claim_name": "sub", "header_name": "x-user"}]}
    if cache:
        # Room for all of the tokens: its default of 100 would drop most of a thousand in rotation.
        provider["jwt_cache_config"] = {"jwt_cache_size": 10_000}
    return _typed(
        "filters.http.jwt_authn.v3.JwtAuthentication", providers={"bench": provider},
        rules=[{"match": {"prefix": "/"}, "requires": {"provider_name": "bench"}}])


def _named(name: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "typed_config": config}


def _typed(kind: str, **fields: Any) -> dict[str, Any]:
    return {"@type": f"{_TYPES}.{kind}", **fields}


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}
