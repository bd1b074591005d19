from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor

from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

NAMES = ("copy", "check", "retry", "send", "down", "stop", "chevron-right", "chevron-down")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_every_icon_has_ink_in_the_colour_asked_for(qapp: QApplication, name: str, scale: float) -> None:
    image = icon(name, QColor("#ff0000"), size=16).pixmap(QSize(16, 16), scale).toImage()
    assert image.width() == 16 * scale
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    inked = [colour for colour in pixels if colour.alpha() > 200]
    assert len(inked) >= image.width() // 2
    assert {colour.rgb() & 0xFFFFFF for colour in inked} == {0xFF0000}


def test_an_icon_that_does_not_exist_is_an_error(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon", QColor("#ff0000"))
