"""Rounds of several contestants in turn: what they do, what came out, and ratios between them."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from load import Sample


@dataclass(frozen=True)
class Contestant:
    name: str
    does: str
    measure: Callable[[float], Sample]
    """A round of so many seconds."""
    is_far: bool = False
    """Takes part in every other round only."""


@dataclass
class Outcome:
    """What came out of a case."""

    title: str
    does: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What was decided in the run, and who could not take part."""
    rounds: dict[str, dict[int, Sample]] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    """Of a case without rounds: a figure for each peer, or by its name."""

    def ratios(self, name: str, to: str, pick: Callable[[Sample], float | None]) -> list[float]:
        """A figure of one by that of another, for each round that had both; empty where one was not run."""
        ours, theirs = self.rounds.get(name, {}), self.rounds.get(to, {})
        pairs = [(pick(ours[number]), pick(theirs[number])) for number in sorted(ours.keys() & theirs.keys())]
        return [our / their for our, their in pairs if our is not None and their]

    def ratio(self, name: str, to: str, pick: Callable[[Sample], float | None]) -> float | None:
        """The median of `ratios`."""
        return median(self.ratios(name, to, pick))


@dataclass(frozen=True)
class Pace:
    rounds: int
    seconds: float
    """Of a round."""
    warm_up: float
    """Seconds before the first round."""


_KEPT = 0.97
"""The part of the rate that counts as kept: the last answers of a round come after its end."""


def compete(contestants: list[Contestant], pace: Pace, outcome: Outcome, rate: float = 0) -> None:
    """`rate` is what was asked of all for a second, if it was the same for all; who falls behind is told of."""
    for contestant in contestants:
        outcome.does[contestant.name] = contestant.does
        outcome.rounds[contestant.name] = {}
        contestant.measure(pace.warm_up)
    for number in range(pace.rounds):
        # Each round begins with another one, so that none always follows the same.
        first = number % len(contestants)
        for contestant in contestants[first:] + contestants[:first]:
            if contestant.is_far and number % 2:
                continue
            sample = contestant.measure(pace.seconds)
            outcome.rounds[contestant.name][number] = sample
            say(f"  round {number + 1}, {contestant.name}: {sample.cpu_microseconds:.1f} µs CPU, "
                f"{sample.per_second:,.0f}/s, busy {sample.busy:.0%}")
            if sample.per_second < rate * _KEPT:
                kept = sample.per_second / rate
                outcome.notes.append(f"round {number + 1}, {contestant.name}: only {kept:.0%} of the rate was kept")


def median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
