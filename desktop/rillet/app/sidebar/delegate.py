"""Draws the rows of the side bar from tokens: headings small and muted, chats with their marks, hits of a search.

Above: ``model``. Below: ``sidebar``. Knows no library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from rillet.app.sidebar.hits import HIT
from rillet.app.sidebar.model import ANSWERING, CHAT, COUNT, FOLDED, FOLDER
from rillet.core.store.temporary import is_temporary
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from rillet.core.store.chats import Chat
    from rillet.core.store.search import Hit
    from rillet.widgets.theme.palette import Theme

ROW: Final = 34
HIT_ROW: Final = 52
_SIDE: Final = 8
_PADDING: Final = 10
_DOT: Final = 6
_RADIUS: Final = 8
_ICON: Final = 14


class ChatDelegate(QStyledItemDelegate):
    """Draws one row."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._icons: dict[str, QIcon] = {}
        self._font = QFont(theme.body)
        self._bold = QFont(theme.body)
        self._bold.setWeight(QFont.Weight.DemiBold)
        self._small = QFont(theme.body)
        self._small.setPointSizeF(theme.body.pointSizeF() * 0.86)

    # Qt overrides

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        """A field in the place of the title."""
        field = QLineEdit(parent)
        field.setFont(self._font)
        tokens = self._theme.tokens
        field.setStyleSheet(
            f"QLineEdit {{ background: {tokens.surface}; color: {tokens.text}; border: 2px solid {tokens.accent};"
            f" border-radius: {tokens.radius}px; padding: 0 {_PADDING - 4}px; }}"
        )
        return field

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The text stays where it was, or nearly so."""
        area: QRect = option.rect
        editor.setGeometry(area.adjusted(_SIDE, 2, -_SIDE, -2))

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """One height for all: a list of rows that may differ is measured row by row."""
        return QSize(0, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw it."""
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        chat: Chat | None = index.data(CHAT)
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.data(FOLDER) is not None:
            self._draw_folder(painter, area, state, text, index)
        elif chat is None:
            self._draw_heading(painter, area, text)
        else:
            self._draw_chat(painter, area, state, chat, text, answering=bool(index.data(ANSWERING)))
        painter.restore()

    def _draw_heading(self, painter: QPainter, area: QRect, text: str) -> None:
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.tokens.muted))
        inner = area.adjusted(_SIDE + _PADDING, 0, -_SIDE, -4)
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, text)

    def _draw_folder(
        self,
        painter: QPainter,
        area: QRect,
        state: QStyle.StateFlag,
        text: str,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row = self._draw_ground(painter, area, state)
        inner = row.adjusted(_PADDING, 0, -_PADDING, 0)
        self._icon("folder").paint(painter, QRect(inner.left(), inner.center().y() - 7, _ICON, _ICON))
        arrow = "chevron-right" if index.data(FOLDED) else "chevron-down"
        self._icon(arrow).paint(painter, QRect(inner.right() - 12, inner.center().y() - 5, 12, 12))
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.tokens.muted))
        metrics = QFontMetrics(self._small)
        count = str(index.data(COUNT))
        inner.adjust(_ICON + _SIDE, 0, -12 - _SIDE, 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        inner.setRight(inner.right() - metrics.horizontalAdvance(count) - _SIDE)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _icon(self, name: str) -> QIcon:
        if name not in self._icons:
            self._icons[name] = icon(name, QColor(self._theme.tokens.muted), size=_ICON)
        return self._icons[name]

    def _draw_ground(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> QRect:
        """Draw what says that a row is marked, under the pointer, or has the keyboard: where its contents go."""
        tokens = self._theme.tokens
        row = area.adjusted(_SIDE, 1, -_SIDE, -1)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.drawRoundedRect(row, _RADIUS, _RADIUS)
        if state & QStyle.StateFlag.State_HasFocus and selected:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
        return row

    def _draw_chat(
        self, painter: QPainter, area: QRect, state: QStyle.StateFlag, chat: Chat, text: str, *, answering: bool
    ) -> None:
        tokens = self._theme.tokens
        row = self._draw_ground(painter, area, state)
        inner = row.adjusted(_PADDING, 0, -_PADDING, 0)
        if is_temporary(chat.id):
            self._icon("temporary").paint(painter, QRect(inner.left(), inner.center().y() - 7, _ICON, _ICON))
            inner.setLeft(inner.left() + _ICON + _SIDE)
        elif chat.folder_id is not None and not chat.pinned and not chat.archived and chat.trashed_at is None:
            inner.setLeft(inner.left() + _ICON + _SIDE)
        if answering or chat.unread:
            dot = QRect(inner.right() - _DOT, inner.center().y() - _DOT // 2 + 1, _DOT, _DOT)
            painter.setPen(QColor(tokens.accent) if answering else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent) if chat.unread else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(dot)
            inner.setRight(dot.left() - _SIDE)
        font = self._bold if chat.unread else self._font
        painter.setFont(font)
        painter.setPen(QColor(tokens.text if chat.title else tokens.muted))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class HitDelegate(QStyledItemDelegate):
    """Draws what a search found: the title, and below it the text around the hit, the hit itself in bold."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._archived = icon("archive", QColor(theme.tokens.muted), size=_ICON)
        self._font = QFont(theme.body)
        self._small = QFont(theme.body)
        self._small.setPointSizeF(theme.body.pointSizeF() * 0.86)
        self._bold = QFont(self._small)
        self._bold.setWeight(QFont.Weight.DemiBold)

    # Qt overrides

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Two lines."""
        return QSize(0, HIT_ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw it."""
        hit: Hit | None = index.data(HIT)
        if hit is None:
            return
        tokens = self._theme.tokens
        row: QRect = option.rect.adjusted(_SIDE, 1, -_SIDE, -1)
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = bool(state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if chosen else tokens.hover))
            painter.drawRoundedRect(row, _RADIUS, _RADIUS)
        inner = row.adjusted(_PADDING, 5, -_PADDING, -5)
        painter.setFont(self._font)
        painter.setPen(QColor(tokens.text))
        title = str(index.data(Qt.ItemDataRole.DisplayRole))
        if hit.archived:
            place = QRect(inner.right() - _ICON, inner.top() + 2, _ICON, _ICON)
            self._archived.paint(painter, place)
            inner.setRight(place.left() - _SIDE)
        shown = QFontMetrics(self._font).elidedText(title, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)
        if hit.message_id is not None:
            self._draw_excerpt(painter, inner, hit)
        painter.restore()

    def _draw_excerpt(self, painter: QPainter, inner: QRect, hit: Hit) -> None:
        """The hit with as much before it as leaves it in sight."""
        plain, bold = QFontMetrics(self._small), QFontMetrics(self._bold)
        before = plain.elidedText(hit.before, Qt.TextElideMode.ElideLeft, inner.width() // 3)
        y = inner.bottom() - plain.descent()
        x = inner.left()
        for font, metrics, ink, text in (
            (self._small, plain, self._theme.tokens.muted, before),
            (self._bold, bold, self._theme.tokens.text, hit.found),
            (self._small, plain, self._theme.tokens.muted, hit.after),
        ):
            room = inner.right() - x
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, room))
            painter.setFont(font)
            painter.setPen(QColor(ink))
            painter.drawText(x, y, shown)
            x += metrics.horizontalAdvance(shown)
