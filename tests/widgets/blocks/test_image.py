from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmapCache
from PySide6.QtTest import QTest

from rillet.core.types import ChatMessage, ImagePart
from rillet.widgets import ChatView
from rillet.widgets.blocks.image import HIGHEST, ImageBlock, size
from rillet.widgets.transcript.attachments import ImageSection
from support.pictures import picture

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><image href="file:///etc/hostname"/></svg>'


def _section(data: bytes | None, **rest: str) -> ImageSection:
    return ImageSection(ImagePart(data, **rest))  # type: ignore[arg-type]


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    QPixmapCache.clear()
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    return made


def _block(view: ChatView) -> ImageBlock:
    return next(block for block in view.findChildren(ImageBlock) if block.isVisible())


def _centre(block: ImageBlock) -> str:
    image = block.grab().toImage()
    return image.pixelColor(image.width() // 2, image.height() // 2).name().upper()


@pytest.mark.parametrize(
    ("natural", "width", "shown"),
    [
        ((100, 50), 720, (100, 50)),
        ((1600, 400), 720, (720, 180)),
        ((400, 1600), 720, (80, HIGHEST)),
        ((3000, 1), 720, (720, 24)),
    ],
)
def test_an_image_is_scaled_down_to_fit_and_never_up(
    qapp: QApplication, natural: tuple[int, int], width: int, shown: tuple[int, int]
) -> None:
    assert size(_section(picture(*natural)), width) == QSize(*shown)


def test_an_image_is_drawn_and_a_click_asks_for_it_large(view: ChatView, qtbot: QtBot) -> None:
    part = ImagePart(picture(300, 200, "#AA3366"))
    view.addMessage(ChatMessage.user("Look", part))
    block = _block(view)
    assert block.size() == QSize(300, 200)
    assert _centre(block) == "#AA3366"
    assert block.accessibleName() == "Image, 300 × 200"
    with qtbot.waitSignal(view.imageActivated) as asked:
        block.click()
    assert asked.args == [part]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_the_keyboard_opens_an_image(view: ChatView, qtbot: QtBot, key: Qt.Key) -> None:
    view.addMessage(ChatMessage.user("Look", ImagePart(picture(30, 20))))
    with qtbot.waitSignal(view.imageActivated):
        QTest.keyClick(_block(view), key)


def test_a_double_click_opens_an_image_once(view: ChatView) -> None:
    view.addMessage(ChatMessage.user("Look", ImagePart(picture(30, 20))))
    asked: list[object] = []
    view.imageActivated.connect(asked.append)
    QTest.mouseClick(_block(view), Qt.MouseButton.LeftButton)
    QTest.mouseDClick(_block(view), Qt.MouseButton.LeftButton)
    assert len(asked) == 1


def test_a_large_image_is_decoded_elsewhere_and_then_shown(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.assistant("", ImagePart(picture(2000, 1500, "#339966"))))
    block = _block(view)
    assert block._decoding is not None
    qtbot.waitUntil(lambda: not block._pixmap.isNull())
    assert _centre(block) == "#339966"


def test_a_block_that_moves_on_does_not_show_the_image_before(view: ChatView, qtbot: QtBot) -> None:
    first = view.addMessage(ChatMessage.assistant("", ImagePart(picture(2000, 1500, "#339966"))))
    block = _block(view)
    running = block._decoding
    view.removeFrom(first)
    view.addMessage(ChatMessage.assistant("", ImagePart(picture(50, 50, "#AA3366"))))
    assert running is not None
    qtbot.waitUntil(running.isDone)
    assert _block(view) is block
    assert _centre(block) == "#AA3366"


@pytest.mark.parametrize("data", [b"", b"no image", SVG, b"\x89PNG\r\n\x1a\n" + b"\0" * 100])
def test_what_cannot_be_shown_is_named(view: ChatView, data: bytes) -> None:
    view.addMessage(ChatMessage.user("Look", ImagePart(data, media_type="image/svg+xml")))
    block = _block(view)
    assert block.accessibleName() == "Image that cannot be shown"
    assert not block.isEnabled()
    assert block._pixmap.isNull()


def test_an_image_of_absurd_size_is_not_decoded(qapp: QApplication) -> None:
    data = bytearray(picture(10, 10, kind="BMP"))
    data[18:26] = (100_000).to_bytes(4, "little") * 2
    section = _section(bytes(data))
    assert size(section, 720).height() == 48
    assert section.natural == (0, 0)


def test_images_that_nobody_came_near_are_not_looked_at(view: ChatView) -> None:
    parts = [ImagePart(picture(300, 200)) for _ in range(40)]
    handles = view.addMessages([ChatMessage.user(f"Picture {number}", part) for number, part in enumerate(parts)])
    sections = [section for handle in handles for section in handle.entry.sections if isinstance(section, ImageSection)]
    assert sections[0].natural is None
    assert sections[-1].natural == (300, 200)


def test_an_image_from_the_net_is_not_loaded(view: ChatView) -> None:
    view.addMessage(ChatMessage.user("Look", ImagePart(url="https://example.org/x.png")))
    block = _block(view)
    assert block._pixmap.isNull()
    assert block._decoding is None
