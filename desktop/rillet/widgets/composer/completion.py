"""Commands and mentions, offered while they are typed: ``/`` at the start of the text, ``@`` at the start of a word.

Above: any item model of the host (what is shown is its display role, what is written the edit role, a second, muted
column the tool tip role). Below: ``composer``. Knows only the field that it helps to write. Guarantees: the field keeps
the keyboard; nothing is offered while an input method composes; what was dismissed with Escape stays away until the
word ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPen,
    QStandardItem,
    QStandardItemModel,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from rillet.widgets.blocks.button import small_font

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QWidget

    from rillet.widgets.composer.field import Field
    from rillet.widgets.theme.palette import Theme

COMMAND: Final = "/"
MENTION: Final = "@"
_ROWS_SHOWN, _ROW_PAD = 8, 7
_LEAST_WIDTH, _MOST_WIDTH, _EDGE, _GAP = 260, 520, 6, 6
_WORD = re.compile(r"(?:\A(/)|(?<!\S)(@))(\S*)\Z")
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_ROWS_SHOWN,
    Qt.Key.Key_PageDown: _ROWS_SHOWN,
}
_ACCEPTS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


def model_of(names: Iterable[str | tuple[str, str]], parent: QObject) -> QStandardItemModel:
    """A model of names, or of (name, explanation)."""
    model = QStandardItemModel(parent)
    for each in names:
        name, about = (each, "") if isinstance(each, str) else each
        item = QStandardItem(name)
        item.setData(about, Qt.ItemDataRole.ToolTipRole)
        model.appendRow(item)
    return model


class Completion(QObject):
    """The offers for one field, which stands in a frame.

    Signals:
        completed(object): A persistent index of the host's model: what was chosen and has been written.
    """

    completed = Signal(object)

    def __init__(self, field: Field, frame: QWidget) -> None:
        super().__init__(field)
        self._field = field
        self._frame = frame
        self._models: dict[str, QAbstractItemModel] = {}
        self._dismissed: str | None = None
        self._theme: Theme | None = None
        self._offers = _Offers(self)
        self._popup: _Popup | None = None
        field.textChanged.connect(self._look)
        field.cursorPositionChanged.connect(self._look)
        field.installEventFilter(self)

    def set_model(self, sign: str, model: QAbstractItemModel | None) -> None:
        """Offer the rows of ``model`` behind ``sign``; None offers nothing any more."""
        if model is None:
            self._models.pop(sign, None)
        else:
            self._models[sign] = model
        self._look()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        if self._popup is not None:
            self._popup.set_theme(theme)

    @property
    def is_open(self) -> bool:
        """Whether something is offered."""
        return self._popup is not None and self._popup.isVisible()

    def accept(self, row: int) -> None:
        """Write the offer in this row in the place of the word, with a space behind it."""
        word = self._word()
        index = self._offers.index(row, 0)
        if word is None or not index.isValid():
            return
        source = QPersistentModelIndex(self._offers.mapToSource(index))
        sign, begun = word
        written = str(source.data(Qt.ItemDataRole.EditRole)).removeprefix(sign)
        cursor = self._field.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, _units(sign + begun))
        cursor.insertText(f"{sign}{written} ")
        self._field.setTextCursor(cursor)
        self._close()
        self.completed.emit(source)

    @Slot()
    def _look(self) -> None:
        """Offer what fits the word that the cursor stands behind."""
        word = self._word()
        if word is None or not self._field.hasFocus():
            self._dismissed = None if word is None else self._dismissed
            self._close()
            return
        sign, begun = word
        if self._dismissed is not None and (sign + begun).startswith(self._dismissed):
            return
        self._dismissed = None
        self._offers.offer(self._models[sign], begun.casefold())
        if not self._offers.rowCount():
            self._close()
            return
        if self._popup is None:
            self._popup = _Popup(self, self._offers, self._field, self._frame)
            if self._theme is not None:
                self._popup.set_theme(self._theme)
        self._popup.present(_units(sign + begun))

    def _word(self) -> tuple[str, str] | None:
        """The sign and what is typed behind it; None where nothing is to be offered."""
        cursor = self._field.textCursor()
        if not self._models or cursor.hasSelection() or self._field.composing:
            return None
        before = cursor.block().text().encode("utf-16-le", "surrogatepass")[: 2 * cursor.positionInBlock()]
        found = _WORD.search(before.decode("utf-16-le", "replace"))
        if found is None or (found[1] and cursor.blockNumber()):
            return None
        sign = found[1] or found[2]
        return (sign, found[3]) if sign in self._models else None

    def _close(self) -> None:
        if self._popup is not None:
            self._popup.hide()

    def _takes(self, event: QKeyEvent) -> bool:
        """Whether the key is for the offers."""
        assert self._popup is not None
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._popup.step(_STEPS[key])
        elif key in _ACCEPTS:
            self.accept(self._popup.currentIndex().row())
        elif key == Qt.Key.Key_Escape:
            self._dismissed = "".join(self._word() or ("", ""))
            self._close()
        else:
            return False
        return True

    # Qt overrides

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take the keys that choose, and Escape before a shortcut of the window gets it."""
        match event.type():
            case QEvent.Type.FocusOut:
                self._close()
            case QEvent.Type.InputMethod if isinstance(event, QInputMethodEvent) and event.preeditString():
                self._close()  # its Enter belongs to the input method
            case QEvent.Type.ShortcutOverride if self.is_open and isinstance(event, QKeyEvent):
                if event.key() == Qt.Key.Key_Escape:
                    event.accept()
                    return True
            case QEvent.Type.KeyPress if self.is_open and isinstance(event, QKeyEvent):
                return self._takes(event)
            case _:
                pass
        return False


