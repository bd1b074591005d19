"""The source of a pipe table → cells and alignments, as GFM's extension of CommonMark has it.

Knows no Qt. Below: ``columns`` measures cells, ``table`` lays them out, ``blocks/table`` copies them.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Alignment: TypeAlias = Literal["", "left", "center", "right"]

_PIPE = re.compile(r"(?<!\\)\|")


def cells(row: str) -> list[str]:
    """The Markdown of every cell of ``row``, without the space around it; an escaped pipe is a part of its cell."""
    row = row.strip()
    parts = _PIPE.split(row)
    if parts[0] == "":
        del parts[0]
    if len(parts) > 1 and parts[-1].strip() == "":
        del parts[-1]
    return [part.strip().replace("\\|", "|") for part in parts]


def alignments(delimiter_row: str) -> tuple[Alignment, ...]:
    """What the colons of a delimiter row say, column by column; "" where there is none."""
    result: list[Alignment] = []
    for cell in cells(delimiter_row):
        left, right = cell.startswith(":"), cell.endswith(":")
        result.append("center" if left and right else "right" if right else "left" if left else "")
    return tuple(result)


def fitted(row: list[str], count: int) -> list[str]:
    """``row`` with exactly ``count`` cells: what is too much is left out, what is missing is empty (GFM)."""
    return row[:count] + [""] * (count - len(row))
