from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import shiboken6
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument

from rillet.widgets.markdown import Formulas
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.transcript.documents import KEPT, Documents, plain_document
from rillet.widgets.transcript.model import Section, Tile
from support.documents import colours, described
from support.formulas import Drawn, Typesetter
from support.views import ANSWER

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot


@pytest.fixture
def documents(qapp: QApplication) -> Documents:
    return Documents(Theme.of(LIGHT))


def _plain(count: int) -> list[Tile]:
    return [Section("plain", f"text {i}").tiles()[0] for i in range(count)]


def test_a_document_is_built_once_and_kept(documents: Documents) -> None:
    (tile,) = _plain(1)
    assert documents.cached(tile) is None
    document = documents.get(tile)
    assert document.toPlainText() == "text 0"
    assert documents.get(tile) is document
    assert documents.cached(tile) is document


def test_the_least_recently_used_go_first_and_those_in_use_never(documents: Documents) -> None:
    tiles = _plain(KEPT + 3)
    built = [documents.get(tile) for tile in tiles]
    documents.get(tiles[1])
    documents.sweep({tiles[0]})
    assert len(documents) == KEPT
    gone = [i for i, document in enumerate(built) if not shiboken6.isValid(document)]
    assert gone == [2, 3, 4]


def test_a_dropped_document_lives_until_the_sweep(documents: Documents) -> None:
    (tile,) = _plain(1)
    document = documents.get(tile)
    documents.drop(tile)
    assert shiboken6.isValid(document)
    assert documents.get(tile) is not document
    documents.sweep({tile})
    assert not shiboken6.isValid(document)


def test_clearing_deletes_everything(documents: Documents) -> None:
    built = [documents.get(tile) for tile in _plain(5)]
    documents.clear()
    assert len(documents) == 0
    assert not any(shiboken6.isValid(document) for document in built)


def test_another_theme_is_another_document(documents: Documents) -> None:
    (tile,) = _plain(1)
    before = described(documents.get(tile))
    documents.set_theme(Theme.of(DARK))
    assert described(documents.get(tile)) != before


@pytest.mark.parametrize("size", [1, 3, 17, 200])
@pytest.mark.parametrize("kind", ["markdown", "reasoning"])
def test_a_growing_document_equals_one_that_is_built_at_the_end(documents: Documents, size: int, kind: str) -> None:
    text = ANSWER + "\n```python\n" + "".join(f"x{i} = '''{i}\n'''\n" for i in range(70)) + "```\nEnd."
    section = Section(kind, growing=True)  # type: ignore[arg-type]
    for at in range(0, len(text), size):
        for tile in section.append(text[at : at + size]):
            if not documents.update(tile):
                documents.get(tile)
    for tile in section.finish():
        if tile.kind != "fold" and not documents.update(tile):
            documents.get(tile)
    fresh = Documents(Theme.of(LIGHT))
    reopened = Section(kind, text)  # type: ignore[arg-type]
    assert len(section.tiles()) == len(reopened.tiles())
    for grown, opened in zip(section.tiles(), reopened.tiles(), strict=True):
        assert described(documents.get(grown)) == described(fresh.get(opened))
        assert colours(documents.get(grown)) == colours(fresh.get(opened))


def test_an_update_keeps_the_object_while_its_tile_is_open(documents: Documents) -> None:
    section = Section("markdown", growing=True)
    (tile,) = section.append("One")
    document = documents.get(tile)
    section.append(" two")
    assert documents.update(tile)
    assert documents.get(tile) is document
    assert document.toPlainText() == "One two"


def test_code_keeps_its_document_when_its_tile_is_closed_and_named_again(documents: Documents) -> None:
    section = Section("markdown", growing=True)
    section.append("```python\nx = 1\n")
    (tile,) = section.tiles()
    document = documents.get(tile)
    section.append("x = 1\n" * 70)
    assert not tile.open
    for _ in range(2):
        assert documents.update(tile)
    assert documents.get(tile) is document
    assert document.blockCount() == 64


def test_plain_text_keeps_what_was_typed(qapp: QApplication) -> None:
    text = "  two  spaces\n\n\t# no heading <b>\u2028same line"
    assert plain_document(text, Theme.of(LIGHT)).toPlainText() == text.replace("\u2028", "\n")


def test_plain_text_has_no_undo_and_no_margin(qapp: QApplication) -> None:
    document = plain_document("x", Theme.of(LIGHT))
    assert not document.isUndoRedoEnabled()
    assert document.documentMargin() == 0


def _markdown(text: str) -> list[Tile]:
    return list(Section("markdown", text).tiles())


def test_documents_that_waited_for_a_formula_are_dropped_when_it_is_settled(qtbot: QtBot) -> None:
    typesetter = Typesetter(instant=True)
    documents = Documents(Theme.of(LIGHT), formulas=Formulas(typesetter))
    math, other, code = _markdown("$$x$$\n\nText $y$.\n\n```\n$z$\n```")
    for tile in (math, other, code):
        documents.get(tile)
    qtbot.waitUntil(lambda: len(typesetter.asked) == 2)
    first, second = typesetter.asked
    assert documents.settle({first}) == [math]
    assert documents.settle({second}) == [other]
    assert documents.settle({first, second}) == []
    assert documents.cached(code) is not None


def test_documents_with_formulas_are_built_anew_for_a_finer_screen(qtbot: QtBot) -> None:
    documents = Documents(Theme.of(LIGHT), formulas=Drawn())
    (tile,) = _markdown("Text $y$.")

    def pixels() -> float:
        name = next(f.toImageFormat().name() for f in documents.get(tile).allFormats() if f.isImageFormat())
        image = documents.get(tile).resource(QTextDocument.ResourceType.ImageResource.value, QUrl(name))
        assert isinstance(image, QImage)
        return image.devicePixelRatio()

    assert pixels() == 1.0
    assert not documents.set_ratio(1.0)
    assert documents.set_ratio(2.0)
    assert documents.cached(tile) is None
    assert pixels() == 2.0


def test_a_table_is_laid_out_in_its_columns(qtbot: QtBot) -> None:
    documents = Documents(Theme.of(LIGHT), formulas=Drawn())
    (tile,) = _markdown("| a | b |\n|---|---|\n| 1 | " + "word " * 60 + "|")
    wide, narrow = documents.fit(tile, 700).size(), documents.fit(tile, 300).size()
    assert (wide.width(), narrow.width()) == (700, 300)
    assert narrow.height() > wide.height()
