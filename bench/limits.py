"""What the gateway must hold, case by case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import deletion
import hostile
import pages
import revocations
import scaling
import signin
import startup
import tenants
from contest import Outcome
from load import Sample
from logs import LOGGED, QUIET
from notices import A_SECOND, WITH, WITHOUT
from unseen import KNOWN, MIXED

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Limit:
    case: str
    what: str
    most: float
    figure: Callable[[Outcome], float | None]
    unit: str = ""
    at_least: bool = False

    def holds(self, value: float) -> bool:
        return value >= self.most if self.at_least else value <= self.most


def _cpu(sample: Sample) -> float:
    return sample.cpu_microseconds


def _p99(sample: Sample) -> float | None:
    return sample.p99_microseconds


def _against(case: str, **limits: float) -> list[Limit]:
    """Limits of the CPU a request against each of some peers."""
    def limit(peer: str, most: float) -> Limit:
        return Limit(case, f"CPU against {peer}", most, lambda outcome: outcome.ratio("gateway", peer, _cpu))
    return [limit(peer.replace("_", "-"), most) for peer, most in limits.items()]


def _figure(case: str, what: str, most: float, name: str, unit: str, *, by: float = 1, at_least: bool = False) -> Limit:
    def figure(outcome: Outcome) -> float | None:
        value = outcome.figures.get(name)
        return None if value is None else value / by
    return Limit(case, what, most, figure, unit, at_least)


def _in_turn(outcome: Outcome) -> float | None:
    return outcome.ratio(f"gateway, {tenants.ALL}", f"gateway, {tenants.ONE}", _cpu)


def _per_app(name: str, count: int) -> Callable[[Outcome], float | None]:
    """KiB for each app, with what the process needs without any taken off."""
    def figure(outcome: Outcome) -> float | None:
        resident = outcome.figures.get(f"{name}: resident, MiB")
        return None if resident is None else (resident - _BARE_MIB) * 1024 / count
    return figure


_BARE_MIB = 25
"""Resident memory of a gateway without apps."""


LIMITS = [
    *_against("small", nginx=0.70, haproxy=0.72, nginx_lua=1, haproxy_jwt=0.18, envoy_jwt=0.12, caddy=0.15),
    *_against("tokens", nginx=0.72, nginx_lua=1, envoy_jwt=0.12, caddy=0.15),
    *_against("tls", nginx=0.65, haproxy=0.75, envoy_jwt=0.12, caddy=0.15),
    *_against("h2", nginx=0.50, haproxy=0.70, envoy_jwt=0.12, caddy=0.15),
    *_against("64k", nginx=0.50, haproxy=0.75),
    *_against("1m", nginx=0.50, haproxy=0.75),
    *_against("post", nginx=0.75, haproxy=0.90, envoy_jwt=0.12, caddy=0.15),
    *_against("handshakes", nginx=1, haproxy=1),
    Limit("p99", "p99 against nginx", 1, lambda outcome: outcome.ratio("gateway", "nginx", _p99)),
    Limit("unseen", "p99 of known tokens with unseen ones among them, against without", 1.5,
          lambda outcome: outcome.ratio(MIXED, KNOWN, _p99)),
    Limit("loops", "work of two loops against one", 1.8, scaling.times_the_work, at_least=True),
    Limit("logs", "CPU with access log and metrics, against without", 1.05,
          lambda outcome: outcome.ratio(LOGGED, QUIET, _cpu)),
    _figure("idle", "memory of an idle connection", 512, "gateway", " B"),
    _figure("idle-tls", "memory of an idle connection, TLS", 12, "gateway", " KiB", by=1024),
    _figure("tenants", "start with 10,000 apps", 400, "gateway: start, ms", " ms"),
    Limit("tenants", "memory an app", 6, _per_app("gateway", tenants.COUNT), " KiB"),
    _figure("tenants", "a change until it is live", 300, "gateway: a change until it is live, ms", " ms"),
    _figure("tenants", "CPU of a change", 20, "gateway: CPU of a change, ms", " ms"),
    Limit("tenants", "CPU a request, all apps in turn against one", 1.10, _in_turn),
    _figure("tenants-large", "start with 100,000 apps", 4000, "gateway: start, ms", " ms"),
    Limit("tenants-large", "memory an app", 6, _per_app("gateway", tenants.LARGE), " KiB"),
    _figure("tenants-large", "a change until it is live", 300, "gateway: a change until it is live, ms", " ms"),
    _figure("tenants-large", "CPU of a change", 20, "gateway: CPU of a change, ms", " ms"),
    Limit("tenants-storm", "p99 while its files change, against while others do", 1.2,
          lambda outcome: outcome.ratio("storm", "calm", _p99)),
    *(_figure("hostile", name, 10, name, " ms") for name in hostile.FILES),
    _figure("startup", "start to ready", 100, startup.MILLISECONDS, " ms"),
    _figure("startup", "resident when ready", 30, startup.RESIDENT_BYTES, " MiB", by=_MIB),
    _figure("sign-in", "a sign-in, one at a time, median", 3, signin.MEDIAN_MILLISECONDS, " ms"),
    _figure("sign-in", f"sign-ins, {signin.CONCURRENT} at once", 1500, signin.PER_SECOND, "/s", at_least=True),
    _figure("deletion", "a deletion with Apple out of reach, median", 20, deletion.MEDIAN_MILLISECONDS, " ms"),
    Limit("notices", f"p99 beside {A_SECOND:,} notifications a second, against as many ordinary requests", 1.2,
          lambda outcome: outcome.ratio(WITH, WITHOUT, _p99)),
    _figure("pages", "the slowest page's answer, median", 5, pages.SLOWEST, " ms"),
    _figure("pages", "the largest page", 30, pages.LARGEST, " KiB"),
    Limit("passwords", f"p99 beside {pages.IN_FLIGHT} sign-ins with passwords in flight, against as many clients without", 1.3,
          lambda outcome: outcome.ratio(pages.WITH, pages.WITHOUT, _p99)),
    _figure("revocations", "calls a second, against the configured", 0.95, revocations.PACE, "", at_least=True),
    _figure("revocations", "the same, at the most", 1.02, revocations.PACE, ""),
    _figure("revocations", "growth of memory while they drain", 4, revocations.GROWTH_BYTES, " MiB", by=_MIB),
    _figure("revocations", "lost", 0, revocations.LOST, ""),
    _figure("revocations", "made again after SIGKILL", revocations.UNDER_WAY, revocations.TWICE, ""),
]
