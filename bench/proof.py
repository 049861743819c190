"""No figure of a peer counts before it is shown to do its work: good tokens pass, bad ones don't."""

from __future__ import annotations

import http.client
import socket
import ssl

from harness.processes import Failure

from load import Load
from setting import FIELDS, HOST, Peer


def prove(peer: Peer, load: Load) -> None:
    for bearer in peer.bearers:
        status, size = _ask(peer, bearer, load)
        if status != 200 or size != load.answer_bytes:
            raise Failure(f"{peer.name}: a good request got {status} with {size} bytes")
    for wrong, refused in peer.refused.items():
        status, _ = _ask(peer, refused, load)
        if status != 401:
            raise Failure(f"{peer.name}: {wrong} got {status} instead of 401")


def connect(peer: Peer, source: str = "127.0.0.1") -> socket.socket:
    """A connection to the peer, its TLS handshake done."""
    connection = socket.create_connection(("127.0.0.1", peer.port), timeout=5, source_address=(source, 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return _context.wrap_socket(connection, server_hostname=HOST) if peer.secure else connection


def _insecure_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    return context


_context = _insecure_context()


def _ask(peer: Peer, bearer: str | None, load: Load) -> tuple[int, int]:
    """The status of the answer and the bytes of its body."""
    fields = dict(FIELDS)
    if bearer is not None:
        fields["Authorization"] = f"Bearer {bearer}"
    connection = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=10)
    connection.sock = connect(peer)
    try:
        body = b"y" * load.post_bytes if load.post_bytes else None
        connection.request("POST" if body else "GET", load.target, body=body, headers=fields)
        answer = connection.getresponse()
        return answer.status, len(answer.read())
    finally:
        connection.close()
