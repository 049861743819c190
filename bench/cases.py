"""The cases, each with peers of its own: what is asked of whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from harness.processes import Workspace

import backend
import deletion
import h2load
import hostile
import idle
import load
import logs
import notices
import pages
import revocations
import scaling
import signin
import startup
import tenants
import unseen
from certificate import Certificate
from contest import Contestant, Outcome, Pace, compete, say
from load import Load
from proof import prove
from roster import FAR, STARTERS
from setting import BODY_BYTES, HOST, Absent, Cores, Peer, Programs, Setting
from tokens import Signer

_RIVALS = ("nginx", "haproxy", "envoy-jwt", "caddy", "gateway")
_CLOSE = ("nginx", "haproxy", "gateway")
_TOKENS = 1000
_PLAIN = Load()
_BUSY = 0.7
"""The part of nginx's throughput at which the times of answers are compared."""


@dataclass(frozen=True)
class Wishes:
    """What the run was asked for."""

    pace: Pace
    peers: frozenset[str]
    """Those that may take part."""
    idle: int
    """Idle connections; with TLS a fifth of them."""
    starts: int
    sign_ins: int
    sign_ins_at_once: int
    deletions: int
    pending: int
    """Revocations that wait."""
    hosts: int
    """Virtual hosts; of the gateway alone ten times as many."""


@dataclass(frozen=True)
class Kit:
    """What all cases share."""

    wishes: Wishes
    cores: Cores
    programs: Programs
    signer: Signer
    stranger: Signer
    certificate: Certificate

    @staticmethod
    def make(folder: Path, wishes: Wishes) -> Kit:
        """Keys, certificate and C programs, made once for the whole run."""
        return Kit(
            wishes, Cores.split(), backend.build(folder), Signer.make(folder, "signer"),
            Signer.make(folder, "stranger"), Certificate.make(folder, HOST))

    def setting(self, workspace: Workspace, *, tls: bool = False, tokens: int = 1, connections: int = 256) -> Setting:
        """The ground that the peers of one case stand on, with a backend of its own."""
        return Setting(
            workspace, self.programs, self.cores, backend.start(workspace, self.programs, self.cores.load),
            connections, self.signer, self.stranger, [self.signer.token() for _ in range(tokens)],
            self.certificate if tls else None)


@dataclass(frozen=True)
class Case:
    title: str
    peers: tuple[str, ...]
    run: Callable[[Case, Kit, Outcome], None]


def _start(kit: Kit, case: Case, setting: Setting, outcome: Outcome, ask: Load = _PLAIN) -> list[Peer]:
    """Those peers of the case that may and can take part, shown to do their work."""
    started = []
    for name in case.peers:
        if name not in kit.wishes.peers:
            continue
        try:
            peer = STARTERS[name](setting)
        except Absent as absent:
            say(f"  without {name}: {absent}")
            outcome.notes.append(f"without {name}: {absent}")
            continue
        prove(peer, ask)
        started.append(peer)
    return started


def _requests(ask: Load, *, tls: bool = False, tokens: int = 1) -> Callable[[Case, Kit, Outcome], None]:
    def run(case: Case, kit: Kit, outcome: Outcome) -> None:
        with Workspace("speed-bench-") as workspace:
            setting = kit.setting(workspace, tls=tls, tokens=tokens)
            peers = _start(kit, case, setting, outcome, replace(ask, handshakes=False))
            compete([_contestant(setting, peer, ask) for peer in peers], kit.wishes.pace, outcome)
    return run


def _contestant(setting: Setting, peer: Peer, ask: Load) -> Contestant:
    return Contestant(
        peer.name, peer.does, lambda seconds: load.run(setting, peer, ask, seconds), is_far=peer.name in FAR)


def _http2(case: Case, kit: Kit, outcome: Outcome) -> None:
    with Workspace("speed-bench-") as workspace:
        setting = kit.setting(workspace, tls=True)

        def contestant(peer: Peer) -> Contestant:
            return Contestant(
                peer.name, peer.does, lambda seconds: h2load.run(setting, peer, seconds), is_far=peer.name in FAR)

        compete([contestant(peer) for peer in _start(kit, case, setting, outcome)], kit.wishes.pace, outcome)


def _answer_times(case: Case, kit: Kit, outcome: Outcome) -> None:
    """All get the same requests a second, in time, so that one that falls behind can't lower what is asked of it."""
    with Workspace("speed-bench-") as workspace:
        setting = kit.setting(workspace)
        peers = _start(kit, case, setting, outcome)
        if not peers:
            return
        most = load.run(setting, peers[0], Load(), kit.wishes.pace.seconds).per_second
        ask = Load(rate=most * _BUSY)
        outcome.notes.append(f"{ask.rate:,.0f} requests/s, {_BUSY:.0%} of what {peers[0].name} can do here")
        compete([_contestant(setting, peer, ask) for peer in peers], kit.wishes.pace, outcome, ask.rate)


def _idle(*, tls: bool) -> Callable[[Case, Kit, Outcome], None]:
    def run(case: Case, kit: Kit, outcome: Outcome) -> None:
        count = kit.wishes.idle // 5 if tls else kit.wishes.idle
        outcome.notes.append(f"{count} connections")
        with Workspace("speed-bench-") as workspace:
            for peer in _start(kit, case, kit.setting(workspace, tls=tls, connections=count), outcome):
                outcome.figures[peer.name] = idle.bytes_a_connection(peer, count)
                say(f"  {peer.name}: {outcome.figures[peer.name]:,.0f} B")
    return run


