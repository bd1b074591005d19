"""A message as it goes along with a question: in the form that the model takes, without what the person switched off.

Pure. Above: ``plan``, ``attachments/taken``. Below: ``context`` weighs, and ``fitting`` sends, what this gives.
Guarantees: the turn of the question itself is whole; where an image or a file stood, a word says so; what a provider
attached to its answer for itself (signatures, its own blocks, ids) goes to no other, many of which refuse it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rillet.core.agent.trust import KEY
from rillet.core.attachments.taken import as_taken
from rillet.core.types import ChatMessage, FilePart, ImagePart, OpaquePart, ReasoningPart, TextPart, ToolResultPart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.chat.plan import Plan
    from rillet.core.types import Part

NOT_SENT: Final = "[{name}, not sent again]"


def as_sent(message: ChatMessage, plan: Plan, *, is_last: bool, by: str | None = None) -> ChatMessage:
    """The message, of the last turn or of an earlier one. ``by``: the provider (id) that wrote it, as far as known."""
    taken = as_taken(message, plan.takes_files)
    if message.role == "assistant" and by is not None and by != plan.provider.id:
        taken = ChatMessage("assistant", tuple(map(_for_all, filter(_is_for_all, taken.parts))))
    if is_last or not plan.without & {"attachments", "reasoning"}:
        return taken
    parts = tuple(_kept(taken, plan))
    return taken if parts == taken.parts else ChatMessage(taken.role, parts)


def _is_for_all(part: Part) -> bool:
    return not isinstance(part, OpaquePart)


def _for_all(part: Part) -> Part:
    """The part without what only its provider understands; what we noted ourselves stays."""
    known = part.provider_metadata
    if not known:
        return part
    ours = {KEY: known[KEY]} if KEY in known else None
    if isinstance(part, ImagePart | FilePart):
        return dataclasses.replace(part, provider_metadata=ours)
    return replace(part, provider_metadata=ours)


def _kept(message: ChatMessage, plan: Plan) -> Iterator[Part]:
    for part in message.parts:
        match part:
            case ReasoningPart() if "reasoning" in plan.without:
                pass
            case ImagePart() if "attachments" in plan.without:
                yield TextPart(NOT_SENT.format(name="image"))
            case FilePart() if "attachments" in plan.without:
                yield TextPart(NOT_SENT.format(name=part.name or "file"))
            case ToolResultPart() if "attachments" in plan.without and part.images:
                note = NOT_SENT.format(name="image")
                yield replace(part, output="\n".join([part.output, *[note] * len(part.images)]), images=())
            case _:
                yield part
