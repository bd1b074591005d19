"""The model of the side bar: one section of it (the chats, the archive, the trash), folders folded or not.

Above: ``rows``, ``library``. Below: ``delegate`` draws, ``sidebar`` shows. Guarantee: the rows stay where they are
while somebody writes another name into one (``hold``).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Slot,
)

from rillet.app import coroutines
from rillet.app.sidebar.rows import Row, Section, rows_of
from rillet.core.store.temporary import is_temporary
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.app.library import Library

CHAT: Final = Qt.ItemDataRole.UserRole + 1
"""The ``Chat`` of a row; None on a heading."""
ANSWERING: Final = Qt.ItemDataRole.UserRole + 2
FOLDER: Final = Qt.ItemDataRole.UserRole + 4
"""The ``Folder`` that a row is the heading of."""
FOLDED: Final = Qt.ItemDataRole.UserRole + 5
COUNT: Final = Qt.ItemDataRole.UserRole + 6
"""How many chats a folder holds."""
CHAT_IDS: Final = "application/x-rillet-chats"
"""What is dragged: ids, with spaces between them."""


class ChatsModel(QAbstractListModel):
    """The rows of one section."""

    def __init__(self, library: Library, folded: Iterable[int] = ()) -> None:
        super().__init__(library)
        self._library = library
        self._section: Section = "chats"
        self._folded = set(folded)
        self._rows: list[Row] = []
        self._places: dict[int, int] = {}
        self._held = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.rebuild)
        library.reset.connect(self.rebuild)
        library.chatChanged.connect(self._chat_changed)
        for signal in (library.chatRemoved, library.foldersChanged, library.trashChanged):
            signal.connect(self.rebuildSoon)
        self.rebuild()

    @property
    def section(self) -> Section:
        """What it shows."""
        return self._section

    @property
    def folded(self) -> frozenset[int]:
        """The folders (ids) of which only the heading is shown."""
        return frozenset(self._folded)

    def show_section(self, section: Section) -> None:
        """Show another section."""
        self._section = section
        self.rebuild()

    def fold(self, folder_id: int, *, folded: bool) -> None:
        """Show only the heading of a folder, or what is in it, too."""
        if folded != (folder_id in self._folded):
            (self._folded.add if folded else self._folded.discard)(folder_id)
            self.rebuild()

    def row_of(self, chat_id: int) -> int | None:
        """Where a chat stands."""
        return self._places.get(chat_id)

    def row_of_folder(self, folder_id: int) -> int | None:
        """Where the heading of a folder stands."""
        rows = enumerate(self._rows)
        return next((place for place, row in rows if row.folder is not None and row.folder.id == folder_id), None)

    def hold(self) -> None:
        """Leave every row where it is until ``release``."""
        self._held = True

    @Slot()
    def release(self) -> None:
        """Show what has changed meanwhile."""
        self._held = False
        self._later.start()

    @Slot()
    def rebuildSoon(self) -> None:
        """Order everything anew, once for all that happens now. (A timer's own ``start`` would take an id for ms.)"""
        self._later.start()

    @Slot()
    def rebuild(self) -> None:
        """Order everything anew."""
        if self._held:
            return
        rows = rows_of(self._library, self._section, self._folded, datetime.now())
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
        before = old.pinned, old.archived, old.folder_id, old.activity
        if before != (chat.pinned, chat.archived, chat.folder_id, chat.activity):
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
            case Qt.ItemDataRole.EditRole:
                return row.chat.title if row.chat is not None else row.heading
            case Qt.ItemDataRole.ToolTipRole:
                return tool_tip(row.chat.title if row.chat is not None else row.heading)
            case Qt.ItemDataRole.DisplayRole:
                return row.heading if row.chat is None else row.chat.title or self.tr("New chat")
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._said(row)
            case _ if role == CHAT:
                return row.chat
            case _ if role == ANSWERING:
                return row.chat is not None and self._library.is_answering(row.chat.id)
            case _ if role == FOLDER:
                return row.folder
            case _ if role == FOLDED:
                return row.folder is not None and row.folder.id in self._folded
            case _ if role == COUNT:
                return row.size
            case _:
                return None

    def _said(self, row: Row) -> str:
        if row.folder is not None:
            words = self.tr("Folder {name}, {count} chats, folded") if row.folder.id in self._folded else ""
            return (words or self.tr("Folder {name}, {count} chats")).format(name=row.heading, count=row.size)
        if row.chat is None:
            return row.heading
        title = row.chat.title or self.tr("New chat")
        if self._library.is_answering(row.chat.id):
            return self.tr("{title}, an answer is being written").format(title=title)
        return self.tr("{title}, unread").format(title=title) if row.chat.unread else title

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Headings can be neither chosen nor reached, those of folders excepted."""
        flag = Qt.ItemFlag
        if not index.isValid():
            return flag.NoItemFlags
        row = self._rows[index.row()]
        if row.chat is None and row.folder is None:
            return flag.NoItemFlags
        flags = flag.ItemIsEnabled | flag.ItemIsSelectable
        if self._section != "trash":
            flags |= flag.ItemIsEditable
        if self._section == "chats":
            flags |= flag.ItemIsDropEnabled
            if row.chat is not None and not is_temporary(row.chat.id):
                flags |= flag.ItemIsDragEnabled
        return flags

    def setData(
        self, index: QModelIndex | QPersistentModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """A person wrote another title, or another name for a folder."""
        if not index.isValid() or role != Qt.ItemDataRole.EditRole:
            return False
        row = self._rows[index.row()]
        title = " ".join(str(value).split())
        if not title or title == (row.heading if row.chat is None else row.chat.title):
            return False
        if row.chat is not None:
            coroutines.start(self._library.rename(row.chat.id, title))
        elif row.folder is not None:
            coroutines.start(self._library.rename_folder(row.folder.id, title))
        return True

    # Dragging chats into folders

    def mimeTypes(self) -> list[str]:
        """Chats."""
        return [CHAT_IDS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The chats of these rows."""
        chats = [self._rows[index.row()].chat for index in indexes]
        ids = [str(chat.id) for chat in chats if chat is not None and not is_temporary(chat.id)]
        data = QMimeData()
        data.setData(CHAT_IDS, QByteArray(" ".join(ids).encode()))
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        """They move."""
        return Qt.DropAction.MoveAction

    def dropMimeData(
        self,
        data: QMimeData,
        _action: Qt.DropAction,
        row: int,
        _column: int,
        parent: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Put chats where the row is that they were dropped on; nothing is moved by the view then."""
        place = parent.row() if parent.isValid() else row
        ids = [int(each) for each in bytes(data.data(CHAT_IDS).data()).decode().split()]
        if ids and 0 <= place < len(self._rows):
            target = self._rows[place]
            folder = target.chat.folder_id if target.chat is not None else None
            coroutines.start(self._library.file(ids, target.folder.id if target.folder is not None else folder))
        return False
