"""The small pictures of what is attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QBuffer, QObject
from PySide6.QtGui import QColor, QImage

from rillet.widgets.composer.thumbnail import Thumbnail
from support.chatting import PATIENCE

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

SVG = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><image href='file:///etc/hostname'/></svg>"


def png(width: int, height: int) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # (the stub of 6.11 wants the format as bytes)
    return bytes(buffer.data().data())


@pytest.fixture
def owner(qtbot: QtBot) -> QObject:
    return QObject()


def test_a_small_image_has_its_picture_at_once(owner: QObject) -> None:
    assert Thumbnail(png(60, 30), 10, owner).pixmap.size().toTuple() == (60, 30)


def test_a_large_image_gets_its_picture_later_and_it_covers_the_square(owner: QObject, qtbot: QtBot) -> None:
    thumbnail = Thumbnail(png(4000, 2000), 10, owner)
    assert thumbnail.pixmap.isNull()
    with qtbot.waitSignal(thumbnail.changed, timeout=PATIENCE):
        pass
    assert thumbnail.pixmap.size().toTuple() == (60, 30)


@pytest.mark.parametrize("data", [SVG, b"", b"\x89PNG\r\n\x1a\n and then nothing"])
def test_there_is_none_of_what_cannot_be_shown(data: bytes, owner: QObject) -> None:
    assert Thumbnail(data, 10, owner).pixmap.isNull()
