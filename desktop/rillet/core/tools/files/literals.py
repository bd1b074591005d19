"""A regular expression → a text without which nothing can match: most files can then be passed over at once.

Pure. Below: ``search``. Guarantee: where the expression matches, the text is there; where in doubt it is empty.
"""

from __future__ import annotations

import re
from itertools import pairwise

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[^}]*\}|.", re.DOTALL)
_UNCLEAR = re.compile(r"\||\(\?|\\[0-9xuUN]")
"""Alternatives, flags and their like, and escapes of several characters."""
_SIGNS = frozenset(".^$*+?()[]{}\\")
_MAY_BE_ABSENT = ("*", "?", "{")


def required_literal(pattern: str) -> str:
    """The longest run of plain characters outside of groups; "" if it is not clear which."""
    if _UNCLEAR.search(pattern):
        return ""
    tokens = _TOKEN.findall(pattern)
    runs = [""]
    depth = 0
    for token, after in pairwise([*tokens, ""]):
        depth += (token == "(") - (token == ")")  # noqa: S105 (no password)
        char = _plain(token)
        if depth or not char or after.startswith(_MAY_BE_ABSENT):
            runs.append("")
            continue
        runs[-1] += char
        if after == "+":
            runs.append("")
    return max(runs, key=len)


def _plain(token: str) -> str:
    """The character that a token stands for; none when it may stand for several."""
    if len(token) == 2 and token[0] == "\\" and not token[1].isalnum():
        return token[1]
    return "" if len(token) > 1 or token in _SIGNS else token
