"""What can be done with messages that are there already: other versions, forks, deletion, a look at what was sent.

Above: ``place``, ``line``. Below: ``session``, which shows what the store has when that is different now. Guarantees:
nothing here destroys anything; an answer that is being written is not disturbed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from rillet.app import coroutines
from rillet.core.store import messages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.app.chats.line import Line
    from rillet.app.chats.place import Place
    from rillet.app.services import Services
    from rillet.core.chat.desk import Desk
    from rillet.core.net.exchange_log import Exchange
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.message_handle import MessageHandle


class Branches(QObject):
    """Changes which of its messages a chat shows.

    Signals:
        forked(int): Another chat was made of this one.
        told(str, object): A sentence about what was done, and a function that undoes it, or None.
        wireRequested(object): What was sent for a message is to be seen: its ``Exchange`` objects.
    """

    forked = Signal(int)
    told = Signal(str, object)
    wireRequested = Signal(object)

    def __init__(
        self,
        services: Services,
        place: Place,
        view: ChatView,
        line: Line,
        *,
        reload: Callable[[], Awaitable[None]],
        owner: QObject,
    ) -> None:
        super().__init__(owner)
        self._owner = owner
        self._services = services
        self._place = place
        self._view = view
        self._line = line
        self._reload = reload

    def act(self, action: str, handle: MessageHandle) -> None:
        """Do what was chosen at a message."""
        match action:
            case "fork":
                coroutines.start(self._fork(handle), self._owner)
            case "details":
                coroutines.start(self._tell_wire(handle), self._owner)
            case _ if self._view.composer.isBusy():
                self.told.emit(self.tr("An answer is being written. Wait for its end, or stop it."), None)
            case "previous" | "next":
                coroutines.start(self._show_version(handle, 1 if action == "next" else -1), self._owner)
            case "delete":
                coroutines.start(self._delete(handle), self._owner)

    async def show(self, message_id: int, found: str) -> None:
        """Scroll to a message, and mark what was found; one of another version is looked for there.

        Unless an answer is being written: then the version stays that is shown.
        """
        shown = {node.id for node in await self._place.shelf.read(messages.path, self._place.known_id)}
        if message_id not in shown and not self._view.composer.isBusy():
            await self._place.shelf.write(messages.show, self._place.known_id, message_id)
        if self._line.handle_of(message_id) is None and not self._view.composer.isBusy():
            await self._reload()
        if (handle := self._line.handle_of(message_id)) is not None:
            self._view.showFound(handle, found)

    async def tell_versions(self) -> None:
        """Say which messages there are other versions of."""
        self._line.tell_versions(await self._place.shelf.read(messages.versions, self._place.known_id))

    async def _show_version(self, handle: MessageHandle, step: int) -> None:
        if not (ids := self._line.ids_of(handle)):
            return
        known = await self._place.shelf.read(messages.versions, self._place.known_id)
        versions = known.get(ids[0], (ids[0],))
        place = versions.index(ids[0]) + step
        if 0 <= place < len(versions):
            await self._place.shelf.write(messages.show, self._place.known_id, versions[place])
            await self._reload()

    async def _fork(self, handle: MessageHandle) -> None:
        if ids := self._line.ids_of(handle):
            copy = await self._place.shelf.writeDurably(messages.fork, self._place.known_id, ids[-1])
            await self._services.library.refresh(copy)
            self.forked.emit(copy)

    async def _delete(self, handle: MessageHandle) -> None:
        ids = list(self._line.ids_of(handle))
        await self._place.shelf.write(messages.hide, ids)
        await self._reload()
        self.told.emit(self.tr("Message deleted"), lambda: coroutines.start(self._undelete(ids), self._owner))

    async def _undelete(self, ids: list[int]) -> None:
        await self._place.shelf.write(messages.hide, ids, hidden=False)
        if isValid(self._view):  # (the chat may have been closed meanwhile)
            await self._reload()

    async def _tell_wire(self, handle: MessageHandle) -> None:
        ids = frozenset(self._line.ids_of(handle))
        self.wireRequested.emit(await self._services.desk.do(partial(_exchanges, ids)))


async def _exchanges(message_ids: frozenset[int], desk: Desk) -> tuple[Exchange, ...]:
    return desk.log.of(message_ids)
