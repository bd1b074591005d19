"""The command palette: everything by its name, from the keyboard.

Above: ``overlay``, ``palette_entries``. Below: ``window`` opens it. Guarantees: the search has the keyboard, and Return
does what is highlighted after the palette has closed, so that whatever it opens has the focus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from rillet.app.overlay import EDGE, Overlay
from rillet.app.palette_entries import Entry, fitting
from rillet.widgets.blocks.button import small_font
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme

SIZE: Final = QSize(560, 420)
TOP: Final = 64
"""Pixels between the palette and the upper edge of the window."""
ENTRY: Final = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_PADDING, _RADIUS, _GAP = 12, 8, 16
_STEPS: Final = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


class PaletteWindow(Overlay):
    """Closes when something was chosen.

    Signals:
        chosen(object): The ``Entry`` that was chosen.
    """

    chosen = Signal(object)

    def __init__(self, entries: Sequence[Entry], recent: Sequence[str], theme: Theme, window: QWidget) -> None:
        super().__init__(window, theme, SIZE)
        self._entries = entries
        self._recent = recent
        self.card.setAccessibleName(self.tr("Commands"))
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("What would you like to do?"))
        self._search.setAccessibleName(self.tr("Search actions, chats, models and settings"))
        glass = icon("search", QColor(theme.tokens.muted), size=16)
        self._search.addAction(glass, QLineEdit.ActionPosition.LeadingPosition)
        self._search.textChanged.connect(self.search)
        self._search.installEventFilter(self)
        self._model = _EntryModel(self)
        self._list = QListView()
        self._list.setAccessibleName(self.tr("Found"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(_EntryDelegate(theme, self))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setMouseTracking(True)
        self._list.clicked.connect(self.choose)
        self._nothing = QLabel(self.tr("Nothing is called like that"))
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(9, 9, 9, 9)
        column.setSpacing(8)
        column.addWidget(self._search)
        column.addWidget(self._list, 1)
        column.addWidget(self._nothing, 1)
        self.search("")
        self.open(self._search)

    @Slot(str)
    def search(self, text: str) -> None:
        """Show what fits, the best first."""
        found = fitting(self._entries, text, self._recent)
        self._model.show(found)
        self._list.setVisible(bool(found))
        self._nothing.setVisible(not found)
        if found:
            self._list.setCurrentIndex(self._model.index(0))
            self._list.scrollToTop()

    @Slot(QModelIndex)
    def choose(self, index: QModelIndex) -> None:
        """Close, then have it done."""
        if not index.isValid():
            return
        entry: Entry = index.data(ENTRY)
        self.close()
        self.chosen.emit(entry)
        QTimer.singleShot(0, self._window, entry.run)

    def _place(self) -> QRect:
        """In the upper part of the window."""
        width = min(self._wanted.width(), self.width() - 2 * EDGE)
        top = min(TOP, self.height() // 10)
        height = min(self._wanted.height(), self.height() - top - EDGE)
        return QRect((self.width() - width) // 2, top, width, height)

    # Qt overrides

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move through the list while the search has the keyboard."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in _STEPS:
                last = self._model.rowCount() - 1
                row = max(0, min(last, self._list.currentIndex().row() + _STEPS[key]))
                self._list.setCurrentIndex(self._model.index(row))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.choose(self._list.currentIndex())
                return True
        return super().eventFilter(watched, event)


class _EntryModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.text}, {entry.note}" if entry.note else entry.text
            case Qt.ItemDataRole.UserRole:
                return entry
            case _:
                return None


class _EntryDelegate(QStyledItemDelegate):
    """A line each: the name, and at the right what kind it is or its keys."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._font = theme.body
        self._small = small_font(theme)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, QFontMetrics(self._font).height() + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry: Entry = index.data(ENTRY)
        tokens, area = self._tokens, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), _RADIUS, _RADIUS)
        inner = area.adjusted(_PADDING, 0, -_PADDING, 0)
        small = QFontMetrics(self._small)
        note = small.elidedText(entry.note, Qt.TextElideMode.ElideRight, inner.width() // 3)
        painter.setFont(self._small)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        room = QRect(inner)
        room.setWidth(inner.width() - (small.horizontalAdvance(note) + _GAP if note else 0))
        painter.setFont(self._font)
        painter.setPen(QColor(tokens.text))
        text = QFontMetrics(self._font).elidedText(entry.text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
