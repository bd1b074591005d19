"""Tables for the clipboard: as Markdown, as tab-separated text, and as HTML.

Above: ``cells``, ``parse``. Below: the table blocks. Office programs take the HTML, whose cells hold text alone;
everything else gets the source.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QMimeData

from rillet.widgets.markdown.cells import alignments, cells, fitted
from rillet.widgets.markdown.document import sound
from rillet.widgets.markdown.parse import parse_inline
from rillet.widgets.markdown.table import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markdown_it.token import Token

TSV: Final = "text/tab-separated-values"
MARKDOWN: Final = "text/markdown"


def table_data(source: str) -> QMimeData:
    """A whole table in every form; ``source`` is its Markdown."""
    rows = table_texts(source)
    data = QMimeData()
    data.setText(source)
    data.setData(MARKDOWN, sound(source).encode())
    data.setData(TSV, tab_separated(rows).encode())
    data.setHtml(_html(rows))
    return data


def table_texts(source: str) -> list[list[str]]:
    """The text of every cell, the head first: without the marks of Markdown, formulas as their source."""
    count = len(alignments(source.split("\n")[1]))
    rows = [fitted(cells(row), count) for row in rows_of(sound(source), continued=False)]
    return [["".join(_texts(parse_inline(cell))) for cell in row] for row in rows]


def tab_separated(rows: Iterable[Sequence[str]]) -> str:
    """Rows as lines, cells divided by tabs; a tab or a line end inside a cell is a space."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)


def _texts(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        match token.type:
            case "softbreak" | "hardbreak":
                yield " "
            case "math_inline":
                yield token.markup
            case "image":
                yield from _texts(token.children or ())
            case _:
                yield token.content


def _html(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = [_html_row(head, "th"), *(_html_row(row, "td") for row in body)]
    return f"<table>{''.join(lines)}</table>"


def _html_row(row: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
