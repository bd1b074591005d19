"""Conversations as every provider accepts them, made of conversations as they come.

Pure. Knows no provider: it keeps the rules that are common to all (design of the wire, and what servers answered 400
to), the codecs keep those of one. Above: ``types``, ``tools/tool`` (what a name may be), ``call_ids``, ``trust``.
Below: the loop repairs what it is given and tidies what a model wrote. The rules:

- behind the system prompt, a user begins; user and assistant speak by turns; nobody says nothing;
- each call is answered exactly once, in call order, right behind the answer that made it, and nothing else is a result;
- ids of calls are unique, names are such as tools may have, arguments are JSON objects;
- between results and the next word of the user the assistant speaks (Mistral refuses anything else).

Guarantee: what leaves keeps them; what was kept already leaves as it came, the same objects; every text, image and
result is still in it; each change is told in words.
"""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rillet.core.agent.call_ids import another_id
from rillet.core.agent.trust import UNTRUSTED
from rillet.core.tools.tool import NAME
from rillet.core.types import ChatMessage, TextPart, ToolCallPart, ToolResultPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from rillet.core.types import Part

CANCELLED: Final = "This call was cancelled: how far it ran is not known."
NO_ANSWER: Final = "(No answer.)"
NO_BEGINNING: Final = "(The beginning of this conversation is missing.)"


@dataclass(frozen=True, slots=True)
class Repaired:
    """A conversation that keeps the rules, and what had to be changed for it."""

    messages: tuple[ChatMessage, ...]
    repairs: tuple[str, ...] = ()


def repair(messages: Iterable[ChatMessage]) -> Repaired:
    """Make a conversation keep the rules."""
    given = tuple(messages)
    notes: Counter[str] = Counter()
    repaired = _by_turns(_with_results(_in_pieces(given, notes), notes), notes)
    if not notes:
        return Repaired(given)
    told = (f"{note} ({count} ×)" if count > 1 else note for note, count in notes.items())
    return Repaired(tuple(repaired), tuple(told))


def tidy(answer: ChatMessage, taken: Set[str]) -> ChatMessage:
    """An answer whose calls can be sent back: unique ids (``taken`` are in use), legal names, objects as arguments.

    The calls stay in their order; what was wrong with them is for their results to say.
    """
    own: set[str] = set()
    parts = [_tidy_call(part, taken, own) if isinstance(part, ToolCallPart) else part for part in answer.parts]
    same = all(map(operator.is_, parts, answer.parts))
    return answer if same else replace(answer, parts=tuple(parts))


def says_something(parts: Iterable[Part]) -> bool:
    """Whether there is more than blank text: providers refuse a message without, or leave it out."""
    return any(not isinstance(part, TextPart) or part.text.strip() for part in parts)


def call_ids(messages: Iterable[ChatMessage]) -> set[str]:
    """The ids that are in use."""
    return {call.id for message in messages for call in message.tool_calls}


def _tidy_call(call: ToolCallPart, taken: Set[str], own: set[str]) -> ToolCallPart:
    id = call.id
    if not id or id in taken or id in own:
        id = another_id(id, taken | own)
    own.add(id)
    name = call.name if NAME.fullmatch(call.name) else re.sub(r"[^a-zA-Z0-9_-]", "_", call.name)[:64] or "unknown"
    arguments = call.object_text
    if id is call.id and name is call.name and arguments is call.arguments and not call.cut:
        return call
    return replace(call, id=id, name=name, arguments=arguments, cut=False)


def _in_pieces(messages: Iterable[ChatMessage], notes: Counter[str]) -> list[ChatMessage | ToolResultPart]:
    """Messages without results, and results by themselves; nothing empty."""
    pieces: list[ChatMessage | ToolResultPart] = []
    for message in messages:
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        rest = tuple(part for part in message.parts if not isinstance(part, ToolResultPart))
        pieces += results
        if not results and message.role != "tool" and says_something(rest):
            pieces.append(message)
        elif says_something(rest):
            notes["what stood beside a tool result became a message of the user"] += 1
            pieces.append(ChatMessage("user", rest))
        elif not results:
            notes[f"an empty message ({message.role}) was left out"] += 1
    return pieces


