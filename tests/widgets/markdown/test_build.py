"""Markdown becomes blocks, lists and frames, in the look of the theme."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QImage,
    QPainter,
    QTextBlock,
    QTextBlockFormat,
    QTextDocument,
    QTextFormat,
    QTextListFormat,
)

from rillet.widgets.markdown import text_document
from rillet.widgets.markdown.formats import HANG, indent_width
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.theme.typography import Typography
from support.documents import links

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

Style = QTextListFormat.Style
BAR = 5
"""Pixels from the edge of a quote that belong to its bar."""


def blocks(document: QTextDocument) -> list[QTextBlock]:
    result = []
    block = document.begin()
    while block.isValid():
        result.append(block)
        block = block.next()
    return result


def texts(document: QTextDocument) -> list[str]:
    return [block.text() for block in blocks(document)]


def numbers(document: QTextDocument) -> list[str]:
    """The marker of every block that is a list item."""
    return [block.textList().itemText(block) for block in blocks(document) if block.blockFormat().objectIndex() != -1]


def test_paragraphs_are_blocks_without_empty_ones_between(theme: Theme) -> None:
    document = text_document("one\ntwo\n\n\n\nthree  \nfour\\\nfive\n", theme)
    assert texts(document) == ["one two", "three\u2028four\u2028five"]


def test_the_distance_is_above_every_block_but_the_first(theme: Theme) -> None:
    document = text_document("# one\n\ntwo\n\nthree\n\n- four\n- five\n\n- six\n\n## seven", theme)
    margins = [block.blockFormat().topMargin() for block in blocks(document)]
    assert margins == [0, 8, 12, 8, 4, 8, 24]
    assert {block.blockFormat().bottomMargin() for block in blocks(document)} == {0}


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5, 6])
def test_headings_scale_with_the_body(theme: Theme, level: int) -> None:
    document = text_document(f"{'#' * level} Head", theme)
    (block,) = blocks(document)
    form = block.begin().fragment().charFormat()
    assert block.blockFormat().headingLevel() == level
    assert form.fontWeight() == QFont.Weight.DemiBold
    scale = {1: 1.35, 2: 1.2, 3: 1.08}.get(level, 1.0)
    assert form.fontPointSize() == pytest.approx(theme.body.pointSizeF() * scale)


def test_lines_are_at_least_as_high_as_the_theme_says(theme: Theme) -> None:
    document = text_document("words", theme)
    (block,) = blocks(document)
    assert block.blockFormat().lineHeight() == theme.line
    assert block.blockFormat().lineHeightType() == QTextBlockFormat.LineHeightTypes.MinimumHeight.value
    document.setTextWidth(400)
    assert document.size().height() == theme.line


def test_lists_nest_and_number_as_written(theme: Theme) -> None:
    document = text_document("3. three\n   - bullet\n     1. inner\n4. four\n\n   more of four\n", theme)
    assert texts(document) == ["three", "bullet", "inner", "four", "more of four"]
    lists = [block.textList() for block in blocks(document)[:4]]
    assert [each.format().style() for each in lists] == [
        Style.ListDecimal,
        Style.ListCircle,
        Style.ListLowerRoman,
        Style.ListDecimal,
    ]
    assert [each.format().indent() for each in lists] == [1, 2, 3, 1]
    assert lists[0].objectIndex() == lists[3].objectIndex()
    assert lists[0].format().start() == 3
    assert blocks(document)[4].blockFormat().indent() == 1


def _ink(document: QTextDocument, width: int, *, mirrored: bool = False, beside: int = 0) -> list[int]:
    """The columns of pixels in which something is drawn, from the side where reading begins.

    ``beside`` is how many pixels left and right of the document are looked at as well.
    """
    document.setTextWidth(width)
    image = QImage(width + 2 * beside, int(document.size().height()), QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.translate(beside, 0)
    document.drawContents(painter)
    painter.end()
    rows = range(image.height())
    inked = [x for x in range(image.width()) if any(image.pixelColor(x, y).lightness() < 200 for y in rows)]
    return [image.width() - 1 - x for x in reversed(inked)] if mirrored else inked


@pytest.mark.parametrize("letter", ["H", "\u05d7"])
@pytest.mark.parametrize("marker", ["- ", "1. ", "- [x] "])
def test_a_marker_keeps_its_distance_from_the_text(theme: Theme, marker: str, letter: str) -> None:
    inked = _ink(text_document(marker + letter, theme), 200, mirrored=letter != "H")
    last_gap = max(b - a - 1 for a, b in pairwise(inked) if b >= HANG + indent_width(theme))
    assert last_gap >= 6
    assert inked[0] > HANG


@pytest.mark.parametrize("points", [9.0, 11.0, 18.0, 30.0])
@pytest.mark.parametrize("number", [9, 99, 100, 1000, 123456789])
@pytest.mark.parametrize("quoted", ["", "> "])
def test_the_number_of_an_item_is_never_cut(qapp: QApplication, points: float, number: int, quoted: str) -> None:
    theme = Theme.of(LIGHT, Typography(points=points))
    for letter in ("H", "\u05d7"):
        document = text_document(f"{quoted}{number}. {letter}", theme)
        inked = _ink(document, 600, mirrored=letter != "H")
        assert len(inked) == len(_ink(document, 600, beside=300))
        assert not quoted or inked[0] > HANG + BAR, "nor does it stand in the bar of a quote"


def test_texts_stand_in_line_until_a_number_has_no_room(theme: Theme) -> None:
    document = text_document("98. a\n99. b\n100. c\n101. d\n", theme)
    assert [block.blockFormat().leftMargin() for block in blocks(document)] == [0, 0, 0, 0]
    moved = blocks(text_document("123456. a", theme))[0].blockFormat().leftMargin()
    assert 0 < moved < blocks(text_document("1234567. a", theme))[0].blockFormat().leftMargin()


def test_numbers_stand_before_their_points_in_both_directions(theme: Theme) -> None:
    document = text_document("1. one\n2. \u05e9\u05ea\u05d9\u05d9\u05dd\n3. \u05e9\n4. four\n5. `x`\n", theme)
    lists = [block.textList() for block in blocks(document)]
    ends = [(each.format().numberPrefix(), each.format().numberSuffix()) for each in lists]
    assert ends == [("", ". "), (". ", ""), (". ", ""), ("", ". "), ("", ". ")]
    assert numbers(document) == ["1. ", "2. ", "3. ", "4. ", "5. "]


def test_a_cut_list_counts_on(theme: Theme) -> None:
    assert numbers(text_document("1. a\n1. b", theme, ordinal=7)) == ["7. ", "8. "]
    assert numbers(text_document("words\n\n1. a", theme, ordinal=7)) == ["1. "]


def test_task_items_have_boxes(theme: Theme) -> None:
    document = text_document("- [ ] open\n- [x] done\n- [link](http://a)\n- no [ ] box", theme)
    Marker = QTextBlockFormat.MarkerType
    assert [block.blockFormat().marker() for block in blocks(document)] == [
        Marker.Unchecked,
        Marker.Checked,
        Marker.NoMarker,
        Marker.NoMarker,
    ]
    assert texts(document)[:2] == ["open", "done"]


def test_an_empty_item_keeps_its_marker(theme: Theme) -> None:
    document = text_document("- \n- a\n-", theme)
    assert texts(document) == ["", "a", ""]
    assert len(numbers(document)) == 3


def test_quotes_are_indented_muted_and_know_their_depth(theme: Theme) -> None:
    document = text_document("> outer\n>\n> > inner\n\nafter", theme)
    levels = [block.blockFormat().intProperty(QTextFormat.Property.BlockQuoteLevel) for block in blocks(document)]
    assert levels == [1, 2, 0]
    assert [block.blockFormat().indent() for block in blocks(document)] == [1, 2, 0]
    assert blocks(document)[0].begin().fragment().charFormat().foreground().color().name().upper() == LIGHT.muted


def test_code_in_an_item_is_framed_monospace_text(theme: Theme) -> None:
    document = text_document("- a\n\n  ```py\n  x = 1\n    y\n  ```\n\n- b", theme)
    (frame,) = document.rootFrame().childFrames()
    code = frame.firstCursorPosition().block()
    assert [code.text(), code.next().text()] == ["x = 1", "  y"]
    assert code.begin().fragment().charFormat().fontFamilies() == theme.mono.families()
    assert texts(document) == ["a", "x = 1", "  y", "b"]
    assert len(numbers(document)) == 2


def test_code_in_an_item_is_coloured_once_it_is_closed(theme: Theme) -> None:
    def colour(source: str) -> str:
        document = text_document(source, theme)
        block = document.rootFrame().childFrames()[0].firstCursorPosition().block()
        return block.begin().fragment().charFormat().foreground().color().name().upper()

    assert colour("- a\n\n  ```py\n  import os") == theme.foreground
    assert colour("- a\n\n  ```py\n  import os\n  ```") == theme.tokens.code_keyword
    assert colour("> ```py\n> import os\n> ```") == theme.tokens.code_keyword
    assert colour("- ```nonesuch\n  import os\n  ```") == theme.foreground


def test_a_frame_at_the_end_leaves_no_gap(theme: Theme) -> None:
    document = text_document("- a\n\n  ```\n  x\n  ```", theme)
    document.setTextWidth(400)
    (frame,) = document.rootFrame().childFrames()
    below = document.size().height() - document.documentLayout().frameBoundingRect(frame).bottom()
    assert below <= 1


def test_code_fills_the_line_of_an_item_that_begins_with_it(theme: Theme) -> None:
    document = text_document("-     code\n- b", theme)
    assert texts(document) == ["", "code", "b"]
    assert len(numbers(document)) == 2


def test_a_rule_is_a_hairline(theme: Theme) -> None:
    document = text_document("a\n\n---\n\nb", theme)
    document.setTextWidth(400)
    rule = blocks(document)[1]
    assert rule.text() == ""
    assert document.documentLayout().blockBoundingRect(rule).height() <= 3
    assert rule.blockFormat().background().color().name().upper() == LIGHT.border


def test_a_table_inside_a_list_stays_readable(theme: Theme) -> None:
    document = text_document("- a\n\n  | b | c |\n  |---|---|\n  | 1 | **2** |", theme)
    assert texts(document) == ["a", "b  │  c", "1  │  2"]


@pytest.mark.parametrize(("source", "right"), [("مرحبا بالعالم", True), ("hello مرحبا", False), ("- שלום", True)])
def test_every_paragraph_takes_the_direction_of_its_script(theme: Theme, source: str, right: bool) -> None:
    document = text_document(source, theme)
    (block,) = blocks(document)
    assert (block.textDirection() == Qt.LayoutDirection.RightToLeft) is right


def test_link_definitions_from_elsewhere_are_used(theme: Theme) -> None:
    document = text_document("[a]", theme, references={"A": {"title": "", "href": "https://b.c"}})
    assert links(document) == [("a", "https://b.c")]


def test_colours_are_those_of_the_theme(qapp: object) -> None:
    for tokens in (LIGHT, DARK):
        theme = Theme.of(tokens)
        document = text_document("words", theme)
        (block,) = blocks(document)
        assert block.begin().fragment().charFormat().foreground().color().name().upper() == tokens.text
        document = text_document("words", theme.quiet())
        (block,) = blocks(document)
        assert block.begin().fragment().charFormat().foreground().color().name().upper() == tokens.muted


@pytest.mark.parametrize("source", ["", "\n\n", " ", "[a]: http://b"])
def test_nothing_to_show_is_an_empty_document(theme: Theme, source: str) -> None:
    assert texts(text_document(source, theme)) == [""]


@pytest.mark.parametrize(
    "source",
    [
        "\0a\0",
        "a\ud800b \udfff",
        "a\u2028b\u2029c\u0085d\x0be\x0cf",
        "&#0; &#x2029; &#xFDD0; &#xD800; &#xFFFC;",
        "\ufdd0\ufdd1\ufffc",
        "`\u2029\ufdd0`",
        "- ```\n  \u2029\ufdd0\n  ```",
        "[\ud800](http://\ud800)",
        "> " * 200 + "deep",
        "- " * 200 + "deep",
        "1234567890123. no list",
        "999999999. long list",
    ],
)
def test_odd_characters_neither_crash_nor_split_a_paragraph(theme: Theme, source: str) -> None:
    document = text_document(source, theme)
    document.setTextWidth(300)
    assert document.size().height() > 0
    assert "\u2029" not in "".join(texts(document))
    assert len(document.rootFrame().childFrames()) == ("```" in source)
