"""Tables in the transcript: cells, one table over many tiles, scrolling, copying, directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor

from rillet.widgets.blocks.table import TableBlock
from rillet.widgets.markdown.table import table_of
from rillet.widgets.theme.tokens import LIGHT
from support.views import answer, text_views, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.transcript.view import Transcript

SOURCE = "| Name | Count |\n|---|--:|\n| **a** | 1 |\n| b \\| c | $x^2$ |"
WIDE = "| " + " | ".join(f"Column{i}OfMany" for i in range(12)) + " |\n" + "|---" * 12 + "|\n" + "| 1 " * 12 + "|"
HEBREW = "| שם | גיל |\n|---|---|\n| דוד | 12 |"


def blocks(view: Transcript) -> list[TableBlock]:
    found = [block for block in view._stage.blocks.values() if isinstance(block, TableBlock)]
    return sorted(found, key=lambda block: block.mapTo(view.viewport(), block.rect().topLeft()).y())


def long_table(rows: int) -> str:
    return "| n | square |\n|--:|--:|\n" + "\n".join(f"| {i} | {i * i} |" for i in range(rows))


def test_cells_hold_their_text_without_marks(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(SOURCE)])
    (block,) = blocks(view)
    table = table_of(block.text_view.document())
    assert table is not None
    texts = [[table.cellAt(r, c).firstCursorPosition().block().text() for c in range(2)] for r in range(3)]
    assert texts == [["Name", "Count"], ["a", "1"], ["b | c", "$x^2$"]]
    assert block.text_view.accessibleName() == "Table, 2 columns, 3 rows"


def test_a_table_is_as_wide_as_its_columns_and_a_wide_one_scrolls(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(f"{SOURCE}\n\n{WIDE}")])
    narrow, wide = blocks(view)
    assert narrow.text_view.width() < view._layout.column.width / 2
    assert not narrow._bar.isVisible()
    assert wide._bar.isVisible()
    wide._bar.setValue(70)
    assert wide.text_view.horizontalScrollBar().value() == 70


def test_all_tiles_of_a_table_have_the_same_columns_and_touch(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer(long_table(60))])
    first, second, third = blocks(view)
    assert first.geometry().bottom() + 1 == second.y()
    assert second.geometry().bottom() + 1 == third.y()
    assert len({block.text_view.geometry().width() for block in (first, second, third)}) == 1
    tables = [table_of(block.text_view.document()) for block in (first, second, third)]
    assert len({tuple(x.rawValue() for x in t.format().columnWidthConstraints()) for t in tables if t}) == 1
    assert [block._copy.isVisible() for block in (first, second, third)] == [True, False, False]


def test_all_tiles_of_a_table_scroll_together(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer(WIDE + "\n" + "\n".join("| 2 " * 12 + "|" for _ in range(60)))])
    first, *others = blocks(view)
    first.text_view.horizontalScrollBar().setValue(90)
    assert [block.text_view.horizontalScrollBar().value() for block in others] == [90] * len(others)


def test_copy_gives_markdown_cells_and_html(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer(f"Text\n\n{long_table(60)}\n\nMore")])
    first, *_ = blocks(view)
    first._copy.click()
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == long_table(60)
    assert bytes(data.data("text/markdown").data()).decode() == long_table(60)
    lines = bytes(data.data("text/tab-separated-values").data()).decode().split("\n")
    assert (lines[0], lines[60], len(lines)) == ("n\tsquare", "59\t3481", 61)
    assert data.html().startswith("<table><tr><th>n</th><th>square</th></tr><tr><td>0</td>")


def test_the_cells_can_be_copied_as_plain_text(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(SOURCE)])
    blocks(view)[0].copy_cells()
    assert QGuiApplication.clipboard().text() == "Name\tCount\na\t1\nb | c\t$x^2$"


def test_selected_cells_are_copied_as_rows(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(long_table(3))])
    (editor,) = text_views(view, "table")
    table = table_of(editor.document())
    assert table is not None
    cursor = QTextCursor(editor.document())
    cursor.setPosition(table.cellAt(1, 0).firstPosition())
    cursor.setPosition(table.cellAt(2, 1).lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    assert editor.createMimeDataFromSelection().text() == "0\t0\n1\t1"
    cursor.setPosition(table.cellAt(3, 1).firstPosition())
    cursor.setPosition(table.cellAt(3, 1).lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    assert editor.createMimeDataFromSelection().text() == "4"


def test_a_right_to_left_table_begins_at_the_right(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(HEBREW)])
    (block,) = blocks(view)
    assert block.text_view.geometry().right() >= block.width() - 2
    table = table_of(block.text_view.document())
    assert table is not None
    assert table.cellAt(0, 1).firstCursorPosition().block().text() == "שם"


def test_a_wide_right_to_left_table_is_scrolled_to_its_beginning(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(WIDE.replace("Column0OfMany", "עמודה", 1))])
    (block,) = blocks(view)
    bar = block.text_view.horizontalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    block.text_view.horizontalScrollBar().setValue(bar.maximum() - 30)
    assert block.tile is not None
    assert block.tile.shared.sideways == 30


def test_narrowing_the_window_wraps_cells_before_it_scrolls(qtbot: QtBot) -> None:
    view = transcript(qtbot, width=800)
    words = "many words in one cell that can be wrapped at any of their spaces without harm"
    view.reset([answer(f"| a | b |\n|---|---|\n| {words} | 1 |")])
    before = blocks(view)[0].height()
    view.resize(420, 600)
    (block,) = blocks(view)
    assert block.height() > before
    assert not block._bar.isVisible()
    assert block.height() == next(iter(view._stage.blocks)).height


@pytest.mark.parametrize("rows", [1, 30])
def test_the_head_has_a_ground_and_rows_are_ruled(qtbot: QtBot, rows: int) -> None:
    view = transcript(qtbot, height=2000)
    view.reset([answer(long_table(rows))])
    first = blocks(view)[0]
    first._copy.hide()
    image = first.grab().toImage()
    assert image.pixelColor(6, 20) == QColor(LIGHT.code)
    column = [image.pixelColor(6, y) for y in range(image.height())]
    lines = [y for y in range(1, len(column)) if column[y] == QColor(LIGHT.border) != column[y - 1]]
    assert len(lines) >= min(rows, 25)


def test_the_keyboard_reaches_the_copy_button(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(SOURCE)])
    (block,) = blocks(view)
    assert block._copy.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert block._copy.accessibleName() == "Copy table"


def test_the_copy_button_covers_no_cell_while_there_is_room_beside_the_table(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(f"{SOURCE}\n\n{HEBREW}\n\n{WIDE}")])
    narrow, hebrew, wide = blocks(view)
    for block in (narrow, hebrew):
        assert not block._copy.geometry().intersects(block.text_view.geometry())
        assert block.rect().contains(block._copy.geometry())
    assert wide.text_view.geometry().contains(wide._copy.geometry())
