"""The pages of the hosted sign-in: how long an answer takes, and whether passwords delay requests that pass through."""

from __future__ import annotations

import http.client
import json
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

import load
from contest import Contestant, Outcome, Pace, compete
from harness.gateway import Gateway, Sandbox, release_binary
from harness.mailbox import Mailbox
from harness.pages import PASSWORD, Guest
from harness.processes import Failure
from load import Client, Load, Sample, run_together
from peers import speed
from setting import Peer, Setting

WITHOUT, WITH = "without", "with-passwords"
SLOWEST, LARGEST = "slowest page, ms", "largest page, KiB"
IN_FLIGHT = 200
_PART = 1 / 3
_PAUSE = 5
"""Seconds after a refusal that names none."""
_ASKED = 300
_EMAIL = "ada@example.org"
_REDIRECT = f"{speed.SCHEME}://speed-auth"
_QUERY = urlencode({"appId": speed.APP, "redirect": _REDIRECT})
_ENTRANCE = f"/platform/auth?{_QUERY}"


@dataclass(frozen=True)
class _Ground:
    peer: Peer
    guest: Guest


def measure_answers(setting: Setting, outcome: Outcome) -> None:
    """Milliseconds from a request to the whole answer, at the client, one at a time."""
    ground = _start(setting)
    stranger = Guest(ground.peer.port)
    stranger.get(_ENTRANCE)
    pages = {
        "sign-in": (stranger, _ENTRANCE, 200), "sign-up": (stranger, f"/platform/auth/sign-up?{_QUERY}", 200),
        "consent": (ground.guest, f"{_ENTRANCE}&link=1", 200), "account": (ground.guest, "/platform/account", 200),
        "straight through": (ground.guest, _ENTRANCE, 303),
    }
    for name, (guest, path, status) in pages.items():
        times = []
        for _ in range(_ASKED):
            begun = time.perf_counter()
            seen = guest.get(path)
            times.append((time.perf_counter() - begun) * 1000)
            if seen.status != status:
                raise Failure(f"{name} was answered with {seen.status}")
        outcome.figures[f"{name}, ms"] = statistics.median(times)
        outcome.figures[f"{name}, KiB"] = len(seen.text.encode()) / 1024
    outcome.figures[SLOWEST] = max(value for key, value in outcome.figures.items() if key.endswith(", ms"))
    outcome.figures[LARGEST] = max(
        value for key, value in outcome.figures.items() if key.endswith(", KiB"))


def measure_passwords(setting: Setting, pace: Pace, outcome: Outcome) -> None:
    ground = _start(setting)
    rate = load.run(setting, ground.peer, Load(), pace.seconds).per_second * _PART
    outcome.notes.append(f"{rate:,.0f} requests/s; {IN_FLIGHT} sign-ins with a password in flight all the time")
    requests = Client(ground.peer, Load(rate=rate), setting.cores.load)

    def beside(email: str) -> Callable[[float], Sample]:
        def run(seconds: float) -> Sample:
            over = threading.Event()
            threads = [
                threading.Thread(target=_sign_in, args=(ground, email, over), daemon=True) for _ in range(IN_FLIGHT)]
            for thread in threads:
                thread.start()
            try:
                return run_together(setting, [requests], seconds)
            finally:
                over.set()
                for thread in threads:
                    thread.join()

        return run

    compete(
        [Contestant(WITHOUT, f"{IN_FLIGHT} clients whose form is refused", beside("no address")),
         Contestant(WITH, f"{IN_FLIGHT} sign-ins in flight", beside(_EMAIL))], pace, outcome, rate)


def _sign_in(ground: _Ground, email: str, over: threading.Event) -> None:
    """Signs in again and again; each answer waits for a password to be derived, or is a refusal after which it waits.

    The clients share a core with the load, so that what is compared has as many of them.
    """
    connection = http.client.HTTPConnection("127.0.0.1", ground.peer.port, timeout=120)
    guest = Guest(ground.peer.port)
    guest.get(_ENTRANCE)
    headers = {
        "Host": "localhost", "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": "; ".join(f"{name}={value}" for name, value in guest.cookies.items())}
    body = guest.form(email=email, password=PASSWORD)
    while not over.is_set():
        connection.request("POST", f"/platform/auth/sign-in?{_QUERY}", body=body, headers=headers)
        response = connection.getresponse()
        response.read()
        if response.status not in (303, 400, 429, 503):
            raise Failure(f"a sign-in was answered with {response.status}")
        if response.status != 303:
            over.wait(float(response.headers.get("Retry-After", _PAUSE)))
    connection.close()


def _start(setting: Setting) -> _Ground:
    """A gateway with a person who is signed in and registered with the app."""
    mailbox = Mailbox()
    tenants = speed.write_tenants(setting.workspace, setting.backend_port)
    sandbox = Sandbox.start(setting.workspace, release_binary())
    gateway = Gateway.start(
        setting.workspace, release_binary(), tenants=tenants, issuer=sandbox.issuer, cores=setting.cores.proxy,
        more=speed.open_wide(setting.connections)
        + f"mail: {{ smtp: {json.dumps(mailbox.url)}, from: no-reply@speed.example }}\n")
    guest = Guest(gateway.port)
    guest.sign_up(mailbox, _ENTRANCE, _EMAIL)
    guest.get(_ENTRANCE)
    done = guest.submit(f"/platform/auth/consent?{_QUERY}", decision="allow")
    if not done.location.startswith(_REDIRECT):
        raise Failure(f"a consent was answered with {done.status}")
    mailbox.close()
    answer = gateway.sign_in(sandbox.mint(speed.BUNDLE, "bench.user"), speed.APP)
    if answer.status != 200:
        raise Failure(f"a sign-in was answered with {answer.status} {answer.error}")
    sandbox.child.stop()
    peer = Peer("gateway", speed.DOES, gateway.child, gateway.port, [str(answer.json()["token"])], secure=False)
    return _Ground(peer, guest)
