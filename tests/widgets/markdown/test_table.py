"""Documents of tables: columns that follow from the first rows, rows that are added, heights known beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from rillet.widgets.markdown import Columns, LiveTable, table_document
from rillet.widgets.markdown.table import row_tops, rows_of, table_of
from support.documents import described, links

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

HEAD = "| Name | Number | Remark |\n|:--|--:|:-:|\n"
WORDS = "a cell with a good many words in it, which want to be in one line but have to go into several"


def columns(source: str, theme: Theme) -> Columns:
    head, delimiters, *rows = source.split("\n")
    made = Columns(f"{head}\n{delimiters}\n", theme)
    made.take(rows)
    return made


def table(source: str, theme: Theme, room: int) -> LiveTable:
    live = LiveTable(columns(source, theme), theme)
    live.update(source)
    widths = live.columns.widths(room)
    live.set_widths(widths)
    live.document.setTextWidth(sum(widths))
    return live


def test_the_delimiter_row_aligns_columns_and_is_not_shown(theme: Theme) -> None:
    live = table(HEAD + "| a | 1 | b |", theme, 700)
    made = table_of(live.document)
    assert made is not None
    assert (made.rows(), made.columns()) == (2, 3)
    alignments = [made.cellAt(1, c).firstCursorPosition().blockFormat().alignment() for c in range(3)]
    assert alignments[1] & Qt.AlignmentFlag.AlignRight
    assert alignments[2] & Qt.AlignmentFlag.AlignHCenter
    assert made.format().headerRowCount() == 1


def test_cells_are_formatted_and_the_head_is_strong(theme: Theme) -> None:
    live = table(HEAD + "| [a](http://b) | `1` | <b>x</b> |", theme, 700)
    assert links(live.document) == [("a", "http://b")]
    assert "<b>x</b>" in live.document.toPlainText()
    made = table_of(live.document)
    assert made is not None
    assert made.cellAt(0, 0).firstCursorPosition().charFormat().fontWeight() > 500


@pytest.mark.parametrize("room", [120, 300, 700])
def test_columns_fill_the_room_before_they_leave_it(theme: Theme, room: int) -> None:
    made = columns(HEAD + f"| {WORDS} | 1 | {WORDS} |", theme)
    widths = made.widths(room)
    assert len(widths) == 3
    if room >= 300:
        assert sum(widths) <= room
    assert min(widths) >= 20


def test_what_fits_is_not_wrapped(theme: Theme) -> None:
    live = table(HEAD + "| some words | **1** `2` | $x$ |", theme, 700)
    assert live.document.size().height() == 2 * (theme.line + 12)
    assert sum(live.columns.widths(700)) < 400


def test_rows_behind_the_first_segment_move_no_column(theme: Theme) -> None:
    made = columns(HEAD + "| a | 1 | b |", theme)
    before = made.widths(500)
    document = table_document(f"| {WORDS} | 1 | b |", made, theme, continued=True)
    assert made.widths(500) == before
    assert f"{WORDS}" in document.toPlainText()


def test_columns_of_another_text_are_measured_anew(theme: Theme) -> None:
    made = columns(HEAD + f"| {WORDS} | 1 | b |", theme)
    made.take([])
    assert made.widths(900) == columns(HEAD.rstrip("\n"), theme).widths(900)


ROWS = st.lists(
    st.lists(
        st.sampled_from(
            ("", "a", "12.5", WORDS, "**bold** text", "`code`", "x" * 60, "日本語のテキスト", "שלום", "a \\| b")
        ),
        max_size=4,
    ).map(lambda cells: "| " + " | ".join(cells) + " |"),
    max_size=12,
)


@given(rows=ROWS, cut=st.integers(0, 12))
def test_a_table_that_grew_equals_one_built_at_once(theme: Theme, rows: list[str], cut: int) -> None:
    source = HEAD + "\n".join(rows)
    live = LiveTable(columns(source, theme), theme)
    live.update(HEAD + "\n".join(rows[:cut]))
    live.update(source)
    assert described(live.document) == described(table_document(source, columns(source, theme), theme))


@given(rows=ROWS, room=st.sampled_from((300, 500, 720)))
@example(rows=[f"|  | {WORDS} |", f"| {WORDS} | {'x' * 60} |"], room=720)
def test_heights_are_known_without_layout(theme: Theme, rows: list[str], room: int) -> None:
    """To the pixel; to the line in rows with a word that is wider than its column, which Qt breaks where it likes."""
    plain = [row for row in rows if not any(mark in row for mark in ("日", "ש", "`", "**"))]
    source = (HEAD + "\n".join(plain)).rstrip("\n")
    live = table(source, theme, room)
    estimate = live.columns.height(rows_of(source, continued=False), room, head=True)
    broken = sum("x" * 60 in row for row in plain)
    assert abs(estimate - live.document.size().height()) <= 3 + broken * theme.line


def test_rows_begin_where_the_lines_are_drawn(theme: Theme) -> None:
    live = table(HEAD + "| a | 1 | b |\n| c | 2 | d |", theme, 700)
    height = theme.line + 12
    assert row_tops(live.document) == [0, height, 2 * height, 3 * height]


def test_a_row_that_changes_is_shown_changed(theme: Theme) -> None:
    live = table(HEAD + "| a | 1 | b |", theme, 700)
    live.update(HEAD + "| c | 1 | b |\n| d | 2 | e |")
    text = live.document.toPlainText()
    assert "a\n" not in text
    assert "c\n" in text


def test_a_definition_that_arrives_late_makes_a_link(theme: Theme) -> None:
    references: dict[str, dict[str, str]] = {}
    source = HEAD + "| [a] | 1 | b |"
    live = LiveTable(columns(source, theme), theme, references=references)
    live.update(source)
    assert links(live.document) == []
    references["A"] = {"title": "", "href": "https://b.c"}
    live.update(source)
    assert links(live.document) == [("a", "https://b.c")]
