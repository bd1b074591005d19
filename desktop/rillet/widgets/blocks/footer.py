"""What stands under a message: what is going on, how it ended, and what can be done with it.

    ··· starting the built-in model…          while an answer is awaited
    ┌ OpenAI refused the key. … ── Try again ┐ when it failed, under the text that was kept
    Stopped by you                             when it ended otherwise than usual
    ⧉                                          Copy, while the mouse or the keyboard is at the message

Above: ``button``, ``pulse``, ``text``. Below: ``transcript/layout`` asks for the height, ``transcript/stage`` lends it
to tiles. Guarantee: the row keeps its height whatever it shows, so that nothing moves when an answer begins or ends;
only an error adds to it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.pulse import Pulse
from rillet.widgets.blocks.text import TextView

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Foot, Tile

_ANSWER_ROW, _QUESTION_ROW = 32, 24
"""A question's is lower: together with the space above its answer it keeps the two apart."""
_CARD_X, _CARD_Y, _CARD_GAP = 14, 10, 4
_RETRY_WIDTH, _RETRY_HEIGHT = 112, 36
_STACKED_BELOW = 440
_COPY_INSET = 6
_COPIED_MS = 1500


def height(entry: Entry, width: int, theme: Theme) -> int:
    """Pixels that the foot of ``entry`` needs at ``width``."""
    row = _row_height(entry)
    if not entry.foot.error:
        return row
    return _CARD_GAP + _card_height(_error_document(entry.foot, width, theme), entry.foot, width) + row


class FooterBlock(QWidget):
    """The foot of one message.

    Signals:
        copyClicked(object): The entry whose text is wanted on the clipboard.
        retryClicked(object): The entry whose answer is wanted once more.
    """

    text_view: ClassVar[TextView | None] = None
    copyClicked = Signal(object)
    retryClicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self._theme: Theme | None = None
        self._active = False
        self._error = TextView(self)
        self._error.setAccessibleName(self.tr("Error"))
        self._document: QTextDocument | None = None
        self._retry = Button("retry", self.tr("Try again"), parent=self, look="outlined")
        self._retry.clicked.connect(self._ask_again)
        self._row = QWidget(self)
        self._pulse = Pulse()
        self._status = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._status.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._copy = Button("copy", "", self.tr("Copy message"))
        self._copy.clicked.connect(self._copy_message)
        self._copied = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._copied.timeout.connect(self._show_copy)
        row = QHBoxLayout(self._row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self._pulse, self._status, self._copy):
            row.addWidget(widget)
        row.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._error.set_theme(theme)
        for button in (self._retry, self._copy):
            button.set_theme(theme)
        self._pulse.set_theme(theme)
        self._status.setFont(small_font(theme))

    def bind(self, entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Show the foot of ``entry``."""
        self.tile = tile
        self._entry = entry
        self._row.setLayoutDirection(_side(entry))
        self._copy.setMaximumHeight(_row_height(entry))
        self._show_foot()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None
        self._copied.stop()
        self._show_copy()
        self._forget_error()

    def set_active(self, active: bool) -> None:
        """Whether the message has the attention of the mouse or the keyboard, and so shows its actions."""
        self._active = active
        self._show_actions()

    def _show_foot(self) -> None:
        assert self._entry is not None
        assert self._theme is not None
        foot = self._entry.foot
        self._pulse.setVisible(self._entry.waiting or (foot.busy and bool(foot.status)))
        self._status.setText(foot.status or foot.note)
        self._status.setVisible(bool(foot.status or foot.note))
        self._forget_error()
        if foot.error:
            self._document = _error_document(foot, self.width(), self._theme)
            self._document.setParent(self)
            self._error.show_document(self._document)
        self._error.setVisible(bool(foot.error))
        self._retry.setVisible(foot.retry)
        self._show_actions()
        self._place()
        self.update()

    def _show_actions(self) -> None:
        entry = self._entry
        self._copy.setVisible(entry is not None and self._active and not entry.foot.busy and entry.has_source)

    def _forget_error(self) -> None:
        if self._document is not None:
            self._error.show_document(None)
            self._document.deleteLater()
            self._document = None

    @Slot()
    def _ask_again(self) -> None:
        self.retryClicked.emit(self._entry)

    @Slot()
    def _copy_message(self) -> None:
        self.copyClicked.emit(self._entry)
        self._copy.set_icon("check")
        self._copied.start()

    @Slot()
    def _show_copy(self) -> None:
        self._copy.set_icon("copy")

    def _place(self) -> None:
        assert self._entry is not None
        card = 0
        width = self.width()
        retry = self._retry.sizeHint()
        row = QRect(0, 0, width, _row_height(self._entry))
        button = QRect(QPoint(width - retry.width(), (row.height() - retry.height()) // 2), retry)
        if self._document is not None:
            text = math.ceil(self._document.size().height())
            card = _card_height(self._document, self._entry.foot, width)
            inner = _error_width(self._entry.foot, width)
            stacked = _is_stacked(self._entry.foot, width)
            top = _CARD_Y if stacked else (card - text) // 2
            self._error.setGeometry(_CARD_X, _CARD_GAP + top, inner, text)
            y = card - retry.height() - _CARD_Y if stacked else (card - retry.height()) // 2
            button.moveTopLeft(QPoint(width - retry.width() - _CARD_Y, _CARD_GAP + y))
            row.moveTop(_CARD_GAP + card)
        if self._status.isHidden() and self._pulse.isHidden():
            # The icon, not the invisible edge of its button, stands in line with the text.
            row.translate(
                _COPY_INSET if self._row.layoutDirection() == Qt.LayoutDirection.RightToLeft else -_COPY_INSET, 0
            )
        self._retry.setGeometry(button)
        self._row.setGeometry(row)

    # Qt overrides

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Put the children into their places."""
        if self._entry is not None:
            self._show_foot()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card behind an error."""
        if self._document is None or self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.danger), 1))
        painter.setBrush(QColor(self._theme.tokens.surface))
        assert self._entry is not None
        height = _card_height(self._document, self._entry.foot, self.width())
        card = QRectF(0, _CARD_GAP, self.width(), height)
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.end()


def _row_height(entry: Entry) -> int:
    return _QUESTION_ROW if entry.role == "user" else _ANSWER_ROW


def _side(entry: Entry) -> Qt.LayoutDirection:
    """Actions stand on the side where the message stands."""
    return Qt.LayoutDirection.RightToLeft if entry.role == "user" else Qt.LayoutDirection.LeftToRight


def _error_document(foot: Foot, width: int, theme: Theme) -> QTextDocument:
    """The sentence of an error, laid out; a document breaks addresses that a label would clip."""
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setDefaultFont(theme.body)
    document.setPlainText(foot.error)
    document.setTextWidth(_error_width(foot, width))
    return document


def _error_width(foot: Foot, width: int) -> int:
    beside = _RETRY_WIDTH if foot.retry and not _is_stacked(foot, width) else 0
    return max(80, width - 2 * _CARD_X - beside)


def _is_stacked(foot: Foot, width: int) -> bool:
    """Whether the button stands below the sentence, because beside it both would be squeezed."""
    return foot.retry and width < _STACKED_BELOW


def _card_height(document: QTextDocument, foot: Foot, width: int) -> int:
    below = _RETRY_HEIGHT if _is_stacked(foot, width) else 0
    return max(44, math.ceil(document.size().height()) + below + 2 * _CARD_Y)
