"""Markdown source → markdown-it tokens: the one place that knows how the parser is set up.

Above: ``document.sound``, ``math_rules``, ``growing``. Below: ``build`` walks the tokens. CommonMark with tables,
strikethrough, footnotes and formulas; HTML is off, so it arrives as text. The parser is imported with the first call,
for nothing of it may load before the window's first paint.

Footnotes stay where they are written, for what is parsed is a piece of a message: a definition is a paragraph with its
label, and a reference is one when the label is known or a number.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from rillet.widgets.markdown.document import sound
from rillet.widgets.markdown.growing import GROWING, add_growing
from rillet.widgets.markdown.math_rules import add_math

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    References = Mapping[str, Mapping[str, Any]]

FOOTNOTE: Final = "^"
"""The key of a footnote among the references is its label behind this."""
_FOOTNOTE = re.compile(r"\[\^([^\s\[\]]{1,40})\]")


def parse(source: str, references: References | None = None, *, growing: bool = False) -> list[Token]:
    """The tokens of ``source``; ``references`` are link definitions from elsewhere, as ``Segmenter`` keeps them.

    ``growing``: the last paragraph is still being written, and marks that are half arrived are read as what they are
    about to be.
    """
    return _parser().parse(sound(source), {"references": dict(references or {}), GROWING: growing})


def parse_inline(source: str, references: References | None = None) -> Sequence[Token]:
    """The tokens of a text that is no block of its own: the cell of a table."""
    return _parser().parseInline(sound(source), {"references": dict(references or {})})[0].children or ()


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False, move_to_end=False)
    parser.inline.ruler.disable("footnote_ref")
    parser.inline.ruler.before("link", "footnote_label", _footnote_label)
    add_math(parser)
    add_growing(parser)
    parser.inline.ruler.before("link", "lone_bracket", _lone_bracket)
    return parser


def _lone_bracket(state: StateInline, silent: bool) -> bool:
    """A bracket that nothing closes is text: else each of thousands would be followed to the end of the text."""
    if not state.src.startswith(("[", "!["), state.pos) or state.env.get(GROWING):
        return False
    if state.src.find("]", state.pos, state.posMax) >= 0:
        return False
    if not silent:
        state.pending += state.src[state.pos]
    state.pos += 1
    return True


def _footnote_label(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[^", state.pos):
        return False
    found = _FOOTNOTE.match(state.src, state.pos, state.posMax)
    if found is None or not (found[1].isdecimal() or FOOTNOTE + found[1] in state.env.get("references", ())):
        return False
    if not silent:
        state.push("footnote_label", "sup", 0).content = found[1]
    state.pos = found.end()
    return True
