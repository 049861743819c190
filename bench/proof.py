"""No figure of a peer counts before it is shown to do its work: good tokens pass, bad ones don't."""

from __future__ import annotations

from harness import http
from harness.processes import Failure

from setting import BODY_BYTES, FIELDS, HOST, TARGET, Peer


def prove(peer: Peer) -> None:
    for bearer in peer.bearers:
        answer = _ask(peer, bearer)
        if answer.status != 200 or len(answer.body) != BODY_BYTES:
            raise Failure(f"{peer.name}: a good request got {answer.status} with {len(answer.body)} bytes")
    for wrong, refused in peer.refused.items():
        status = _ask(peer, refused).status
        if status != 401:
            raise Failure(f"{peer.name}: {wrong} got {status} instead of 401")


def _ask(peer: Peer, bearer: str | None) -> http.Answer:
    fields = {name: value for name, value in FIELDS.items() if name != "Host"}
    if bearer is not None:
        fields["Authorization"] = f"Bearer {bearer}"
    return http.send(peer.port, "GET", TARGET, host=HOST, fields=fields)
