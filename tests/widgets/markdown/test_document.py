"""A document reads nothing, whatever it is told to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QImage, QPixmap, QTextCursor, QTextDocument

from rillet.widgets.markdown.document import SafeDocument, inert, inert_code, nothing, sound

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def picture(tmp_path: Path, theme: Theme) -> Path:
    """A red picture on disk that must not be shown. (The theme brings up Qt.)"""
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    image.fill(0xFF0000)
    path = tmp_path / "red.png"
    assert image.save(str(path))
    return path


def test_a_local_image_is_not_read(picture: Path, theme: Theme) -> None:
    document = SafeDocument(theme.body)
    document.setHtml(f'<img src="{picture.as_uri()}"><img src="{picture}">')
    document.setTextWidth(400)
    for address in (picture.as_uri(), str(picture)):
        image = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(address))
        assert isinstance(image, QImage)
        assert image.size() == QSize(1, 1)
        assert image.pixelColor(0, 0).alpha() == 0


def test_qt_would_have_read_it_otherwise(picture: Path) -> None:
    document = QTextDocument()
    document.setHtml(f'<img src="{picture.as_uri()}">')
    image = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(picture.as_uri()))
    assert isinstance(image, QImage | QPixmap)
    assert image.size() == QSize(20, 20)


def test_a_style_sheet_is_not_read(tmp_path: Path, theme: Theme) -> None:
    sheet = tmp_path / "evil.css"
    sheet.write_text("p { color: red }", encoding="utf-8")
    document = SafeDocument(theme.body)
    assert document.resource(QTextDocument.ResourceType.StyleSheetResource.value, QUrl(sheet.as_uri())) in ("", None)


def test_undo_is_off(theme: Theme) -> None:
    document = SafeDocument(theme.body)
    QTextCursor(document).insertText("x")
    assert not document.isUndoAvailable()


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert sound("a\ud800b") == "a\ufffdb"
    assert sound("\udc00") == "\ufffd"
    assert sound("\ud83d\ude00") == "\U0001f600"
    assert sound("plain 😀") == "plain 😀"


@pytest.mark.parametrize("character", ["\0", "\r", "\u2029", "\ufdd0", "\ufdd1", "\ufffc"])
def test_no_character_but_the_newline_makes_a_block_or_a_frame(theme: Theme, character: str) -> None:
    document = SafeDocument(theme.body)
    QTextCursor(document).insertText(inert(f"a{character}b\nc"))
    assert document.blockCount() == 2
    assert document.rootFrame().childFrames() == []
    assert document.begin().text() in ("a\ufffdb", "ab", "a\u2028b")


DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("character", DIRECTIONS)
def test_a_direction_does_not_leave_the_text_that_holds_it(character: str) -> None:
    assert inert(f"a{character}b") == "ab"
    assert inert_code(f"a{character}b") == "a\ufffdb"


def test_marks_that_reach_no_further_than_themselves_stay() -> None:
    marked = "a\u200eb\u200fc\u061cd \u05d0\u05d1 1"
    assert inert(marked) == inert_code(marked) == marked


def test_a_resource_that_is_not_there_is_one_that_qt_does_not_look_for() -> None:
    assert isinstance(nothing(QTextDocument.ResourceType.ImageResource.value), QImage)
    assert nothing(QTextDocument.ResourceType.StyleSheetResource.value) == ""
