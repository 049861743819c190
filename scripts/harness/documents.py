"""Code that stands in a document."""

from __future__ import annotations

import re
from pathlib import Path


def file_blocks(page: Path) -> dict[str, str]:
    """The blocks that are files, by the name in their first line: `python file=verifier.py`."""
    return dict(re.findall(r"^```\w+ file=(\S+)\n((?:.*\n)*?)```$", page.read_text(), re.MULTILINE))
