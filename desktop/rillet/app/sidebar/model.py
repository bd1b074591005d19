"""The rows of the side bar: chats under headings, pinned ones first, then by the day when something happened last.

Above: ``library``. Below: ``delegate`` draws, ``sidebar`` shows. Guarantee: the order within a heading is that of the
library, which is no matter of clocks; only the headings are.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Slot,
)

from rillet.app import coroutines
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from rillet.app.library import Library
    from rillet.core.store.chats import Chat

translate = QCoreApplication.translate

CHAT: Final = Qt.ItemDataRole.UserRole + 1
"""The ``Chat`` of a row; None on a heading."""
ANSWERING: Final = Qt.ItemDataRole.UserRole + 2
_WEEK: Final = 7


class Row(NamedTuple):
    """A chat, or a heading. (A tuple: ten thousand are made whenever the order changes.)"""

    chat: Chat | None
    heading: str = ""


class Days:
    """Names days as people do, seen from ``now``. Ten thousand chats are named in a few ms."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._from, self._to, self._heading = 0.0, 0.0, ""
        """The stretch of time that the last name is for."""

    def heading(self, moment: float) -> str:
        """The name for a moment, in seconds since the epoch; one that is still to come is today."""
        if not self._from <= moment < self._to:
            self._from, self._to, self._heading = self._name(moment)
        return self._heading

    def _name(self, moment: float) -> tuple[float, float, str]:
        midnight = self._now.replace(hour=0, minute=0, second=0, microsecond=0)
        today, yesterday, week = ((midnight - timedelta(days=days)).timestamp() for days in (0, 1, _WEEK - 1))
        if moment >= today:
            return today, inf, translate("ChatsModel", "Today")
        if moment >= yesterday:
            return yesterday, today, translate("ChatsModel", "Yesterday")
        if moment >= week:
            return week, yesterday, translate("ChatsModel", "Last seven days")
        day = datetime.fromtimestamp(moment).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        if day.year == self._now.year:
            after = (day + timedelta(days=32)).replace(day=1)
            return day.timestamp(), min(after.timestamp(), week), QLocale().standaloneMonthName(day.month)
        return day.replace(month=1).timestamp(), day.replace(year=day.year + 1, month=1).timestamp(), f"{day:%Y}"


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
        days = Days(datetime.now())
        pinned, heading = self.tr("Pinned"), ""
        for chat in self._library.chats:
            if chat.archived:
                continue
            wanted = pinned if chat.pinned else days.heading(chat.active_at)
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
