r"""Patterns for paths → regular expressions.

Pure. Used in the child that searches, and only there: a pattern of stars can take as long as a regular expression, and
the child can be killed. Below: ``ignore``, ``search``.

    *        any characters but "/"              [abc] [a-z] [!a]    one of these, one that is none of them
    ?        one character but "/"               {a,b}              one of these, with patterns inside (``braces``)
    **       as a whole name: any folders        \c                 the character c
"""

from __future__ import annotations

import re

_CLASS = re.compile(r"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]")


def glob_regex(pattern: str) -> re.Pattern[str]:
    """A pattern for whole paths with "/"; one without a "/" fits names in any folder, a leading "/" pins it.

    Raises:
        ValueError: no pattern can be made of it.
    """
    pattern = pattern.removeprefix("./")
    anywhere = "/" not in pattern
    return compile_glob(pattern.removeprefix("/"), anywhere=anywhere, braces=True)


def compile_glob(pattern: str, *, anywhere: bool, braces: bool) -> re.Pattern[str]:
    """The regular expression for ``fullmatch``. ``anywhere``: in any folder. Raises ValueError as ``glob_regex``."""
    try:
        return re.compile(("(?:.*/)?" if anywhere else "") + _translate(pattern, braces), re.DOTALL)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no pattern: {error}") from None


def _translate(pattern: str, braces: bool) -> str:
    pieces = []
    depth = position = 0
    braces = braces and pattern.count("{") == pattern.count("}")
    while position < len(pattern):
        rest = pattern[position:]
        char = rest[0]
        starts_name = position == 0 or pattern[position - 1] == "/"
        if starts_name and rest.startswith("**/"):
            piece, length = "(?:.*/)?", 3
        elif starts_name and rest == "**":
            piece, length = ".*", 2
        elif char == "*":
            piece, length = "[^/]*", len(rest) - len(rest.lstrip("*"))
        elif char == "?":
            piece, length = "[^/]", 1
        elif char == "[" and (found := _CLASS.match(rest)):
            piece, length = _character_class(found), found.end()
        elif char == "\\" and len(rest) > 1:
            piece, length = re.escape(rest[1]), 2
        elif braces and char == "{":
            piece, length, depth = "(?:", 1, depth + 1
        elif depth and char == "}":
            piece, length, depth = ")", 1, depth - 1
        elif depth and char == ",":
            piece, length = "|", 1
        else:
            piece, length = re.escape(char), 1
        pieces.append(piece)
        position += length
    return "".join(pieces)


def _character_class(found: re.Match[str]) -> str:
    """The class as ``re`` writes it, everything but ranges escaped; "/" is in none."""
    pieces = []
    members = re.findall(r"\\.|.", found[2], re.DOTALL)
    begins_range = is_in_range = False
    for position, member in enumerate(members, 1):
        if member == "-" and begins_range and position < len(members):
            pieces.append("-")
            begins_range, is_in_range = False, True
        else:
            pieces.append(re.escape(member[-1]))
            begins_range, is_in_range = not is_in_range, False
    return f"(?!/)[{'^' if found[1] else ''}{''.join(pieces)}]"
