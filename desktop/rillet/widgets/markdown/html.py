"""Markdown source → HTML for other programs' clipboards: structure alone, nothing of this window.

Above: ``links``. Below: ``transcript/flavours``, ``transcript/copying``. Guarantees: HTML in the source arrives as
text, only what may be a link on the screen is one, and pictures are links, so that pasting loads nothing by itself.
"""

from __future__ import annotations

import html
from functools import cache
from typing import TYPE_CHECKING

from rillet.widgets.links import allowed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def html_of(source: str) -> str:
    """The HTML of a whole message; formulas stay TeX."""
    return str(_parser().render(source))


def html_of_plain(text: str) -> str:
    """The HTML of text that is shown as it was typed."""
    return "".join(f"<p>{_lines(paragraph)}</p>\n" for paragraph in text.split("\n\n"))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # the window opens without it

    class Parser(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return allowed(url)

    return Parser("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def _lines(paragraph: str) -> str:
    return html.escape(paragraph, quote=False).replace("\n", "<br>")
