"""The chats that are open: one is shown, others are kept as they are, as long as there is room or an answer under way.

Above: ``session``. Below: ``window`` shows the current one. Guarantees: switching stops nothing and loses nothing; a
chat is open at most once.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app import coroutines
from rillet.app.chats.session import Session
from rillet.app.window_state import NO_CHAT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rillet.app.services import Services
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.theme.palette import Theme

KEPT: Final = 8
"""Open chats, the current one included; with answers under way there may be more."""


class Sessions(QObject):
    """The open chats.

    Signals:
        opened(object): A ``Session`` that is new: its view wants a place.
        closed(object): A ``Session`` that is let go.
        currentChanged(object): Another ``Session`` is shown.
    """

    opened = Signal(object)
    closed = Signal(object)
    currentChanged = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._open: list[Session] = []
        """The one that was looked at last comes last."""
        self._was_chosen = False
        """Whether somebody wanted to see what is shown."""
        services.library.chatRemoved.connect(self.close)

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._open))

    def begin(self, view: ChatView) -> Session:
        """Make the view that the window was painted with the first, empty chat."""
        return self._show(self._add(None, view))

    async def restore(self, chat_ids: Sequence[int]) -> None:
        """Open again what was open: the last of these is shown, unless the person has begun something meanwhile.

        The others follow one by one, between whatever else there is to do.
        """
        known = [each for each in chat_ids if self._services.library.chat(each) is not None]
        if known and chat_ids[-1] == known[-1] and self.current.is_untouched and not self._was_chosen:
            self.open(known[-1])
        for chat_id in reversed(known):
            if len(self._open) >= KEPT:
                break
            if self.session_of(chat_id) is None:
                self._add(chat_id, place=0)
                await asyncio.sleep(0)

    @property
    def open_chats(self) -> tuple[int, ...]:
        """The chats that are open, as ``restore`` takes them; of temporary ones nobody is to know."""
        return tuple(session.chat_id or NO_CHAT for session in self._open if not session.is_temporary)

    @property
    def current(self) -> Session:
        """The one that is shown."""
        return self._open[-1]

    def session_of(self, chat_id: int) -> Session | None:
        """The open session of a chat."""
        return next((each for each in self._open if each.chat_id == chat_id), None)

    @Slot()
    def new(self) -> Session:
        """Show an empty chat; the one that is shown, if it is empty."""
        self._was_chosen = True
        return self._show(self._empty(temporary=False) or self._add(None))

    @Slot()
    def new_temporary(self) -> Session:
        """Show an empty chat of which nothing is kept."""
        self._was_chosen = True
        return self._show(self._empty(temporary=True) or self._add(None, temporary=True))

    @Slot(int)
    def open(self, chat_id: int) -> Session:
        """Show a chat."""
        self._was_chosen = True
        return self._show(self.session_of(chat_id) or self._add(chat_id))

    @Slot(int, int, str)
    def show_found(self, chat_id: int, message_id: int, found: str) -> None:
        """Show a chat, and what was found in this message of it."""
        session = self.open(chat_id)
        coroutines.start(session.show_found(message_id, found), session)

    @Slot(int)
    def close(self, chat_id: int) -> None:
        """Let go of a chat, because it is gone; its answer is stopped."""
        session = self.session_of(chat_id)
        if session is not None:
            self.drop(session)

    def drop(self, session: Session) -> None:
        """Let go of an open chat, and show another one if it was shown."""
        session.stop()
        was_current = session is self.current
        self._let_go(session)
        if was_current:
            self.new() if not self._open else self._show(self._open[-1])

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        for session in self._open:
            session.set_theme(theme)

    @property
    def has_unsaved_drafts(self) -> bool:
        """Whether something is written that is to be kept, and is not yet."""
        return any(not session.unsent.is_kept and not session.is_temporary for session in self._open)

    def save_drafts(self) -> None:
        """Keep what is written and not sent, everywhere."""
        for session in self._open:
            session.saveDraft()

    def _empty(self, *, temporary: bool) -> Session | None:
        return next((each for each in self._open if each.is_empty and each.is_temporary is temporary), None)

    def _add(
        self,
        chat_id: int | None,
        view: ChatView | None = None,
        *,
        place: int | None = None,
        temporary: bool = False,
    ) -> Session:
        session = Session(self._services, chat_id, view, self, temporary=temporary)
        session.forked.connect(self.open)
        session.answered.connect(partial(self._answered, session))
        self._open.insert(len(self._open) if place is None else place, session)
        self.opened.emit(session)
        coroutines.start(session.load(), session)
        return session

    def _show(self, session: Session) -> Session:
        self._open.remove(session)
        self._open.append(session)
        if session.chat_id is not None:
            coroutines.start(self._services.library.mark_unread([session.chat_id], unread=False))
        self.currentChanged.emit(session)
        idle = [each for each in self._open if not each.is_answering and each.unsent.is_kept]
        for spare in idle[: max(0, len(self._open) - KEPT)]:
            if spare is not session:
                self._let_go(spare)
        return session

    def _answered(self, session: Session, text: str) -> None:
        """Mark a chat in which an answer ended while another one was looked at."""
        chat_id = session.chat_id
        if chat_id is not None and self._open and session is not self.current:
            coroutines.start(self._services.library.mark_unread([chat_id], unread=True))

    def _let_go(self, session: Session) -> None:
        self._open.remove(session)
        self.closed.emit(session)
        session.leave()
