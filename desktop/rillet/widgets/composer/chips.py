"""What is attached, seen: a chip each, with a small picture or the suffix, the name, the size, and a cross.

Above: ``attachment``, ``blocks.button``. Below: ``composer`` fills it. Guarantees: a chip is reached with Tab and the
arrow keys and removed with Delete or Backspace; of an image no more is decoded than the small picture needs, and none
that would take more than Qt's limit of memory.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QImageReader, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.composer.limits import size_text
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent

    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.theme.palette import Theme

_LEAST_HEIGHT, _PICTURE, _PAD, _CROSS = 48, 36, 6, 22
_NAME_LETTERS = 24
_REMOVES = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class ChipRow(QScrollArea):
    """The chips, in one row that scrolls sideways.

    Signals:
        removed(int): The attachment at this place is to be removed.
        left(): The keyboard is to go back to the text.
    """

    removed = Signal(int)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[Chip] = []
        self._theme: Theme | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_LEAST_HEIGHT)
        self.setWidgetResizable(True)
        self.setAccessibleName(self.tr("Attachments"))
        self.viewport().setAutoFillBackground(False)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        self._row = QHBoxLayout(inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self.setWidget(inside)
        inside.setAutoFillBackground(False)  # setWidget switched it on

    def show_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        """Show these, keeping the chips of those that stay."""
        had = next((place for place, chip in enumerate(self._chips) if chip.has_focus()), None)
        kept = {id(chip.attachment): chip for chip in self._chips}
        self._chips = [kept.pop(id(each)) if id(each) in kept else self._made(each) for each in attachments]
        for chip in kept.values():
            chip.hide()
            chip.deleteLater()
        for place, chip in enumerate(self._chips):
            self._row.insertWidget(place, chip)
            chip.show()  # at once: it may be given the keyboard before the layout shows it
        self.setVisible(bool(self._chips))
        if had is None:
            return
        if self._chips:
            self._chips[min(had, len(self._chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def focus_last(self) -> None:
        """Give the keyboard to the last chip."""
        if self._chips:
            self._chips[-1].setFocus(Qt.FocusReason.BacktabFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setFixedHeight(_height(QFontMetrics(small_font(theme))))
        for chip in self._chips:
            chip.set_theme(theme)

    def step(self, chip: Chip, by: int) -> None:
        """Go on to a neighbour of ``chip``; behind the last comes the text."""
        place = self._chips.index(chip) + by
        if place >= len(self._chips):
            self.left.emit()
        elif place >= 0:
            self._chips[place].setFocus(Qt.FocusReason.TabFocusReason)

    def remove(self, chip: Chip) -> None:
        """Ask for the end of ``chip``."""
        self.removed.emit(self._chips.index(chip))

    def _made(self, attachment: Attachment) -> Chip:
        chip = Chip(attachment, self)
        if self._theme is not None:
            chip.set_theme(self._theme)
        return chip

    # Qt overrides

    def sizeHint(self) -> QSize:
        """As high as a chip."""
        return QSize(200, self.minimumHeight())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways, whichever way the wheel turns."""
        turned = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (turned.x() or turned.y()))
        event.accept()


