"""A request → the JSON body of Chat Completions.

Pure. Above: ``types``, ``media``, ``turns``, ``surrogates``. Below: the codec. Knows no provider: it writes the common
core that all servers of this style read, and sends back what a server itself sent along (``provider_metadata``),
because several refuse a conversation without it. Whoever changes the provider in the middle of a conversation drops it
first.

Guarantee: the body is JSON that can be encoded as UTF-8; every tool call in it has an object as arguments, and its
result right behind its answer; nobody speaks twice in a row, or says nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rillet.core.types import (
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from rillet.core.wire.openai_chat.media import file_content, image_content
from rillet.core.wire.openai_chat.turns import by_turns, suited
from rillet.core.wire.openai_request import effort, named_schema, sent_along
from rillet.core.wire.openai_schema import tool_schema
from rillet.core.wire.surrogates import mend_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rillet.core.types import ChatMessage, ChatRequest, Part, ToolSpec

STYLE = "openai"

_NEEDS_MAX_COMPLETION_TOKENS = re.compile(r"(?:openai/)?(?:o\d|gpt-[5-9])")
"""OpenAI's reasoning models refuse ``max_tokens``, which OpenAI deprecated
(https://platform.openai.com/docs/api-reference/chat/create). Everyone else reads it, and some nothing else: Mistral
answers 422 to ``max_completion_tokens`` (editor-code-assistant/eca#231), Ollama documents only the old name. So the
model decides."""


def encode_request(request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
    """The body. What the request leaves open is left out, so that the server's defaults hold."""
    body: dict[str, Any] = {"model": model, "messages": by_turns(_messages(suited(request.messages, model)), model)}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    limit = "max_completion_tokens" if _NEEDS_MAX_COMPLETION_TOKENS.match(model) else "max_tokens"
    options = {
        limit: request.max_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "stop": list(request.stop) or None,
        "seed": request.seed,
        "tools": [_tool(tool) for tool in request.tools] or None,
        # Without tools OpenAI refuses a choice of tools.
        "tool_choice": _tool_choice(request.tool_choice) if request.tools else None,
        "response_format": _response_format(request.response_format),
        "reasoning_effort": effort(request.reasoning),
        "metadata": dict(request.metadata) if request.metadata else None,
    }
    body |= {key: value for key, value in options.items() if value is not None}
    mended: dict[str, Any] = mend_all(body)
    return mended


def _messages(messages: Sequence[ChatMessage]) -> Iterator[dict[str, Any]]:
    """The conversation. Images of tool results follow in a user message: the style allows only text in a result."""
    for message in messages:
        match message.role:
            case "tool":
                yield from _tool_results(message.parts)
            case "assistant":
                yield _assistant(message.parts)
            case "system":
                yield {"role": "system", "content": _joined(message.parts)}
            case _:
                yield {"role": "user", "content": _user_content(message.parts)}


def _tool_results(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """The results of one answer. Their images follow all of them, because nothing may come in between."""
    shown: list[dict[str, Any]] = []
    for result in parts:
        if isinstance(result, ToolResultPart):
            yield _tool_result(result)
            if result.images:
                shown.append({"type": "text", "text": f"Images of the tool result {result.call_id}:"})
                shown += map(image_content, result.images)
    if shown:
        yield {"role": "user", "content": shown}


def _tool_result(result: ToolResultPart) -> dict[str, Any]:
    """The style has no mark for failure, so the text says it."""
    output = f"Error: {result.output}" if result.is_error else result.output
    return {"role": "tool", "tool_call_id": result.call_id, "content": output}


def _user_content(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    """Text alone stays a string, which every server reads; anything else makes a list."""
    content = [item for part in parts if (item := _user_part(part)) not in (None, _SILENCE)]
    if all(item["type"] == "text" for item in content):
        return "\n\n".join(item["text"] for item in content)
    return content


_SILENCE = {"type": "text", "text": ""}


def _user_part(part: Part) -> dict[str, Any] | None:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            return image_content(part)
        case FilePart():
            return file_content(part)
        case OpaquePart(style=style) if style == STYLE:
            return dict(part.data)
        case _:
            return None


def _assistant(parts: Sequence[Part]) -> dict[str, Any]:
    """An earlier answer, with everything that its server wants to see again."""
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    reasoning: list[ReasoningPart] = []
    images: list[dict[str, Any]] = []
    more: dict[str, Any] = {}
    for part in parts:
        match part:
            case ToolCallPart():
                calls.append(_tool_call(part))
            case TextPart():
                texts.append(part.text)
                if extra := _known(part, "extra_content"):
                    more["extra_content"] = extra
            case ReasoningPart():
                reasoning.append(part)
            case ImagePart() if _known(part, "image_field"):
                images.append(image_content(part))
            case FilePart() if isinstance(audio := _known(part, "audio"), dict) and audio.get("id"):
                more["audio"] = {"id": audio["id"]}
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or (None if calls else "")}
    if calls:
        message["tool_calls"] = calls
    _add_reasoning(message, reasoning)
    if images:
        message["images"] = images
    return message | more


def _add_reasoning(message: dict[str, Any], parts: Sequence[ReasoningPart]) -> None:
    """Send reasoning back in the field in which it came.

    OpenRouter's details go back always, they carry signatures. Plain text goes back with tool calls, where DeepSeek and
    Moonshot demand it, and not otherwise: DeepSeek's first reasoning model refuses a conversation that holds it.
    """
    details = [detail for part in parts for detail in _known(part, "reasoning_details") or ()]
    if details:
        message["reasoning_details"] = _joined_details(details)
        return
    field = next((name for part in parts if (name := _known(part, "reasoning_field"))), None)
    text = "".join(part.text for part in parts)
    if not field or not text or "tool_calls" not in message:
        return
    if field == "thinking":  # Mistral: a part of the content
        thinking = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
        rest = [{"type": "text", "text": message["content"]}] if message["content"] else []
        message["content"] = [thinking, *rest]
    else:
        message[field] = text


def _joined_details(details: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Streamed pieces of ``reasoning_details`` → the entries they are pieces of.

    Neighbours of one type and index are one entry, as in the answer that is not streamed; encrypted data is never cut.
    """
    joined: list[dict[str, Any]] = []
    for detail in details:
        last = joined[-1] if joined else None
        same = last is not None and all(last.get(key) == detail.get(key) for key in ("type", "index"))
        if last is None or not same or detail.get("data"):
            joined.append(dict(detail))
            continue
        for key, value in detail.items():
            if key in ("text", "summary") and isinstance(value, str) and isinstance(last.get(key), str):
                last[key] += value
            elif value:
                last[key] = value
    return joined


def _tool_call(part: ToolCallPart) -> dict[str, Any]:
    """A call under the id it had."""
    function = {"name": part.name, "arguments": part.object_text}
    return {**sent_along(part), "id": part.id, "type": "function", "function": function}


def _joined(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def _known(part: Part, key: str) -> Any:
    return part.provider_metadata.get(key) if part.provider_metadata else None


def _tool(tool: ToolSpec) -> dict[str, Any]:
    parameters = tool_schema(tool.input_schema)
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _tool_choice(choice: str | None) -> Any:
    if choice in (None, "auto", "none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _response_format(wanted: Any) -> dict[str, Any] | None:
    if wanted is None:
        return None
    if wanted == "json":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": named_schema(wanted)}