def _own(measure: Callable[[Setting, Pace, Outcome], None]) -> Callable[[Case, Kit, Outcome], None]:
    """A case of the gateway alone."""
    def run(case: Case, kit: Kit, outcome: Outcome) -> None:
        if "gateway" not in kit.wishes.peers:
            return
        with Workspace("speed-bench-") as workspace:
            try:
                measure(kit.setting(workspace), kit.wishes.pace, outcome)
            except Absent as absent:
                say(f"  not measured: {absent}")
                outcome.notes.append(f"not measured: {absent}")
    return run


def _startup(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            outcome.figures |= startup.measure(workspace, times=kit.wishes.starts)


def _hostile(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            outcome.figures |= hostile.measure(workspace)


def _sign_ins(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            outcome.figures |= signin.measure(
                workspace, one_by_one=kit.wishes.sign_ins, at_once=kit.wishes.sign_ins_at_once)


def _deletions(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            outcome.figures |= deletion.measure(workspace, count=kit.wishes.deletions)


def _revocations(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            outcome.figures |= revocations.measure(workspace, count=kit.wishes.pending)


def _pages(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            pages.measure_answers(kit.setting(workspace), outcome)


def _tenants(case: Case, kit: Kit, outcome: Outcome) -> None:
    with Workspace("speed-bench-") as workspace:
        names = [name for name in case.peers if name in kit.wishes.peers]
        tenants.measure(kit.setting(workspace), names, kit.wishes.pace, kit.wishes.hosts, outcome)


def _many_tenants(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            tenants.measure_large(kit.setting(workspace), kit.wishes.hosts * 10, outcome)


def _storm(case: Case, kit: Kit, outcome: Outcome) -> None:
    if "gateway" in kit.wishes.peers:
        with Workspace("speed-bench-") as workspace:
            tenants.measure_storm(kit.setting(workspace), kit.wishes.pace, kit.wishes.hosts, outcome)


CASES: dict[str, Case] = {
    "tenants": Case("thousands of virtual hosts: start, memory, a change, all in turn", _RIVALS, _tenants),
    "tenants-large": Case("ten times as many apps: start, memory, a change", ("gateway",), _many_tenants),
    "tenants-storm": Case("times of answers while files change", ("gateway",), _storm),
    "hostile": Case("tenant files made to be costly, ms of processor time for each", ("gateway",), _hostile),
    "startup": Case("start to ready with the example apps", ("gateway",), _startup),
    "sign-in": Case("first sign-ins on SQLite", ("gateway",), _sign_ins),
    "deletion": Case("deletions on SQLite while Apple is out of reach", ("gateway",), _deletions),
    "revocations": Case("a long queue of revocations, and SIGKILL", ("gateway",), _revocations),
    "small": Case("HTTP/1.1, answers of 1 KiB", tuple(name for name in STARTERS if name != "nginx-64k"),
                  _requests(Load())),
    "tokens": Case(f"HTTP/1.1, 1 KiB, {_TOKENS:,} tokens in rotation",
                   ("nginx", "nginx-lua", "envoy-jwt", "envoy-jwt-cache", "caddy", "gateway"),
                   _requests(Load(), tokens=_TOKENS)),
    "tls": Case("TLS 1.3, HTTP/1.1, 1 KiB", _RIVALS, _requests(Load(), tls=True)),
    "h2": Case(f"TLS 1.3, HTTP/2, 1 KiB, {h2load.CONNECTIONS} connections of {h2load.STREAMS} streams", _RIVALS,
               _http2),
    "64k": Case("HTTP/1.1, answers of 64 KiB", ("nginx", "nginx-64k", "haproxy", "gateway"),
                _requests(Load("/v1/files/64k", 64 * 1024))),
    "1m": Case("HTTP/1.1, answers of 1 MiB", ("nginx", "nginx-64k", "haproxy", "envoy-jwt", "caddy", "gateway"),
               _requests(Load("/v1/files/1m", 1024 * 1024))),
    "post": Case("HTTP/1.1, POST of 10 KiB, 1 KiB back", _RIVALS, _requests(Load(post_bytes=10 * BODY_BYTES))),
    "handshakes": Case("full TLS 1.3 handshakes (P-256, no resumption, no request)", _CLOSE,
                       _requests(Load(handshakes=True), tls=True)),
    "p99": Case("HTTP/1.1, 1 KiB, at a constant rate", ("nginx", "gateway"), _answer_times),
    "unseen": Case("known tokens' requests with unseen ones among them", ("gateway",), _own(unseen.measure)),
    "notices": Case("requests beside repeated notifications of Apple's", ("gateway",), _own(notices.measure)),
    "pages": Case("answers of the sign-in pages", ("gateway",), _pages),
    "passwords": Case("requests beside sign-ins with passwords", ("gateway",), _own(pages.measure_passwords)),
    "loops": Case("one process of two loops beside two of one loop", ("gateway",), _own(scaling.measure)),
    "logs": Case("HTTP/1.1, 1 KiB, with access log and scraped metrics", ("gateway",), _own(logs.measure)),
    "idle": Case("memory of an idle connection, plain", _CLOSE, _idle(tls=False)),
    "idle-tls": Case("memory of an idle connection, TLS", _CLOSE, _idle(tls=True)),
}
