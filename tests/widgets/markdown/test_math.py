"""Formulas in documents: they stand on the line of the text, fit their room, and know their source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument, QTextImageFormat

from rillet.widgets.markdown import Columns, Formulas, LiveTable, MathWriter, formula_document, text_document
from rillet.widgets.markdown.math import SOURCE, room_in, text_between
from rillet.widgets.markdown.typeset import Drawing
from support.formulas import Drawn, Typesetter

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.theme.palette import Theme


def pictures(document: QTextDocument) -> list[QTextImageFormat]:
    """The formats of all formulas, from top to bottom."""
    found = []
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            form = iterator.fragment().charFormat()
            if form.hasProperty(SOURCE):
                found.append(form.toImageFormat())
            iterator += 1
        block = block.next()
    return found


def image_of(document: QTextDocument, form: QTextImageFormat) -> QImage:
    image = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(form.name()))
    assert isinstance(image, QImage)
    return image


def drawn(source: str, theme: Theme, ratio: float = 1.0) -> tuple[QTextDocument, MathWriter]:
    math = MathWriter(Drawn(), theme, ratio)
    return text_document(source, theme, math=math), math


def test_every_formula_knows_its_source(theme: Theme) -> None:
    source = "a $x$ and \\(y\\) and $$z$$\n\n- item\n\n  \\[\n  w\n  \\]"
    document, _ = drawn(source, theme)
    sources = [form.stringProperty(SOURCE) for form in pictures(document)]
    assert sources == ["$x$", "\\(y\\)", "$$z$$", "\\[\nw\n\\]"]
    end = document.characterCount() - 1
    assert text_between(document, 0, end) == "a $x$ and \\(y\\) and $$z$$\nitem\n\\[\nw\n\\]"


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_pictures_have_the_pixels_of_the_screen(theme: Theme, ratio: float) -> None:
    document, _ = drawn("$xyz$", theme, ratio)
    (form,) = pictures(document)
    assert image_of(document, form).width() == form.width() * ratio


def test_a_formula_without_depth_stands_on_the_base_line(theme: Theme) -> None:
    class Flat(Drawn):
        def find(self, key: object) -> Drawing | None:
            return Drawing(b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 9.0, 9.0, 0.0)

    document = text_document("a $x$", theme, math=MathWriter(Flat(), theme))
    document.setTextWidth(300)
    assert document.size().height() == theme.line
    (form,) = pictures(document)
    assert form.verticalAlignment() == QTextImageFormat.VerticalAlignment.AlignBaseline


def test_what_is_wider_than_its_room_is_painted_smaller(theme: Theme) -> None:
    wide = "x" * 80
    document, math = drawn(f"$${wide}$$\n\n- $${wide}$$\n\n> - $${wide}$$\n\n$y$", theme, 2.0)
    natural = [form.width() for form in pictures(document)]
    math.shrink(document, room_in(300))
    step = document.indentWidth()
    expected = [300, 300 - step, 300 - 2 * step, natural[3]]
    assert [form.width() for form in pictures(document)] == pytest.approx(expected)
    for form in pictures(document):
        assert abs(image_of(document, form).width() - form.width() * 2) <= 1
    math.shrink(document, room_in(3000))
    assert [form.width() for form in pictures(document)] == natural


def test_a_formula_fits_its_cell(theme: Theme) -> None:
    source = f"| a | b |\n|---|---|\n| $x{'+y' * 60}$ | {'word ' * 90} |"
    head, delimiters, *rows = source.split("\n")
    columns = Columns(f"{head}\n{delimiters}\n", theme)
    columns.take(rows)
    live = LiveTable(columns, theme, math=MathWriter(Drawn(), theme))
    live.update(source)
    widths = columns.widths(400)
    live.set_widths(widths)
    (form,) = pictures(live.document)
    assert form.width() <= widths[0] - 24


def test_what_waits_is_known_and_what_cannot_be_drawn_does_not_wait(qtbot: QtBot, theme: Theme) -> None:
    formulas = Formulas(Typesetter(instant=True))
    math = MathWriter(formulas, theme)
    document = text_document("$bad_1$ $bad_2$", theme, math=math)
    assert {key.tex for key in math.waiting} == {"bad_1", "bad_2"}
    assert document.toPlainText() == "$bad_1$ $bad_2$"
    assert not math.drawn
    with qtbot.waitSignal(formulas.ready):
        pass
    again = MathWriter(formulas, theme)
    assert text_document("$bad_1$", theme, math=again).toPlainText() == "$bad_1$"
    assert again.waiting == set()


def test_size_and_colour_follow_the_text_around(theme: Theme) -> None:
    formulas = Formulas(Typesetter())
    math = MathWriter(formulas, theme)
    text_document("# $h$\n\n$t$\n\n> $q$", theme, math=math)
    keys = {key.tex: key for key in math.waiting}
    assert keys["h"].size > keys["t"].size
    assert keys["q"].size == keys["t"].size
    assert keys["q"].colour != keys["t"].colour


def test_a_formula_inside_a_link_is_a_link(theme: Theme) -> None:
    document, _ = drawn("[see $x$](https://example.org)", theme)
    (form,) = pictures(document)
    assert form.anchorHref() == "https://example.org"


def test_a_display_formula_alone_is_no_higher_than_its_drawing(theme: Theme) -> None:
    document = formula_document("$$xy$$", theme, math=MathWriter(Drawn(), theme))
    (form,) = pictures(document)
    assert document.size().height() == pytest.approx(form.height(), abs=2)


def test_positions_are_counted_as_qt_does(theme: Theme) -> None:
    document, _ = drawn("\U0001f642 $x$ b", theme)
    assert text_between(document, 0, 2) == "\U0001f642"
    assert text_between(document, 3, 4) == "$x$"
    assert text_between(document, 3, 6) == "$x$ b"
