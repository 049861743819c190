"""What all peers of a case share: the cores, the backend, the request, the tokens, the certificate."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.processes import Child, Failure, Workspace

import tokens
from certificate import Certificate

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


class Absent(Exception):
    """A peer can't take part, on this machine or yet; the text says why. The others go on without it."""


@dataclass(frozen=True)
class Cores:
    """The proxies have one core to themselves; the load and the backend have the others."""

    proxy: set[int]
    load: set[int]

    @property
    def all(self) -> set[int]:
        return self.proxy | self.load

    @staticmethod
    def split() -> Cores:
        usable = sorted(os.sched_getaffinity(0))
        if len(usable) < 2:
            raise Failure("two cores are needed: one for the proxies, one for the load and the backend")
        return Cores({usable[0]}, set(usable[1:]))


@dataclass(frozen=True)
class Programs:
    """The C programs of the benchmark, built for the run."""

    backend: Path
    load: Path


@dataclass(frozen=True)
class Setting:
    """What a peer is started with. Each case has a workspace, and so peers, of its own."""

    workspace: Workspace
    programs: Programs
    cores: Cores
    backend_port: int
    connections: int
    """The most that a peer must hold open at once."""
    signer: tokens.Signer
    stranger: tokens.Signer
    """Signs tokens that no peer may take."""
    bearers: list[str]
    """Tokens of `signer`, for the peers that don't issue their own."""
    certificate: Certificate | None
    """Given: the peer speaks TLS only, with HTTP/2 and HTTP/1.1."""

    def refused(self) -> dict[str, str | None]:
        """Bearers that a peer which takes `signer`'s tokens must refuse."""
        return {
            "no token": None,
            "a changed signature": tokens.tampered(self.bearers[0]),
            "alg none": tokens.unsigned(self.bearers[0]),
            "a key of somebody else": self.stranger.token(),
            "an expired token": self.signer.token(lifetime=-600),
        }


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
    secure: bool
    """Whether the port speaks TLS."""
    refused: dict[str, str | None] = field(default_factory=dict)
    """Bearers that must be answered with 401, by what is wrong with them. Empty for a peer that looks at none."""
    unseen: Callable[[int], list[str]] | None = None
    """Makes good tokens that the peer has not seen yet; for the gateway only."""
    admin_port: int | None = None
    """The gateway's."""
