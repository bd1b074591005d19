from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
import shiboken6
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from rillet.core.types import ImagePart
from rillet.qt import Engine
from rillet.widgets import ImageViewer
from rillet.widgets.blocks.button import Button
from rillet.widgets.theme.palette import palette
from rillet.widgets.theme.tokens import DARK
from support.pictures import picture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture(autouse=True)
def engine(qapp: QApplication) -> Iterator[Engine]:
    engine = Engine.default()
    yield engine
    engine.shutdown()


def _viewer(qtbot: QtBot, data: bytes) -> ImageViewer:
    viewer = ImageViewer(ImagePart(data))
    viewer.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)  # qtbot closes it once more
    qtbot.addWidget(viewer)
    viewer.show()
    return viewer


def _button(viewer: ImageViewer, name: str) -> Button:
    return next(button for button in viewer.findChildren(Button) if button.accessibleName().startswith(name))


def test_it_is_as_large_as_the_image_as_far_as_the_screen_allows(qtbot: QtBot) -> None:
    screen = QGuiApplication.primaryScreen().availableGeometry().size()
    assert _viewer(qtbot, picture(600, 500)).canvas.size() == QSize(600, 500)
    assert _viewer(qtbot, picture(20, 20)).size() == QSize(560, 400)
    large = _viewer(qtbot, picture(5000, 4000))
    assert large.width() < screen.width()
    assert large.height() < screen.height()
    assert large.canvas.fits


def test_what_is_no_image_is_refused(qtbot: QtBot) -> None:
    for part in (ImagePart(b"no image"), ImagePart(url="https://example.org/x.png")):
        with pytest.raises(ValueError, match="no image"):
            ImageViewer(part)


def test_the_facts_and_the_size_are_told(qtbot: QtBot) -> None:
    viewer = _viewer(qtbot, picture(1200, 300, kind="JPEG"))
    assert viewer._facts.text() == "1200 × 300 · JPG"
    fitted = viewer._percent.text()
    assert viewer._percent.toolTip() == "Show at 100 %"
    _button(viewer, fitted).click()
    assert viewer._percent.accessibleName() == "100 %, Fit into the window"
    _button(viewer, "Larger").click()
    assert viewer._percent.text() == "125 %"
    _button(viewer, "Smaller").click()
    _button(viewer, "100 %").click()
    assert viewer._percent.text() == fitted


def test_escape_closes_it(qtbot: QtBot) -> None:
    viewer = _viewer(qtbot, picture(300, 200))
    QTest.keyClick(viewer.canvas, Qt.Key.Key_Escape)
    assert not viewer.isVisible()


def test_the_keyboard_is_on_the_image_without_a_ring(qtbot: QtBot) -> None:
    viewer = _viewer(qtbot, picture(300, 200))
    qtbot.waitUntil(viewer.canvas.hasFocus)
    assert not viewer.canvas._ringed
    QTest.keyClick(viewer.canvas, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is _button(viewer, "Smaller")
    QTest.keyClick(_button(viewer, "Smaller"), Qt.Key.Key_Backtab)
    assert viewer.canvas._ringed


@pytest.mark.parametrize("by_key", [True, False])
def test_all_of_the_image_is_copied_however_it_is_shown(qtbot: QtBot, *, by_key: bool) -> None:
    viewer = _viewer(qtbot, picture(3000, 200, "#AA3366"))
    QGuiApplication.clipboard().clear()
    if by_key:
        QTest.keyClick(viewer.canvas, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    else:
        _button(viewer, "Copy").click()
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
    copied = QGuiApplication.clipboard().image()
    assert copied.size() == QSize(3000, 200)
    assert copied.pixelColor(5, 5) == QColor("#AA3366")


def test_it_is_saved_byte_for_byte_where_one_says(qtbot: QtBot, tmp_path: Path) -> None:
    data = picture(300, 200, kind="JPEG")
    viewer = _viewer(qtbot, data)
    QTest.keyClick(viewer.canvas, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    dialog = viewer.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.defaultSuffix() == "jpg"
    assert dialog.selectedFiles()[0].endswith("Image.jpg")
    path = tmp_path / "curve.jpg"
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(lambda: viewer._facts.text() == "Saved as curve.jpg")
    assert path.read_bytes() == data


def test_what_cannot_be_saved_is_told_with_its_reason(qtbot: QtBot, tmp_path: Path) -> None:
    viewer = _viewer(qtbot, picture(300, 200))
    viewer.save_to(str(tmp_path / "nowhere" / "x.png"))
    qtbot.waitUntil(lambda: viewer._facts.text().startswith("Could not be saved: "))
    assert viewer._facts.text() == viewer._facts.toolTip() == "Could not be saved: No such file or directory"


def test_it_follows_the_application_into_the_dark(qtbot: QtBot) -> None:
    viewer = _viewer(qtbot, picture(300, 200))
    viewer.setPalette(palette(DARK))
    qtbot.waitUntil(lambda: viewer.canvas._theme is not None and viewer.canvas._theme.tokens.dark)
    assert viewer._percent._theme is viewer._theme


def test_every_button_has_a_name_and_can_be_reached(qtbot: QtBot) -> None:
    viewer = _viewer(qtbot, picture(300, 200))
    buttons = viewer.findChildren(Button)
    assert len(buttons) == 6
    assert all(button.accessibleName() and button.focusPolicy() & Qt.FocusPolicy.TabFocus for button in buttons)
    assert viewer.canvas.accessibleName() == "Image, 300 × 200"


def test_a_viewer_that_is_collected_takes_no_screen_along(qapp: QApplication) -> None:
    screen = QGuiApplication.primaryScreen()
    ImageViewer(ImagePart(picture(300, 200)))
    gc.collect()
    assert shiboken6.isValid(screen)
