r"""Where TeX begins and ends in Markdown, which CommonMark says nothing about.

A display formula is a block: a line that begins with ``$$``, ``\[`` or ``\begin{align}`` (and its like) opens it, it
ends with the mark that closes it, and a blank line or the end of the text ends it unfinished. Inside a line ``\(…\)``
is a formula, ``\[…\]`` and ``$$…$$`` are formulas in display style, and ``$…$`` is one if it does not look like money:

- the opening ``$`` is not preceded by a letter, a digit or another ``$``, and is followed by no space;
- the closing one, the first that follows, is preceded by no space and followed by no letter, digit or ``$``;
- what is between holds no backtick, and either a sign of TeX or no word of two letters beside a space: ``$5 and 10$``
  are prices, ``$5^2 = 25$`` is none.

``\$`` is a dollar everywhere. Knows neither Qt nor the parser. Below: ``math_rules`` for the parser, and the
transcript's segmenter, which have to agree on blocks.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

LIMIT: Final = 4000
"""Longer formulas are shown as source."""
_INLINE_LIMIT: Final = 600
_PUNCTUATION: Final = frozenset(".,;:!?")
_ENVIRONMENT = re.compile(r"\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|flalign)\*?)\}")
_PLAIN_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{(?:equation|displaymath)\*?\}")
_BRACKET = re.compile(r"(?<!\\)\]")
_DOLLARS = re.compile(r"(?<!\\)\$\$(?!\$)")
_CLOSING_BRACKET = re.compile(r"(?<!\\)\\\]")
_CLOSING_PARENTHESIS = re.compile(r"(?<!\\)\\\)")
_DOLLAR = re.compile(r"(?<!\\)\$")
_SIGN = re.compile(r"[\\^_{}=]")
_OPERATOR = re.compile(r"[\\^_{}=<>+*/|-]")
_TEX = re.compile(r"\\[A-Za-z]|[\^_]")
_WORDS_AT_MOST: Final = 2
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")


class Formula(NamedTuple):
    """A formula found in a line."""

    tex: str
    end: int
    """Where the text behind it begins."""
    display: bool


def block_closer(body: str) -> str:
    r"""What closes the display formula that a line opens, or "" when it opens none: ``$$``, ``\]`` or ``\end{…}``.

    ``body`` is the line from its first character that is no space. A line that goes on behind the closing mark is a
    paragraph with a formula in it.
    """
    if body.startswith("$$"):
        return "$$" if body[2:3] != "$" and _ends_well(body[2:], "$$") else ""
    if body.startswith("\\["):
        rest = body[2:]
        return "\\]" if _ends_well(rest, "\\]") and (find_closer(rest, "\\]") >= 0 or not _BRACKET.search(rest)) else ""
    if found := _ENVIRONMENT.match(body):
        return f"\\end{{{found[1]}}}"
    return ""


def find_closer(line: str, closer: str) -> int:
    """Where ``closer`` stands in ``line``, or -1."""
    at = line.find(closer)
    if at < 0 or closer.startswith("\\end"):
        return at
    found = (_DOLLARS if closer == "$$" else _CLOSING_BRACKET).search(line)
    return found.start() if found else -1


def block_end(line: str, closer: str) -> int:
    """Where the formula ends in a line behind the opening mark: after closing mark and punctuation; -1: it goes on."""
    at = find_closer(line, closer)
    if at < 0:
        return -1
    end = at + len(closer)
    return end + 1 if line[end : end + 1] in _PUNCTUATION and line[end : end + 1] else end


def block_tex(source: str) -> str | None:
    """The TeX of a display formula, from its opening mark on; None when it is not finished, empty or too long."""
    source = source.strip()
    body, mark = source.rstrip("".join(_PUNCTUATION)), ""
    if found := _ENVIRONMENT.match(source):
        closer = f"\\end{{{found[1]}}}"
        if not body.endswith(closer):
            return None
        tex = _PLAIN_ENVIRONMENT.sub("", body)
    else:
        opener = source[:2]
        closer = "$$" if opener == "$$" else "\\]"
        if len(body) < 4 or not body.endswith(closer):
            return None
        tex = body[2:-2]
        mark = source[len(body) :]
    tex = tex.strip()
    return tex + mark if tex and len(tex) <= LIMIT else None


def formula_at(text: str, at: int, end: int) -> Formula | None:
    r"""The formula that begins at ``at`` (a ``$`` or a backslash) and ends before ``end``."""
    if text.startswith("\\(", at):
        return _between(text, at + 2, end, _CLOSING_PARENTHESIS, display=False)
    if text.startswith("\\[", at):
        return _between(text, at + 2, end, _CLOSING_BRACKET, display=True)
    if text.startswith("$$", at):
        return _between(text, at + 2, end, _DOLLARS, display=True) if text[at + 2 : at + 3] != "$" else None
    return _dollar(text, at, end) if text.startswith("$", at) else None


def may_become_formula(text: str, at: int) -> bool:
    r"""Whether what begins at ``at`` and is not closed by the end of ``text`` is most likely TeX."""
    rest = text[at:]
    if rest.startswith(("\\(", "\\[")):
        return True
    if not rest.startswith("$") or len(rest) > _INLINE_LIMIT or not _may_open(text, at):
        return False
    return (
        _DOLLAR.search(rest, 1) is None and _TEX.search(rest) is not None and len(_WORD.findall(rest)) <= _WORDS_AT_MOST
    )


def _ends_well(rest: str, closer: str) -> bool:
    """Whether nothing but punctuation follows the closing mark, if there is one; and something stands before it."""
    at = find_closer(rest, closer)
    if at < 0:
        return True
    behind = rest[at + len(closer) :].strip()
    return bool(rest[:at].strip()) and (not behind or behind in _PUNCTUATION)


def _between(text: str, start: int, end: int, closer: re.Pattern[str], *, display: bool) -> Formula | None:
    found = closer.search(text, start, end)
    if found is None or found.start() - start > LIMIT:
        return None
    tex = text[start : found.start()].strip()
    return Formula(tex, found.end(), display) if tex else None


def _may_open(text: str, at: int) -> bool:
    before, behind = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    return not (before.isalnum() or before == "$") and bool(behind) and not behind.isspace() and behind != "$"


def _dollar(text: str, at: int, end: int) -> Formula | None:
    if not _may_open(text, at):
        return None
    found = _DOLLAR.search(text, at + 1, min(end, at + _INLINE_LIMIT))
    if found is None:
        return None
    tex, behind = text[at + 1 : found.start()], text[found.end() : found.end() + 1]
    if tex[-1:].isspace() or behind.isalnum() or behind == "$" or "`" in tex or _is_prose(tex):
        return None
    return Formula(tex, found.end(), display=False)


def _is_prose(tex: str) -> bool:
    signs = _SIGN if tex[0].isdigit() else _OPERATOR
    return signs.search(tex) is None and _WORD.search(tex) is not None and (tex[0].isdigit() or " " in tex)
