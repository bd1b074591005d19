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
    """One request. Immutable: ``messages``, ``stop`` and ``tools`` are copied to tuples.

    Args:
        messages: The conversation, oldest first.
        model: None: the provider's default model.
        temperature: As the provider counts it; None, here and below: what the provider takes if nothing is said.
        max_tokens: The longest answer, reasoning included where the provider counts it so.
        top_p: As the provider counts it.
        stop: Texts that end the answer.
        seed: For answers that can be had again, where the provider can.
        tools: What may be called; ``Tool.spec`` is one.
        tool_choice: None, "auto", "none", "required", or the name of the one tool to call.
        response_format: None, "json", or a JSON schema (a dict) that the answer must satisfy; it comes as text.
        reasoning: How much to think: "low", "medium", "high", or a budget in tokens.
        metadata: For the provider's own records.
        extra_body: Merged last into the body, objects with objects: the way to a provider's own parameters.
        extra_headers: Sent with this request.

    Raises:
        TypeError: a message is no ``ChatMessage``.
    """

    messages: Sequence[ChatMessage]
    _: KW_ONLY
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: Sequence[str] = ()
    seed: int | None = None
    tools: Sequence[ToolSpec] = ()
    tool_choice: str | None = None
    response_format: ResponseFormat | None = None
    reasoning: ReasoningEffort | int | None = None
    metadata: Mapping[str, str] | None = None
    extra_body: Mapping[str, Any] | None = None
    extra_headers: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        expect(self.messages, Iterable, "messages", "a list, such as [ChatMessage.user(…)]")
        for name in ("messages", "stop", "tools"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        for message in (*self.messages[:1], *self.messages[-1:]):  # (a long history goes into many requests)
            expect(message, ChatMessage, "a message of a request", "write ChatMessage.user(…)")
