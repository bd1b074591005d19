"""What can be done with the chats that are marked in the list: one menu for one of them and for many.

Above: ``library``. Below: ``sidebar`` opens it and runs what was chosen. Knows no list.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from rillet.app import coroutines

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from typing import Any

    from PySide6.QtWidgets import QWidget

    from rillet.app.library import Library
    from rillet.core.store.chats import Chat


class ChatActions(QObject):
    """Does to chats what a person chose.

    Signals:
        renameRequested(int): A chat wants another name.
        folderRequested(object): Chats (ids) want to go into a folder that does not exist yet.
        trashed(object): Chats (ids) were deleted; ``Library.untrash`` brings them back.
    """

    renameRequested = Signal(int)
    folderRequested = Signal(object)
    trashed = Signal(object)

    def __init__(self, library: Library, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library

    def menu(self, chats: Sequence[Chat], parent: QWidget) -> QMenu:
        """The menu for these chats."""
        ids = [chat.id for chat in chats]
        menu = QMenu(parent)
        if len(chats) == 1:
            menu.addAction(self.tr("Rename"), lambda: self.renameRequested.emit(ids[0]))
        pinned = all(chat.pinned for chat in chats)
        text = self.tr("Unpin") if pinned else self.tr("Pin")
        menu.addAction(text, lambda: _do(self._library.pin(ids, pinned=not pinned)))
        archived = all(chat.archived for chat in chats)
        text = self.tr("Take out of the archive") if archived else self.tr("Archive")
        menu.addAction(text, lambda: _do(self._library.archive(ids, archived=not archived)))
        unread = all(chat.unread for chat in chats)
        text = self.tr("Mark as read") if unread else self.tr("Mark as unread")
        menu.addAction(text, lambda: _do(self._library.mark_unread(ids, unread=not unread)))
        self._add_folders(menu.addMenu(self.tr("Move to folder")), ids)
        menu.addSeparator()
        menu.addAction(self.tr("Delete"), lambda: self.trash(ids))
        return menu

    def trash(self, ids: Sequence[int]) -> None:
        """Delete chats, so that it can be undone."""
        coroutines.start(self._trash(ids))

    async def _trash(self, ids: Sequence[int]) -> None:
        gone = await self._library.trash(ids)
        if gone:
            self.trashed.emit(gone)

    def _add_folders(self, menu: QMenu, ids: Sequence[int]) -> None:
        for folder in self._library.folders:
            menu.addAction(_plain(folder.name), partial(self._file, ids, folder.id))
        menu.addAction(self.tr("New folder…"), lambda: self.folderRequested.emit(list(ids)))
        menu.addAction(self.tr("No folder"), partial(self._file, ids, None))

    def _file(self, ids: Sequence[int], folder_id: int | None) -> None:
        _do(self._library.file(ids, folder_id))


def _do(work: Coroutine[Any, Any, None]) -> None:
    coroutines.start(work)


def _plain(text: str) -> str:
    """A menu's text in which nothing is a mnemonic."""
    return text.replace("&", "&&")
