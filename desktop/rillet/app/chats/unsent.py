"""What is written in one open chat and not sent yet: it is kept while it is typed, and comes back.

Above: ``place``, ``writing``, ``queue``, ``editing``. Below: ``session`` says when a chat is shown and when it goes.
Guarantees: what was kept before is neither overwritten nor forgotten before it was shown, however early somebody types
or leaves; questions that wait for their turn are part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from rillet.app.chats import writing
from rillet.core.store import drafts

if TYPE_CHECKING:
    from rillet.app.chats.editing import Editing
    from rillet.app.chats.place import Place
    from rillet.app.chats.queue import Queue
    from rillet.qt.resource import AsyncResource
    from rillet.widgets.composer import Composer

DRAFT_MS = 400
"""How long nothing is typed before the draft is kept."""


class Unsent(QObject):
    """The draft of one chat.

    Attributes:
        found: The text that was found here, before anybody typed; None: none was.
        is_shown: Whether what was kept stands in the field.
    """

    def __init__(self, place: Place, composer: Composer, editing: Editing, queue: Queue, parent: QObject) -> None:
        super().__init__(parent)
        self._place = place
        self._composer = composer
        self._editing = editing
        self._queue = queue
        self.found: str | None = None
        self.is_shown = False
        self._added: drafts.SavedDraft | None = None
        self._saving: AsyncResource[None] | None = None
        self._timer = QTimer(self, singleShot=True, interval=DRAFT_MS)
        self._timer.timeout.connect(self.save)
        composer.draftChanged.connect(self._timer.start)

    @property
    def is_kept(self) -> bool:
        """Whether the disk has what is written here, as far as it was to be saved."""
        return not self._timer.isActive() and (self._saving is None or self._saving.isDone())

    async def show(self) -> None:
        """Put what was kept into the field, before what somebody has typed meanwhile."""
        draft_id = self._place.draft_id
        kept = await self._place.shelf.read(drafts.load, draft_id)
        if draft_id == self._place.draft_id and not self._place.is_beginning:
            typed = self._composer.draft()
            if kept and not typed:
                self.found = kept.text
            if kept:
                self._composer.setDraft(writing.shown(writing.joined(kept, writing.saved(typed)), typed.incoming))
                self._composer.attachAgain(writing.sources(kept))
        self.is_shown = True  # (or it is for the next new chat, because this one has begun)

    @Slot()
    def save(self) -> None:
        """Keep what is there now."""
        if self.is_shown and not self._place.is_beginning:
            self._saving = self._place.shelf.write(drafts.save, self._place.draft_id, self._now())

    def leave(self) -> None:
        """Keep what is there now, for this chat may be closed; harmless to be called more than once."""
        now = self._now()
        if self.is_shown and not self._place.is_beginning:
            self._place.shelf.write(drafts.save, self._place.draft_id, now)
        elif now and now != self._added:
            self._added = now
            self._place.shelf.write(writing.add_to_draft, self._place.draft_id, now)

    def _now(self) -> drafts.SavedDraft:
        return writing.saved(self._editing.draft, list(self._queue))
