"""What all peers share: the cores, the backend, the request, the tokens."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from harness.processes import Child, Failure, Workspace

import tokens

HOST = "bench.localhost"
TARGET = "/v1/notes?limit=20"
BODY_BYTES = 1024

# What an app of today sends; the same to every peer, also to those that look at no token.
FIELDS = {
    "Host": HOST,
    "User-Agent": "Notes/4.2.1 (com.example.bench; build:1187; iOS 18.1.0)",
    "Accept": "application/json",
    "Accept-Encoding": "gzip;q=1.0, deflate;q=0.9",
    "Accept-Language": "en-US;q=1.0, de-DE;q=0.9",
    "Cookie": "theme=dark; session_hint=6f2b1c0d9e8a47f3; locale=en_US",
    "X-Client-Version": "4.2.1",
    "X-Speed-Request-From": "app",
}


@dataclass(frozen=True)
class Cores:
    """The proxies have one core to themselves; the load and the backend have the others."""

    proxy: set[int]
    load: set[int]

    @staticmethod
    def split() -> Cores:
        usable = sorted(os.sched_getaffinity(0))
        if len(usable) < 2:
            raise Failure("two cores are needed: one for the proxies, one for the load and the backend")
        return Cores({usable[0]}, set(usable[1:]))


@dataclass(frozen=True)
class Setting:
    """What a peer is started with."""

    workspace: Workspace
    cores: Cores
    backend_port: int
    connections: int
    """The most that a peer must hold open at once."""
    signer: tokens.Signer
    bearers: list[str]
    """Tokens of `signer`, for the peers that don't issue their own."""


@dataclass(frozen=True)
class Peer:
    """A running proxy with one thread on the proxies' core."""

    name: str
    does: str
    """What it does with a request, in a few words."""
    child: Child
    port: int
    bearers: list[str]
    """Good tokens; requests take them in turn."""
    refused: dict[str, str | None] = field(default_factory=dict)
    """Bearers that must be answered with 401, by what is wrong with them. Empty for a peer that looks at none."""
