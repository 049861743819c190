"""Plain printing, with colours only where a terminal shows them."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap

from .processes import Failure

_COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ
_JWT = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")


def _paint(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if _COLOURS else text


def step(number: int, title: str) -> None:
    print("\n" + _paint("1", f"{number}. {title}"), flush=True)


def say(text: str) -> None:
    """Prints what the step is about, in a sentence or two."""
    print(textwrap.indent(textwrap.fill(text, 100), "   "), flush=True)


def show(text: str, *, mark: str = " ", kind: str = "") -> None:
    """Prints an indented block, its first line after a mark such as an arrow; tokens in it are shortened."""
    for line in shortened(text).splitlines():
        print(f"   {mark} " + (_paint("2", line) if kind == "quiet" else line), flush=True)
        mark = " "


def expect(what: str, holds: bool, found: object = None) -> None:
    """Prints a fact of the step when it holds, and ends the script when it does not."""
    if not holds:
        raise Failure(f"not as expected: {what}" + ("" if found is None else f"\n{shortened(str(found))}"))
    print("   " + _paint("32", "✓") + f" {what}", flush=True)


def shortened(text: str) -> str:
    """The text with each JWT reduced to its first and last characters: enough to tell two apart, useless to a thief."""
    return _JWT.sub(lambda match: f"{match[0][:12]}…{match[0][-6:]}", text)


def pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
