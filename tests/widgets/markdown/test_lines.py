"""Lines that are higher than their letters, as those of a small font in ours are, whatever the font here."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument

from rillet.widgets.markdown.lines import block_rect, line_of, offset_at, offset_under

HEIGHT = 60
MARGIN = 30
FIRST, SECOND = "one\u2028two and more", "three"


@pytest.fixture
def document(qapp: object) -> QTextDocument:
    """Two paragraphs, the first one of two lines: they are at 0 and 60, and at 150."""
    made = QTextDocument()
    made.setDocumentMargin(0)
    form = QTextBlockFormat()
    form.setLineHeight(HEIGHT, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    cursor = QTextCursor(made)
    cursor.setBlockFormat(form)
    cursor.insertText(FIRST)
    form.setTopMargin(MARGIN)
    cursor.insertBlock(form)
    cursor.insertText(SECOND)
    made.setTextWidth(500)
    assert made.size().height() == 3 * HEIGHT + MARGIN
    return made


def test_a_block_is_as_high_as_its_lines(document: QTextDocument) -> None:
    rects = [block_rect(document, block) for block in (document.begin(), document.lastBlock())]
    assert [(rect.top(), rect.bottom()) for rect in rects] == [(0, 120), (150, 210)]


def test_a_line_is_where_its_letters_are(document: QTextDocument) -> None:
    lines = [line_of(document, offset) for offset in (0, 4, len(FIRST) + 1)]
    assert [line.top + line.height for line in lines] == [60, 120, 210]
    assert all(10 < line.height < HEIGHT - 10 for line in lines)


def test_the_first_line_that_begins_below_a_height_is_found(document: QTextDocument) -> None:
    assert [offset_at(document, y) for y in (0, 59, 119, 500)] == [0, 4, len(FIRST) + 1, len(FIRST) + 1]


@pytest.mark.parametrize("below", [1, 30, HEIGHT - 2])
@pytest.mark.parametrize(
    ("top", "start", "text"), [(0, 0, "one"), (60, 4, "two and more"), (150, len(FIRST) + 1, SECOND)]
)
def test_the_whole_height_of_a_line_belongs_to_it(
    document: QTextDocument, top: int, start: int, text: str, below: int
) -> None:
    y = top + below
    assert offset_under(document, QPointF(-5, y)) == start
    assert offset_under(document, QPointF(400, y)) == start + len(text)
    block = document.findBlock(start)
    edge = block.layout().lineForTextPosition(start - block.position()).cursorToX(start + 2 - block.position())
    assert isinstance(edge, tuple)
    assert offset_under(document, QPointF(edge[0], y)) == start + 2


def test_between_paragraphs_and_behind_the_last_one_the_nearest_end_is_found(document: QTextDocument) -> None:
    assert offset_under(document, QPointF(2, 130)) in (len(FIRST), len(FIRST) + 1)
    assert offset_under(document, QPointF(2, 400)) in (len(FIRST) + 1, document.characterCount() - 1)
