"""Makes an ordinary chat of one that is temporary, archived or in the trash.

Above: ``place``, ``standing``, ``library``. Below: ``session``, which does nothing else with the chat meanwhile.
Guarantee: from the moment it was asked for, a temporary chat is kept whatever happens, also if the program ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from rillet.app import coroutines
from rillet.app.trouble_words import of_store
from rillet.core.store.trouble import StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.app.chats.place import Place
    from rillet.app.chats.standing import Standing
    from rillet.app.services import Services
    from rillet.core.store.moving import Moved
    from rillet.qt.resource import AsyncResource


class Restoring(QObject):
    """Of one open chat.

    Attributes:
        is_under_way: Whether a temporary chat is about to be kept: once the answer in it is over.

    Signals:
        changed(): It began, or is over.
        kept(): What was temporary is an ordinary chat with another number.
        told(str, object): A sentence about what went wrong, and None.
    """

    changed = Signal()
    kept = Signal()
    told = Signal(str, object)

    def __init__(
        self,
        services: Services,
        place: Place,
        standing: Standing,
        *,
        follow: Callable[[Moved], Awaitable[None]],
        reload: Callable[[], Awaitable[None]],
        owner: QObject,
    ) -> None:
        """``follow``: shows the chat under its new numbers. ``reload``: shows it as it is in the store."""
        super().__init__(owner)
        self._owner = owner
        self._services = services
        self._place = place
        self._standing = standing
        self._follow = follow
        self._reload = reload
        self.is_under_way = False

    def begin(self) -> None:
        """Do it. Harmless for a chat that is an ordinary one, or in which nothing was said."""
        library, chat_id = self._services.library, self._place.chat_id
        if chat_id is None or self.is_under_way:
            return
        match self._standing.kind:
            case "temporary":
                self.is_under_way = True
                coroutines.start(self._move(chat_id, self._services.desk.keep(chat_id)), self._owner)
                self.changed.emit()
            case "archived":
                coroutines.start(library.archive([chat_id], archived=False))
            case "trashed":
                coroutines.start(library.untrash([chat_id]))
            case "ordinary":
                pass

    async def _move(self, before: int, keeping: AsyncResource[Moved]) -> None:
        try:
            moved = await keeping
            await self._services.library.move(before, moved.chat_id)
            self._place.move(moved.chat_id)
            await self._follow(moved)
        except StoreError as error:
            self.told.emit(of_store(error), None)
            await self._reload()  # (a question that somebody answered meanwhile is still open)
        else:
            self.kept.emit()
        finally:
            self.is_under_way = False
            self.changed.emit()
