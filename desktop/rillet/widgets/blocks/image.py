"""An image of a message: scaled to fit, sharp on any screen, decoded without trusting it.

Only raster formats are decoded, told from the bytes and not from what a sender calls them: an SVG could name files.
Large ones are decoded off the GUI thread. Above: ``transcript/attachments``. Below: ``transcript/layout`` asks for the
size, ``transcript/stage`` lends it to tiles. Guarantees: an image opens no file and no socket; one of more than
``MOST_PIXELS`` is never decoded; what cannot be shown is named.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QImage,
    QImageIOHandler,
    QImageReader,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPixmapCache,
)
from PySide6.QtWidgets import QAbstractButton

from rillet.qt.errands import Errands
from rillet.widgets.blocks.button import small_font
from rillet.widgets.transcript.attachments import ImageSection

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QTextDocument
    from PySide6.QtWidgets import QWidget

    from rillet.qt.resource import AsyncResource
    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

HIGHEST = 320
_SMALLEST = 24
_PLACEHOLDER = (240, 48)
_RADIUS = 8
_FORMATS = frozenset({b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp"})
MOST_PIXELS = 64_000_000
_LARGE_PIXELS, _LARGE_BYTES = 1_000_000, 512 << 10
"""From here on decoding would be felt: 10 ms for a JPEG of a megapixel."""


def size(section: ImageSection, width: int) -> QSize:
    """What the image measures on the screen, at most ``width`` wide, in logical pixels. Never larger than it is."""
    natural = _natural(section)
    if not natural[0]:
        return QSize(min(width, _PLACEHOLDER[0]), _PLACEHOLDER[1])
    scale = min(1.0, width / natural[0], HIGHEST / natural[1])
    return QSize(max(_SMALLEST, round(natural[0] * scale)), max(_SMALLEST, round(natural[1] * scale)))


class ImageBlock(QAbstractButton):
    """One image; a click asks for it to be shown large.

    Signals:
        enlargeRequested(object): The ``ImagePart``.
    """

    text_view: ClassVar[TextView | None] = None
    enlargeRequested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self._theme: Theme | None = None
        self._pixmap = QPixmap()
        self._errands = Errands(self, "decoding an image")
        self._decoding: AsyncResource[QImage] | None = None
        self._decoding_key = ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._enlarge)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours."""
        self._theme = theme
        self.setFont(small_font(theme))
        self.update()

    def bind(self, _entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Show the image of ``tile``."""
        self.tile = tile
        width, height = _natural(_section(tile))
        self.setEnabled(width > 0)
        self.setAccessibleName(f"Image, {width} × {height}" if width else "Image that cannot be shown")
        self._load()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._pixmap = QPixmap()
        self._stop_decoding()

    def _load(self) -> None:
        """Take the pixels from the cache, or decode them."""
        assert self.tile is not None
        section = _section(self.tile)
        natural = _natural(section)
        if not natural[0] or section.part.data is None:
            self._pixmap = QPixmap()
            return
        ratio = self.devicePixelRatioF()
        target = size(section, self.width() or natural[0]) * ratio
        key = f"rillet-image-{section.number}-{target.width()}x{target.height()}"
        pixmap = QPixmap()
        if QPixmapCache.find(key, pixmap):
            self._show_pixmap(pixmap)
        elif natural[0] * natural[1] < _LARGE_PIXELS and len(section.part.data) < _LARGE_BYTES:
            self._keep(key, decode(section.part.data, target))
        elif key != self._decoding_key:
            self._stop_decoding()
            self._decoding_key = key
            self._decoding = self._errands.run(partial(_decode_elsewhere, section.part.data, target))
            self._decoding.ready(partial(self._decoded, key))

    def _decoded(self, key: str, image: QImage) -> None:
        if key == self._decoding_key:
            self._decoding = None
            self._decoding_key = ""
            self._keep(key, image)

    def _keep(self, key: str, image: QImage) -> None:
        pixmap = QPixmap.fromImage(image)
        if not pixmap.isNull():
            QPixmapCache.insert(key, pixmap)
        self._show_pixmap(pixmap)

    def _show_pixmap(self, pixmap: QPixmap) -> None:
        self._pixmap = pixmap
        self._pixmap.setDevicePixelRatio(self.devicePixelRatioF())
        self.update()

    def _stop_decoding(self) -> None:
        if self._decoding is not None:
            self._decoding.cancel()
            self._decoding = None
        self._decoding_key = ""

    @Slot()
    def _enlarge(self) -> None:
        if self.tile is not None:
            self.enlargeRequested.emit(_section(self.tile).part)

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the image, or say why there is none."""
        if self.tile is None or self._theme is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self._pixmap.isNull():
            painter.setBrush(QColor(tokens.code))
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
            painter.setPen(QColor(tokens.muted))
            text = "Loading…" if self._decoding is not None else _reason(_section(self.tile))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
        else:
            path = QPainterPath()
            path.addRoundedRect(QRectF(self.rect()), _RADIUS, _RADIUS)
            painter.setClipPath(path)
            painter.drawPixmap(self.rect(), self._pixmap)
            painter.setClipping(False)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()

    def resizeEvent(self, _event: object) -> None:
        """Another width needs other pixels."""
        if self.tile is not None:
            self._load()


def decode(data: bytes, target: QSize) -> QImage:
    """The image in ``data``, upright, scaled to ``target`` device pixels; a null image when it cannot be read."""
    buffer, reader = _reader(data)
    reader.setScaledSize(target.transposed() if _lies(reader) else target)
    image = reader.read()
    buffer.close()
    return image


async def _decode_elsewhere(data: bytes, target: QSize) -> QImage:
    return await asyncio.to_thread(decode, data, target)


def _reader(data: bytes) -> tuple[QBuffer, QImageReader]:
    """A reader of ``data``; the buffer has to outlive it."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    return buffer, reader


def _lies(reader: QImageReader) -> bool:
    """Whether the image has to be turned by a quarter to stand upright; sizes are those before it."""
    return bool(reader.transformation() & QImageIOHandler.Transformation.TransformationRotate90)


def _natural(section: ImageSection) -> tuple[int, int]:
    """Width and height of the upright image from its head alone; (0, 0) when it is not to be shown."""
    if section.natural is None:
        section.natural = _measured(section.part.data) if section.part.data else (0, 0)
    return section.natural


def _measured(data: bytes) -> tuple[int, int]:
    buffer, reader = _reader(data)
    known = bytes(reader.format().data()) in _FORMATS
    size = reader.size() if known else QSize()
    if _lies(reader):
        size = size.transposed()
    buffer.close()
    fits = size.isValid() and 0 < size.width() * size.height() <= MOST_PIXELS
    return (size.width(), size.height()) if fits else (0, 0)


def _reason(section: ImageSection) -> str:
    if section.part.data is None:
        return "Image from the net, not loaded"
    return "Image that cannot be shown"


def _section(tile: Tile) -> ImageSection:
    assert isinstance(tile.section, ImageSection)
    return tile.section
