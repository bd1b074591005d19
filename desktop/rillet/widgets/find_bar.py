"""The bar for finding text in a chat: a field, how many hits there are, and the way from one to the next.

Knows no transcript. Below: ``chat_view`` shows it over its conversation and connects it. Guarantee: every change of
what is looked for is told at once; Escape and the cross close it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.transcript.finding import FindOptions

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QPaintEvent

    from rillet.widgets.theme.palette import Theme

_WIDTH = 400
_MARGIN = 12
_RADIUS = 10


class FindBar(QWidget):
    """A small card with a field.

    Signals:
        findRequested(str, object): Text to look for, and the ``FindOptions``; empty text ends it.
        stepRequested(int): The next hit (1) or the previous one (-1) is wanted.
        closed(): The bar was closed; what was marked is to be marked no longer.
    """

    findRequested = Signal(str, object)
    stepRequested = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
        self._field = QLineEdit()
        self._field.setFrame(False)
        self._field.setPlaceholderText(self.tr("Find in this chat"))
        self._field.setAccessibleName(self.tr("Find in this chat"))
        self._field.textChanged.connect(self._find)
        self._count = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._case = _Option("case", self.tr("Match upper and lower case"))
        self._words = _Option("word", self.tr("Whole words"))
        self._back = Button("up", "", self.tr("Previous hit"))
        self._next = Button("down", "", self.tr("Next hit"))
        self._close = Button("cross", "", self.tr("Close"))
        for option in (self._case, self._words):
            option.toggled.connect(self._find)
        self._back.clicked.connect(self._step_back)
        self._next.clicked.connect(self._step)
        self._close.clicked.connect(self.close)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(2)
        row.addWidget(self._field, 1)
        row.addWidget(self._count)
        row.addSpacing(4)
        for button in (self._case, self._words, self._back, self._next, self._close):
            row.addWidget(button)
        self.setFocusProxy(self._field)
        self.show_count(0, 0)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._field.setFont(theme.body)
        palette = self._field.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.tokens.surface))
        self._field.setPalette(palette)
        self._count.setFont(small_font(theme))
        for button in (self._case, self._words, self._back, self._next, self._close):
            button.set_theme(theme)
        self.update()

    def open(self, text: str = "") -> None:
        """Show the bar, with ``text`` to be looked for if there is some, and let one type."""
        if text:
            self._field.setText(text)
        self.show()
        self.raise_()
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._find()

    def show_found(self, text: str) -> None:
        """Show what is looked for already, in any case and anywhere in words; the keyboard stays where it is."""
        for widget in (self._field, self._case, self._words):
            widget.blockSignals(True)
        self._field.setText(text)
        self._case.setChecked(False)
        self._words.setChecked(False)
        for widget in (self._field, self._case, self._words):
            widget.blockSignals(False)
        self.show()
        self.raise_()

    def place_in(self, width: int) -> int:
        """Stand at the upper right of something ``width`` pixels wide; how many pixels of its height that takes."""
        own, height = min(_WIDTH, width - 2 * _MARGIN), self.sizeHint().height()
        self.setGeometry(width - own - _MARGIN, _MARGIN, own, height)
        return height + 2 * _MARGIN

    @Slot(int, int)
    def show_count(self, current: int, count: int) -> None:
        """Say that hit number ``current`` (from 1; 0: its number is not known yet) of ``count`` is shown."""
        nothing = self.tr("No hits") if self._field.text() else ""
        told = self.tr("{current} of {count}").format(current=current or "…", count=f"{count:,}")
        self._count.setText(told if count else nothing)
        for button in (self._back, self._next):
            button.setEnabled(count > 0)

    @Slot()
    def _find(self) -> None:
        options = FindOptions(case=self._case.isChecked(), words=self._words.isChecked())
        self.findRequested.emit(self._field.text(), options)

    @Slot()
    def _step(self) -> None:
        self.stepRequested.emit(1)

    @Slot()
    def _step_back(self) -> None:
        self.stepRequested.emit(-1)

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return goes on, with Shift back; Escape closes."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepRequested.emit(-1 if shift else 1)
        elif event.matches(QKeySequence.StandardKey.FindNext):
            self.stepRequested.emit(1)
        elif event.matches(QKeySequence.StandardKey.FindPrevious):
            self.stepRequested.emit(-1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        # What is typed here is meant for nobody else.
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Escape closes the bar before a program's own shortcut sees it."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.setAccepted(event.key() == Qt.Key.Key_Escape)
            if event.isAccepted():
                return True
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell that nothing is looked for any more."""
        super().closeEvent(event)
        self.closed.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        if self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.border), 1))
        painter.setBrush(QColor(self._theme.tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()


class _Option(Button):
    """An icon that is on or off."""

    def __init__(self, icon_name: str, description: str) -> None:
        super().__init__(icon_name, "", description)
        self.setCheckable(True)
        self.toggled.connect(self._tint)

    def _ink(self) -> QColor:
        return QColor(self._theme.tokens.accent) if self.isChecked() and self._theme is not None else super()._ink()

    def _ground(self) -> QColor:
        return QColor(self._theme.tokens.accent_soft) if self.isChecked() and self._theme else super()._ground()
