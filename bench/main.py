"""Runs the benchmark: peers side by side in one run, their rounds interleaved. Started by bench/run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from harness.processes import Failure, Workspace

import backend
import haproxy
import idle
import load
import nginx
import proof
import report
import signin
import speed
import startup
import tokens
from setting import Cores, Peer, Setting

STARTERS: dict[str, Callable[[Setting], Peer]] = {
    "nginx": nginx.start,
    "haproxy": haproxy.start_plain,
    "haproxy-jwt": haproxy.start_jwt,
    "gateway": speed.start,
}


def main() -> None:
    options = _options()
    results = report.Results(options=vars(options))
    try:
        with Workspace("speed-bench-") as workspace:
            _measure(workspace, options, results)
    except Failure as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
    text, holds = report.tables(results)
    print(text)
    print(f"Ratios compare peers within this run alone. All rounds: {report.write_json(results)}")
    if options.strict and not holds:
        sys.exit(1)


def _measure(workspace: Workspace, options: argparse.Namespace, results: report.Results) -> None:
    with_gateway = "gateway" in options.peers
    if with_gateway:
        # Before the peers: these two use all cores.
        _say("start-up of the gateway")
        results.startup = startup.measure(workspace, times=options.starts)
        _say(f"sign-ins: {options.sign_ins} one by one, {options.sign_ins_at_once} with {signin.CONCURRENT} at once")
        results.sign_ins = signin.measure(
            workspace, one_by_one=options.sign_ins, at_once=options.sign_ins_at_once)
    idle.allow_connections(options.idle)
    cores = Cores.split()
    signer = tokens.Signer(workspace.folder, "signer")
    setting = Setting(
        workspace, cores, backend.start(workspace, cores.load), max(options.idle, options.connections), signer,
        [signer.token() for _ in range(options.tokens)])
    peers = [STARTERS[name](setting) for name in options.peers]
    for peer in peers:
        _say(f"{peer.name}: good tokens pass" + (f", refused: {', '.join(peer.refused)}" if peer.refused else ""))
        proof.prove(peer)
        results.add_peer(peer)
    _rounds(workspace, options, results, peers, cores)
    for peer in peers:
        _say(f"{peer.name}: {options.idle} idle connections")
        results.idle_bytes[peer.name] = idle.bytes_a_connection(peer, options.idle)


def _rounds(
    workspace: Workspace, options: argparse.Namespace, results: report.Results, peers: list[Peer], cores: Cores
) -> None:
    scripts = {peer.name: load.write_script(workspace.folder, peer) for peer in peers}
    for peer in peers:
        load.run(peer, scripts[peer.name], cores, seconds=1, connections=options.connections)
    for number in range(options.rounds):
        # Each round begins with another peer, so that none always follows the same one.
        first = number % len(peers)
        for peer in peers[first:] + peers[:first]:
            sample = load.run(
                peer, scripts[peer.name], cores, seconds=options.seconds, connections=options.connections)
            results.rounds[peer.name].append(sample)
            _say(f"round {number + 1}, {peer.name}: {sample.cpu_microseconds:.1f} µs CPU a request")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run", description="Measures the gateway beside nginx and HAProxy.")
    count = _positive
    parser.add_argument("--peers", nargs="+", choices=list(STARTERS), default=list(STARTERS), help="default: all")
    parser.add_argument("--rounds", type=count, default=5, help="rounds of each peer (5)")
    parser.add_argument("--seconds", type=count, default=4, help="seconds a round (4)")
    parser.add_argument("--connections", type=count, default=64, help="connections under load (64)")
    parser.add_argument("--tokens", type=count, default=1, help="users whose tokens the requests take in turn (1)")
    parser.add_argument("--idle", type=count, default=10_000, help="idle connections for the memory figure (10000)")
    parser.add_argument("--starts", type=count, default=5, help="starts of the gateway (5)")
    parser.add_argument("--sign-ins", type=count, default=500, help="sign-ins one at a time (500)")
    parser.add_argument("--sign-ins-at-once", type=count, default=6000, help="sign-ins with many at once (6000)")
    parser.add_argument("--quick", action="store_true", help="everything once and short: shows that it works")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a limit is over")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.idle, options.starts = 2, 1, 1000, 2
        options.sign_ins, options.sign_ins_at_once = 100, 1000
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
