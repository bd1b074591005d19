"""Half-arrived syntax: what a paragraph that is still being written shows of it.

A mark is never shown as text if it is about to take effect: text behind ``**`` is strong before the closing mark is
there, a lone mark at the very end waits for what follows it, the text of a link appears before its address. Above:
``tex``. Below: ``parse`` puts the rules in; they act only in the last paragraph of a text that is said to grow.

Where Markdown itself is undecided, a guess may be taken back when the paragraph ends or the guess fails: ``*`` or a
backtick that nothing ever closes, ``$`` before TeX that nothing closes, a bracket left open for 300 characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rillet.widgets.markdown.tex import may_become_formula

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.rules_inline.state_inline import Delimiter

GROWING: Final = "growing"
"""Key of the parser's environment: the text goes on."""
HELD: Final = "held"
"""Key of the meta data of a paragraph that grows: whether something in it is not shown, or only as a guess."""
_HERE: Final = "growing here"
_WAITS_AT_MOST: Final = 300
_TAIL = re.compile(r"(?:\\|!|\$\$?|&(?:#?\w{0,31})|[*_~]+|<(?:[A-Za-z][^\s<>]{0,200})?)\Z", re.ASCII)
_UNFINISHED_ADDRESS = re.compile(r"\((?:[^()\s]|\([^()\s]*\)?)*(?:\s+(?:\"[^\"]*\"?|'[^']*'?)?)?\Z")
_TICKS = re.compile("`+")


def add_growing(parser: MarkdownIt) -> None:
    """Teach ``parser`` to read what is half arrived."""
    parser.core.ruler.at("inline", _inline_tokens)
    parser.inline.ruler.before("math_inline", "growing_tail", _tail)
    parser.inline.ruler.after("math_inline", "growing_formula", _formula)
    parser.inline.ruler.before("backticks", "growing_code", _code)
    parser.inline.ruler.after("image", "growing_link", _link)
    parser.inline.ruler2.after("balance_pairs", "growing_emphasis", _emphasis)


def _inline_tokens(state: StateCore) -> None:
    """Parse every paragraph; the last one grows if the text does and nothing follows it, not even a definition."""
    tokens = state.tokens
    lines = state.src.rstrip().count("\n") + 1
    last = next((index for index in range(len(tokens) - 1, -1, -1) if tokens[index].nesting >= 0), -1)
    for index, token in enumerate(tokens):
        if token.type == "inline":
            at_end = token.map is None or token.map[1] >= lines
            state.env[_HERE] = index == last and at_end and bool(state.env.get(GROWING))
            state.env[HELD] = False
            token.children = state.md.inline.parse(token.content, state.md, state.env, token.children or [])
            if state.env[_HERE]:
                token.meta[HELD] = state.env[HELD]
    state.env[_HERE] = False


def _grows(state: StateInline, silent: bool) -> bool:
    return not silent and bool(state.env.get(_HERE))


def _tail(state: StateInline, silent: bool) -> bool:
    """A mark at the very end: it is decided by the character behind it."""
    if state.src[state.pos] not in "\\!&*_~<$" or not _grows(state, silent):
        return False
    if _TAIL.match(state.src, state.pos) is None:
        return False
    return _hold(state)


def _formula(state: StateInline, silent: bool) -> bool:
    """An unfinished formula is shown as it is written, and nothing in it means anything."""
    if state.src[state.pos] not in "\\$" or not _grows(state, silent):
        return False
    if not may_become_formula(state.src, state.pos):
        return False
    state.append_pending(state.src[state.pos : state.posMax])
    return _hold(state)


def _code(state: StateInline, silent: bool) -> bool:
    """Code without its closing mark is code."""
    if state.src[state.pos] != "`" or not _grows(state, silent):
        return False
    opening = _TICKS.match(state.src, state.pos)
    assert opening is not None
    if any(len(run[0]) == len(opening[0]) for run in _TICKS.finditer(state.src, opening.end())):
        return False
    content = state.src[opening.end() : state.posMax].replace("\n", " ").rstrip("`")
    if content.strip():
        token = state.push("code_inline", "code", 0)
        token.content = content.removeprefix(" ") if content[:2] in (" `", " ") else content
    return _hold(state)


def _link(state: StateInline, silent: bool) -> bool:
    """A bracket that may become a link waits until that is known, or until the address has begun."""
    source, start = state.src, state.pos
    image = source.startswith("![", start)
    if not (image or source[start] == "[") or not _grows(state, silent):
        return False
    label = start + 2 if image else start + 1
    end = state.md.helpers.parseLinkLabel(state, label - 1, not image)
    behind = source[end + 1 :] if end >= 0 else ""
    if len(source) - start > _WAITS_AT_MOST and not behind.startswith("("):
        return False
    address = behind.startswith("(") and _UNFINISHED_ADDRESS.match(behind) is not None
    if address and not image:
        state.pos, state.posMax, whole = label, end, state.posMax
        state.md.inline.tokenize(state)
        state.posMax = whole
    elif not (address or end < 0 or not behind or (behind[0] == "[" and "]" not in behind)):
        return False
    return _hold(state)


def _hold(state: StateInline) -> bool:
    """The rest is taken, but not for what is written."""
    state.env[HELD] = True
    state.pos = state.posMax
    return True


def _emphasis(state: StateInline) -> None:
    """Close what is open at the end. Not what stands inside a word, which is multiplication as often as emphasis."""
    if not state.env.get(_HERE):
        return
    inside, unclosed = -1, []
    for index, delimiter in enumerate(state.delimiters):
        inside = max(inside, delimiter.end)
        if delimiter.open and not delimiter.close and delimiter.end < 0 and index > inside:
            unclosed.append(delimiter)
    for delimiter in reversed(unclosed):
        delimiter.end = len(state.delimiters)
        state.delimiters.append(_closing(state, delimiter))


def _closing(state: StateInline, opening: Delimiter) -> Delimiter:
    token = state.push("text", "", 0)
    token.content = state.tokens[opening.token].content
    kind = type(opening)
    return kind(
        marker=opening.marker, length=opening.length, token=len(state.tokens) - 1, end=-1, open=False, close=True
    )
