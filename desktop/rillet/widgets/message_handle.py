"""One message of a chat view, from the side of whoever fills it.

A handle is a ``StreamingListener``: give it to ``LlmClient.chatStream`` and the answer writes itself. Knows no widgets
but the transcript it writes to. Above: ``transcript``. Below: ``chat_view`` makes handles, ``binding`` and hosts use
them. Guarantees: whatever arrives is kept at once (``message``) and drawn when a frame is due; the first of ``finish``
and ``fail`` wins; every method is harmless after the view was deleted.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import shiboken6

from rillet.core.errors import Cancelled, LlmError
from rillet.core.types import ChatMessage, ReasoningPart, TextPart
from rillet.qt.listener import StreamingListener
from rillet.widgets.transcript.frames import Backlog
from rillet.widgets.transcript.model import Entry, Foot

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.types import ChatResponse, FinishReason, Part
    from rillet.widgets.transcript.model import SectionKind
    from rillet.widgets.transcript.view import Transcript

# Short enough for one line in a narrow window.
_NOTES: dict[FinishReason, str] = {
    "length": "Incomplete: the length limit was reached",
    "content_filter": "Incomplete: ended by the content filter",
    "refusal": "The model declined to answer",
    "pause": "Incomplete: the model paused",
    "error": "Incomplete: ended by an error of the provider",
    "tool_calls": "The model asked for a tool, and there is none",
}
STOPPED = "Stopped by you"
EMPTY = "The model sent an empty answer"


class MessageHandle(StreamingListener):
    """A message in a ``ChatView``. Made by the view.

    An answer that streams is open until ``finish`` or ``fail``; any other message is closed from the start.
    """

    def __init__(
        self,
        transcript: Transcript,
        entry: Entry,
        *,
        message: ChatMessage | None = None,
        draw: Callable[[], None] | None = None,
        ended: Callable[[Foot], None] | None = None,
    ) -> None:
        self._transcript = transcript
        self._entry = entry
        self._message = message
        self._draw = draw
        self._ended = ended
        self._foot: Foot | None = None
        self._backlog: Backlog[SectionKind] = Backlog()
        self._pieces: list[tuple[SectionKind, list[str]]] = []
        self._thinking_since: float | None = None
        self._thought: float | None = None

    @property
    def entry(self) -> Entry:
        """What the transcript shows of it."""
        return self._entry

    def isOpen(self) -> bool:
        """Whether more may come."""
        return self._message is None and self._foot is None

    @property
    def message(self) -> ChatMessage | None:
        """The message as it is now, also what is not drawn yet; None while there is nothing in it."""
        if self._message is not None:
            return self._message if self._message.parts else None
        parts: list[Part] = []
        for kind, texts in self._pieces:
            text = "".join(texts)
            parts.append(ReasoningPart(text) if kind == "reasoning" else TextPart(text))
        return ChatMessage("assistant", tuple(parts)) if any(isinstance(part, TextPart) for part in parts) else None

    # Filling it

    def appendText(self, text: str) -> None:
        """Add Markdown to the answer."""
        self._append("markdown", text)

    def appendReasoning(self, text: str) -> None:
        """Add to what stands under the fold."""
        self._append("reasoning", text)

    def setStatus(self, status: str) -> None:
        """Say what is being waited for ("starting the built-in model…"); the next text takes it away."""
        if self.isOpen() and self._alive():
            self._transcript.set_foot(self._entry, Foot(status=status, busy=True))

    def finish(self, response: ChatResponse | None = None, note: str = "") -> None:
        """The answer is complete. ``response`` replaces what was collected in the history, and tells what ended it."""
        if not self.isOpen():
            return
        retry = False
        if response is not None:
            self._fill_up(response)
            if response.refusal and not response.text:
                self._append("markdown", response.refusal)
            note = note or _NOTES.get(response.finish_reason or "stop", "")
        if self.message is None and not note:
            note = EMPTY
            retry = True
        if response is not None and response.message.parts:
            self._message = response.message
        self._end(Foot(note=note, retry=retry))

    def fail(self, error: Exception | str, retry: bool = True) -> None:
        """The answer broke off. What had arrived stays, with the reason below it; a ``Cancelled`` is no failure."""
        if not self.isOpen():
            return
        if isinstance(error, LlmError) and error.partial is not None:
            self._fill_up(error.partial)
        if isinstance(error, Cancelled) and error.status is None:
            self._end(Foot(note=STOPPED, retry=retry))
            return
        sentence = error.user_message if isinstance(error, LlmError) else str(error)
        self._end(Foot(error=sentence or "The answer failed.", retry=retry))

    # StreamingListener

    def onContentDelta(self, textDelta: str) -> None:
        """Show the next piece of text."""
        self.appendText(textDelta)

    def onReasoningDelta(self, textDelta: str) -> None:
        """Show the next piece of reasoning."""
        self.appendReasoning(textDelta)

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        """Say that it is tried again."""
        self.setStatus(f"Trying again in {max(1, round(delaySeconds))} s (attempt {attempt})")

    def onError(self, error: Exception) -> None:
        """Show why the stream failed."""
        self.fail(error)

    # For the view

    def advance(self) -> bool:
        """Draw what is due; whether something is left. Out of sight everything is due, for nothing is drawn."""
        if not self._alive():
            return False
        limit = self._backlog.due() if self._transcript.shows(self._entry) else None
        for kind, text in self._backlog.take(limit):
            self._tell_thought()
            self._transcript.grow(self._entry, kind, text)
            if self._entry.foot.status:
                self._transcript.set_foot(self._entry, Foot(busy=True))
        if self._foot is not None and not self._backlog and self._entry.foot != self._foot:
            self._tell_thought()
            self._transcript.finish(self._entry)
            self._transcript.set_foot(self._entry, self._foot)
        return bool(self._backlog)

    @property
    def pending(self) -> bool:
        """Whether something has arrived that is not drawn yet, an end included."""
        return bool(self._backlog) or (self._foot is not None and self._entry.foot != self._foot)

    def abandon(self) -> None:
        """The message was removed from the view: take nothing more, draw nothing more."""
        self._backlog.take()
        self._draw = self._ended = None
        self._foot = self._entry.foot

    def withdraw_retry(self) -> None:
        """The conversation has gone on: asking again is no longer offered here."""
        foot = self._entry.foot
        if foot.retry and self._alive():
            self._foot = Foot(error=foot.error, note=foot.note)
            self._transcript.set_foot(self._entry, self._foot)

    def _append(self, kind: SectionKind, text: str) -> None:
        if not self.isOpen() or not text:
            return
        if kind == "reasoning" and self._thinking_since is None:
            self._thinking_since = time.monotonic()
        elif kind != "reasoning" and self._thinking_since is not None and self._thought is None:
            self._thought = time.monotonic() - self._thinking_since
        if not self._pieces or self._pieces[-1][0] != kind:
            self._pieces.append((kind, []))
        self._pieces[-1][1].append(text)
        self._backlog.add(kind, text)
        self._request_frame()

    def _fill_up(self, response: ChatResponse) -> None:
        """Add what a response holds and no delta brought: after a stop, deltas that were on their way."""
        for kind, whole in (("reasoning", response.reasoning), ("markdown", response.text)):
            have = "".join("".join(texts) for piece, texts in self._pieces if piece == kind)
            if whole.startswith(have) and len(whole) > len(have):
                self._append("reasoning" if kind == "reasoning" else "markdown", whole[len(have) :])

    def _end(self, foot: Foot) -> None:
        if self._thinking_since is not None and self._thought is None:
            self._thought = time.monotonic() - self._thinking_since
        self._foot = foot
        self._request_frame()
        if self._ended is not None and self._alive():
            self._ended(foot)

    def _tell_thought(self) -> None:
        """Write the time that the reasoning took on its fold, once it is over."""
        for section in self._entry.sections:
            if section.kind == "reasoning" and section.seconds is None and self._thought is not None:
                section.seconds = self._thought

    def _request_frame(self) -> None:
        if self._draw is not None and self._alive():
            self._draw()

    def _alive(self) -> bool:
        return shiboken6.isValid(self._transcript)
