"""What a search found, as rows: the chat, and the text around the hit.

Above: ``store/search``. Below: ``delegate`` draws, ``sidebar`` searches. Knows no store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

    from rillet.core.store.search import Hit

HIT: Final = Qt.ItemDataRole.UserRole + 3
"""The ``Hit`` of a row."""


class HitsModel(QAbstractListModel):
    """The hits of one search, in the order in which they were found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: Sequence[Hit] = ()

    def show(self, hits: Sequence[Hit]) -> None:
        """Show these instead."""
        self.beginResetModel()
        self._hits = hits
        self.endResetModel()

    # Qt overrides

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 (Qt's default)
        """As many as were found."""
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row shows."""
        if not index.isValid():
            return None
        hit = self._hits[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return hit.title or self.tr("New chat")
            case Qt.ItemDataRole.AccessibleTextRole:
                title = hit.title or self.tr("New chat")
                if hit.archived:
                    title = self.tr("{title}, archived").format(title=title)
                return f"{title}: {hit.before}{hit.found}{hit.after}"
            case _ if role == HIT:
                return hit
            case _:
                return None
