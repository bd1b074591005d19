"""The rows of the side bar: chats under headings, pinned ones first, then by the day when something happened last.

Above: ``library``. Below: ``delegate`` draws, ``sidebar`` shows. Guarantee: the order within a heading is that of the
library, which is no matter of clocks; only the headings are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Slot

from rillet.app import coroutines
from rillet.core.store.chats import Chat
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from rillet.app.library import Library

CHAT: Final = Qt.ItemDataRole.UserRole + 1
"""The ``Chat`` of a row; None on a heading."""
ANSWERING: Final = Qt.ItemDataRole.UserRole + 2
_WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A chat, or a heading."""

    chat: Chat | None
    heading: str = ""


class ChatsModel(QAbstractListModel):
    """All chats that are not archived."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._library = library
        self._rows: list[Row] = []
        self._places: dict[int, int] = {}
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.rebuild)
        library.reset.connect(self.rebuild)
        library.chatChanged.connect(self._chat_changed)
        library.chatRemoved.connect(self._later.start)
        self.rebuild()

    def row_of(self, chat_id: int) -> int | None:
        """Where a chat stands."""
        return self._places.get(chat_id)

    @Slot()
    def rebuild(self) -> None:
        """Order everything anew."""
        rows: list[Row] = []
        heading = ""
        today = date.today()
        for chat in self._library.chats:
            if chat.archived:
                continue
            wanted = self._heading(chat, today)
            if wanted != heading:
                heading = wanted
                rows.append(Row(None, heading))
            rows.append(Row(chat))
        self.beginResetModel()
        self._rows = rows
        self._places = {row.chat.id: place for place, row in enumerate(rows) if row.chat is not None}
        self.endResetModel()

    @Slot(int)
    def _chat_changed(self, chat_id: int) -> None:
        """Draw it anew where it stands, or order everything if it does not stand there any more."""
        place, chat = self._places.get(chat_id), self._library.chat(chat_id)
        if place is None or chat is None:
            self._later.start()
            return
        old = self._rows[place].chat
        assert old is not None
        if (old.pinned, old.archived, old.activity) != (chat.pinned, chat.archived, chat.activity):
            self._later.start()
            return
        self._rows[place] = Row(chat)
        index = self.index(place)
        self.dataChanged.emit(index, index, [Qt.ItemDataRole.DisplayRole, CHAT, ANSWERING])

    def _heading(self, chat: Chat, today: date) -> str:
        if chat.pinned:
            return self.tr("Pinned")
        day = datetime.fromtimestamp(chat.active_at).date()
        if day >= today:
            return self.tr("Today")
        if day == today - timedelta(days=1):
            return self.tr("Yesterday")
        if day > today - timedelta(days=_WEEK):
            return self.tr("Last seven days")
        if day.year == today.year:
            return f"{day:%B}"
        return f"{day:%Y}"

    # Qt overrides

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 (Qt's default)
        """Headings and chats."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row shows."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.EditRole | Qt.ItemDataRole.ToolTipRole if row.chat is not None:
                return tool_tip(row.chat.title) if role == Qt.ItemDataRole.ToolTipRole else row.chat.title
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return row.heading if row.chat is None else row.chat.title or self.tr("New chat")
            case _ if role == CHAT:
                return row.chat
            case _ if role == ANSWERING:
                return row.chat is not None and self._library.is_answering(row.chat.id)
            case _:
                return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Headings can be neither chosen nor reached."""
        if not index.isValid() or self._rows[index.row()].chat is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def setData(
        self, index: QModelIndex | QPersistentModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """A person wrote another title."""
        chat = self._rows[index.row()].chat if index.isValid() else None
        title = " ".join(str(value).split())
        if chat is None or role != Qt.ItemDataRole.EditRole or not title or title == chat.title:
            return False
        coroutines.start(self._library.rename(chat.id, title))
        return True
