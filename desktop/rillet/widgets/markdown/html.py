"""Markdown source → HTML for other programs' clipboards: structure alone, nothing of this window.

Above: nothing. Below: ``transcript/flavours``. Guarantees: HTML in the source arrives as text, only links that
markdown-it finds harmless are links, and pictures are links, so that pasting loads nothing by itself.
"""

from __future__ import annotations

import html


def html_of(source: str) -> str:
    """The HTML of a whole message; formulas stay TeX."""
    from markdown_it import MarkdownIt  # the window opens without it

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    return str(parser.render(source))


def html_of_plain(text: str) -> str:
    """The HTML of text that is shown as it was typed."""
    return "".join(f"<p>{_lines(paragraph)}</p>\n" for paragraph in text.split("\n\n"))


def _lines(paragraph: str) -> str:
    return html.escape(paragraph, quote=False).replace("\n", "<br>")
