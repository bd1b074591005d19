"""What an answer holds while it is written: text, reasoning and tool calls in order of arrival, turn by turn.

A turn is one message of the model with the results of its tools. Knows no widgets. Above: ``transcript/tool``. Below:
``message_handle`` fills it. Guarantee: ``messages`` is a conversation that providers accept: every result follows the
message whose call it answers, and answers it once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias
from uuid import uuid4

from msgspec.structs import replace

from rillet.core.types import ChatMessage, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from rillet.widgets.transcript.tool import ToolSection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rillet.core.types import ImagePart, Part

ProseKind: TypeAlias = Literal["markdown", "plain", "reasoning", "discarded"]
"""``discarded`` is what the provider took back by beginning anew: it is shown, and belongs to no message."""


@dataclass(slots=True, eq=False)
class Prose:
    """A run of text of one kind, and the time in which it came (``time.monotonic()``)."""

    kind: ProseKind
    texts: list[str]
    began: float
    ended: float | None = None

    @property
    def text(self) -> str:
        """All of it."""
        if len(self.texts) > 1:
            self.texts = ["".join(self.texts)]
        return self.texts[0]


@dataclass(slots=True, eq=False)
class _Turn:
    pieces: list[Prose | ToolSection] = field(default_factory=list)
    message: ChatMessage | None = None
    """The message itself, once it is known; what the pieces say until then."""
    first_call: int = 0
    """The index that deltas give to its first call: those of an attempt that does not count are counted too."""
    results: dict[ToolSection, ToolResultPart] = field(default_factory=dict)
    stored: bool = False
    """Whether the results came from a store, in an order that somebody chose."""

    def calls(self) -> Iterator[ToolSection]:
        return (piece for piece in self.pieces if isinstance(piece, ToolSection))

    def answers(self) -> list[ToolResultPart]:
        """The results: in the order of the calls, or as they were stored."""
        if self.stored:
            return list(self.results.values())
        return [self.results[call] for call in self.calls() if call in self.results]

    def assistant(self) -> ChatMessage | None:
        if self.message is not None:
            return self.message if self.message.parts else None
        parts = tuple(_part(piece) for piece in self.pieces if piece.kind != "discarded")
        return ChatMessage("assistant", parts) if any(not isinstance(part, ReasoningPart) for part in parts) else None


class Answer:
    """The turns of one answer."""

    def __init__(self, message: ChatMessage | None = None, calls: Iterable[ToolSection] = ()) -> None:
        """An answer that begins, or a message that is complete, with the sections of its calls."""
        self._turns = [_Turn(list(calls), message)]

    @property
    def messages(self) -> list[ChatMessage]:
        """The messages that it consists of now, oldest first; none while there is nothing in it."""
        found: list[ChatMessage] = []
        for turn in self._turns:
            message = turn.assistant()
            if message is not None:
                found.append(message)
                found += [ChatMessage("tool", (result,)) for result in turn.answers()]
        return found

    @property
    def message(self) -> ChatMessage | None:
        """The model's latest message that has something in it."""
        return next((message for message in map(_Turn.assistant, reversed(self._turns)) if message is not None), None)

    @property
    def calls(self) -> list[ToolSection]:
        """All tool calls, oldest first."""
        return [call for turn in self._turns for call in turn.calls()]

    @property
    def thoughts(self) -> list[Prose]:
        """All runs of reasoning, oldest first."""
        return [
            piece
            for turn in self._turns
            for piece in turn.pieces
            if isinstance(piece, Prose) and piece.kind == "reasoning"
        ]

    @property
    def pieces(self) -> list[Prose | ToolSection]:
        """Everything in it, in order of arrival."""
        return [piece for turn in self._turns for piece in turn.pieces]

    def text_of_turn(self, kind: ProseKind) -> str:
        """What the current turn has of one kind."""
        return "".join(piece.text for piece in self._turn.pieces if isinstance(piece, Prose) and piece.kind == kind)

    def calls_of_turn(self) -> list[ToolSection]:
        """The tool calls of the current turn, in order of appearance."""
        return list(self._turn.calls())

    def call_at(self, index: int) -> ToolSection | None:
        """The call of the current turn that deltas know as ``index``."""
        place = index - self._turn.first_call
        calls = self.calls_of_turn()
        return calls[place] if 0 <= place < len(calls) else None

    def restart(self) -> bool:
        """The current turn begins anew; whether it had something, which does not count any more."""
        turn = self._turn
        gone = [piece for piece in turn.pieces if piece.kind != "discarded"]
        if not gone:
            return False
        before = [piece for piece in turn.pieces if piece.kind == "discarded"]
        now = time.monotonic()
        discarded = Prose("discarded", ["\n\n".join(map(_told, gone))], began=now, ended=now)
        self._turns[-1] = _Turn([*before, discarded], first_call=turn.first_call + len(self.calls_of_turn()))
        return True

    def add_text(self, kind: ProseKind, text: str) -> None:
        """The next piece of text or reasoning; after tools have answered it belongs to another turn."""
        self._go_on()
        last = self._turn.pieces[-1] if self._turn.pieces else None
        if isinstance(last, Prose) and last.kind == kind:
            last.texts.append(text)
        else:
            self._end_prose()
            self._turn.pieces.append(Prose(kind, [text], time.monotonic()))

    def add_call(self, name: str, id: str = "") -> ToolSection:
        """The next tool call; one without an id gets one, until the response tells another."""
        self._go_on()
        self._end_prose()
        section = ToolSection(name, id or f"call_{uuid4().hex[:20]}", growing=True)
        self._turn.pieces.append(section)
        return section

    def set_result(self, call: ToolSection, output: str, *, is_error: bool, images: tuple[ImagePart, ...] = ()) -> None:
        """A tool has answered; the first answer stays."""
        for turn in self._turns:
            if call in turn.calls() and call not in turn.results:
                turn.results[call] = ToolResultPart(call.id, output, is_error=is_error, images=images)

    def take_results(self, message: ChatMessage) -> bool:
        """The results that a stored message holds, if they are all results of calls of the current turn."""
        calls = {call.id: call for call in self._turn.calls() if call not in self._turn.results}
        parts = [part for part in message.parts if isinstance(part, ToolResultPart)]
        if not parts or len(parts) < len(message.parts) or not all(part.call_id in calls for part in parts):
            return False
        for part in parts:
            self._turn.results[calls[part.call_id]] = part
        self._turn.stored = True
        return True

    def add_turn(self, message: ChatMessage, calls: Iterable[ToolSection]) -> None:
        """A stored message that the model wrote when its tools had answered."""
        self._turns.append(_Turn(list(calls), message))

    @property
    def is_answered(self) -> bool:
        """Whether the current turn called tools, and all of them have answered."""
        return bool(self._turn.results) and all(call in self._turn.results for call in self._turn.calls())

    def break_off(self) -> None:
        """Nothing more comes, although more was to come."""
        for call in self.calls:
            call.cut = call.growing and not call.arguments.strip()
        self.complete(None)

    def complete(self, message: ChatMessage | None) -> None:
        """Nothing more comes. ``message`` takes the place of what the current turn had collected."""
        self._end_prose()
        for call in self.calls:
            call.finish()
        if message is None or not message.parts:
            return
        turn = self._turn
        turn.message = message
        for call, part in zip(turn.calls(), message.tool_calls, strict=False):
            call.id = part.id
            if call in turn.results:
                turn.results[call] = replace(turn.results[call], call_id=part.id)

    @property
    def _turn(self) -> _Turn:
        return self._turns[-1]

    def _go_on(self) -> None:
        """Begin another turn if a tool of this one has answered: what comes now is written with that knowledge."""
        if self._turn.results:
            self._turns.append(_Turn())

    def _end_prose(self) -> None:
        last = self._turn.pieces[-1] if self._turn.pieces else None
        if isinstance(last, Prose) and last.ended is None:
            last.ended = time.monotonic()


def _told(piece: Prose | ToolSection) -> str:
    """A piece as Markdown."""
    return piece.told if isinstance(piece, ToolSection) else piece.text


def _part(piece: Prose | ToolSection) -> Part:
    if isinstance(piece, ToolSection):
        return ToolCallPart(piece.id, piece.name, piece.arguments, cut=piece.cut)
    return ReasoningPart(piece.text) if piece.kind == "reasoning" else TextPart(piece.text)
