"""A request → the JSON body of the Responses API.

Pure. Above: ``types``, ``replay``, ``media``, ``openai_request``. Below: the codec. Knows no provider: it writes the
core that all servers of this style read, and sends back what a server itself sent along. Whoever changes the provider
in the middle of a conversation drops ``provider_metadata`` first.

The style has no field for stop sequences or a seed: OpenAI refuses unknown fields, so they are left out; a server that
reads them (llama.cpp) gets them through ``extra_body``. So does ``parallel_tool_calls: false``.

Guarantee: the body is JSON that can be encoded as UTF-8, and every function call in it has an object as arguments and
its output right behind its answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rillet.core.types import FilePart, ImagePart, OpaquePart, TextPart, ToolCallPart, ToolResultPart
from rillet.core.wire.openai_request import effort, is_openai, named_schema
from rillet.core.wire.openai_responses.items import STYLE
from rillet.core.wire.openai_responses.media import file_content, image_content
from rillet.core.wire.openai_responses.replay import answer_items, is_custom
from rillet.core.wire.openai_schema import tool_schema
from rillet.core.wire.pairs import fitting_id, fitting_name, paired
from rillet.core.wire.surrogates import mend_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rillet.core.types import ChatMessage, ChatRequest, Part, ToolSpec

_ENCRYPTS = re.compile(r"(?:openai/)?(?:o\d|gpt-[5-9](?!.*chat)|codex-)|(?:x-ai/)?grok-")
"""Models that give encrypted reasoning. OpenAI's others answer 400 "Encrypted content is not supported with this model"
(pydantic/pydantic-ai#2865), and to thoughts of another model "Reasoning input items can only be provided to a reasoning
or computer use model"; xAI's take the wish whatever the model (NousResearch/hermes-agent#23435)."""
_LONGEST_ID = 64
"""OpenAI refuses longer ones (decolua/9router#393)."""


def encode_request(request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
    """The body. What the request leaves open is left out, so that the server's defaults hold."""
    body: dict[str, Any] = {"model": model, "input": list(_input(request.messages, model)), "store": False}
    if stream:
        body["stream"] = True
    asked = effort(request.reasoning)
    thinks = asked not in (None, "none") or _ENCRYPTS.match(model)
    options = {
        "max_output_tokens": request.max_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "tools": [_tool(tool) for tool in request.tools] or None,
        # Without tools OpenAI refuses a choice of tools.
        "tool_choice": _tool_choice(request.tool_choice) if request.tools else None,
        "text": _text(request.response_format),
        "reasoning": _reasoning(asked),
        # Nothing is stored, so reasoning can be continued only if it comes along, encrypted:
        # https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
        "include": ["reasoning.encrypted_content"] if thinks else None,
        "metadata": dict(request.metadata) if request.metadata else None,
    }
    body |= {key: value for key, value in options.items() if value is not None}
    mended: dict[str, Any] = mend_all(body)
    return mended


def _input(given: Sequence[ChatMessage], model: str) -> Iterator[dict[str, Any]]:
    """The conversation as a flat list of items."""
    others = {
        call_id for message in given for part in message.parts if (call_id := _called_by_server(part)) is not None
    }
    messages = paired(given, others=others)
    thinks = True
    if is_openai(model):
        messages = paired(given, id=lambda id: fitting_id(id, _LONGEST_ID), name=fitting_name, others=others)
        thinks = _ENCRYPTS.match(model) is not None
    parts = [part for message in messages for part in message.parts]
    custom = {part.id for part in parts if isinstance(part, ToolCallPart) and is_custom(part)}
    answered = {call_id for part in parts if (call_id := _answered_call(part)) is not None}
    for message in messages:
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        for result in results:
            yield _tool_result(result, custom=result.call_id in custom)
        rest = [part for part in message.parts if not isinstance(part, ToolResultPart)]
        if message.role == "assistant":
            yield from answer_items(rest, answered, thinks=thinks)
        elif message.role == "system":
            text = "".join(part.text for part in rest if isinstance(part, TextPart))
            yield {"type": "message", "role": "system", "content": text}
        elif rest or not results:
            yield from _user(rest)


def _called_by_server(part: Part) -> str | None:
    """The id of a call that is none of our tools, such as one of a shell."""
    call_id = part.data.get("call_id") if isinstance(part, OpaquePart) and part.style == STYLE else None
    return call_id if isinstance(call_id, str) else None


def _answered_call(part: Part) -> str | None:
    """The id of the call that this part answers."""
    if isinstance(part, ToolResultPart):
        return part.call_id
    if isinstance(part, OpaquePart) and str(part.data.get("type")).endswith("_output"):
        return _called_by_server(part)
    return None


def _tool_result(result: ToolResultPart, *, custom: bool) -> dict[str, Any]:
    """The output of a tool, as text, or as a list when it holds images. The style has no mark for failure."""
    text = f"Error: {result.output}" if result.is_error else result.output
    output: str | list[dict[str, Any]] = text
    if result.images:
        output = [*([{"type": "input_text", "text": text}] if text else []), *map(image_content, result.images)]
    kind = "custom_tool_call_output" if custom else "function_call_output"
    return {"type": kind, "call_id": result.call_id, "output": output}


def _user(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """A message, and before it what is an item of its own: the output of a server's tool that we ran."""
    said: list[dict[str, Any]] = []
    alone = True
    for part in parts:
        item = _user_part(part)
        if item is not None and str(item.get("type")).startswith("input_"):
            said.append(item)
        elif item is not None:
            alone = False
            yield item
    if not said and not alone:
        return
    texts = [item["text"] for item in said if item["type"] == "input_text"]
    yield {"type": "message", "role": "user", "content": "\n\n".join(texts) if len(texts) == len(said) else said}


def _user_part(part: Part) -> dict[str, Any] | None:
    match part:
        case TextPart():
            return {"type": "input_text", "text": part.text}
        case ImagePart():
            return image_content(part)
        case FilePart():
            return file_content(part)
        case OpaquePart(style=style) if style == STYLE:
            return dict(part.data)
        case _:
            return None


def _tool(tool: ToolSpec) -> dict[str, Any]:
    """A function, and that it is not strict.

    Where that is not said OpenAI makes it strict, and the model fills in whatever is optional
    (open-webui/open-webui#27750, https://platform.openai.com/docs/guides/function-calling#strict-mode).
    """
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool_schema(tool.input_schema),
        "strict": False,
    }


def _tool_choice(choice: str | None) -> Any:
    if choice in (None, "auto", "none", "required"):
        return choice
    return {"type": "function", "name": choice}


def _text(wanted: Any) -> dict[str, Any] | None:
    if wanted is None:
        return None
    if wanted == "json":
        return {"format": {"type": "json_object"}}
    return {"format": {"type": "json_schema", **named_schema(wanted)}}


def _reasoning(asked: str | None) -> dict[str, Any] | None:
    """How much to think, and to show it: without the wish for a summary OpenAI shows nothing.

    OpenAI summarises only for verified organisations, and says so; others send ``{"reasoning": {"summary": None}}``
    through ``extra_body``.
    """
    if asked is None:
        return None
    return {"effort": asked} if asked == "none" else {"effort": asked, "summary": "auto"}
