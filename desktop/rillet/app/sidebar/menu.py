"""What can be done with chats that are marked in the list, and the menus that offer it.

Above: ``library``. Below: ``sidebar`` opens the menus, keys and the palette do the same. Knows no list. Guarantees:
what takes chats out of sight tells how to bring them back; what cannot be undone is asked about.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from rillet.app import coroutines
from rillet.app.question import ask
from rillet.app.trouble_words import of_store
from rillet.core.store.temporary import is_temporary
from rillet.core.store.trouble import StoreError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from typing import Any

    from PySide6.QtWidgets import QWidget

    from rillet.app.library import Library
    from rillet.core.store.chats import Chat, Folder


class ChatActions(QObject):
    """Does to chats what a person chose.

    Signals:
        renameRequested(int): A chat wants another name.
        folderRenameRequested(int): A folder wants one.
        keepRequested(int): A temporary chat is to be kept.
        told(str, object): What was done, and a function that undoes it, or None.
    """

    renameRequested = Signal(int)
    folderRenameRequested = Signal(int)
    keepRequested = Signal(int)
    told = Signal(str, object)

    def __init__(self, library: Library, parent: QWidget) -> None:
        super().__init__(parent)
        self._library = library
        self._window = parent

    def menu(self, chats: Sequence[Chat], parent: QWidget) -> QMenu:
        """The menu for these chats."""
        menu = QMenu(parent)
        ids = [chat.id for chat in chats]
        if all(chat.trashed_at is not None for chat in chats):
            menu.addAction(self.tr("Bring back"), partial(self.untrash, ids))
            menu.addSeparator()
            menu.addAction(self.tr("Delete for good…"), partial(self.purge, ids))
            return menu
        if len(chats) == 1:
            menu.addAction(self.tr("Rename"), partial(self.renameRequested.emit, ids[0]))
        if len(chats) == 1 and is_temporary(ids[0]):
            menu.addAction(self.tr("Keep this chat"), partial(self.keepRequested.emit, ids[0]))
        if not any(map(is_temporary, ids)):
            self._add_places(menu, chats, ids)
        unread = all(chat.unread for chat in chats)
        text = self.tr("Mark as read") if unread else self.tr("Mark as unread")
        menu.addAction(text, lambda: _do(self._library.mark_unread(ids, unread=not unread)))
        menu.addSeparator()
        menu.addAction(self.tr("Close") if all(map(is_temporary, ids)) else self.tr("Delete"), partial(self.trash, ids))
        return menu

    def folder_menu(self, folder: Folder, parent: QWidget) -> QMenu:
        """The menu for a folder."""
        menu = QMenu(parent)
        menu.addAction(self.tr("Rename"), partial(self.folderRenameRequested.emit, folder.id))
        menu.addAction(self.tr("Remove the folder"), partial(self.remove_folder, folder.id))
        return menu

    def folders_menu(self, ids: Sequence[int], parent: QWidget, menu: QMenu | None = None) -> QMenu:
        """Where these chats may go."""
        menu = menu or QMenu(parent)
        for folder in self._library.folders:
            menu.addAction(_plain(folder.name), partial(self._file, ids, folder.id))
        menu.addAction(self.tr("New folder…"), partial(self.new_folder, ids))
        if any((chat := self._library.chat(each)) is not None and chat.folder_id is not None for each in ids):
            menu.addAction(self.tr("No folder"), partial(self._file, ids, None))
        return menu

    # What is done

    def pin(self, ids: Sequence[int], *, pinned: bool) -> None:
        """Put chats to the top, or back."""
        _do(self._library.pin(ids, pinned=pinned))

    def archive(self, ids: Sequence[int], *, archived: bool) -> None:
        """Put chats out of sight, or back."""
        _do(self._library.archive(ids, archived=archived))
        text = self._count(
            ids,
            self.tr("Chat archived") if archived else self.tr("Chat taken out of the archive"),
            self.tr("{count} chats archived") if archived else self.tr("{count} chats taken out of the archive"),
        )
        self.told.emit(text, lambda: _do(self._library.archive(ids, archived=not archived)))

    def trash(self, ids: Sequence[int]) -> None:
        """Delete chats, or close temporary ones, so that it can be undone."""
        gone = self._library.trash(ids)
        if not gone:
            return
        one, many = self.tr("Chat deleted"), self.tr("{count} chats deleted")
        if all(map(is_temporary, gone)):
            one, many = self.tr("Temporary chat closed"), self.tr("{count} temporary chats closed")
        self.told.emit(self._count(gone, one, many), lambda: _do(self._library.untrash(gone)))

    def untrash(self, ids: Sequence[int]) -> None:
        """Bring deleted chats back."""
        _do(self._library.untrash(ids))
        text = self._count(ids, self.tr("Chat brought back"), self.tr("{count} chats brought back"))
        self.told.emit(text, lambda: self.trash(ids))

    def purge(self, ids: Sequence[int]) -> None:
        """Delete chats of the trash for good, if that is what the person wants."""
        question = self._count(ids, self.tr("Delete this chat for good?"), self.tr("Delete {count} chats for good?"))
        more = self.tr("This cannot be undone. Backups may still hold it.")
        ask(self._window, question, more, self.tr("Delete"), lambda: coroutines.start(self._purge(ids)))

    def new_folder(self, ids: Sequence[int] = ()) -> None:
        """Make a folder of these chats, and let the person name it."""
        coroutines.start(self._new_folder(ids))

    def remove_folder(self, folder_id: int) -> None:
        """Remove a folder; its chats stay."""
        coroutines.start(self._remove_folder(folder_id))

    async def _purge(self, ids: Sequence[int]) -> None:
        try:
            await self._library.purge(ids)
        except StoreError as error:
            self.told.emit(of_store(error), None)

    async def _new_folder(self, ids: Sequence[int]) -> None:
        folder_id = await self._library.create_folder(self.tr("New folder"))
        await self._library.file(ids, folder_id)
        self.folderRenameRequested.emit(folder_id)

    async def _remove_folder(self, folder_id: int) -> None:
        folder = next((each for each in self._library.folders if each.id == folder_id), None)
        if folder is None:
            return
        inside = [chat.id for chat in self._library.chats if chat.folder_id == folder_id]
        await self._library.remove_folder(folder_id)
        text = self.tr("Folder “{name}” removed; its chats stay").format(name=folder.name)
        self.told.emit(text, lambda: coroutines.start(self._bring_folder_back(folder.name, inside)))

    async def _bring_folder_back(self, name: str, inside: Sequence[int]) -> None:
        await self._library.file(inside, await self._library.create_folder(name))

    def _add_places(self, menu: QMenu, chats: Sequence[Chat], ids: Sequence[int]) -> None:
        archived = all(chat.archived for chat in chats)
        if not archived:
            pinned = all(chat.pinned for chat in chats)
            text = self.tr("Unpin") if pinned else self.tr("Pin")
            menu.addAction(text, partial(self.pin, ids, pinned=not pinned))
        text = self.tr("Take out of the archive") if archived else self.tr("Archive")
        menu.addAction(text, partial(self.archive, ids, archived=not archived))
        self.folders_menu(ids, menu, menu.addMenu(self.tr("Move to folder")))

    def _file(self, ids: Sequence[int], folder_id: int | None) -> None:
        _do(self._library.file(ids, folder_id))

    @staticmethod
    def _count(ids: Sequence[int], one: str, many: str) -> str:
        return one if len(ids) == 1 else many.format(count=len(ids))


def _do(work: Coroutine[Any, Any, None]) -> None:
    coroutines.start(work)


def _plain(text: str) -> str:
    """A menu's text in which nothing is a mnemonic."""
    return text.replace("&", "&&")
