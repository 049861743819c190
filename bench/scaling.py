"""How much of two cores' worth of work two loops of one process do.

Load and backend need the cores, too, on a small machine, so throughput would show who was pushed aside by them.
Compared is the CPU for a request: of one process with two loops, and of two processes with one each, which share
nothing and so are what two loops can be at best, on the same two cores, with the same requests a second. Locks, shared
cache lines and the like show as CPU that the two loops use more. How evenly the kernel spreads connections over loops
is not in it.
"""

from __future__ import annotations

from dataclasses import replace

from contest import Contestant, Outcome, Pace, compete
from load import Client, Load, run_together
from peers import speed
from proof import prove
from setting import Setting

TOGETHER, APART = "two-loops", "two-processes"
_ASK = Load(connections=32)
_BUSY = 0.7
"""The part of the throughput of the two processes that is asked for: both loops are busy, and neither has to wait."""


def measure(setting: Setting, pace: Pace, outcome: Outcome) -> None:
    both = {min(setting.cores.proxy), min(setting.cores.load)}
    together = speed.start_as(setting, TOGETHER, "one process, two loops", cores=both, loops=2)
    apart = [speed.start_as(setting, f"{APART}-{number}", "", cores=both, loops=1) for number in (1, 2)]
    for peer in [together, *apart]:
        prove(peer, _ASK)
    # Two clients in either case, each with half of the connections and of the requests.
    most = run_together(setting, [Client(peer, _ASK, both) for peer in apart], pace.seconds).per_second
    ask = replace(_ASK, rate=most / 2 * _BUSY)
    two_loops = [Client(together, ask, both)] * 2
    two_processes = [Client(peer, ask, both) for peer in apart]
    outcome.notes.append(f"{most * _BUSY:,.0f} requests/s")
    compete(
        [Contestant(TOGETHER, together.does, lambda seconds: run_together(setting, two_loops, seconds)),
         Contestant(APART, "two of one loop each", lambda seconds: run_together(setting, two_processes, seconds))],
        pace, outcome, most * _BUSY)


def times_the_work(outcome: Outcome) -> float | None:
    """How many times the work of one loop two loops do in the same time of each."""
    cost = outcome.ratio(TOGETHER, APART, lambda sample: sample.cpu_microseconds)
    return 2 / cost if cost else None
