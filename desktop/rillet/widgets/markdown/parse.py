"""Markdown source → markdown-it tokens: the one place that knows how the parser is set up.

Above: ``document.sound``. Below: ``build`` walks the tokens. CommonMark with tables and strikethrough; HTML is off, so
it arrives as text. The parser is imported with the first call, for nothing of it may load before the window's first
paint.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from rillet.widgets.markdown.document import sound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markdown_it import MarkdownIt
    from markdown_it.token import Token


def parse(source: str, references: Mapping[str, Mapping[str, Any]] | None = None) -> list[Token]:
    """The tokens of ``source``; ``references`` are link definitions from elsewhere, as ``Segmenter`` keeps them."""
    return _parser().parse(sound(source), {"references": dict(references or {})})


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
