"""Where a person writes: a text field that grows, a row for the host's widgets, and one button that sends or stops.

Knows no messages and no clients. Below: ``chat_view`` puts it under the transcript. Guarantees: text that an input
method is still composing is never sent and never lost; one press sends at most once, because sending empties the field
at once; while an answer is written the button stops it, and Enter neither sends nor loses what was typed; what is sent
is valid Unicode.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import PADDING, Button

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent, QResizeEvent

    from rillet.widgets.theme.palette import Theme

_RADIUS = 18
_BUTTON = 34
_LEAST_LIMIT = 96


class Composer(QWidget):
    """The field with its row.

    Signals:
        sendRequested(str): What was written; the field is empty already. Never empty text.
        stopRequested(): The running answer is to be stopped.
    """

    sendRequested = Signal(str)
    stopRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
        self._busy = False
        self._field = _Field(self)
        self._field.sendPressed.connect(self.send)
        self._field.heightChanged.connect(self.updateGeometry)
        self._field.focusChanged.connect(self.update)
        self._field.textChanged.connect(self._update_button)
        self._button = Button("send", "", self.tr("Send"), look="filled", icon_size=18, round_ends=True)
        self._button.setFixedSize(_BUTTON, _BUTTON)
        self._button.clicked.connect(self._press)
        self._foot = QHBoxLayout()
        self._foot.setContentsMargins(0, 0, 0, 0)
        self._foot.setSpacing(4)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addLayout(self._foot)
        self._row.addStretch(1)
        self._row.addWidget(self._button)
        self._column = QVBoxLayout(self)
        # The text of the row's first button, not its invisible edge, stands under the text of the field.
        self._column.setContentsMargins(16 - PADDING, 12, 10, 8)
        self._column.setSpacing(4)
        inset = QHBoxLayout()
        inset.setContentsMargins(PADDING, 0, 0, 0)
        inset.addWidget(self._field)
        self._column.addLayout(inset)
        self._column.addLayout(self._row)
        self.setFocusProxy(self._field)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._update_button()

    def text(self) -> str:
        """What is written, an unfinished composition not included."""
        return sanitised(self._field.toPlainText())

    def setText(self, text: str) -> None:
        """Replace what is written; undo brings it back. The cursor goes to the end."""
        self._field.replace(text)

    def setPlaceholderText(self, text: str) -> None:
        """What the empty field says."""
        self._field.setPlaceholderText(text)

    def addFootWidget(self, widget: QWidget) -> None:
        """Put a widget of the host, such as a model picker, into the row below the field."""
        self._foot.addWidget(widget)

    def isBusy(self) -> bool:
        """Whether an answer is being written, and the button stops it."""
        return self._busy

    def setBusy(self, busy: bool) -> None:
        """Turn the button into Stop, or back into Send."""
        if busy != self._busy:
            self._busy = busy
            self._button.set_icon("stop" if busy else "send")
            self._button.describe(self.tr("Stop") if busy else self.tr("Send"))
            self._update_button()

    def setHeightLimit(self, height: int) -> None:
        """Pixels that the whole composer may take before the field scrolls."""
        margins = self._column.contentsMargins()
        around = margins.top() + self._column.spacing() + self._row.sizeHint().height() + margins.bottom()
        self._field.set_limit(max(_LEAST_LIMIT, height) - around)

    def setTheme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._field.set_theme(theme)
        self._button.set_theme(theme)
        self.update()

    def takeKey(self, event: QKeyEvent) -> bool:
        """Go on with a key that was pressed elsewhere, if it writes something or pastes; whether it did."""
        text = event.text()
        writes = bool(text) and text.isprintable() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not writes and not event.matches(QKeySequence.StandardKey.Paste):
            return False
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._field.keyPressEvent(event)
        return True

    @Slot()
    def send(self) -> None:
        """Send what is written, unless there is nothing or an answer is still being written."""
        text = self.text().strip()
        if self._busy or not text:
            return
        self._field.replace("")
        self.sendRequested.emit(text)

    @Slot()
    def _press(self) -> None:
        if self._busy:
            self.stopRequested.emit()
            return
        # A mouse click does not end a composition; without this its text would stay behind.
        QGuiApplication.inputMethod().commit()
        self._field.setFocus()
        if not self._field.composing:
            self.send()

    @Slot()
    def _update_button(self) -> None:
        self._button.setEnabled(self._busy or bool(self._field.toPlainText().strip()) or self._field.composing)

    # Qt overrides

    def sizeHint(self) -> QSize:
        """The width is the host's; the height follows the text."""
        return QSize(480, super().sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame, with a ring while the field has the focus."""
        if self._theme is None:
            return
        tokens = self._theme.tokens
        focused = self._field.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2 if focused else 1
        painter.setPen(QPen(QColor(tokens.accent if focused else tokens.outline), width))
        painter.setBrush(QColor(tokens.surface))
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)
        painter.end()


class _Field(QPlainTextEdit):
    """The text itself. As high as its lines, up to a limit.

    Signals:
        sendPressed(): Enter, not while composing.
        heightChanged(): The field is higher or lower than before.
        focusChanged(): It got or lost the keyboard.
    """

    sendPressed = Signal()
    heightChanged = Signal()
    focusChanged = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._limit = 400
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setAccessibleName(self.tr("Message"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.textChanged.connect(self._align)
        self._fit()

    @property
    def composing(self) -> bool:
        """Whether an input method shows text here that is not part of the document yet."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def set_theme(self, theme: Theme) -> None:
        """Take the font; colours come from the palette."""
        self.setFont(theme.body)
        self._fit()

    def set_limit(self, height: int) -> None:
        """Grow to at most ``height`` pixels."""
        self._limit = height
        self._fit()

    def replace(self, text: str) -> None:
        """Put ``text`` in the place of everything, as one step of undo."""
        cursor = self.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    @Slot()
    def _align(self) -> None:
        """Put right-to-left text on the right. A plain text edit has one side for all of its text: the first line's."""
        option = self.document().defaultTextOption()
        leads = self.document().begin().textDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if leads else Qt.AlignmentFlag.AlignLeft
        if option.alignment() != side:
            option.setAlignment(side)
            self.document().setDefaultTextOption(option)

    @Slot()
    def _fit(self) -> None:
        least = self.fontMetrics().lineSpacing() + 2
        wanted = self._text_height(self._limit)
        height = max(least, min(wanted, self._limit))
        scrolls = wanted > height
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.heightChanged.emit()

    def _text_height(self, enough: int) -> int:
        """Height of the text in pixels, or a little over ``enough``. The document's own size counts in lines."""
        height = 2.0
        block = self.document().begin()
        while block.isValid() and height <= enough:
            height += self.blockBoundingRect(block).height()
            block = block.next()
        return math.ceil(height)

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, Shift+Enter breaks the line, and an input method keeps its own Enter."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain:
            if not self.composing and not event.isAutoRepeat():
                self.sendPressed.emit()
            event.accept()
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()  # these go from message to message
            return
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste and drop text, never formats; of files their paths."""
        if source.hasText():
            self.insertPlainText(sanitised(source.text()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusInEvent(event)
        self.focusChanged.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusOutEvent(event)
        self.focusChanged.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines may break elsewhere now."""
        super().resizeEvent(event)
        self._fit()


def sanitised(text: str) -> str:
    """``text`` with U+FFFD for lone surrogates, which have no UTF-8 and cannot be sent, and without NUL."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")
