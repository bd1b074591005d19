"""Tells that an answer has ended while nobody was looking: on the desktop, in the task bar, and in the window's title.

Without words of the chat, which may be seen by others. Above: ``library``, ``chats``, ``desktop_notice``. Below:
``window`` makes it. Guarantee: who looks at a chat has seen it; a window in front asks for nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from rillet.app import coroutines
from rillet.app.desktop_notice import DesktopNotices

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.chats.session import Session
    from rillet.app.chats.sessions import Sessions
    from rillet.app.library import Library


class Notifications(QObject):
    """Watches every chat that is open.

    Signals:
        called(): Somebody wants to see the window.
    """

    called = Signal()

    def __init__(self, window: QWidget, library: Library, sessions: Sessions) -> None:
        super().__init__(window)
        self._window = window
        self._library = library
        self._sessions = sessions
        self._title = window.windowTitle()
        self._notices = DesktopNotices(self)
        self._notices.pressed.connect(self._pressed)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.count)
        sessions.opened.connect(self.watch)
        for signal in (library.reset, library.chatChanged, library.chatRemoved):
            signal.connect(self.countSoon)
        window.installEventFilter(self)

    @Slot(object)
    def watch(self, session: Session) -> None:
        """Tell when an answer in this chat ends."""
        session.answeringChanged.connect(partial(self._note, session))

    @Slot()
    def countSoon(self) -> None:
        """Count once for all that happens now. (A timer's own ``start`` would take the number of a chat for ms.)"""
        self._soon.start()

    @Slot()
    def count(self) -> None:
        """Say in the title of the window in how many chats there is something new."""
        unread = self._library.unread_count
        self._window.setWindowTitle(f"({unread}) {self._title}" if unread else self._title)

    def _note(self, session: Session, answering: bool) -> None:
        if answering or self._window.isActiveWindow():
            return
        QApplication.alert(self._window)
        if session.chat_id is None:
            return
        self._notices.show(str(session.chat_id), self._title, self.tr("There is something new in a chat"))
        if session is self._sessions.current:
            coroutines.start(self._library.mark_unread([session.chat_id], unread=True))

    @Slot(str)
    def _pressed(self, name: str) -> None:
        self._sessions.open(int(name))
        self.called.emit()

    # Qt overrides

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Whoever comes back sees what has come meanwhile."""
        if event.type() is QEvent.Type.WindowActivate:
            self._notices.withdraw()
            if (chat_id := self._sessions.current.chat_id) is not None:
                coroutines.start(self._library.mark_unread([chat_id], unread=False))
        return super().eventFilter(watched, event)
