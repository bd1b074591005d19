"""Notices on the desktop, outside the window, which bring somebody back to a chat when they are pressed.

Through the portal of the Linux desktops
(https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Notification.html): the older interface
wants an unsigned number, which PySide cannot send. Other systems show notices of programs with an icon in their tray
only. Knows no chats. Below: ``notifications``. QtDBus is imported by the first notice. Guarantee: showing one waits for
nobody, and where there is no bus or no portal nothing happens.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import SLOT, QObject, Signal, Slot

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusMessage, QDBusPendingCallWatcher

log = logging.getLogger("rillet.app")

SERVICE: Final = "org.freedesktop.portal.Desktop"
PATH: Final = "/org/freedesktop/portal/desktop"
INTERFACE: Final = "org.freedesktop.portal.Notification"
ACTION: Final = "show"


class DesktopNotices(QObject):
    """The notices of this program, each under a name of ours.

    Signals:
        pressed(str): Somebody pressed the notice with this name.
    """

    pressed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._listens = False
        self._shown: set[str] = set()

    def show(self, name: str, title: str, body: str) -> None:
        """Show one, in the place of an earlier one with this name."""
        if sys.platform != "linux":
            return
        self._shown.add(name)
        self._listen()
        self._call("AddNotification", name, {"title": title, "body": body, "default-action": ACTION})

    def withdraw(self) -> None:
        """Take back all that were shown."""
        for name in self._shown:
            self._call("RemoveNotification", name)
        self._shown.clear()

    def _listen(self) -> None:
        from PySide6.QtDBus import QDBusConnection

        if not self._listens:
            self._listens = QDBusConnection.sessionBus().connect(  # type: ignore[call-overload]  # (told: bytes; taken: str)
                SERVICE, PATH, INTERFACE, "ActionInvoked", self, SLOT("note(QDBusMessage)")
            )

    def _call(self, method: str, *arguments: object) -> None:
        from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

        call = QDBusMessage.createMethodCall(SERVICE, PATH, INTERFACE, method)
        call.setArguments(list(arguments))
        watcher = QDBusPendingCallWatcher(QDBusConnection.sessionBus().asyncCall(call), self)
        watcher.finished.connect(self._answered)

    @Slot(object)
    def _answered(self, watcher: QDBusPendingCallWatcher) -> None:
        if watcher.isError():
            log.info("the desktop shows no notices: %s", watcher.error().message())
        watcher.deleteLater()

    @Slot("QDBusMessage")
    def note(self, message: QDBusMessage) -> None:
        """The portal tells that a notice was pressed, ours or not."""
        name, *_ = message.arguments()
        if name in self._shown:
            self._shown.discard(name)
            self.pressed.emit(name)
