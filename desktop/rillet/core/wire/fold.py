"""Deltas → the whole answer.

Pure, and the same for every style. Above: ``types``. Below: ``client``, ``qt`` and the store, which fold complete
streams and what arrived of broken ones. Guarantee: works on any prefix of a stream, in linear time, and the same deltas
always give the same response, invented ids included.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from msgspec.structs import replace

from rillet.core.types import (
    ChatMessage,
    ChatResponse,
    Finished,
    Part,
    PartDelta,
    ReasoningDelta,
    ReasoningPart,
    Restarted,
    RetryNotice,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
    Usage,
    UsageDelta,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rillet.core.types import Delta

Metadata: TypeAlias = dict[str, Any]

_BROKEN = ("length", "content_filter", "error")
"""Reasons to stop that may strike between a call's name and its arguments."""


def fold(deltas: Iterable[Delta]) -> ChatResponse:
    """Fold a stream, or the part of it that arrived: without ``Finished`` the response is ``incomplete``.

    Parts stand in the order in which they first appeared; neighbouring text is one part, and so is reasoning until it
    is signed. A tool call that was never named is dropped; one that came without an id gets one.
    """
    parts: list[_Prose | _Call | Part] = []
    calls: dict[int, _Call] = {}
    usage: Usage | None = None
    finished: Finished | None = None
    more: Callable[[str], None] | None = None
    """Adds to running text: the shortest way for almost every delta there is."""
    for delta in deltas:
        if type(delta) is TextDelta and not delta.provider_metadata:
            if more is None:
                more = _prose(parts, TextPart).pieces.append
            if delta.text:
                more(delta.text)
            continue
        more = None
        match delta:
            case TextDelta():
                _prose(parts, TextPart).add(delta.text, delta.provider_metadata)
            case ReasoningDelta():
                _prose(parts, ReasoningPart).add(delta.text, delta.provider_metadata)
            case ToolCallDelta():
                call = calls.get(delta.index)
                if call is None:
                    call = calls[delta.index] = _Call()
                    parts.append(call)
                call.add(delta)
            case PartDelta():
                parts.append(delta.part)
            case UsageDelta():
                usage = delta.usage
            case Finished():
                finished = delta
            case Restarted():
                parts.clear()
                calls.clear()
                usage = None
            case RetryNotice():
                pass  # nothing had arrived
            case _:
                assert_never(delta)
    broken = finished is None or finished.reason in _BROKEN
    sealed = [sealed for part in parts if (sealed := _sealed(part, broken=broken)) is not None]
    return ChatResponse(
        ChatMessage("assistant", _with_ids(sealed, usage)),
        finish_reason=finished.reason if finished else None,
        usage=usage,
        model=finished.model if finished else None,
        refusal=finished.refusal if finished else None,
        incomplete=finished is None,
    )


class _Prose:
    """A text or reasoning part that may still grow."""

    __slots__ = ("closed", "kind", "metadata", "pieces")

    def __init__(self, kind: type[TextPart | ReasoningPart]) -> None:
        self.kind = kind
        self.pieces: list[str] = []
        self.metadata: Metadata = {}
        self.closed = False

    def add(self, text: str, metadata: Metadata | None) -> None:
        """Grow; metadata without text is a signature, and what follows it is another part."""
        if text:
            self.pieces.append(text)
        if metadata:
            _merge(self.metadata, metadata)
            self.closed = not text

    def part(self) -> TextPart | ReasoningPart:
        """The part as it stands."""
        return self.kind("".join(self.pieces), provider_metadata=self.metadata or None)


class _Call:
    """A tool call that may still grow."""

    __slots__ = ("arguments", "id", "metadata", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.metadata: Metadata = {}

    def add(self, delta: ToolCallDelta) -> None:
        """Grow; the first id and the first name stay."""
        self.id = self.id or delta.id or ""
        self.name = self.name or delta.name or ""
        self.arguments.append(delta.arguments)
        if delta.provider_metadata:
            _merge(self.metadata, delta.provider_metadata)

    def part(self, *, broken: bool) -> ToolCallPart:
        """The part as it stands, with an empty id if none came."""
        arguments = "".join(self.arguments)
        metadata = self.metadata or None
        return ToolCallPart(
            self.id, self.name, arguments, provider_metadata=metadata, cut=broken and not arguments.strip()
        )


def _prose(parts: list[_Prose | _Call | Part], kind: type[TextPart | ReasoningPart]) -> _Prose:
    """The part to continue: the last one, if it is of this kind and open."""
    last = parts[-1] if parts else None
    if isinstance(last, _Prose) and last.kind is kind and not last.closed:
        return last
    new = _Prose(kind)
    parts.append(new)
    return new


def _sealed(part: _Prose | _Call | Part, *, broken: bool) -> Part | None:
    """The part as a value; None for a call without a name and for text without text."""
    if isinstance(part, _Call):
        return part.part(broken=broken) if part.name else None
    if isinstance(part, _Prose):
        return part.part() if part.pieces or part.metadata else None
    return part


def _with_ids(parts: list[Part], usage: Usage | None) -> tuple[Part, ...]:
    """Invent the ids that are missing, from the whole answer: two answers of one conversation must not share an id."""
    if all(part.id for part in parts if isinstance(part, ToolCallPart)):
        return tuple(parts)
    gist = repr((usage, [_gist(part) for part in parts]))
    digest = hashlib.blake2b(gist.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
    return tuple(
        replace(part, id=f"call_{digest}{position:02d}") if isinstance(part, ToolCallPart) and not part.id else part
        for position, part in enumerate(parts)
    )


def _gist(part: Part) -> tuple[str, ...]:
    match part:
        case TextPart() | ReasoningPart():
            return (part.text,)
        case ToolCallPart():
            return (part.id, part.name, part.arguments)
        case _:
            return ()


def _merge(known: Metadata, news: Metadata) -> None:
    """Take what is new: lists and objects grow, anything else is replaced. ``news`` is left as it is."""
    for key, value in news.items():
        old = known.get(key)
        if isinstance(value, list):
            if isinstance(old, list):
                old += value
            else:
                known[key] = list(value)
        elif isinstance(value, dict) and isinstance(old, dict):
            known[key] = old | value
        else:
            known[key] = value
