"""How a line of Markdown begins: the little of CommonMark that is decided by looking at one line.

Above: ``markdown/tex`` for formulas. Below: ``nesting`` and ``segmenter``. Section numbers are those of CommonMark
0.31; tables are GFM's.
"""

from __future__ import annotations

import re
from typing import Final

from rillet.widgets.markdown.tex import block_closer

FENCE: Final = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)")
"""§4.5: group 1 the fence, group 2 the first word of the info string."""
ITEM: Final = re.compile(r"([-*+]|(\d{1,9})[.)])([ \t]+|$)")
"""§5.2: group 1 the marker, group 2 its number, group 3 the space behind it."""
RULE: Final = re.compile(r"([-*_])(?:[ \t]*\1){2,}\s*$")
"""§4.1."""
DELIMITER_ROW: Final = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*$")
DELIMITER_START: Final = re.compile(r"[|:\- \t]*$")
"""What may yet become a delimiter row."""
DEFINITION: Final = re.compile(
    r"""\[([^\^\[\]][^\[\]]{0,199})\]:[ \t]*(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*$"""
)
"""§4.7, on one line: group 1 the label, group 2 or 3 the address. A footnote's "[^1]:" is none."""
FOOTNOTE: Final = re.compile(r"\[\^([^\s\[\]]{1,40})\]:")
"""The start of a footnote's text; group 1 its label."""
UNDECIDED: Final = re.compile(
    r"""(?:`{1,2}|~{1,2})$|`{3}|~{3}|\||\[[^\^\[\]][^\[\]]*\]:|[-=*+_#>][-=*+_#>\ \t]*$|\d{1,9}[.)]?[ \t]*$
    |\$$|\$\$|\\\[|\\(?:b(?:e(?:g(?:i(?:n(?:\{.*)?)?)?)?)?)?$""",
    re.VERBOSE,
)
"""An unfinished line that may turn out to be a fence, a table, a formula, a definition, or the bare marker of a block.

A lone "-" under a paragraph would make a heading of it (§4.3) until the item's text arrives.
"""

_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")


def indentation(line: str) -> tuple[int, str]:
    """The column of the first character, tab stops being at multiples of four (§2.2), and the line from there."""
    body = line.lstrip(" \t")
    width = len(line) - len(body)
    if width and "\t" in line[:width]:
        width = len(line[:width].expandtabs(4))
    return width, body


def begins_block(body: str) -> bool:
    """Whether a line whose first character is not blank looks like the start of a block other than a paragraph."""
    first = body[:1]
    if first.isalpha() or not first:
        return False
    return bool(
        first == ">"
        or (first in "`~" and FENCE.match(body))
        or (first == "#" and _HEADING.match(body))
        or RULE.match(body)
        or ITEM.match(body)
        or (first in "$\\" and block_closer(body))
    )


def closes_fence(line: str, fence: str) -> bool:
    """Whether ``line`` ends the code that ``fence`` opened."""
    body = line.strip(" \t\r")
    return len(body) >= len(fence) and not body.strip(fence[0]) and indentation(line)[0] < 4


def cells(row: str) -> int:
    """How many cells a table row has; an escaped pipe divides none."""
    row = row.strip().replace("\\|", "")
    return row.removeprefix("|").removesuffix("|").count("|") + 1


def label(text: str) -> str:
    """A link label in the form that markdown-it looks it up by."""
    return " ".join(text.split()).lower().upper()
