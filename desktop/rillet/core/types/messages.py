"""A turn of a conversation: a role and its parts, in order.

Pure values. Above: ``parts``. Below: ``request`` collects messages, ``wire`` encodes them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import msgspec

from rillet.core.types.expect import expect
from rillet.core.types.parts import Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class ChatMessage(msgspec.Struct, frozen=True):
    """One message. Build it with ``system``, ``user``, ``assistant`` or ``tool``."""

    role: Role
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        if type(self.parts) is not tuple:
            expect(self.parts, (list, tuple), "what a message is made of", "write ChatMessage.user(…)")
            msgspec.structs.force_setattr(self, "parts", tuple(self.parts))

    @classmethod
    def system(cls, text: str) -> ChatMessage:
        """Instructions for the model."""
        return cls("system", (TextPart(text),))

    @classmethod
    def user(cls, text: str, *parts: Part) -> ChatMessage:
        """What a person says, with images and files behind the text."""
        return cls("user", _parts(text, parts))

    @classmethod
    def assistant(cls, text: str, *parts: Part) -> ChatMessage:
        """What a model answered."""
        return cls("assistant", _parts(text, parts))

    @classmethod
    def tool(cls, call_id: str, output: str, is_error: bool = False) -> ChatMessage:
        """What a tool answered to the call ``call_id``."""
        return cls("tool", (ToolResultPart(call_id, output, is_error=is_error),))

    @property
    def text(self) -> str:
        """All visible text, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def reasoning(self) -> str:
        """All reasoning, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, ReasoningPart))

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        """The tool calls, in the order in which they appeared."""
        return tuple([part for part in self.parts if isinstance(part, ToolCallPart)])


def _parts(text: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    expect(text, str, "the text of a message", "images and files come behind it, as parts of their own")
    for part in parts:
        expect(part, get_args(Part), "a part of a message", "write ImagePart(…), FilePart(…), TextPart(…)")
    return (TextPart(text), *parts) if text else parts
