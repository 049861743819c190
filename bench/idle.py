"""Memory of keep-alive connections that each had one request answered and now wait."""

from __future__ import annotations

import resource
import select
import socket
import time

from harness.processes import Failure

import answers
import cpu
import proof
from setting import FIELDS, TARGET, Peer

_SETTLE_SECONDS = 1.0
_PER_ADDRESS = 20_000
"""Connections from one loopback address: fewer than the kernel has ports for."""
_SPARE = 1_000
"""Descriptors for everything else."""


def allow_connections(wanted: int) -> None:
    """Lets this process and the peers that it starts have as many descriptors as the machine allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most != resource.RLIM_INFINITY and most < wanted + _SPARE:
        raise Failure(f"{wanted} connections need `ulimit -n {wanted + _SPARE}`; the limit is {most}: use --idle")


def bytes_a_connection(peer: Peer, count: int) -> float:
    """The growth of the peer's resident memory with `count` idle connections, for each."""
    lines = [f"GET {TARGET} HTTP/1.1", *(f"{name}: {value}" for name, value in FIELDS.items())]
    request = "\r\n".join([*lines, f"Authorization: Bearer {peer.bearers[0]}", "", ""]).encode()
    before = cpu.resident_bytes(peer.child.pid)
    opened: list[socket.socket] = []
    try:
        for index in range(count):
            opened.append(_open(peer, request, f"127.0.0.{1 + index // _PER_ADDRESS}"))
        time.sleep(_SETTLE_SECONDS)
        after = cpu.resident_bytes(peer.child.pid)
        _require_open(peer, opened)
    finally:
        for connection in opened:
            # A reset frees the port at once; thousands of them in TIME_WAIT would be missed by the next peer.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            connection.close()
    return (after - before) / count


def _open(peer: Peer, request: bytes, source: str) -> socket.socket:
    connection = proof.connect(peer, source)
    connection.sendall(request)
    answer = bytearray()
    while not answers.complete(answer):
        piece = connection.recv(16_384)
        if not piece:
            raise Failure(f"{peer.name} closed a connection before its answer")
        answer += piece
    if answers.status(answer) != 200:
        raise Failure(f"{peer.name} answered {answers.status(answer)} on an idle connection")
    return connection


def _require_open(peer: Peer, opened: list[socket.socket]) -> None:
    watch = select.poll()
    for connection in opened:
        watch.register(connection, select.POLLIN)
    closed = len(watch.poll(0))
    if closed:
        raise Failure(f"{peer.name} closed {closed} of {len(opened)} idle connections")
