"""An image of a message: scaled to fit, and sharp on any screen.

Large ones are decoded off the GUI thread. Above: ``pictures``, ``transcript/attachments``. Below: ``transcript/layout``
asks for the size, ``transcript/stage`` lends it to tiles. Guarantee: what cannot be shown is named.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPixmap, QPixmapCache
from PySide6.QtWidgets import QAbstractButton

from rillet.qt.errands import Errands
from rillet.widgets.blocks.button import small_font
from rillet.widgets.pictures import decode, decode_elsewhere, is_quick, natural_size
from rillet.widgets.transcript.attachments import ImageSection

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QTextDocument
    from PySide6.QtWidgets import QWidget

    from rillet.qt.resource import AsyncResource
    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

HIGHEST = 320
_SMALLEST = 24
_PLACEHOLDER = (240, 48)
_RADIUS = 8


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
        shown = self.tr("Image, {width} × {height}").format(width=width, height=height)
        self.setAccessibleName(shown if width else self.tr("Image that cannot be shown"))
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
        elif is_quick(section.part.data, QSize(*natural)):
            self._keep(key, decode(section.part.data, target))
        elif key != self._decoding_key:
            self._stop_decoding()
            self._decoding_key = key
            self._decoding = self._errands.run(partial(decode_elsewhere, section.part.data, target))
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

    def _reason(self, section: ImageSection) -> str:
        """Why there is nothing to be seen."""
        if section.part.data is None:
            return self.tr("Image from the net, not loaded")
        return self.tr("Image that cannot be shown")

    @Slot()
    def _enlarge(self) -> None:
        if self.tile is not None:
            self.enlargeRequested.emit(_section(self.tile).part)

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens the image, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click is one click: two windows would open."""
        event.accept()

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
            text = self.tr("Loading…") if self._decoding is not None else self._reason(_section(self.tile))
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


def _natural(section: ImageSection) -> tuple[int, int]:
    """Width and height of the upright image; (0, 0) when it is not to be shown."""
    if section.natural is None:
        size = natural_size(section.part.data) if section.part.data else QSize(0, 0)
        section.natural = size.width(), size.height()
    return section.natural


def _section(tile: Tile) -> ImageSection:
    assert isinstance(tile.section, ImageSection)
    return tile.section
