"""One message of a chat view, from the side of whoever fills it.

A handle is a ``StreamingListener``: give it to ``LlmClient.chatStream`` and the answer writes itself. Knows no widgets
but the transcript it writes to. Above: ``transcript``. Below: ``chat_view`` makes handles, ``binding`` and hosts use
them. Guarantees: whatever arrives is kept at once (``message``) and drawn when a frame is due; the first of ``finish``
and ``fail`` wins; every method is harmless after the view was deleted.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import shiboken6

from rillet.core.errors import Cancelled, LlmError
from rillet.qt.listener import StreamingListener
from rillet.widgets import words
from rillet.widgets.answer import Answer
from rillet.widgets.figures import Figures
from rillet.widgets.tool_handle import ToolHandle
from rillet.widgets.transcript.frames import Backlog
from rillet.widgets.transcript.model import Entry, Foot, Mark, Section
from rillet.widgets.transcript.tool import ToolSection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rillet.core.types import ChatMessage, ChatResponse, FinishReason, ImagePart, Usage
    from rillet.widgets.answer import Prose, ProseKind
    from rillet.widgets.narrator import Voice
    from rillet.widgets.transcript.model import Tile
    from rillet.widgets.transcript.view import Transcript

_RESUMABLE: frozenset[FinishReason] = frozenset({"length", "pause"})


class MessageHandle(StreamingListener):
    """A message in a ``ChatView``. Made by the view.

    An answer that streams is open until ``finish`` or ``fail``; any other message is closed from the start. Tools go on
    after the end of the text: what their handles do needs no open message.
    """

    patience = 0.05
    """20 frames a second: with more of them text hardly flows better, and a frame costs what it costs."""

    def __init__(
        self,
        transcript: Transcript,
        entry: Entry,
        *,
        message: ChatMessage | None = None,
        draw: Callable[[], None] | None = None,
        ended: Callable[[], None] | None = None,
        drawn: Callable[[Foot], None] | None = None,
        voice: Voice | None = None,
    ) -> None:
        """``draw`` asks for a frame; ``ended`` is told that no more comes, ``drawn`` that all of it can be read."""
        self._transcript = transcript
        self._entry = entry
        self._closed = message is not None
        self._draw = draw
        self._ended = ended
        self._drawn_all = drawn
        self._voice = voice
        self._abandoned = False
        self._foot: Foot | None = None
        calls = [section for section in entry.sections if isinstance(section, ToolSection)]
        self._answer = Answer(message, calls)
        self._backlog: Backlog[ProseKind] = Backlog()
        self._received = self._drawn = 0
        self._cards: deque[tuple[int, ToolSection]] = deque()
        """Cards that wait for the text before them, with the number of characters that have to be drawn first."""
        self._asked = time.monotonic()
        self._figures = Figures()

    @property
    def entry(self) -> Entry:
        """What the transcript shows of it."""
        return self._entry

    def isOpen(self) -> bool:
        """Whether more may come."""
        return not self._closed and self._foot is None

    @property
    def message(self) -> ChatMessage | None:
        """The message as it is now, also what is not drawn yet; None while there is nothing in it.

        Of an answer that went on after tools had answered, the last one; see ``messages``.
        """
        return self._answer.message

    @property
    def messages(self) -> list[ChatMessage]:
        """The message and the results of its tools, and what the model wrote with their knowledge."""
        return self._answer.messages

    @property
    def calls(self) -> list[ToolSection]:
        """What the transcript shows of its tool calls, oldest first."""
        return self._answer.calls

    # Filling it

    def appendText(self, text: str) -> None:
        """Add Markdown to the answer."""
        self._append("markdown", text)

    def appendReasoning(self, text: str) -> None:
        """Add to what stands under the fold."""
        self._append("reasoning", text)

    def toolCall(self, key: int | str, name: str = "") -> ToolHandle:
        """The tool call ``key``: its index in the current turn of the model, or its id. A new one is begun if need be.

        Raises:
            KeyError: there is no such call, and the message is closed.
        """
        if isinstance(key, int):
            section = self._answer.call_at(key)
        else:
            section = next((call for call in self._answer.calls if call.id == key), None)
        if section is None:
            if not self.isOpen():
                raise KeyError(key)
            section = self._begin_call(name, key if isinstance(key, str) else "")
        return ToolHandle(self, section)

    def setStatus(self, status: str) -> None:
        """Say what is being waited for ("starting the built-in model…"); the next text takes it away."""
        if self.isOpen() and self._alive():
            self._transcript.set_foot(self._entry, replace(self._entry.foot, status=status, busy=True))

    def setFigures(self, figures: Figures) -> None:
        """What the answer took, for the line that is shown on hover. A stream counts its own."""
        self._figures = figures
        self._amend(figures=str(figures))

    def setCost(self, cost: str) -> None:
        """What the answer cost, as it is to be shown ("$0.0021")."""
        self.setFigures(replace(self._figures, cost=cost))

    def setVersions(self, number: int, count: int) -> None:
        """This is version ``number`` (from 1) of ``count``; more than one are offered with arrows."""
        self._amend(version=number, versions=count)

    def setMark(self, text: str = "", detail: str = "", actions: Sequence[tuple[str, str]] = ()) -> None:
        """Draw a line below the message that says something about all that stands above it; no text: none.

        ``actions``: a key and the words for it, each, at most four; one that is chosen comes as the view's
        ``messageActionRequested``.
        """
        if self._alive():
            self._transcript.set_mark(self._entry, Mark(text, detail, tuple(actions)) if text else None)

    def setEnding(
        self, note: str = "", error: str = "", details: str = "", retry: bool = False, resume: bool = False
    ) -> None:
        """How a message had ended that comes from a store: what ``finish`` and ``fail`` say of one that streams."""
        self._amend(note=note, error=error, details=details, retry=retry, resume=resume)

    def offerResume(self) -> None:
        """Offer to go on with an answer that has ended before its end, however it did."""
        self._amend(resume=True)

    def finish(self, response: ChatResponse | None = None, note: str = "") -> None:
        """The answer is complete. ``response`` replaces what was collected in the history, and tells what ended it."""
        if not self.isOpen():
            return
        resume = False
        if response is not None:
            self._fill_up(response)
            if response.refusal and not response.text:
                self._append("markdown", response.refusal)
            note = note or words.ending(response.finish_reason)
            resume = response.finish_reason in _RESUMABLE
            if response.usage is not None:
                self.onUsage(response.usage)
        empty = self._answer.message is None and not note
        self._answer.complete(response.message if response is not None else None)
        self._end(Foot(note=words.empty() if empty else note, retry=empty, resume=resume and not empty))

    def fail(self, error: Exception | str, retry: bool = True) -> None:
        """The answer broke off. What had arrived stays, with the reason below it; a ``Cancelled`` is no failure."""
        if not self.isOpen():
            return
        if isinstance(error, LlmError) and error.partial is not None:
            self._fill_up(error.partial)
        self._answer.break_off()
        for call in self._answer.calls:
            if not call.over:
                call.set_status("stopped")
        if isinstance(error, Cancelled) and error.status is None:
            self._end(Foot(note=words.stopped(), retry=retry))
            return
        sentence = words.sentence(error) if isinstance(error, LlmError) else str(error)
        details = words.details(error) if isinstance(error, LlmError) else ""
        self._end(Foot(error=sentence or words.failed(), details=details, retry=retry))

    # StreamingListener

    def onContentDelta(self, textDelta: str) -> None:
        """Show the next piece of text."""
        self.appendText(textDelta)

    def onReasoningDelta(self, textDelta: str) -> None:
        """Show the next piece of reasoning."""
        self.appendReasoning(textDelta)

    def onToolCallDelta(self, index: int, id: str | None, name: str | None, argumentsFragment: str) -> None:
        """Show the next piece of a tool call. An index whose call has been answered begins another one."""
        if not self.isOpen():
            return
        self._grow_call(self._answer.call_at(index), id or "", name or "", argumentsFragment)

    def onUsage(self, usage: Usage) -> None:
        """Note the token counts."""
        self._figures = self._figures.with_usage(usage)

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        """Say that it is tried again."""
        self.setStatus(words.trying_again(attempt, delaySeconds))

    def onRestart(self) -> None:
        """Set aside, under a fold, what the model has written in this turn: it is not part of the answer."""
        if not self.isOpen() or not self._answer.restart():
            return
        self._backlog.take()
        self._cards.clear()
        self._drawn = self._received
        self._figures = replace(self._figures, prompt_tokens=None, tokens=None)
        if self._alive():
            self._transcript.rearrange(self._entry, _sections(self._answer.pieces, self._entry.sections))
            if self._voice is not None:
                self._voice.begin_anew()

    def onError(self, error: Exception) -> None:
        """Show why the stream failed."""
        self.fail(error)

    def join(self, message: ChatMessage, sections: Sequence[Section]) -> bool:
        """Take a stored message that continues this one, before it is shown: whether it does.

        Results of its tools do, and what the model wrote once all of them had answered.
        """
        if self._entry.role != "assistant":
            return False
        if message.role == "tool":
            return self._answer.take_results(message)
        if message.role != "assistant" or not self._answer.is_answered:
            return False
        self._answer.add_turn(message, [each for each in sections if isinstance(each, ToolSection)])
        self._entry.sections.extend(sections)
        return True

    # For tool handles

    def call_grew(self, section: ToolSection) -> None:
        """There are more arguments to draw."""
        self._note_first()
        self._request_frame()

    def call_changed(self, section: ToolSection, tiles: Sequence[Tile]) -> None:
        """These tiles of a call show something else now."""
        if self._alive() and section in self._entry.sections:
            self._transcript.touch(self._entry, tiles)

    def call_answered(
        self, section: ToolSection, output: str, *, is_error: bool, images: tuple[ImagePart, ...]
    ) -> None:
        """The result of a call belongs into the history."""
        self._answer.set_result(section, output, is_error=is_error, images=images)

    # For the view

    def advance(self) -> bool:
        """Draw what is due; whether something is left. Out of sight everything is due, for nothing is drawn."""
        if not self._alive():
            return False
        limit = self._backlog.due() if self._transcript.shows(self._entry) else None
        more = self._draw_text(limit)
        for section in self._answer.calls:
            if section.undrawn and section in self._entry.sections:
                more |= section.draw()
                self._transcript.touch(self._entry, [section.card])
        if self._foot is not None and not more and self._entry.foot != self._foot:
            self._tell_thoughts()
            self._transcript.finish(self._entry)
            self._transcript.touch(self._entry, [call.card for call in self._answer.calls])
            self._transcript.set_foot(self._entry, self._foot)
            if self._drawn_all is not None:
                self._drawn_all(self._foot)
        return more

    @property
    def pending(self) -> bool:
        """Whether something has arrived that is not drawn yet, an end included."""
        calls = any(call.undrawn for call in self._answer.calls)
        unfinished = self._foot is not None and self._entry.foot != self._foot
        return bool(self._backlog) or bool(self._cards) or calls or unfinished

    def abandon(self) -> None:
        """The message was removed from the view: take nothing more, draw nothing more."""
        self._backlog.take()
        self._cards.clear()
        self._abandoned = True
        self._draw = self._ended = self._drawn_all = None
        self._foot = self._entry.foot

    def withdraw_retry(self) -> None:
        """The conversation has gone on: asking again and going on are no longer offered here."""
        foot = self._entry.foot
        if (foot.retry or foot.resume) and self._alive():
            self._amend(retry=False, resume=False)

    def _draw_text(self, limit: int | None) -> bool:
        """Draw at most ``limit`` characters, and the cards between them; whether something is left."""
        while True:
            room = limit
            if self._cards:
                before = self._cards[0][0] - self._drawn
                room = before if limit is None else min(limit, before)
            for kind, text in self._backlog.take(room):
                self._tell_thoughts()
                self._transcript.grow(self._entry, kind, text)
                self._drawn += len(text)
                limit = None if limit is None else limit - len(text)
                if self._entry.foot.status:
                    self._transcript.set_foot(self._entry, replace(self._entry.foot, status=""))
            self._tell_thoughts()
            if not self._cards or self._cards[0][0] > self._drawn:
                return bool(self._backlog)
            self._transcript.add(self._entry, self._cards.popleft()[1])

    def _append(self, kind: ProseKind, text: str) -> None:
        if not self.isOpen() or not text:
            return
        self._note_first()
        self._answer.add_text(kind, text)
        self._received += len(text)
        self._backlog.add(kind, text)
        self._request_frame()
        if self._voice is not None and kind == "markdown" and self._alive():
            self._voice.hear(text)

    def _grow_call(self, section: ToolSection | None, id: str, name: str, arguments: str) -> None:
        """More of a call; None, and one that has been answered, is another one's beginning."""
        if section is None or section.output is not None:
            section = self._begin_call(name, id)
        elif id:
            section.id = id
        ToolHandle(self, section).appendArguments(arguments)

    def _begin_call(self, name: str, id: str) -> ToolSection:
        section = self._answer.add_call(name, id)
        self._note_first()
        self._cards.append((self._received, section))
        self._request_frame()
        return section

    def _note_first(self) -> None:
        if self._figures.first is None:
            self._figures = replace(self._figures, first=time.monotonic() - self._asked)

    def _fill_up(self, response: ChatResponse) -> None:
        """Add what a response holds and no delta brought: after a stop, deltas that were on their way."""
        for kind, whole in _wholes(response):
            have = self._answer.text_of_turn(kind)
            if whole.startswith(have) and len(whole) > len(have):
                self._append(kind, whole[len(have) :])
        for known, call in zip_longest(self._answer.calls_of_turn(), response.tool_calls):
            have = known.arguments if known is not None else ""
            answered = known is not None and known.output is not None
            if call is not None and not answered and call.arguments.startswith(have):
                self._grow_call(known, call.id, call.name, call.arguments[len(have) :])

    def _end(self, foot: Foot) -> None:
        self._figures = replace(self._figures, seconds=time.monotonic() - self._asked)
        now = self._entry.foot
        self._foot = replace(foot, figures=str(self._figures), version=now.version, versions=now.versions)
        self._request_frame()
        if self._ended is not None and self._alive():
            self._ended()

    def _amend(self, **changes: Any) -> None:
        """Change what the foot says beside how the answer ended."""
        if self._foot is not None:
            self._foot = replace(self._foot, **changes)
        if self._alive():
            self._transcript.set_foot(self._entry, replace(self._entry.foot, **changes))

    def _tell_thoughts(self) -> None:
        """Write on each fold since when the model has been thinking, and how long it took once it is over."""
        folds = (section for section in self._entry.sections if section.kind == "reasoning")
        for section, thought in zip(folds, self._answer.thoughts, strict=False):
            section.since = thought.began
            if thought.ended is not None and section.seconds is None:
                section.seconds = thought.ended - thought.began

    def _request_frame(self) -> None:
        if self._draw is not None and self._alive():
            self._draw()

    def _alive(self) -> bool:
        """Whether there is anything to draw on."""
        return not self._abandoned and shiboken6.isValid(self._transcript)


def _sections(pieces: Iterable[Prose | ToolSection], shown: Sequence[Section]) -> list[Section]:
    """What the transcript shows of ``pieces``: the sections that it shows already, and new ones."""
    known = {(section.kind, section.text): section for section in shown}
    return [
        piece if isinstance(piece, ToolSection) else known.get((piece.kind, piece.text)) or _section(piece)
        for piece in pieces
    ]


def _section(piece: Prose) -> Section:
    section = Section(piece.kind, piece.text)
    section.since = piece.began
    section.seconds = piece.ended - piece.began if piece.ended is not None else None
    return section


def _wholes(response: ChatResponse) -> tuple[tuple[ProseKind, str], ...]:
    return ("reasoning", response.reasoning), ("markdown", response.text)
