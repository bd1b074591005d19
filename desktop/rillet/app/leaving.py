"""Whether the program may end now: it asks first when something is not saved because the disk takes nothing.

Above: ``question``, ``services``. Below: ``window`` asks it before it closes. Guarantees: nobody is asked when there is
nothing to lose, and nobody twice; once the disk takes everything the program ends as was wanted, without an answer; one
that is told to end from outside (``insist``) asks nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app.question import ask
from rillet.app.trouble_words import happened

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox, QWidget

    from rillet.app.chats.sessions import Sessions
    from rillet.app.services import Services


class Leaving(QObject):
    """Asks in one window.

    Signals:
        decided(): It may end: the window is to be closed once more.
    """

    decided = Signal()

    def __init__(self, services: Services, sessions: Sessions, window: QWidget) -> None:
        super().__init__(window)
        self._services = services
        self._sessions = sessions
        self._window = window
        self._box: QMessageBox | None = None
        self._is_decided = False
        services.desk.troubled.connect(self.look)
        services.keeper.troubled.connect(self.look)

    def admits(self) -> bool:
        """Whether the program may end now; if not, the person is asked."""
        if self._is_decided or not (reasons := self._reasons()):
            return True
        if self._box is None:
            more = self.tr("All of it is saved as soon as the disk takes it, if Rillet stays open.")
            self._box = ask(
                self._window,
                self.tr("Quit, and lose what is not saved yet?"),
                "\n\n".join([*reasons, more]),
                self.tr("Quit anyway"),
                self.insist,
                no=self.tr("Stay"),
            )
            self._box.finished.connect(self.goOn)
        self._box.activateWindow()
        return False

    @Slot()
    def insist(self) -> None:
        """It ends whatever may be lost."""
        self._is_decided = True
        if self._box is not None:
            self._box.close()
        else:
            self.decided.emit()

    @Slot()
    def look(self) -> None:
        """Another thing is the matter with the disk, or none any more: is there still something to ask?"""
        if self._box is not None and not self._reasons():
            self.insist()

    @Slot()
    def goOn(self) -> None:
        """The question was answered, or is not asked any more."""
        self._box = None
        if self._is_decided:
            self.decided.emit()

    def _reasons(self) -> list[str]:
        """Why something would be lost, a sentence each."""
        desk, settings = self._services.desk, self._services.keeper.trouble
        reasons = []
        is_behind = desk.unwritten > 0 or self._sessions.has_unsaved_drafts
        if desk.trouble is not None and desk.trouble.retryable and is_behind:
            reasons.append(f"{happened(desk.trouble)} {self.tr('What is new since then is in memory only.')}")
        if settings is not None:
            words = self.tr("The settings cannot be saved ({reason}).")
            reasons.append(words.format(reason=settings.strerror or settings))
        return reasons
