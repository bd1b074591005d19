"""What the documents of a text say, without a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.widgets.markdown import Columns, code_document, formula_document, table_document, text_document
from rillet.widgets.transcript.segmenter import Segmenter

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.theme.palette import Theme


def documents_of(markdown: str, theme: Theme, *, growing: bool = False) -> list[QTextDocument]:
    """The documents that the transcript would make of ``markdown``; ``growing``: more of it is about to come."""
    segmenter = Segmenter()
    segmenter.feed(markdown)
    if not growing:
        segmenter.finish()
    references = segmenter.references
    result: list[QTextDocument] = []
    for segment in segmenter.segments:
        source = segment.text(markdown)
        match segment.kind:
            case "code":
                result.append(code_document(source, "", theme))
            case "math":
                result.append(formula_document(source, theme))
            case "table":
                assert segment.block is not None
                columns = Columns(segment.block.head, theme)
                result.append(table_document(source, columns, theme, continued=segment.continued))
            case "text":
                document = text_document(
                    source, theme, references=references, ordinal=segment.ordinal, growing=segment.growing
                )
                result.append(document)
    return result


def text_of(markdown: str, theme: Theme, *, growing: bool = False) -> str:
    """Their text, one line to a block."""
    texts = [document.toPlainText() for document in documents_of(markdown, theme, growing=growing)]
    return "\n".join(texts).replace("\u2028", "\n")
