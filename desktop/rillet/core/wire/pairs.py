"""Calls and their results as servers demand them: each answered once, right behind the answer that made it.

Pure. OpenAI answers 400 to a call without a result ("must be followed by tool messages", "No tool output found"), to a
result without a call, and, as others do, to ids that it finds too long or finds twice. A conversation has such places
when it was stopped, shortened, or begun with another provider. Above: ``types``. Below: the encoders of
``openai_chat`` and ``openai_responses``; that of ``anthropic`` takes only the ids. Guarantee: every text, image and
result of the conversation is still in it; messages that are as they should be leave as they came, the same objects.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rillet.core.types import ChatMessage, TextPart, ToolCallPart, ToolResultPart

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from rillet.core.types import Part

CANCELLED: Final = "This call was cancelled: how far it ran is not known."
_LONGEST_NAME = 64
"""https://platform.openai.com/docs/api-reference/chat/create; other characters are refused as well."""

_SHORTEST_ID = 9
"""Mistral takes no other than of this length."""


def paired(
    messages: Iterable[ChatMessage],
    *,
    id: Callable[[str], str] = str,
    name: Callable[[str], str] = str,
    others: Collection[str] = (),
) -> list[ChatMessage]:
    """The conversation with one result for each call, where it belongs; a result without a call becomes text.

    ``id`` and ``name`` make those of calls such as the server takes. Results of ``others`` are left alone: they answer
    what is no call of our tools.
    """
    messages = list(messages)
    if (ready := _in_order(messages, id, name)) is not None:
        return ready
    given = with_own_ids(messages, id=id, name=name)
    results: dict[str, ToolResultPart] = {}
    called: set[str] = set()
    for message in given:
        for part in message.parts:
            if isinstance(part, ToolCallPart) and message.role == "assistant":
                called.add(part.id)
            elif isinstance(part, ToolResultPart) and part.call_id in called:
                results.setdefault(part.call_id, part)
    return [message for each in given for message in _in_place(each, results, others)]


def with_own_ids(
    messages: Iterable[ChatMessage], *, id: Callable[[str], str] = str, name: Callable[[str], str] = str
) -> list[ChatMessage]:
    """The conversation in which no two calls have the same id: some servers count those of each answer anew."""
    used: set[str] = set()
    now: defaultdict[str, deque[str]] = defaultdict(deque)
    """Id as given → those as sent of the calls that have it, of which the first has no result yet."""
    return [_with_own_ids(message, used, now, id, name) for message in messages]


def fitting_id(id: str, longest: int) -> str:
    """The id itself if it is short enough, else always the same one for it."""
    if len(id) <= longest:
        return id
    digest = blake2b(id.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"{id[: longest - len(digest) - 1]}_{digest}"


def fitting_name(name: str) -> str:
    """The name of a tool as OpenAI takes it; others have dots and colons, and longer ones."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:_LONGEST_NAME] or "unknown"


def _in_order(
    messages: Iterable[ChatMessage], fit: Callable[[str], str], name: Callable[[str], str]
) -> list[ChatMessage] | None:
    """The conversation, if everything in it is in its place; None otherwise.

    That is nearly always so, and a run of a thousand calls sends its history a thousand times.
    """
    ready: list[ChatMessage] = []
    used: set[str] = set()
    total = 0
    names: set[str] = set()
    calls: list[str] = []
    """Those of the answer before."""
    results: list[ToolResultPart] = []
    """What they gave, so far in the order of the calls."""
    for message in messages:
        if message.role == "tool":
            given = [part for part in message.parts if isinstance(part, ToolResultPart)]
            told = len(results)
            results += given
            if len(given) < len(message.parts) or [part.call_id for part in given] != calls[told : len(results)]:
                return None
            if len(results) == len(calls):
                ready.append(ChatMessage("tool", tuple(results)) if told else message)
                calls, results = [], []
            continue
        made = message.tool_calls if message.role == "assistant" else ()
        if calls or (len(made) < len(message.parts) and _has_calls(message, made)):
            return None
        calls = [call.id for call in made]
        names.update([call.name for call in made])
        used.update(calls)
        total += len(calls)
        ready.append(message)
    fits = total == len(used) and "" not in used and all(fit(id) == id for id in used)
    return ready if fits and not calls and all(name(each) == each for each in names) else None


def _has_calls(message: ChatMessage, made: Sequence[ToolCallPart]) -> bool:
    """Whether there are calls or results in it besides those that its role makes."""
    return sum(isinstance(part, ToolCallPart | ToolResultPart) for part in message.parts) > len(made)


def _with_own_ids(
    message: ChatMessage,
    used: set[str],
    now: defaultdict[str, deque[str]],
    fit: Callable[[str], str],
    name: Callable[[str], str],
) -> ChatMessage:
    for call in message.tool_calls:
        now[call.id].clear()
    parts = list(message.parts)
    changed = False
    for at, part in enumerate(parts):
        if isinstance(part, ToolCallPart):
            own = _unused(fit(part.id or "call"), used)
            used.add(own)
            now[part.id].append(own)
            called = name(part.name)
            if (own, called) != (part.id, part.name):
                parts[at] = replace(part, id=own, name=called)
                changed = True
        elif isinstance(part, ToolResultPart):
            waiting = now[part.call_id]
            own = (waiting.popleft() if len(waiting) > 1 else waiting[0]) if waiting else fit(part.call_id)
            if own != part.call_id:
                parts[at] = replace(part, call_id=own)
                changed = True
    return ChatMessage(message.role, tuple(parts)) if changed else message


def _unused(id: str, used: set[str]) -> str:
    if id not in used:
        return id
    for at in range(len(used) + 1):
        digest = blake2b(f"{id}{at}".encode("utf-8", "replace"), digest_size=6).hexdigest()
        other = f"{id[: -len(digest)]}{digest}"[: max(len(id), _SHORTEST_ID)]
        if other not in used:
            return other
    raise AssertionError("more ids in use than there are")


def _in_place(
    message: ChatMessage, results: dict[str, ToolResultPart], others: Collection[str]
) -> Iterator[ChatMessage]:
    """A message without the results in it, and behind an answer those of its calls."""
    if message.role == "assistant":
        yield message
        if calls := message.tool_calls:
            yield ChatMessage("tool", tuple(results.get(call.id) or _not_run(call) for call in calls))
        return
    rest = tuple(kept for part in message.parts for kept in _kept(part, results, others))
    if rest == message.parts:
        yield message
    elif rest:
        yield ChatMessage("user", rest)


def _kept(part: Part, results: dict[str, ToolResultPart], others: Collection[str]) -> Iterator[Part]:
    if not isinstance(part, ToolResultPart) or part.call_id in others:
        yield part
    elif results.get(part.call_id) is not part:
        yield TextPart(f"Result of the tool call {part.call_id}:\n{part.output}")
        yield from part.images


def _not_run(call: ToolCallPart) -> ToolResultPart:
    return ToolResultPart(call.id, CANCELLED, is_error=True)
