"""The text of the composer: as high as its lines up to a limit, safe with input methods, plain.

Above: ``history`` (what the arrow keys fetch). Below: ``composer`` puts it into a frame and decides about pastes, drops
and undo. Knows no messages and no attachments. Guarantees: a key that belongs to an input method sends nothing; formats
never get in.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from rillet.widgets.composer.history import History

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QFocusEvent, QKeyEvent, QResizeEvent
    from PySide6.QtWidgets import QMenu, QWidget

    from rillet.widgets.theme.palette import Theme

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down)


class SendKey(Enum):
    """The key that sends. The other one breaks the line, and Shift+Enter always does."""

    ENTER = "enter"
    CTRL_ENTER = "ctrl+enter"


class Field(QPlainTextEdit):
    """The text itself.

    Attributes:
        history: What ↑ in the empty field fetches.
        send_key: The key that sends.

    Signals:
        sendPressed(): The key that sends, not while composing.
        undoPressed(), redoPressed(): By key or from the menu.
        backedOut(): Backspace at the very start of the text.
        pasted(object): The ``QMimeData`` of a paste or a drop of text, the cursor being where it belongs.
        heightChanged(): The field is higher or lower than before.
        focusChanged(): It got or lost the keyboard.
    """

    sendPressed = Signal()
    undoPressed = Signal()
    redoPressed = Signal()
    backedOut = Signal()
    pasted = Signal(object)
    heightChanged = Signal()
    focusChanged = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.history = History()
        self.send_key = SendKey.ENTER
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

    def show_ground(self, shown: bool) -> None:
        """Let the frame's ground be seen through the field, or not: it has another colour than ours in a drag only.

        Not switched off once and for all: to tell Python of the viewport, PySide makes the classes of every widget that
        it might be, with all their enums, and a window would wait 10 ms longer for its first paint.
        """
        self.viewport().setAutoFillBackground(not shown)

    def set_limit(self, height: int) -> None:
        """Grow to at most ``height`` pixels."""
        self._limit = height
        self._fit()

    def replace(self, text: str) -> None:
        """Put ``text`` in the place of everything, as one step of undo."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def part_steps(self) -> None:
        """Keep what is typed next from becoming one step of undo with what was typed before.

        Qt joins letters to the step before only in a document that was modified since.
        """
        self.document().setModified(False)

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

    def _takes_enter(self, event: QKeyEvent) -> bool:
        """Whether it was Enter, and not one that breaks the line."""
        if event.key() not in _ENTER:
            return False
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain, control = modifiers == Qt.KeyboardModifier.NoModifier, modifiers == Qt.KeyboardModifier.ControlModifier
        if self.composing:
            return plain or control
        if not (control or (plain and self.send_key is SendKey.ENTER)):
            return False
        if not event.isAutoRepeat():
            self.sendPressed.emit()
        return True

    def _takes_arrow(self, event: QKeyEvent) -> bool:
        """Whether it was an arrow that fetched something from the history."""
        up, down = event.key() == Qt.Key.Key_Up, event.key() == Qt.Key.Key_Down
        if not (up or down) or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or self.composing:
            return False
        within = self.textCursor()
        if within.movePosition(QTextCursor.MoveOperation.Up if up else QTextCursor.MoveOperation.Down):
            return False
        shown = self.toPlainText()
        text = self.history.older(shown) if up else self.history.newer(shown)
        if text is None:
            return False
        self.replace(text)
        return True

    def _takes_backspace(self, event: QKeyEvent) -> bool:
        """Whether it was a Backspace that has nothing to delete."""
        cursor = self.textCursor()
        if event.key() != Qt.Key.Key_Backspace or not cursor.atStart() or cursor.hasSelection() or self.composing:
            return False
        if not event.isAutoRepeat():
            self.backedOut.emit()
        return True

    def _menu(self) -> QMenu:
        """Qt's own menu, with our undo: its entries undo the text past the attachments."""
        menu = self.createStandardContextMenu()
        for action in menu.actions():
            signal = {"edit-undo": self.undoPressed, "edit-redo": self.redoPressed}.get(action.objectName())
            if signal is not None:
                action.triggered.disconnect()
                action.triggered.connect(signal)
                action.setEnabled(True)
        return menu

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send, undo, fetch what was sent before; all else writes."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undoPressed.emit()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.redoPressed.emit()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in _ARROWS:
            event.ignore()  # these go from message to message
            return
        elif not (self._takes_enter(event) or self._takes_arrow(event) or self._takes_backspace(event)):
            super().keyPressEvent(event)
            return
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu."""
        menu = self._menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Whatever may be text or an attachment can be pasted."""
        from rillet.widgets.composer.intake import is_welcome

        return is_welcome(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Let the composer decide what it is."""
        self.pasted.emit(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take text to a place in the text; leave files and images to the frame around, which shows where they go."""
        from rillet.widgets.composer.intake import attaches

        if attaches(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

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
