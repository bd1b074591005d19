"""All tiles of a table share its columns, and their heights are known before anybody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.widgets.markdown import Formulas
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.transcript.documents import Documents
from rillet.widgets.transcript.model import Section, Tile
from rillet.widgets.transcript.tables import columns_of, estimated_height
from support.formulas import Typesetter

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

HEAD = "| Name | Value |\n|---|--:|\n"
LONG = "several words that need more than one line when there is not much room for them"


def tiles(rows: int, cell: str = "x") -> list[Tile]:
    return list(Section("markdown", HEAD + "".join(f"| {cell} | {i} |\n" for i in range(rows))).tiles())


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme.of(LIGHT)


def test_a_later_tile_has_the_columns_of_the_first(theme: Theme) -> None:
    parts = tiles(60)
    last = columns_of(parts[-1], theme)
    assert columns_of(parts[0], theme) is last
    assert last.widths(500) == columns_of(tiles(60)[0], theme).widths(500)


def test_columns_follow_the_first_tile_while_it_grows_and_no_longer(theme: Theme) -> None:
    section = Section("markdown", growing=True)
    section.append(HEAD + "| x | 1 |\n")
    (tile,) = section.tiles()
    narrow = columns_of(tile, theme).widths(600)
    section.append(f"| {LONG} | 2 |\n")
    wide = columns_of(tile, theme).widths(600)
    assert wide[0] > narrow[0]
    section.append("| x | 1 |\n" * 30)
    settled = columns_of(tile, theme).widths(600)
    section.append(f"| {LONG * 3} | 2 |\n")
    assert columns_of(section.tiles()[-1], theme).widths(600) == settled == wide


def test_colours_change_no_columns_but_fonts_do(theme: Theme) -> None:
    (tile,) = tiles(3)
    columns = columns_of(tile, theme)
    assert columns_of(tile, Theme.of(DARK)) is columns
    assert columns_of(tile, theme.quiet()) is not columns


@pytest.mark.parametrize("room", [180, 400, 700])
@pytest.mark.parametrize("cell", ["x", LONG, "**bold** and `code`"])
def test_estimates_are_exact_within_three_pixels(theme: Theme, room: int, cell: str) -> None:
    documents = Documents(theme, formulas=Formulas(Typesetter()))
    for tile in tiles(60, cell):
        assert abs(estimated_height(tile, theme, room) - documents.fit(tile, room).size().height()) <= 3
    documents.clear()


def test_far_rows_are_as_high_as_the_first_ones_are_on_average(theme: Theme) -> None:
    near, *_, far = tiles(4000, "some words")
    assert far.segment is not None
    assert estimated_height(far, theme, 700) == far.segment.lines * (theme.line + 12)
    assert estimated_height(near, theme, 700) == 26 * (theme.line + 12)
