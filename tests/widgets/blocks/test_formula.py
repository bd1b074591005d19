"""Display formulas in the transcript: drawn when they are there, in the middle, scrolled when wide, read as TeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor

from rillet.widgets.blocks.formula import FormulaBlock
from rillet.widgets.markdown import Formulas
from rillet.widgets.transcript.model import Entry, Foot
from support.formulas import Typesetter
from support.views import answer, text_views, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.transcript.view import Transcript

OBJECT = "\ufffc"


def blocks(view: Transcript) -> list[FormulaBlock]:
    found = [block for block in view._stage.blocks.values() if isinstance(block, FormulaBlock)]
    return sorted(found, key=lambda block: block.mapTo(view.viewport(), block.rect().topLeft()).y())


def drawn(qtbot: QtBot, source: str, *, width: int = 800) -> Transcript:
    """A transcript whose formulas have been drawn."""
    typesetter = Typesetter(instant=True)
    view = transcript(qtbot, width=width, formulas=Formulas(typesetter))
    view.reset([answer(source)])
    qtbot.waitUntil(lambda: bool(typesetter.asked) and not view._documents.formulas._asked)
    return view


def test_the_source_is_shown_until_the_formula_is_drawn(qtbot: QtBot) -> None:
    typesetter = Typesetter()
    view = transcript(qtbot, formulas=Formulas(typesetter))
    view.reset([answer("Text with $x^2$.\n\n$$\ny = 1\n$$")])
    assert [editor.toPlainText() for editor in text_views(view)] == ["Text with $x^2$.", "$$\ny = 1\n$$"]
    for count in (1, 2):
        qtbot.waitUntil(lambda count=count: len(typesetter.asked) == count)  # type: ignore[misc]
        typesetter.release()
    assert [editor.document().toPlainText() for editor in text_views(view)] == [f"Text with {OBJECT}.", OBJECT]


def test_a_formula_that_cannot_be_drawn_stays_its_source(qtbot: QtBot) -> None:
    view = drawn(qtbot, "a $bad$ b and $good$\n\n\\[ bad \\]")
    texts = [editor.document().toPlainText() for editor in text_views(view)]
    assert texts == [f"a $bad$ b and {OBJECT}", "\\[ bad \\]"]


def test_a_formula_stands_in_the_middle(qtbot: QtBot) -> None:
    view = drawn(qtbot, "$$xyz$$")
    (block,) = blocks(view)
    area = block.text_view.geometry()
    assert abs(area.center().x() - block.rect().center().x()) <= 1
    assert area.width() < block.width() / 2
    assert not block._bar.isVisible()


def test_a_wide_formula_is_scrolled_sideways_at_its_own_size(qtbot: QtBot) -> None:
    view = drawn(qtbot, f"$${'x' * 150}$$")
    (block,) = blocks(view)
    assert block._bar.isVisible()
    assert block.text_view.horizontalScrollBar().maximum() > 500


def test_a_wide_formula_inside_a_list_fits_the_column_at_every_width(qtbot: QtBot) -> None:
    view = drawn(qtbot, f"- item\n\n  $${'x' * 150}$$\n\n  end")
    for width in (800, 420, 700):
        view.resize(width, 600)
        (editor,) = text_views(view, "text")
        assert editor.document().idealWidth() <= editor.width()
        assert editor.horizontalScrollBar().maximum() == 0


def test_assistive_tools_read_the_tex(qtbot: QtBot) -> None:
    view = drawn(qtbot, "Text with $x^2$.\n\n$$y = 1$$")
    text, formula = text_views(view)
    assert text.accessibleDescription() == "Text with $x^2$."
    assert formula.accessibleName() == "Formula: y = 1"


def test_copying_gives_the_source(qtbot: QtBot) -> None:
    view = drawn(qtbot, "A **smile** \U0001f642 and $x^2$ then $y$$y$.\n\n$$y = 1$$")
    text, formula = text_views(view)
    text.selectAll()
    assert text.createMimeDataFromSelection().text() == "A smile \U0001f642 and $x^2$ then $y$$y$."
    formula.selectAll()
    assert formula.createMimeDataFromSelection().text() == "$$y = 1$$"
    cursor = QTextCursor(text.document())
    cursor.setPosition(2)
    cursor.setPosition(10, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    assert text.createMimeDataFromSelection().text() == "smile \U0001f642"


def test_drawing_a_formula_above_moves_nothing_that_is_read(qtbot: QtBot) -> None:
    typesetter = Typesetter()
    view = transcript(qtbot, formulas=Formulas(typesetter))
    paragraphs = "\n\n".join(f"Paragraph {i} with $x_{{{i}}}$ in it, and then more." for i in range(60))
    view.reset([answer(f"$${'y'}$$\n\n{paragraphs}")])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    tile = next(iter(view._stage.blocks))
    before = view._stage.blocks[tile].mapTo(view.viewport(), view._stage.blocks[tile].rect().topLeft()).y()
    qtbot.waitUntil(lambda: bool(typesetter.asked))
    typesetter.release()
    after = view._stage.blocks[tile].mapTo(view.viewport(), view._stage.blocks[tile].rect().topLeft()).y()
    assert abs(after - before) <= 1


def test_an_unfinished_formula_is_neither_drawn_nor_asked_for(qtbot: QtBot) -> None:
    typesetter = Typesetter()
    view = transcript(qtbot, formulas=Formulas(typesetter))
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    view.grow(entry, "markdown", "$$\nx = \\frac{1}{2}\n")
    view.grow(entry, "markdown", "+ y")
    assert text_views(view)[0].toPlainText() == "$$\nx = \\frac{1}{2}\n+ y"
    view.finish(entry)
    assert not view._documents.formulas._asked
