"""What holds for one chat alone, also before the chat is in the store: it gets its place there with its first message.

Above: ``library``. Below: ``session`` owns one; what is at the foot of the composer shows and changes it. The names of
the values are those of ``plans``. Guarantee: values can be changed at any time, and what was last set holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app import coroutines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.app.library import Library


class ChatSettings(QObject):
    """The settings of a chat.

    Attributes:
        chat_id: The chat; None as long as there is none.

    Signals:
        changed(): Some of it is different, or may be.
    """

    changed = Signal()

    def __init__(self, library: Library, chat_id: int | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self.chat_id = chat_id
        self._early: Mapping[str, Any] = {}
        """What was set before there was a chat to keep it."""
        library.chatChanged.connect(self.note)
        library.reset.connect(self.changed)

    @property
    def values(self) -> Mapping[str, Any]:
        """JSON values; what is absent is the program's."""
        if self.chat_id is None:
            return self._early
        chat = self._library.find(self.chat_id)
        return {} if chat is None else chat.settings

    def set(self, **values: Any) -> None:
        """Set some of it; None: as the program has it."""
        wanted = self._with(values)
        if wanted == self.values:
            return
        if self.chat_id is None:
            self._early = wanted
            self.changed.emit()
        else:
            coroutines.start(self._library.configure(self.chat_id, wanted))

    async def put(self, **values: Any) -> None:
        """As ``set``, in a chat that there is: what is answered once this has been awaited follows it."""
        assert self.chat_id is not None
        await self._library.configure(self.chat_id, self._with(values))

    def _with(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in {**self.values, **values}.items() if value is not None}

    def adopt(self, chat_id: int) -> None:
        """There is a chat now: it keeps what was set so far."""
        self.chat_id = chat_id
        self.set(**self._early)

    def move(self, chat_id: int) -> None:
        """It is another chat now."""
        self.chat_id = chat_id
        self.changed.emit()

    @Slot(int)
    def note(self, chatId: int) -> None:
        """Something of a chat is different; was it this one?"""
        if chatId == self.chat_id:
            self.changed.emit()
