"""What is asked of a model, without saying of which provider.

Pure values. Above: ``messages``, ``tools``. Below: ``wire`` turns a request into one provider's JSON. A field that a
provider does not know is left out of its body or translated there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias

from rillet.core.types.expect import expect
from rillet.core.types.messages import ChatMessage
from rillet.core.types.tools import ToolSpec

ReasoningEffort: TypeAlias = Literal["low", "medium", "high"]
ResponseFormat: TypeAlias = Literal["json"] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. Immutable: ``messages``, ``stop`` and ``tools`` are copied to tuples."""

    messages: Sequence[ChatMessage]
    """The conversation, oldest first."""
    _: KW_ONLY
    model: str | None = None
    """None: the provider's default model."""
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: Sequence[str] = ()
    seed: int | None = None
    tools: Sequence[ToolSpec] = ()
    tool_choice: str | None = None
    """None, "auto", "none", "required", or the name of the one tool to call."""
    response_format: ResponseFormat | None = None
    """None, "json", or a JSON schema that the answer must satisfy."""
    reasoning: ReasoningEffort | int | None = None
    """How much to think: an effort, or a budget in tokens."""
    metadata: Mapping[str, str] | None = None
    extra_body: Mapping[str, Any] | None = None
    """Merged last into the body, objects with objects: the way to a provider's own parameters."""
    extra_headers: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        expect(self.messages, Iterable, "messages", "a list, such as [ChatMessage.user(…)]")
        for name in ("messages", "stop", "tools"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        for message in self.messages:
            expect(message, ChatMessage, "a message of a request", "write ChatMessage.user(…)")
