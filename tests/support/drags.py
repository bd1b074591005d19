"""A drag that comes in. PySide 6.12 wants its place as QPointF and warns of QPoint, which is all that 6.11 takes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QDragEnterEvent

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData, Qt


def drag_enter(
    action: Qt.DropAction, data: QMimeData, buttons: Qt.MouseButton, modifiers: Qt.KeyboardModifier
) -> QDragEnterEvent:
    """The event, near the corner of its receiver."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return QDragEnterEvent(QPoint(5, 5), action, data, buttons, modifiers)
