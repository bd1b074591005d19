"""Says a streamed answer to a screen reader, sentence by sentence, at a pace that it can follow.

Above: ``sentences`` cuts and cleans. Below: ``conversation`` lets it hear answers, ``chat_view`` passes on what it
says. Guarantees: the first sentence is said at once; those that are complete within ``PACE_MS`` are said together, so
that a fast model causes two announcements a second and not fifty; when an answer ends nothing is left unsaid, unless
the narrator is silenced; where no screen reader runs, hearing costs nothing (a reader that is started in the middle of
an answer hears the rest of it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAccessible

from rillet.widgets.sentences import SentenceSplitter, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rillet.widgets.sentences import Spoken

PACE_MS = 500
_LONGEST_LANGUAGE = 24


def _reader_runs() -> bool:
    return bool(QAccessible.isActive())


class Narrator(QObject):
    """What says the answers of one view. Answers that come at the same time are told apart by their ``Voice``.

    Signals:
        said(str): One or more sentences.
    """

    said = Signal(str)

    def __init__(self, parent: QObject | None = None, *, listens: Callable[[], bool] = _reader_runs) -> None:
        """``listens``: whether anybody hears what is said."""
        super().__init__(parent)
        self.listens = listens
        self._silent = False
        self._waiting: list[str] = []
        self._pace = QTimer(self, singleShot=True, interval=PACE_MS)
        self._pace.timeout.connect(self._say)

    @property
    def silent(self) -> bool:
        """Whether nothing is said."""
        return self._silent

    def set_silent(self, silent: bool) -> None:
        """Say nothing from now on, or say again what comes."""
        self._silent = silent
        if silent:
            self._waiting.clear()

    def voice(self) -> Voice:
        """What is to hear one answer."""
        return Voice(self)

    def take(self, spoken: Iterable[Spoken]) -> None:
        """Say this, now or when it is time."""
        if not self._silent:
            self._waiting += map(self._worded, spoken)
            if not self._pace.isActive():
                self._say()

    def begin_anew(self) -> None:
        """An answer that has been said in part was taken back, and comes once more."""
        self.take([self.tr("The answer begins again.")])

    def flush(self) -> None:
        """Say what waits, for something else is to be said."""
        self._pace.stop()
        self._say()

    @Slot()
    def _say(self) -> None:
        if self._waiting:
            said, self._waiting = " ".join(self._waiting), []
            self._pace.start()
            self.said.emit(said)

    def _worded(self, spoken: Spoken) -> str:
        match spoken:
            case str():
                return spoken
            case Skipped(kind="table", lines=rows):
                size = self.tr("1 row") if rows == 1 else self.tr("{count} rows").format(count=rows)
                return self.tr("Table, {size}.").format(size=size)
            case Skipped(language=language, lines=lines):
                size = self.tr("1 line") if lines == 1 else self.tr("{count} lines").format(count=lines)
                kind = self.tr("{language} code block") if language else self.tr("Code block")
                return f"{kind.format(language=language[:_LONGEST_LANGUAGE])}, {size}."


class Voice:
    """Hears one answer."""

    def __init__(self, narrator: Narrator) -> None:
        self._narrator = narrator
        self._sentences = SentenceSplitter()

    def hear(self, text: str) -> None:
        """The next piece of the answer, as Markdown."""
        if self._narrator.listens() and (spoken := self._sentences.feed(text)):
            self._narrator.take(spoken)

    def begin_anew(self) -> None:
        """What was heard is no part of the answer: the rest of it is not said, but that it was taken back is."""
        self._sentences = SentenceSplitter()
        self._narrator.begin_anew()

    def end(self) -> None:
        """The answer is over."""
        self._narrator.take(self._sentences.finish())
        self._narrator.flush()
