"""Which chat an open one is, and where it is kept: in the file, or in memory only.

Above: ``qt/desk``. Below: ``session`` and its helpers read and write through it. Guarantee: nothing of a temporary chat
is handed to the file, also as long as it has no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.store.drafts import NEW_CHAT
from rillet.core.store.temporary import is_temporary

if TYPE_CHECKING:
    from rillet.qt.desk import DeskClient, Shelf


class Place:
    """The place of one chat.

    Attributes:
        chat_id: Its number; None until something was sent.
        temporary: Whether nothing of it is kept.
        is_naming: Whether somebody looks for its title.
        is_beginning: Whether its first question is on its way into the store, and its number on its way from there.
    """

    def __init__(self, desk: DeskClient, chat_id: int | None, *, temporary: bool = False) -> None:
        self._desk = desk
        self.chat_id = chat_id
        self.temporary = temporary if chat_id is None else is_temporary(chat_id)
        self.is_beginning = False
        self.is_naming = False

    @property
    def known_id(self) -> int:
        """Its number, which it must have."""
        assert self.chat_id is not None
        return self.chat_id

    @property
    def draft_id(self) -> int:
        """Under which number its draft stands."""
        return self.chat_id or NEW_CHAT

    @property
    def shelf(self) -> Shelf:
        """Where it is."""
        return self._desk.temporary if self.temporary else self._desk.kept

    def move(self, chat_id: int) -> None:
        """It is this chat from now on."""
        self.chat_id = chat_id
        self.temporary = is_temporary(chat_id)
        self.is_beginning = False