class _Offers(QSortFilterProxyModel):
    """The rows that contain what was typed, those that begin with it first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._begun = ""
        self.sort(0)

    def offer(self, model: QAbstractItemModel, begun: str) -> None:
        """Show what of ``model`` fits."""
        if model is not self.sourceModel():
            self._begun = begun
            self.setSourceModel(model)
            self.sort(0)
        elif begun != self._begun:
            self._begun = begun
            self.invalidate()

    def _name(self, index: QModelIndex | QPersistentModelIndex) -> str:
        return str(index.data(Qt.ItemDataRole.DisplayRole)).lstrip(COMMAND + MENTION).casefold()

    # Qt overrides

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether it contains what was typed."""
        return self._begun in self._name(self.sourceModel().index(row, 0, parent))

    def lessThan(self, left: QModelIndex | QPersistentModelIndex, right: QModelIndex | QPersistentModelIndex) -> bool:
        """Beginnings first; else in the order of the host."""
        return self._rank(left) < self._rank(right)

    def _rank(self, index: QModelIndex | QPersistentModelIndex) -> tuple[bool, int]:
        return not self._name(index).startswith(self._begun), index.row()


class _Popup(QListView):
    """The list over the word. A child of the window: a window of its own would take the keyboard on some desktops."""

    def __init__(self, completion: Completion, offers: QSortFilterProxyModel, field: Field, frame: QWidget) -> None:
        super().__init__(field.window())
        self._field = field
        self._frame = frame
        self.hide()
        self.setModel(offers)
        self.setItemDelegate(_Row(self))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Suggestions"))
        self.setViewportMargins(*[_EDGE - 1] * 4)  # beside the border of one pixel
        self._completion = completion
        self.entered.connect(self.setCurrentIndex)
        self.clicked.connect(self._choose)
        field.destroyed.connect(self.deleteLater)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self.setFont(theme.body)
        delegate = self.itemDelegate()
        assert isinstance(delegate, _Row)
        delegate.theme = theme
        # A sheet on this one widget, which has no children that Qt would have to restyle.
        self.setStyleSheet(
            f"QListView {{ background: {theme.tokens.surface}; border: 1px solid {theme.tokens.outline};"
            f" border-radius: {theme.tokens.radius}px; }}"
        )

    def present(self, back: int) -> None:
        """Stand above the composer, over the word, which began ``back`` units before the cursor; point at the best."""
        window = self._field.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        self.setCurrentIndex(self.model().index(0, 0))
        rows = min(_ROWS_SHOWN, self.model().rowCount())
        height = rows * self.sizeHintForRow(0) + 2 * _EDGE
        width = min(max(_LEAST_WIDTH, self.sizeHintForColumn(0) + 4 * _EDGE), _MOST_WIDTH, window.width() - 2 * _GAP)
        cursor = self._field.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.MoveAnchor, back)
        word = self._field.cursorRect(cursor)
        left = self._field.viewport().mapTo(window, word.topLeft()).x() - 2 * _EDGE
        above = self._frame.mapTo(window, QPoint(0, 0)).y() - _GAP - height
        below = self._field.viewport().mapTo(window, word.bottomLeft()).y() + _GAP
        left = max(_GAP, min(left, window.width() - width - _GAP))
        self.setGeometry(left, above if above >= 0 else below, width, height)
        self.raise_()
        self.show()

    def step(self, by: int) -> None:
        """Point at another offer; single steps go round."""
        count, row = self.model().rowCount(), self.currentIndex().row()
        row = (row + by) % count if abs(by) == 1 else max(0, min(row + by, count - 1))
        self.setCurrentIndex(self.model().index(row, 0))

    def _say(self, offer: str) -> None:
        """Have a screen reader say it, where one listens: the keyboard stays in the field, so it would say nothing."""
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._field, offer))

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        self._completion.accept(index.row())

    # Qt overrides

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Say the offer that Enter would write."""
        super().currentChanged(current, previous)
        if current.isValid():
            self._say(" ".join(_texts(current)).strip())


class _Row(QStyledItemDelegate):
    """An offer: its name, and what it does in a muted voice."""

    theme: Theme | None = None

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw it."""
        if self.theme is None:
            return
        tokens, area = self.theme.tokens, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(area, 6, 6)
        name, about = _texts(index)
        inner = area.adjusted(10, 0, -10, 0)
        painter.setFont(self.theme.body)
        painter.setPen(QPen(QColor(tokens.text)))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, shown)
        inner.setLeft(inner.left() + metrics.horizontalAdvance(shown) + 12)
        if about and inner.width() > 24:
            painter.setFont(small_font(self.theme))
            painter.setPen(QPen(QColor(tokens.muted)))
            about = painter.fontMetrics().elidedText(about, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, about)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """A line with some room."""
        name, about = _texts(index)
        metrics = option.fontMetrics
        width = metrics.horizontalAdvance(name) + metrics.horizontalAdvance(about) + 36
        return QSize(width, metrics.height() + 2 * _ROW_PAD)


def _texts(index: QModelIndex | QPersistentModelIndex) -> tuple[str, str]:
    """Name and explanation of a row."""
    return str(index.data(Qt.ItemDataRole.DisplayRole) or ""), str(index.data(Qt.ItemDataRole.ToolTipRole) or "")


def _units(text: str) -> int:
    """How many positions ``text`` takes in a document: Qt counts UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
