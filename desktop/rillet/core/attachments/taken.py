"""Documents of a message in the form that a model takes: as files, or as what they say.

Pure. Below: ``chat/answering`` and the command line, before anything is sent. Guarantee: the message in the store keeps
both, so another model of the same chat may be given the other form.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rillet.core.types import ChatMessage, FilePart

if TYPE_CHECKING:
    from rillet.core.types import Part


def as_taken(message: ChatMessage, takes_files: bool) -> ChatMessage:
    """The message for a model that takes documents as they are, or does not."""
    if takes_files or not any(map(_has_both, message.parts)):
        return message
    return ChatMessage(message.role, tuple(map(_as_text, message.parts)))


def _has_both(part: Part) -> bool:
    return isinstance(part, FilePart) and part.text is not None and not part.as_text


def _as_text(part: Part) -> Part:
    return replace(part, as_text=True) if isinstance(part, FilePart) and _has_both(part) else part
