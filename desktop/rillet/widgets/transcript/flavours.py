"""A whole message for the clipboard, in the form that the person asked for.

    copy-text      paragraphs as they read, code without its marks, tables with tabs
    copy-markdown  the source
    copy-rich      HTML made of the structure alone, without this window's colours; the source beside it

Above: ``model``, ``markdown``. Below: ``view``. Guarantees: HTML that a model wrote arrives as text, and pictures as
links, so that pasting loads nothing by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData

from rillet.widgets.markdown import text_document
from rillet.widgets.markdown.clipboard import tab_separated, table_texts
from rillet.widgets.markdown.extract import plain_text
from rillet.widgets.markdown.html import html_of, html_of_plain
from rillet.widgets.transcript.model import TEXT

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Section


def in_flavour(entry: Entry, action: str, theme: Theme) -> QMimeData:
    """What the clipboard gets for ``action``, one of ``blocks.actions.COPIES``.

    Raises:
        ValueError: it is another action.
    """
    data = QMimeData()
    match action:
        case "copy-text":
            texts = (_plain(section, theme) for section in entry.sections if section.kind in TEXT)
            data.setText("\n\n".join(texts))
        case "copy-markdown":
            data.setText(entry.source)
            data.setData("text/markdown", entry.source.encode("utf-8", "replace"))
        case "copy-rich":
            data.setText(entry.source)
            data.setHtml("\n".join(_html(section) for section in entry.sections if section.kind in TEXT))
        case _:
            raise ValueError(action)
    return data


def _plain(section: Section, theme: Theme) -> str:
    if section.kind == "plain":
        return section.text
    pieces: list[str] = []
    for tile in section.tiles():
        if tile.kind == "text":
            ordinal = tile.segment.ordinal if tile.segment else 0
            document = text_document(tile.text, theme, references=section.references, ordinal=ordinal)
            pieces.append(plain_text(document, 0, document.characterCount() - 1))
        elif tile.continued:
            pass  # it was taken with the tile that its fence or table begins with
        elif tile.kind == "code":
            pieces.append(section.fence_text(tile))
        elif tile.kind == "table":
            source = section.text[tile.start : section.fence(tile)[-1].end]
            pieces.append(tab_separated(table_texts(source)))
        else:
            pieces.append(tile.text)
    return "\n\n".join(pieces)


def _html(section: Section) -> str:
    return html_of_plain(section.text) if section.kind == "plain" else html_of(section.text)
