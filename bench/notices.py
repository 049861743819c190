"""Whether repeated notifications of Apple's delay requests that pass through.

The same requests a second, once beside a thousand more of their kind and once beside a thousand valid notifications that
were acted on before, in either case from a client of their own: two clients on one core disturb each other's times. The
gateway has one core; the rate leaves room for the notifications.
"""

from __future__ import annotations

from collections.abc import Callable

import load
from answers import request
from contest import Contestant, Outcome, Pace, compete
from harness import http
from harness.gateway import Gateway, Sandbox, release_binary
from harness.processes import Failure
from load import Client, Load, Sample, run_together
from peers import speed
from setting import Peer, Setting

WITHOUT, WITH = "without", "with-notices"
A_SECOND = 1000
_PART = 1 / 3
_PATH = f"/api/platform/auth/apple-notifications/{speed.APP}"
_ANSWER = b"{}"


def measure(setting: Setting, pace: Pace, outcome: Outcome) -> None:
    peer, notice = _start(setting)
    rate = load.run(setting, peer, Load(), pace.seconds).per_second * _PART
    outcome.notes.append(f"{rate:,.0f} requests/s; times are theirs alone")
    cores = setting.cores.load
    requests = Client(peer, Load(rate=rate), cores)
    notices = Client(
        peer, Load(rate=A_SECOND, answer_bytes=len(_ANSWER), connections=8), cores, requests=[notice])

    others = Client(peer, Load(rate=A_SECOND, connections=8), cores)

    def beside(client: Client) -> Callable[[float], Sample]:
        return lambda seconds: run_together(setting, [requests, client], seconds)

    compete(
        [Contestant(WITHOUT, f"{A_SECOND:,} more requests a second", beside(others)),
         Contestant(WITH, f"{A_SECOND:,} notifications a second", beside(notices))], pace, outcome, rate)


def _start(setting: Setting) -> tuple[Peer, bytes]:
    """A gateway with a user, and a notification that it has acted on."""
    tenants = speed.write_tenants(setting.workspace, setting.backend_port)
    sandbox = Sandbox.start(setting.workspace, release_binary())
    gateway = Gateway.start(
        setting.workspace, release_binary(), tenants=tenants, issuer=sandbox.issuer, cores=setting.cores.proxy,
        more=speed.open_wide(setting.connections))
    answer = gateway.sign_in(sandbox.mint(speed.BUNDLE, "bench.user"), speed.APP)
    if answer.status != 200:
        raise Failure(f"a sign-in was answered with {answer.status} {answer.error}")
    made = sandbox.ask("notification", type="email-disabled", aud=speed.BUNDLE, sub="bench.user", eventTimeOffset=60)
    body = {"payload": made["payload"]}
    first = http.send(gateway.port, "POST", _PATH, body=body)
    if first.status != 200 or first.body != _ANSWER:
        raise Failure(f"a notification was answered with {first.status} {first.error}")
    sandbox.child.stop()
    peer = Peer("gateway", speed.DOES, gateway.child, gateway.port, [str(answer.json()["token"])], secure=False)
    return peer, request("POST", _PATH, body)
