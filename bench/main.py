"""Runs the benchmark: case by case, the peers of each side by side, their rounds interleaved. Started by bench/run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from harness.processes import Failure, Workspace

import idle
import network
import report
from cases import CASES, Kit, Wishes
from contest import Outcome, Pace, say
from roster import STARTERS


def main() -> None:
    options = _options()
    outcomes: dict[str, Outcome] = {}
    try:
        conditions = network.prepare()
        idle.allow_connections(options.idle)
        with Workspace("speed-bench-") as workspace:
            kit = Kit.make(workspace.folder, _wishes(options))
            for name in options.cases:
                case = CASES[name]
                say(f"{name}: {case.title}")
                outcome = Outcome(case.title)
                case.run(case, kit, outcome)
                outcomes[name] = outcome
                print(report.case_text(name, outcome), flush=True)
    except Failure as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
    text, holds = report.limits_text(outcomes)
    print(text)
    path = report.write_json(vars(options), conditions, outcomes)
    print(f"Ratios compare peers within this run alone. All rounds: {path}")
    if options.strict and not holds:
        sys.exit(1)


def _wishes(options: argparse.Namespace) -> Wishes:
    return Wishes(
        Pace(options.rounds, options.seconds, 0.3 if options.quick else 1), frozenset(options.peers), options.idle,
        options.starts, options.sign_ins, options.sign_ins_at_once, options.deletions, options.pending, options.hosts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/run", description="Measures the gateway beside what one would use instead.")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES), help="default: all")
    parser.add_argument("--peers", nargs="+", choices=list(STARTERS), default=list(STARTERS), help="default: all")
    parser.add_argument("--rounds", type=_positive, default=5, help="rounds of each peer (5)")
    parser.add_argument("--seconds", type=_positive, default=3, help="seconds a round (3)")
    parser.add_argument(
        "--idle", type=_positive, default=10_000, help="idle connections; with TLS a fifth (10000)")
    parser.add_argument("--starts", type=_positive, default=5, help="starts of the gateway (5)")
    parser.add_argument("--sign-ins", type=_positive, default=500, help="sign-ins one at a time (500)")
    parser.add_argument("--sign-ins-at-once", type=_positive, default=6000, help="sign-ins with many at once (6000)")
    parser.add_argument("--deletions", type=_positive, default=200, help="deletions one at a time (200)")
    parser.add_argument("--pending", type=_positive, default=10_000, help="revocations that wait (10000)")
    parser.add_argument(
        "--hosts", type=_positive, default=10_000, help="virtual hosts; of the gateway alone ten times as many (10000)")
    parser.add_argument(
        "--system-network", action="store_true", help="the system's own network and congestion control")
    parser.add_argument("--quick", action="store_true", help="everything once and short: shows that it works")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a limit is over")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.idle, options.starts = 1, 1, 1000, 2
        options.sign_ins, options.sign_ins_at_once, options.hosts = 100, 1000, 500
        options.deletions, options.pending = 40, 1000
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


if __name__ == "__main__":
    main()
