from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QImage, QPainter, QPalette, QTextDocument, QTextLine

from rillet.widgets.blocks.found import Found, rects_of, x_of
from rillet.widgets.blocks.text import TextView
from rillet.widgets.theme.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

WIDTH = 300


def _document(text: str) -> QTextDocument:
    document = QTextDocument()
    document.setPlainText(text)
    document.setTextWidth(WIDTH)
    document.size()
    return document


def _drawn(document: QTextDocument, found: Found) -> QImage:
    image = QImage(WIDTH, int(document.size().height()), QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    document.drawContents(painter)
    found.draw(painter, document, QPalette(), QRectF(image.rect()))
    painter.end()
    return image


def _colours(image: QImage, rect: QRect) -> set[str]:
    inside = rect.intersected(image.rect())
    return {
        image.pixelColor(x, y).name().upper()
        for x in range(inside.left(), inside.right() + 1)
        for y in range(inside.top(), inside.bottom() + 1)
    }


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_hits_and_the_current_one_have_grounds_of_their_own_and_all_else_stays(tokens: Tokens) -> None:
    document = _document("one two one two " * 12)
    found = Found()
    found.set_tokens(tokens)
    before = _drawn(document, found)
    found.spans, found.current = [(0, 3), (16, 19)], (8, 11)
    after = _drawn(document, found)
    hits, current = list(rects_of(document, found.spans)), list(rects_of(document, [(8, 11)]))
    assert all(tokens.mark in _colours(after, rect) for rect in hits)
    assert all(tokens.accent in _colours(after, rect) for rect in current)
    for rects in (hits, current):
        for rect in rects:
            painter = QPainter(before)
            painter.drawImage(rect, after, rect)
            painter.end()
    assert before == after


@pytest.mark.usefixtures("qtbot")
def test_a_hit_that_is_broken_into_lines_has_a_rectangle_in_each() -> None:
    document = _document("x" * 200)
    rects = list(rects_of(document, [(0, 200)]))
    lines = document.begin().layout().lineCount()
    assert len(rects) == lines > 1
    assert rects == sorted(rects, key=QRect.top)
    assert not any(one.intersects(other) for one, other in pairwise(rects))


@pytest.mark.usefixtures("qtbot")
def test_a_hit_across_paragraphs_has_a_rectangle_in_each() -> None:
    document = _document("one\n\ntwo")
    first, last = rects_of(document, [(1, 7)])
    assert first.bottom() < last.top()
    assert list(rects_of(document, [(6, 900)])), "places beyond the end are left out"


@pytest.mark.usefixtures("qtbot")
def test_where_directions_of_writing_mix_only_the_letters_themselves_are_marked() -> None:
    document = _document("abc \u05d0\u05d1\u05d2\u05d3 def")
    rects = list(rects_of(document, [(2, 6)]))
    assert len(rects) == 2, "c and the space behind it, and the two Hebrew letters on the far right"
    third = x_of(document.begin().layout().lineAt(0), 6, QTextLine.Edge.Leading)
    assert not any(rect.contains(QPoint(round(third) - 2, rect.center().y())) for rect in rects)


def test_marks_move_with_text_that_is_scrolled_sideways(qtbot: QtBot) -> None:
    view = TextView(wrap=False)
    qtbot.addWidget(view)
    view.found.set_tokens(LIGHT)
    document = QTextDocument()
    document.setPlainText("x" * 300 + " needle")
    view.show_document(document)
    view.resize(WIDTH, 60)
    view.show()
    view.mark_found([(301, 307)], None)
    assert LIGHT.mark not in _colours(view.grab().toImage(), view.rect())
    view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
    assert LIGHT.mark in _colours(view.grab().toImage(), view.rect())
    view.show_document(None)
    assert not view.found