class Chip(QWidget):
    """One attachment."""

    def __init__(self, attachment: Attachment, row: ChipRow) -> None:
        super().__init__()
        self.attachment = attachment
        self._row = row
        self._theme: Theme | None = None
        self._picture = _picture(attachment)
        self._size = size_text(len(attachment.data))
        self._cross = Button("cross", "", self.tr("Remove {name}").format(name=attachment.name), self, icon_size=12)
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chip itself has the keyboard
        self._cross.clicked.connect(self._remove)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        kind = self.tr("Image {name}, {size}") if attachment.is_image else self.tr("File {name}, {size}")
        self.setAccessibleName(kind.format(name=attachment.name, size=self._size))
        self.setAccessibleDescription(self.tr("Delete removes it"))
        self.setToolTip(tool_tip(attachment.name))

    def has_focus(self) -> bool:
        """Whether the keyboard is here."""
        return self.hasFocus() or self._cross.hasFocus()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setFont(small_font(theme))
        self._cross.set_theme(theme)
        name = self.fontMetrics().horizontalAdvance(self.attachment.name)
        text = (
            min(
                _NAME_LETTERS * self.fontMetrics().averageCharWidth(),
                max(name, self.fontMetrics().horizontalAdvance(self._size)),
            )
            + 2
        )
        self.setFixedSize(_PAD + _PICTURE + 8 + text + 4 + _CROSS + _PAD, _height(self.fontMetrics()))
        self._cross.move(self.width() - _CROSS - _PAD, (self.height() - _CROSS) // 2)
        self.update()

    @Slot()
    def _remove(self) -> None:
        self._row.remove(self)

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk along the row, or remove this one."""
        match event.key():
            case key if key in _REMOVES:
                self._remove()
            case Qt.Key.Key_Left:
                self._row.step(self, -1)
            case Qt.Key.Key_Right:
                self._row.step(self, 1)
            case Qt.Key.Key_Escape | Qt.Key.Key_Down:
                self._row.left.emit()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Come into view."""
        super().focusInEvent(event)
        self._row.ensureWidgetVisible(self, 0, 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The middle button removes, as it closes tabs."""
        if event.button() is Qt.MouseButton.MiddleButton and self.rect().contains(event.position().toPoint()):
            self._remove()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card, the picture, the name and the size."""
        if self._theme is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2 if self.hasFocus() else 1
        painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.border), width))
        painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.window))
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 8, 8)
        self._draw_picture(painter, QRectF(_PAD, (self.height() - _PICTURE) / 2, _PICTURE, _PICTURE))
        left, right = _PAD + _PICTURE + 8, self.width() - _CROSS - _PAD - 4
        metrics, middle = self.fontMetrics(), self.height() / 2
        name = metrics.elidedText(self.attachment.name, Qt.TextElideMode.ElideMiddle, right - left)
        painter.setPen(QColor(tokens.text))
        painter.drawText(QRectF(left, middle - metrics.height(), right - left, metrics.height()), 0, name)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(QRectF(left, middle, right - left, metrics.height()), 0, self._size)
        painter.end()

    def _draw_picture(self, painter: QPainter, box: QRectF) -> None:
        assert self._theme is not None
        path = QPainterPath()
        path.addRoundedRect(box, 6, 6)
        painter.save()
        painter.setClipPath(path)
        painter.fillRect(box, QColor(self._theme.tokens.accent_soft))
        if self._picture.isNull():
            font = self.font()
            font.setPixelSize(_PICTURE // 3)
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(QColor(self._theme.tokens.text))
            suffix = PurePath(self.attachment.name).suffix[1:5].upper() or "FILE"
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, suffix)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            # Fill the square, cutting what is longer on both sides.
            size = self._picture.size()
            least = min(size.width(), size.height())
            cut = QRectF((size.width() - least) / 2, (size.height() - least) / 2, least, least)
            painter.drawPixmap(box, self._picture, cut)
        painter.restore()


def _height(metrics: QFontMetrics) -> int:
    """Two lines and the picture fit into it."""
    return max(_LEAST_HEIGHT, 2 * metrics.height() + 2 * _PAD)


def _picture(attachment: Attachment) -> QPixmap:
    """A small picture of an image, sharp at 3×; a null one for all else, and for what cannot be decoded."""
    if not attachment.is_image:
        return QPixmap()
    buffer = QBuffer()
    buffer.setData(QByteArray(attachment.data))
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid():
        side = QSize(_PICTURE, _PICTURE) * 3
        reader.setScaledSize(size.scaled(side, Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    image = reader.read()
    return QPixmap.fromImage(image) if not image.isNull() else QPixmap()
