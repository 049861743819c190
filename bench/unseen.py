"""Whether requests with tokens that were never seen delay those with known ones.

The same requests a second, once all with known tokens, once one in five with a new one. Those come from a client of
their own, as new tokens do: a known one does not wait behind them for a connection. The gateway has one loop and may
use all cores: a signature is verified beside the loop, so there must be a place beside it. The rate leaves room for
that: a sixth of what the gateway can do on one core, as a new token costs as much as ten requests with known ones.
"""

from __future__ import annotations

import load
from contest import Contestant, Outcome, Pace, compete
from load import Client, Load, Sample, run_together
from peers import speed
from proof import prove
from setting import Setting

KNOWN, MIXED = "all-known", "some-unseen"
_PART = 1 / 6
_UNSEEN_PART = 1 / 5


def measure(setting: Setting, pace: Pace, outcome: Outcome) -> None:
    peer = speed.start_as(setting, "gateway", speed.DOES, cores=setting.cores.all, loops=1)
    prove(peer, Load())
    assert peer.unseen is not None
    make = peer.unseen
    rate = load.run(setting, peer, Load(), pace.seconds).per_second * _PART
    outcome.notes.append(f"{rate:,.0f} requests/s; times are of four fifths of them, all with known tokens")
    most, some = Load(rate=rate * (1 - _UNSEEN_PART)), Load(rate=rate * _UNSEEN_PART)
    cores = setting.cores.load

    def measure_known(seconds: float) -> Sample:
        return run_together(setting, [Client(peer, most, cores), Client(peer, some, cores)], seconds)

    def measure_mixed(seconds: float) -> Sample:
        # One for each request, those included that each connection begins with.
        new = make(int(some.rate * seconds) + some.connections + 1)
        return run_together(setting, [Client(peer, most, cores), Client(peer, some, cores, new)], seconds)

    compete(
        [Contestant(KNOWN, "every token known", measure_known),
         Contestant(MIXED, f"{_UNSEEN_PART:.0%} of the tokens never seen", measure_mixed)], pace, outcome, rate)
