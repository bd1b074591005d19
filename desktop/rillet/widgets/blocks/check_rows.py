"""Rows of a tree or list whose check boxes are drawn as all others are.

Above: ``check_mark``. Below: the folder dialog, the ledger of a chat. Guarantee: a box stands where Qt's own would, so
that clicks and keys find it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from rillet.widgets.blocks.check_mark import BOX, draw_check_mark

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtWidgets import QAbstractItemView, QWidget

    from rillet.widgets.theme.palette import Theme

_AIR = 10
"""Pixels between two boxes, one above the other."""


class CheckRows(QStyledItemDelegate):
    """Draws the boxes of the first column from tokens."""

    def __init__(self, theme: Theme, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._theme = theme

    # Qt overrides

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row as usual, and the box over the usual one."""
        super().paint(painter, option, index)
        if index.column():
            return
        drawn = QStyleOptionViewItem(option)
        self.initStyleOption(drawn, index)
        widget: QWidget = drawn.widget
        place = widget.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, drawn, widget)
        tokens = self._theme.tokens
        ground = tokens.accent_soft if drawn.state & QStyle.StateFlag.State_Selected else tokens.surface
        changeable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(place.adjusted(-1, -1, 1, 1), QColor(ground))
        draw_check_mark(
            painter,
            place.center().x() - BOX / 2 + 1,
            place.center().y() + 0.5,
            Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)),
            tokens,
            enabled=index.flags() & changeable == changeable,
        )
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Air between the rows."""
        return super().sizeHint(option, index).expandedTo(QSize(0, BOX + _AIR))
