"""The figures of one run: as tables to read, and as JSON to keep."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.gateway import ROOT
from harness.processes import find_program

from load import Sample
from setting import Peer
from signin import CONCURRENT, SignIns
from startup import Startup

BASELINE = "nginx"
MIB = 1024 * 1024


@dataclass
class Results:
    options: dict[str, object]
    does: dict[str, str] = field(default_factory=dict)
    rounds: dict[str, list[Sample]] = field(default_factory=dict)
    idle_bytes: dict[str, float] = field(default_factory=dict)
    startup: Startup | None = None
    sign_ins: SignIns | None = None

    def add_peer(self, peer: Peer) -> None:
        self.does[peer.name] = peer.does
        self.rounds[peer.name] = []

    def cpu_ratios(self, name: str, to: str) -> list[float]:
        """CPU a request of one peer by that of another, round by round; empty where one was not run."""
        pairs = zip(self.rounds.get(name, []), self.rounds.get(to, []))
        return [ours.cpu_microseconds / theirs.cpu_microseconds for ours, theirs in pairs]


@dataclass(frozen=True)
class Limit:
    """A figure that the gateway must hold."""

    what: str
    most: float
    figure: Callable[[Results], float | None]
    unit: str = ""
    at_least: bool = False

    def row(self, results: Results) -> tuple[list[str], bool]:
        """The row of the table, and whether the limit holds or was not measured."""
        limit = f"{'≥' if self.at_least else '≤'} {self.most:,g}{self.unit}"
        value = self.figure(results)
        if value is None:
            return [self.what, limit, "–", "not measured"], True
        holds = value >= self.most if self.at_least else value <= self.most
        return [self.what, limit, _number(value) + self.unit, "ok" if holds else "over"], holds


def _ratio(to: str) -> Callable[[Results], float | None]:
    return lambda results: _median(results.cpu_ratios("gateway", to))


LIMITS = [
    Limit("CPU a request against nginx, plain", 0.80, _ratio("nginx")),
    Limit("CPU a request against HAProxy with `jwt_verify`", 0.18, _ratio("haproxy-jwt")),
    Limit("memory an idle keep-alive connection", 1024, lambda r: r.idle_bytes.get("gateway"), " B"),
    Limit("start to ready, example apps", 100, lambda r: r.startup.milliseconds if r.startup else None, " ms"),
    Limit("resident when ready", 30, lambda r: r.startup.resident_bytes / MIB if r.startup else None, " MiB"),
    Limit("a sign-in on SQLite, one at a time, median", 3,
          lambda r: r.sign_ins.median_milliseconds if r.sign_ins else None, " ms"),
    Limit(f"sign-ins on SQLite, {CONCURRENT} at once", 1500,
          lambda r: r.sign_ins.per_second if r.sign_ins else None, "/s", at_least=True),
]


def tables(results: Results) -> tuple[str, bool]:
    """Both tables as Markdown, and whether no limit is over."""
    peers = [_peer_row(results, name) for name in results.rounds]
    head = ["peer", "CPU µs/request", f"ratio to {BASELINE}", "(lowest–highest)", "requests/s", "p50 µs", "p99 µs",
            "busy", "idle B/connection", "does"]
    rows = [limit.row(results) for limit in LIMITS]
    limits = _markdown(["must hold", "limit", "here", ""], [row for row, _ in rows])
    return f"{_markdown(head, peers)}\n\n{limits}\n", all(holds for _, holds in rows)


def write_json(results: Results) -> Path:
    folder = ROOT / "bench" / "results"
    folder.mkdir(exist_ok=True)
    path = folder / time.strftime("%Y%m%d-%H%M%S.json")
    document = {"machine": _machine(), **dataclasses.asdict(results)}
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def _peer_row(results: Results, name: str) -> list[str]:
    samples, ratios = results.rounds[name], results.cpu_ratios(name, BASELINE)
    if not samples:
        return [name, *["–"] * 7, _number(results.idle_bytes.get(name)), results.does[name]]

    def middle(pick: Callable[[Sample], float]) -> float:
        return statistics.median(pick(sample) for sample in samples)

    return [
        name, f"{middle(lambda s: s.cpu_microseconds):.1f}", _number(_median(ratios)),
        f"{min(ratios):.2f}–{max(ratios):.2f}" if ratios else "–", f"{middle(lambda s: s.requests_per_second):,.0f}",
        f"{middle(lambda s: s.p50_microseconds):,.0f}", f"{middle(lambda s: s.p99_microseconds):,.0f}",
        f"{middle(lambda s: s.busy):.0%}", _number(results.idle_bytes.get(name)), results.does[name]]


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return "\n".join([line(head), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, rows)])


def _machine() -> dict[str, object]:
    def first_line(*command: str) -> str:
        run = subprocess.run([find_program(command[0]), *command[1:]], capture_output=True, text=True, check=False)
        return (run.stdout + run.stderr).splitlines()[0]

    return {
        "cores": os.cpu_count(), "kernel": platform.release(), "architecture": platform.machine(),
        "nginx": first_line("nginx", "-v"), "haproxy": first_line("haproxy", "-v"), "wrk": first_line("wrk", "-v"),
    }
