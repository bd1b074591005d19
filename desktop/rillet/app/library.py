"""The list of chats on the GUI thread: what the side bar shows, and everything that can be done with chats as such.

Above: ``qt/desk`` and the store. Below: ``sidebar``, ``chats``. Knows no widget and nothing of what is in a chat.
Guarantees: a change is shown at once and written in the order in which it was made; what was deleted can be brought
back until it is purged; nothing of a temporary chat is handed to the file.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app import coroutines
from rillet.core.store import chats, trash
from rillet.core.store.temporary import is_temporary

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence

    from rillet.core.chat.desk import Desk
    from rillet.core.store.chats import Chat, Folder, TitleBy
    from rillet.qt.desk import DeskClient, Shelf
    from rillet.qt.resource import AsyncResource

OURS: Final = ("title", "title_by", "folder_id", "pinned", "archived", "unread", "settings")
"""What only the library changes, so that a chat that was read before a change was written knows less of it."""


class Library(QObject):
    """All chats and folders, and the trash.

    Signals:
        reset(): Everything may be another one now.
        chatChanged(int): A chat (its id) is new, shows something else, or stands elsewhere now.
        chatRemoved(int): A chat is gone from the list.
        foldersChanged(): Folders came, went or were renamed.
        trashChanged(): Chats came into the trash or left it.
    """

    reset = Signal()
    chatChanged = Signal(int)
    chatRemoved = Signal(int)
    foldersChanged = Signal()
    trashChanged = Signal()

    def __init__(self, desk: DeskClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._chats: dict[int, Chat] = {}
        self._trash: dict[int, Chat] = {}
        """The last one that was deleted stands last."""
        self._folders: list[Folder] = []
        self._answering: set[int] = set()
        self._closed: dict[int, Chat] = {}
        """Temporary chats that were deleted and can still be brought back."""

    async def load(self) -> None:
        """Read everything."""
        found = await self._desk.read(chats.overview)
        self._folders = await self._desk.read(chats.folders)
        temporary = {id: chat for id, chat in self._chats.items() if is_temporary(id)}
        self._chats = temporary | {chat.id: chat for chat in found}
        self._trash = {chat.id: chat for chat in reversed(await self._desk.read(chats.trashed))}
        self.reset.emit()
        self.trashChanged.emit()

    @property
    def chats(self) -> Sequence[Chat]:
        """In the order of the list: temporary ones first, then pinned ones, then by what happened last."""
        return sorted(
            self._chats.values(), key=lambda chat: (is_temporary(chat.id), chat.pinned, chat.activity), reverse=True
        )

    @property
    def trashed(self) -> Sequence[Chat]:
        """The chats in the trash, the last one first. Temporary ones are never there."""
        return list(reversed(self._trash.values()))

    @property
    def folders(self) -> Sequence[Folder]:
        """As the person ordered them."""
        return self._folders

    def chat(self, chat_id: int) -> Chat | None:
        """One chat, if it is in the list."""
        return self._chats.get(chat_id)

    def find(self, chat_id: int) -> Chat | None:
        """One chat, also in the trash."""
        return self._chats.get(chat_id) or self._trash.get(chat_id)

    @property
    def unread_count(self) -> int:
        """In how many chats there is something that nobody has seen."""
        return sum(chat.unread and not chat.archived for chat in self._chats.values())

    def is_answering(self, chat_id: int) -> bool:
        """Whether an answer is under way in it."""
        return chat_id in self._answering

    def set_answering(self, chat_id: int, answering: bool) -> None:
        """Note that an answer began or ended."""
        if answering != (chat_id in self._answering):
            (self._answering.add if answering else self._answering.discard)(chat_id)
            self.chatChanged.emit(chat_id)

    async def create(self, settings: Mapping[str, Any] | None = None, folder_id: int | None = None) -> int:
        """A new chat: its id."""
        chat_id = await self._desk.write(chats.create, settings=settings, folder_id=folder_id)
        await self.refresh(chat_id)
        return chat_id

    async def refresh(self, chat_id: int) -> Chat:
        """Read one chat anew, for something was written into it: the chat."""
        chat = await self._desk.shelf(chat_id).read(chats.get, chat_id)
        if chat.trashed_at is None:
            if (known := self._chats.get(chat_id)) is not None:
                chat = replace(chat, **{name: getattr(known, name) for name in OURS})
            self._put(chat)
        return chat

    async def rename(self, chat_id: int, title: str, by: TitleBy = "person") -> None:
        """Give it a title."""
        if (chat := self._chats.get(chat_id)) is not None and (by == "person" or chat.title_by != "person"):
            self._put(replace(chat, title=title, title_by=by))
        await self._desk.shelf(chat_id).write(chats.rename, chat_id, title, by)

    def configure(self, chat_id: int, settings: Mapping[str, Any]) -> Coroutine[Any, Any, None]:
        """Replace what holds for this chat alone: at once, and on its way to the disk when this returns.

        What is returned is to be awaited; it ends when it is there, or raises ``StoreError``.
        """
        if (chat := self._chats.get(chat_id)) is not None:
            self._put(replace(chat, settings=settings))
        return _written(self._desk.shelf(chat_id).write(chats.configure, chat_id, settings))

    async def pin(self, chat_ids: Iterable[int], *, pinned: bool) -> None:
        """Put chats to the top, or back."""
        ids = self._amend(chat_ids, pinned=pinned)
        for shelf, some in self._places(ids):
            await shelf.write(chats.pin, some, pinned=pinned)

    async def archive(self, chat_ids: Iterable[int], *, archived: bool) -> None:
        """Put chats out of sight, or back."""
        ids = self._amend(chat_ids, archived=archived)
        for shelf, some in self._places(ids):
            await shelf.write(chats.archive, some, archived=archived)

    async def mark_unread(self, chat_ids: Iterable[int], *, unread: bool) -> None:
        """Say that there is something that nobody has seen, or that somebody has."""
        ids = self._amend((each for each in chat_ids if self._is_unread(each) != unread), unread=unread)
        for shelf, some in self._places(ids):
            await shelf.write(chats.mark_unread, some, unread=unread)

    async def file(self, chat_ids: Iterable[int], folder_id: int | None) -> None:
        """Put chats into a folder, or out of all."""
        ids = self._amend(chat_ids, folder_id=folder_id)
        for shelf, some in self._places(ids):
            await shelf.write(chats.file, some, folder_id)

    def trash(self, chat_ids: Iterable[int]) -> list[int]:
        """Delete chats so that it can be undone: which there were. It is on its way to the disk when this returns."""
        gone = [chat for each in chat_ids if (chat := self._chats.pop(each, None)) is not None]
        ids = [chat.id for chat in gone]
        now = time.time()
        self._trash |= {chat.id: replace(chat, trashed_at=now) for chat in gone if not is_temporary(chat.id)}
        for each in ids:
            self.chatRemoved.emit(each)
        self.trashChanged.emit()
        self._closed |= {chat.id: chat for chat in gone if is_temporary(chat.id)}
        for shelf, some in self._places(ids):
            coroutines.start(_written(shelf.writeDurably(chats.trash, some)))
        return ids

    def untrash(self, chat_ids: Iterable[int]) -> Coroutine[Any, Any, None]:
        """Bring chats back; from the call on, nobody lets go of them for good."""
        ids = list(chat_ids)
        for each in ids:
            if (chat := self._trash.pop(each, None) or self._closed.pop(each, None)) is not None:
                self._put(replace(chat, trashed_at=None))
        self.trashChanged.emit()
        return self._untrash(ids)

    async def _untrash(self, ids: list[int]) -> None:
        for shelf, some in self._places(ids):
            await shelf.write(chats.untrash, some)
        for each in ids:
            if each not in self._trash and each not in self._closed:  # (else it was deleted once more)
                await self.refresh(each)

    async def purge(self, chat_ids: Iterable[int]) -> int:
        """Delete chats of the trash for good: how many there were.

        Raises:
            StoreError: the store cannot be changed.
        """
        ids = list(chat_ids)
        for each in ids:
            self._trash.pop(each, None)
            self.chatRemoved.emit(each)
        self.trashChanged.emit()
        return await self._desk.do(partial(_purge, ids)) if ids else 0

    async def purge_overdue(self) -> int:
        """Delete for good what has been in the trash for as long as it stays there: how many chats.

        Raises:
            StoreError: the store cannot be changed.
        """
        return await self._desk.do(_purge_overdue)

    async def move(self, before: int, now: int) -> None:
        """A temporary chat is kept under another number now."""
        self._chats.pop(before, None)
        await self.refresh(now)

    @Slot()
    def forgetClosed(self) -> None:
        """Let go for good of the temporary chats that were deleted: nobody can bring them back any more."""
        closed, self._closed = self._closed, {}
        if closed:
            self._desk.forget(closed)

    def leave(self, *, temporary: bool = False) -> None:
        """Let go of every chat that is kept, because everything is about to be another one; ``load`` follows.

        ``temporary``: of the others, too, for good.
        """
        for each in [each for each in self._chats if temporary or not is_temporary(each)]:
            chat = self._chats.pop(each)
            if is_temporary(each):
                self._closed[each] = chat
            self.chatRemoved.emit(each)
        self.forgetClosed()

    async def create_folder(self, name: str) -> int:
        """A new folder: its id."""
        folder_id = await self._desk.write(chats.create_folder, name)
        await self._reload_folders()
        return folder_id

    async def rename_folder(self, folder_id: int, name: str) -> None:
        """Give a folder another name."""
        await self._desk.write(chats.rename_folder, folder_id, name)
        await self._reload_folders()

    async def remove_folder(self, folder_id: int) -> None:
        """Remove a folder; its chats stay."""
        await self._desk.write(chats.remove_folder, folder_id)
        inside = [chat.id for chat in self._chats.values() if chat.folder_id == folder_id]
        self._amend(inside, folder_id=None)
        await self._reload_folders()

    async def _reload_folders(self) -> None:
        self._folders = await self._desk.read(chats.folders)
        self.foldersChanged.emit()

    def _places(self, ids: Iterable[int]) -> Iterator[tuple[Shelf, list[int]]]:
        """Where chats are, and which are there."""
        by_place = groupby(sorted(ids), is_temporary)
        return ((self._desk.temporary if temporary else self._desk.kept, list(some)) for temporary, some in by_place)

    def _is_unread(self, chat_id: int) -> bool:
        chat = self._chats.get(chat_id)
        return chat is not None and chat.unread

    def _amend(self, chat_ids: Iterable[int], **changes: Any) -> list[int]:
        ids = [each for each in chat_ids if each in self._chats]
        for each in ids:
            self._put(replace(self._chats[each], **changes))
        return ids

    def _put(self, chat: Chat) -> None:
        self._chats[chat.id] = chat
        self.chatChanged.emit(chat.id)


async def _written(change: AsyncResource[None]) -> None:
    await change


async def _purge(ids: list[int], desk: Desk) -> int:
    return await desk.store.purge(ids)


async def _purge_overdue(desk: Desk) -> int:
    """On the engine thread. Deleting for good tidies the search: it is not begun for nothing."""
    ids = await desk.store.read(trash.overdue)
    return await desk.store.purge(ids) if ids else 0
