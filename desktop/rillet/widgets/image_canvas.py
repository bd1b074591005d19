"""A picture on a plain ground: fitted into the room there is, or at a size of its own and moved about.

Above: ``pictures``. Below: ``image_viewer``. Guarantees: what is seen has as many pixels as the screen, as far as the
picture has them; a large one is decoded off the GUI thread, and meanwhile what is known of it is drawn at the new size.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QBrush, QColor, QImage, QKeySequence, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from rillet.qt.errands import Errands
from rillet.widgets.pictures import decode, decode_elsewhere, is_quick

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from rillet.qt.resource import AsyncResource
    from rillet.widgets.theme.palette import Theme

STEP: Final = 1.25
LARGEST: Final = 8.0
_SMALLEST: Final = 0.05
_NOTCH: Final = 120
"""What one notch of a wheel comes as, in eighths of a degree."""
_SETTLE_MS: Final = 80
"""After a change of size; while a window is being resized, or a wheel turned, nothing is decoded."""
_CHECK: Final = 8
_RING: Final = 2


class ImageCanvas(QAbstractScrollArea):
    """Shows one picture.

    Signals:
        zoomed(): It is drawn at another size.
    """

    zoomed = Signal()

    def __init__(self, data: bytes, natural: QSize, parent: QWidget | None = None) -> None:
        """``natural`` is what the picture in ``data`` measures, and is not empty."""
        super().__init__(parent)
        self._data = data
        self._natural = natural
        self._theme: Theme | None = None
        self._image = QImage()
        self._broken = False
        self._fits = True
        self._scale = 1.0
        self._dragged: QPoint | None = None
        self._ringed = False
        self._errands = Errands(self, "decoding a picture")
        self._decoding: AsyncResource[QImage] | None = None
        self._settled = QTimer(self, singleShot=True)
        self._settled.timeout.connect(self._sharpen)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        name = self.tr("Image, {width} × {height}").format(width=natural.width(), height=natural.height())
        self.setAccessibleName(name)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours."""
        self._theme = theme
        self.viewport().update()

    @property
    def scale(self) -> float:
        """Logical pixels of the screen for one of the picture."""
        return self._scale

    @property
    def fits(self) -> bool:
        """Whether it follows the room there is: never cut, never larger than it is."""
        return self._fits

    @Slot()
    def fit(self) -> None:
        """Follow the room there is."""
        self._fits = True
        self._lay_out()

    @Slot()
    def show_actual_size(self) -> None:
        """One pixel of the picture is one of the screen."""
        self.zoom_to(1.0)

    @Slot()
    def toggle(self) -> None:
        """From fitted to actual size, and from anything else to fitted."""
        self.show_actual_size() if self._fits else self.fit()

    def zoom_by(self, factor: float, around: QPoint | None = None) -> None:
        """Make it larger or smaller."""
        self.zoom_to(self._scale * factor, around)

    def zoom_to(self, scale: float, around: QPoint | None = None) -> None:
        """Give it a size of its own; what is ``around`` (by default in the middle) stays where it is."""
        point = QPointF(self.viewport().rect().center() if around is None else around)
        held = (point - self._origin()) / self._scale
        self._fits = False
        self._scale = max(_SMALLEST, min(LARGEST, scale))
        self._lay_out()
        moved = held * self._scale - point
        self.horizontalScrollBar().setValue(round(moved.x()))
        self.verticalScrollBar().setValue(round(moved.y()))

    def _lay_out(self) -> None:
        """Give picture and scroll bars their sizes."""
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if self._fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        for bar_policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar_policy(policy)
        room = self.viewport().size()
        if self._fits:
            across, down = room.width() / self._natural.width(), room.height() / self._natural.height()
            self._scale = max(_SMALLEST, min(1.0, across, down))
        shown = self._shown_size()
        for bar, length, extent in (
            (self.horizontalScrollBar(), shown.width(), room.width()),
            (self.verticalScrollBar(), shown.height(), room.height()),
        ):
            bar.setRange(0, max(0, round(length) - extent))
            bar.setPageStep(extent)
            bar.setSingleStep(max(1, extent // 10))
        self.viewport().setCursor(Qt.CursorShape.OpenHandCursor if self._can_move() else Qt.CursorShape.ArrowCursor)
        self.viewport().update()
        self._settled.start(0 if self._image.isNull() else _SETTLE_MS)
        self.zoomed.emit()

    def _shown_size(self) -> QSizeF:
        return QSizeF(self._natural) * self._scale

    def _origin(self) -> QPointF:
        """Where the picture begins in the viewport: in the middle where there is room to spare."""
        room, shown = self.viewport().size(), self._shown_size()
        return QPointF(
            max(0.0, (room.width() - shown.width()) / 2) - self.horizontalScrollBar().value(),
            max(0.0, (room.height() - shown.height()) / 2) - self.verticalScrollBar().value(),
        )

    def _can_move(self) -> bool:
        return bool(self.horizontalScrollBar().maximum() or self.verticalScrollBar().maximum())

    # Pixels

    @Slot()
    def _sharpen(self) -> None:
        """Decode what the screen can show, unless it is there."""
        wanted = (self._shown_size() * self.devicePixelRatioF()).toSize().expandedTo(QSize(1, 1))
        wanted = wanted.boundedTo(self._natural)
        if self._broken or wanted == self._image.size():
            return
        if self._decoding is not None:
            self._decoding.cancel()
        if is_quick(self._data, self._natural):
            self._take(decode(self._data, wanted))
            return
        self._decoding = self._errands.run(partial(decode_elsewhere, self._data, wanted))
        self._decoding.ready(self._take)

    def _take(self, image: QImage) -> None:
        self._decoding = None
        self._broken = image.isNull()
        self._image = image
        self.viewport().update()

    # Qt overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what of the picture is to be seen, or say why there is none."""
        if self._theme is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(tokens.code))
        if self._image.isNull():
            painter.setPen(QColor(tokens.muted))
            words = self.tr("Image that cannot be shown") if self._broken else self.tr("Loading…")
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, words)
        else:
            self._draw(painter, event.rect())
        if self._ringed:
            painter.setPen(QPen(QColor(tokens.accent), _RING))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _draw(self, painter: QPainter, exposed: QRect) -> None:
        """Draw the part in ``exposed``; what shines through is on a light ground, as on paper."""
        whole = QRectF(self._origin(), self._shown_size())
        part = QRectF(exposed) & whole
        across, down = self._image.width() / whole.width(), self._image.height() / whole.height()
        source = QRectF(
            (part.x() - whole.x()) * across, (part.y() - whole.y()) * down, part.width() * across, part.height() * down
        )
        if self._image.hasAlphaChannel():
            painter.fillRect(part, QBrush(_checks()))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(part, self._image, source)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the room there is."""
        super().resizeEvent(event)
        self._lay_out()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Another part is to be seen."""
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus, 0 to fit and 1 for the actual size; the arrows move."""
        if event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal) or event.matches(QKeySequence.StandardKey.ZoomIn):
            self.zoom_by(STEP)
        elif event.key() == Qt.Key.Key_Minus or event.matches(QKeySequence.StandardKey.ZoomOut):
            self.zoom_by(1 / STEP)
        elif event.key() == Qt.Key.Key_0:
            self.fit()
        elif event.key() == Qt.Key.Key_1:
            self.show_actual_size()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl larger and smaller around the mouse; without, up and down."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(STEP ** (event.angleDelta().y() / _NOTCH), event.position().toPoint())
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a picture that is larger than the room."""
        if event.button() == Qt.MouseButton.LeftButton and self._can_move():
            self._dragged = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move it along."""
        if self._dragged is not None:
            point = event.position().toPoint()
            way, self._dragged = point - self._dragged, point
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - way.x())
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - way.y())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let it go."""
        if self._dragged is not None:
            self._dragged = None
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """From fitted to actual size and back."""
        self.toggle()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is, if it was the keyboard that brought it here."""
        super().focusInEvent(event)
        by_keyboard = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._ringed = by_keyboard and self.hasFocus()  # a dialog that opens sends this event beforehand
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._ringed = False
        self.viewport().update()


def _checks() -> QPixmap:
    """White and a light grey: the ground that shows what is transparent, light as most drawings expect."""
    pixmap = QPixmap(2 * _CHECK, 2 * _CHECK)
    pixmap.fill(QColor(Qt.GlobalColor.white))
    painter = QPainter(pixmap)
    for x, y in ((0, 0), (_CHECK, _CHECK)):
        painter.fillRect(x, y, _CHECK, _CHECK, QColor("#ececec"))
    painter.end()
    return pixmap
