from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.widgets.image_canvas import LARGEST, ImageCanvas
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK
from support.pictures import picture

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

RED, BLUE = "#AA3333", "#3333AA"


def _halves(width: int, height: int) -> bytes:
    """A picture whose left half is red and whose right half is blue."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(RED))
    for x in range(width // 2, width):
        for y in range(height):
            image.setPixelColor(x, y, QColor(BLUE))
    return _file(image)


def _file(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _canvas(qtbot: QtBot, data: bytes, natural: QSize, room: QSize) -> ImageCanvas:
    canvas = ImageCanvas(data, natural)
    qtbot.addWidget(canvas)
    canvas.set_theme(Theme.of(DARK))
    canvas.resize(room)
    canvas.show()
    qtbot.waitUntil(lambda: not canvas._image.isNull())
    return canvas


def _colour(canvas: ImageCanvas, x: int, y: int) -> str:
    return canvas.viewport().grab().toImage().pixelColor(x, y).name().upper()


def _settled(qtbot: QtBot, canvas: ImageCanvas) -> None:
    qtbot.waitUntil(lambda: not canvas._settled.isActive() and canvas._decoding is None)


@pytest.mark.parametrize(
    ("natural", "scale"),
    [(QSize(800, 200), 0.5), (QSize(200, 600), 0.5), (QSize(100, 50), 1.0), (QSize(400, 300), 1.0)],
)
def test_a_picture_fits_into_the_room_and_is_never_larger_than_it_is(
    qtbot: QtBot, natural: QSize, scale: float
) -> None:
    canvas = _canvas(qtbot, picture(natural.width(), natural.height()), natural, QSize(400, 300))
    assert canvas.fits
    assert canvas.scale == scale
    assert canvas.horizontalScrollBar().maximum() == canvas.verticalScrollBar().maximum() == 0


def test_it_stands_in_the_middle_and_follows_the_room(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, _halves(200, 100), QSize(200, 100), QSize(400, 300))
    assert _colour(canvas, 150, 150) == RED
    assert _colour(canvas, 250, 150) == BLUE
    assert _colour(canvas, 50, 150) == DARK.code.upper()
    canvas.resize(100, 300)
    assert canvas.scale == 0.5
    assert _colour(canvas, 10, 150) == RED


def test_at_its_own_size_it_can_be_moved_by_mouse_and_keys(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, _halves(800, 600), QSize(800, 600), QSize(400, 300))
    QTest.keyClick(canvas, Qt.Key.Key_1)
    assert canvas.scale == 1.0
    assert not canvas.fits
    across = canvas.horizontalScrollBar()
    middle = across.value()
    assert _colour(canvas, 20, 100) == RED
    assert _colour(canvas, 360, 100) == BLUE
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 100))
    QTest.mouseMove(canvas.viewport(), QPoint(100, 100))
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    assert across.value() == min(middle + 200, across.maximum())
    assert _colour(canvas, 20, 100) == BLUE
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    assert across.value() < across.maximum()
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.fits


def test_a_double_click_goes_to_its_own_size_and_back(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, picture(800, 600), QSize(800, 600), QSize(400, 300))
    states = []
    for _ in range(2):
        QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton)
        states.append((canvas.fits, canvas.scale))
    assert states == [(False, 1.0), (True, 0.5)]


def test_the_wheel_with_ctrl_makes_it_larger_around_the_mouse(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, picture(800, 600), QSize(800, 600), QSize(400, 300))
    point = QPointF(300, 200)
    before = (point - canvas._origin()) / canvas.scale
    for _ in range(4):
        wheel = QWheelEvent(
            point,
            canvas.viewport().mapToGlobal(point),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(canvas.viewport(), wheel)
    after = (point - canvas._origin()) / canvas.scale
    assert canvas.scale == pytest.approx(0.5 * 1.25**4)
    assert (before - after).manhattanLength() < 2


def test_plus_and_minus_stop_at_the_ends(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, picture(80, 60), QSize(80, 60), QSize(400, 300))
    for _ in range(20):
        QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.scale == LARGEST
    for _ in range(40):
        QTest.keyClick(canvas, Qt.Key.Key_Minus)
    assert 0 < canvas.scale < 0.1


def test_it_has_as_many_pixels_as_can_be_seen(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, picture(2000, 1500), QSize(2000, 1500), QSize(400, 300))
    assert canvas._image.size() == QSize(400, 300)
    canvas.show_actual_size()
    qtbot.waitUntil(lambda: canvas._image.size() == QSize(2000, 1500))
    canvas.zoom_to(3.0)
    _settled(qtbot, canvas)
    assert canvas._image.size() == QSize(2000, 1500)


def test_the_newest_size_is_the_one_that_stays(qtbot: QtBot) -> None:
    canvas = _canvas(qtbot, picture(2000, 1500), QSize(2000, 1500), QSize(400, 300))
    for scale in (1.0, 0.7, 0.3):
        canvas.zoom_to(scale)
        canvas._sharpen()
    _settled(qtbot, canvas)
    assert canvas._image.size() == QSize(600, 450)


def test_what_shines_through_is_on_a_light_ground(qtbot: QtBot) -> None:
    image = QImage(100, 100, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    canvas = _canvas(qtbot, _file(image), QSize(100, 100), QSize(100, 100))
    assert {_colour(canvas, 4, 4), _colour(canvas, 12, 4)} == {"#ECECEC", "#FFFFFF"}


def test_a_picture_that_is_broken_behind_its_head_is_named(qtbot: QtBot) -> None:
    data = picture(300, 200)[:60]
    canvas = ImageCanvas(data, QSize(300, 200))
    qtbot.addWidget(canvas)
    canvas.set_theme(Theme.of(DARK))
    canvas.show()
    qtbot.waitUntil(lambda: canvas._broken)
    canvas.zoom_to(2.0)
    _settled(qtbot, canvas)
    assert canvas._image.isNull()