def _with_results(pieces: Sequence[ChatMessage | ToolResultPart], notes: Counter[str]) -> list[ChatMessage]:
    """Each answer followed by the results of its calls."""
    places = _places_of_results(pieces)
    taken = {place for found in places.values() for place in found}
    messages: list[ChatMessage] = []
    used: set[str] = set()
    for here, piece in enumerate(pieces):
        if isinstance(piece, ToolResultPart):
            if here not in taken:
                notes["a tool result without its call became text"] += 1
                said = f"Result of the tool call {piece.call_id}:\n{piece.output}"
                text = TextPart(said, provider_metadata=UNTRUSTED)
                messages.append(ChatMessage("user", (text, *piece.images)))
            continue
        answer = tidy(piece, used) if piece.role == "assistant" else piece
        if answer is not piece:
            notes["ids, names or arguments of tool calls were put right"] += 1
        messages.append(answer)
        if not answer.tool_calls:
            continue
        used |= {call.id for call in answer.tool_calls}
        found = places[here]
        if (there := [place for place in found if place is not None]) != [*range(here + 1, here + 1 + len(there))]:
            notes["tool results were moved behind their calls"] += 1
        for call, place in zip(answer.tool_calls, found, strict=True):
            messages.append(ChatMessage("tool", (_result(call.id, pieces, place, notes),)))
    return messages


def _result(
    id: str, pieces: Sequence[ChatMessage | ToolResultPart], place: int | None, notes: Counter[str]
) -> ToolResultPart:
    result = pieces[place] if place is not None else None
    if not isinstance(result, ToolResultPart):
        notes["a tool call without a result was noted as cancelled"] += 1
        return ToolResultPart(id, CANCELLED, is_error=True)
    return result if result.call_id == id else replace(result, call_id=id)


def _places_of_results(pieces: Sequence[ChatMessage | ToolResultPart]) -> dict[int, list[int | None]]:
    """For the place of each answer with calls, the places of their results, in call order.

    A call gets the first result of its id that follows, unless the same id is called again before: results that went
    astray, behind a word of the user or into another order, find their call. A second result of a call belongs to none.
    """
    places: dict[int, list[int | None]] = {}
    waiting: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    for here, piece in enumerate(pieces):
        if isinstance(piece, ToolResultPart):
            if calls := waiting[piece.call_id]:
                answer, at = calls.popleft()
                places[answer][at] = here
        elif piece.role == "assistant" and piece.tool_calls:
            places[here] = [None] * len(piece.tool_calls)
            for call in piece.tool_calls:
                waiting[call.id].clear()
            for at, call in enumerate(piece.tool_calls):
                waiting[call.id].append((here, at))
    return places


def _by_turns(messages: Iterable[ChatMessage], notes: Counter[str]) -> list[ChatMessage]:
    """User and assistant by turns, the user first."""
    turns: list[ChatMessage] = []
    for message in messages:
        last = turns[-1] if turns else None
        before = last.role if last is not None else "system"
        match before, message.role:
            case ("user", "user") | ("assistant", "assistant"):
                assert last is not None
                notes[f"two messages in a row ({message.role}) were joined"] += 1
                turns[-1] = ChatMessage(message.role, (*last.parts, *message.parts))
                continue
            case ("tool", "user"):
                notes["a missing answer was noted as such"] += 1
                turns.append(ChatMessage.assistant(NO_ANSWER))
            case ("system", "assistant") if not any(turn.role == "user" for turn in turns):
                notes["the missing beginning was noted as such"] += 1
                turns.append(ChatMessage.user(NO_BEGINNING))
        turns.append(message)
    return turns
