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
from pathlib import Path

from harness.gateway import ROOT
from harness.processes import find_program

import tools
from contest import Outcome, median
from limits import LIMITS, Limit
from load import Sample


def case_text(name: str, outcome: Outcome) -> str:
    """A case as Markdown: its table, and what is to be said of it."""
    parts = [f"{name}: {outcome.title}", *outcome.notes]
    if outcome.rounds:
        parts.append(_rounds_table(outcome))
    if outcome.figures:
        rows = [[what, _number(value)] for what, value in outcome.figures.items()]
        parts.append(_markdown(["", "figure"], rows))
    return "\n\n".join(parts) + "\n"


def limits_text(outcomes: dict[str, Outcome]) -> tuple[str, bool]:
    """The limits of the cases that were run as Markdown, and whether none is over."""
    rows, all_hold = [], True
    for limit in LIMITS:
        if limit.case in outcomes:
            row, holds = _verdict(limit, outcomes[limit.case])
            rows.append(row)
            all_hold = all_hold and holds
    return _markdown(["case", "must hold", "limit", "here", ""], rows) + "\n", all_hold


def write_json(options: dict[str, object], conditions: dict[str, object], outcomes: dict[str, Outcome]) -> Path:
    folder = ROOT / "bench" / "results"
    folder.mkdir(exist_ok=True)
    path = folder / time.strftime("%Y%m%d-%H%M%S.json")
    limits = [
        {"case": limit.case, "what": limit.what, "limit": limit.most, "at_least": limit.at_least,
         "figure": limit.figure(outcomes[limit.case])} for limit in LIMITS if limit.case in outcomes]
    document = {
        "machine": _machine() | conditions, "options": options, "limits": limits,
        "cases": {name: dataclasses.asdict(outcome) for name, outcome in outcomes.items()}}
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def _verdict(limit: Limit, outcome: Outcome) -> tuple[list[str], bool]:
    sign = "≥" if limit.at_least else "≤"
    most = f"{sign} {limit.most:,g}{limit.unit}"
    value = limit.figure(outcome)
    if value is None:
        return [limit.case, limit.what, most, "–", "not measured"], True
    holds = limit.holds(value)
    return [limit.case, limit.what, most, _number(value) + limit.unit, "ok" if holds else "over"], holds


def _rounds_table(outcome: Outcome) -> str:
    # The first one is what the others are compared with.
    baseline = next(iter(outcome.rounds))
    head = [
        "peer", "CPU µs", f"ratio to {baseline}", "(lowest–highest)", "a second", "p50 µs", "p99 µs", "busy", "does"]
    return _markdown(head, [_rounds_row(outcome, name, baseline) for name in outcome.rounds])


def _rounds_row(outcome: Outcome, name: str, baseline: str) -> list[str]:
    samples = list(outcome.rounds[name].values())
    ratios = outcome.ratios(name, baseline, lambda sample: sample.cpu_microseconds)

    def middle(pick: Callable[[Sample], float | None]) -> float | None:
        return median([value for value in map(pick, samples) if value is not None])

    return [
        name, f"{middle(lambda sample: sample.cpu_microseconds) or 0:.1f}", _number(median(ratios)),
        f"{min(ratios):.2f}–{max(ratios):.2f}" if ratios else "–", _count(middle(lambda sample: sample.per_second)),
        _count(middle(lambda sample: sample.p50_microseconds)), _count(middle(lambda sample: sample.p99_microseconds)),
        f"{statistics.median(sample.busy for sample in samples):.0%}", outcome.does[name]]


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


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
        "nginx": first_line("nginx", "-v"), "haproxy": first_line("haproxy", "-v"),
        "h2load": first_line("h2load", "--version"), "openssl": first_line("openssl", "version"), **tools.versions()}
