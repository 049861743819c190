"""Thousands of virtual hosts: start, memory, one change until it is live, and CPU a request over all of them in turn.

Each peer has as many hosts with a rule each, all with one backend. A start counts from the process to the first answer on the last host; it may
use all cores. A change gives one host another name, the way an operator would: from the first byte written to the first answer on the new name.
What it costs is the processor time of the peer's whole tree for more changes, each with most of a second after it is live, less what the same time costs
at rest. Nobody asks meanwhile whether they are live: each question is a connection and a request.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from harness.processes import Failure, wait_until

import cpu
import load
from contest import Contestant, Outcome, Pace, compete, say
from load import Load, Sample
from peers import many
from peers.many import Many
from setting import Absent, Peer, Setting

COUNT, LARGE = 10_000, 100_000
ONE, ALL = "one host", "all in turn"
_CHANGES = 5
_CHEAP_CHANGES = 20
"""Where a change is live at once, as the kernel counts processor time by hundredths of a second."""
_QUIET = 6
"""Seconds after which a peer has closed what the load left idle."""
_STORM = 100
"""Files changed each second while the times of answers are taken."""


def measure(setting: Setting, names: list[str], pace: Pace, count: int, outcome: Outcome) -> None:
    outcome.notes.append(f"{count:,} hosts")
    for name in names:
        try:
            _measure(setting, name, pace, count, outcome)
        except Absent as absent:
            say(f"  without {name}: {absent}")
            outcome.notes.append(f"without {name}: {absent}")


def measure_large(setting: Setting, count: int, outcome: Outcome) -> None:
    """The gateway alone, with ten times as many."""
    peer = _started(setting, "gateway", count, outcome)
    _change(peer, count, outcome)
    peer.child.stop()


def measure_storm(setting: Setting, pace: Pace, count: int, outcome: Outcome) -> None:
    """The gateway under requests at a constant rate, with and without files that change all the time."""
    peer = _started(setting, "gateway", count, outcome)
    hosts = tuple(many.host(number) for number in range(count // 2))
    rate = load.run(setting, _peer(peer), Load(hosts=hosts), pace.seconds).per_second / 3
    ask = Load(hosts=hosts, rate=rate)
    outcome.notes.append(f"{rate:,.0f} requests/s; {_STORM} files changed each second")

    elsewhere = setting.workspace.folder / "elsewhere"
    elsewhere.mkdir()

    def beside(rename: Callable[[int, str], None]) -> Callable[[float], Sample]:
        def run(seconds: float) -> Sample:
            over = threading.Event()
            thread = threading.Thread(target=_storm, args=(rename, setting.cores.load, count, over))
            thread.start()
            try:
                return load.run(setting, _peer(peer), ask, seconds)
            finally:
                over.set()
                thread.join()

        return run

    def write_elsewhere(number: int, name: str) -> None:
        (elsewhere / f"{number}.yaml").write_text(name)

    compete(
        [Contestant("calm", f"{_STORM} files change each second that are none of its", beside(write_elsewhere)),
         Contestant("storm", f"{_STORM} of its files change each second", beside(peer.rename))], pace, outcome, rate)


def _storm(rename: Callable[[int, str], None], cores: set[int], count: int, over: threading.Event) -> None:
    # Of this thread alone. Who writes the files is none of the gateway's cost.
    os.sched_setaffinity(0, cores)
    number, turn = count // 2, 0
    while not over.wait(1 / _STORM):
        rename(number, f"storm{turn}-{many.host(number)}")
        number += 1
        if number == count:
            number, turn = count // 2, turn + 1


def _measure(setting: Setting, name: str, pace: Pace, count: int, outcome: Outcome) -> None:
    peer = _started(setting, name, count, outcome)
    hosts = tuple(many.host(number) for number in range(count))
    plain = Load()

    def contestant(label: str, ask: Load) -> Contestant:
        return Contestant(
            f"{peer.name}, {label}", label, lambda seconds: load.run(setting, _peer(peer), ask, seconds))

    # With the host that is looked up last where hosts are looked through.
    compete(
        [contestant(ONE, replace(plain, hosts=hosts[-1:])), contestant(ALL, replace(plain, hosts=hosts))], pace,
        outcome)
    _change(peer, count, outcome)
    peer.child.stop()


def _started(setting: Setting, name: str, count: int, outcome: Outcome) -> Many:
    ground = many.ground(setting, name, count)
    begun = time.monotonic()
    peer = many.gateway(ground, setting.cores.all) if name == "gateway" else many.STARTERS[name](ground)
    # What a starter writes is not part of a start; the gateway tells by itself how long it took.
    wait_until(
        peer.child, lambda: peer.answers(many.host(count - 1)), seconds=many.SECONDS_TO_START, step=0.005)
    started = cpu.age_seconds(peer.child.pid)
    figures = {"start, ms": started * 1000, "resident, MiB": cpu.resident_bytes(peer.child.pid) / (1 << 20)}
    for what, value in figures.items():
        outcome.figures[f"{peer.name}: {what}"] = value
        say(f"  {peer.name}: {what} {value:,.1f}")
    say(f"  {peer.name}: with its files {time.monotonic() - begun:,.1f} s")
    return peer


def _change(peer: Many, count: int, outcome: Outcome) -> None:
    spans = []
    for number in range(count // 2, count // 2 + _CHANGES):
        begun = time.monotonic()
        peer.rename(number, _new_name(number))
        wait_until(peer.child, lambda: peer.answers(_new_name(number)), seconds=many.SECONDS_TO_START, step=0.005)
        spans.append(time.monotonic() - begun)
        _check_renamed(peer, number)
    span = statistics.median(spans)
    figures = {"a change until it is live, ms": span * 1000,
               "CPU of a change, ms": _cost_of_change(peer, count, span) * 1000}
    for what, value in figures.items():
        outcome.figures[f"{peer.name}: {what}"] = value
        say(f"  {peer.name}: {what} {value:,.1f}")


def _cost_of_change(peer: Many, count: int, span: float) -> float:
    numbers = range(count // 2 + _CHANGES, count // 2 + _CHANGES + (_CHEAP_CHANGES if span < 0.5 else _CHANGES))
    pause = span + 0.8
    time.sleep(_QUIET)
    at_rest = _cost(peer, lambda: time.sleep(pause * len(numbers)))

    def change() -> None:
        for number in numbers:
            peer.rename(number, _new_name(number))
            time.sleep(pause)

    cost = max(0.0, _cost(peer, change) - at_rest) / len(numbers)
    for number in numbers:
        _check_renamed(peer, number)
    return cost


def _cost(peer: Many, work: Callable[[], None]) -> float:
    """Processor time while that goes on."""
    before = cpu.cpu_seconds(peer.child.pid)
    work()
    return cpu.cpu_seconds(peer.child.pid) - before


def _new_name(number: int) -> str:
    return f"changed{number}.apps.example.com"


def _check_renamed(peer: Many, number: int) -> None:
    if not peer.answers(_new_name(number)):
        raise Failure(f"{peer.name} does not answer on a host that it has")
    if peer.answers(many.host(number)):
        raise Failure(f"{peer.name} still answers on a host that it has no more")


def _peer(peer: Many) -> Peer:
    # A token that nobody looks at, so that all requests are the same.
    return Peer(peer.name, "", peer.child, peer.port, ["none"], secure=False)
