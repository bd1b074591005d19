"""A request → the JSON body of ``/api/chat``.

Pure. Above: ``types``, ``media``, ``schema``, ``surrogates``. Below: the codec. What Ollama has no field for:

    tool_choice     "none" leaves the tools out, a name leaves out the others; "required" cannot be said
    metadata        is left out
    parallel off    does not exist

Everything else that a model can be told (``num_ctx``, ``keep_alive`` …) goes through ``extra_body``.

Guarantee: the body is JSON that can be encoded as UTF-8, and every tool call in it has an object as arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.errors import InvalidRequestError
from rillet.core.types import FilePart, ImagePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from rillet.core.wire.attachments import bare_type, encode_base64, file_text
from rillet.core.wire.ollama.media import image_text
from rillet.core.wire.ollama.schema import parameters
from rillet.core.wire.openai_request import effort, sent_along
from rillet.core.wire.surrogates import mend_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rillet.core.types import ChatMessage, ChatRequest, Part, ToolSpec


def encode_request(request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
    """The body. What the request leaves open is left out, so that the server's defaults hold, with one exception.

    A conversation that is longer than the model's window is refused (``truncate``): else Ollama would silently forget
    its beginning (https://github.com/ollama/ollama/pull/17944). ``extra_body`` can say otherwise.

    Raises:
        InvalidRequestError: A message holds a file, or the address of an image, which Ollama cannot be given.
    """
    options = {
        "num_predict": request.max_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "stop": list(request.stop) or None,
        "seed": request.seed,
    }
    fields = {
        "tools": [_tool(tool) for tool in _offered(request)] or None,
        "format": _format(request.response_format),
        "think": _think(request.reasoning, model),
        "options": {key: value for key, value in options.items() if value is not None} or None,
    }
    body: dict[str, Any] = {
        "model": model,
        "messages": list(_messages(request.messages)),
        "stream": stream,  # left out, it would mean yes
        "truncate": False,
    }
    body |= {key: value for key, value in fields.items() if value is not None}
    mended: dict[str, Any] = mend_all(body)
    return mended


def _messages(messages: Sequence[ChatMessage]) -> Iterator[dict[str, Any]]:
    """The conversation. Images of tool results follow in a user message: templates show none in a result.

    They follow the whole run of results, because nothing may come between the results of one turn.
    """
    names: dict[str, str] = {}
    shown: list[Part] = []
    for message in messages:
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        if shown and not results:
            yield _plain("user", shown)
            shown = []
        for result in results:
            yield _tool_result(result, names.get(result.call_id))
            if result.images:
                shown += [TextPart(f"Images of the tool result {result.call_id}:"), *result.images]
        rest = [part for part in message.parts if not isinstance(part, ToolResultPart)]
        if message.role == "assistant":
            names |= {part.id: part.name for part in rest if isinstance(part, ToolCallPart)}
            yield _assistant(rest)
        elif rest or not results:
            yield _plain("system" if message.role == "system" else "user", rest)
    if shown:
        yield _plain("user", shown)


def _plain(role: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Text and images: a message has one text, and its images beside it."""
    texts = [part.text if isinstance(part, TextPart) else _file_text(part) for part in parts if _has_text(part)]
    message: dict[str, Any] = {"role": role, "content": "\n\n".join(texts)}
    if images := [_image(part) for part in parts if _is_image(part)]:
        message["images"] = images
    return message


def _assistant(parts: Sequence[Part]) -> dict[str, Any]:
    """An earlier answer as it came, which is how Ollama's own clients send it back."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "".join(part.text for part in parts if isinstance(part, TextPart)),
    }
    if thinking := "".join(part.text for part in parts if isinstance(part, ReasoningPart)):
        message["thinking"] = thinking
    if images := [text for part in parts if isinstance(part, ImagePart) and (text := image_text(part))]:
        message["images"] = images
    if calls := [_tool_call(part) for part in parts if isinstance(part, ToolCallPart)]:
        message["tool_calls"] = calls
    return message


def _tool_call(part: ToolCallPart) -> dict[str, Any]:
    """A call with what its server sent along; arguments that are no object become an empty one."""
    call = sent_along(part)
    inner = call.pop("function", None)
    function = (inner if isinstance(inner, dict) else {}) | {"name": part.name, "arguments": part.parsed or {}}
    return call | {"id": part.id, "function": function}


def _tool_result(result: ToolResultPart, name: str | None) -> dict[str, Any]:
    """A result says whose it is by name, to newer servers by id as well; failure has no mark, so the text says it."""
    output = f"Error: {result.output}" if result.is_error else result.output
    message = {"role": "tool", "content": output, "tool_call_id": result.call_id}
    return message | ({"tool_name": name} if name else {})


def _is_image(part: Part) -> bool:
    return isinstance(part, ImagePart) or (
        isinstance(part, FilePart) and bare_type(part.media_type).startswith("image/")
    )


def _has_text(part: Part) -> bool:
    return isinstance(part, TextPart) or (isinstance(part, FilePart) and not _is_image(part))


def _image(part: Part) -> str:
    if isinstance(part, FilePart):
        return encode_base64(part.data)
    text = image_text(part) if isinstance(part, ImagePart) else None
    if text is None:
        raise InvalidRequestError(
            "Ollama does not fetch images from the web", advice="Save the image and attach the file instead."
        )
    return text


def _file_text(part: Part) -> str:
    text = file_text(part) if isinstance(part, FilePart) else None
    if text is None:
        kind = part.media_type if isinstance(part, FilePart) else type(part).__name__
        raise InvalidRequestError(
            f"Ollama reads text and images, not {kind}", advice="Remove the file, or choose another provider."
        )
    return text


def _offered(request: ChatRequest) -> list[ToolSpec]:
    choice = request.tool_choice
    if choice == "none":
        return []
    return [tool for tool in request.tools if choice in (None, "auto", "required", tool.name)]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": parameters(tool.input_schema)}
    return {"type": "function", "function": function}


def _format(wanted: Any) -> Any:
    return wanted if wanted is None or wanted == "json" else dict(wanted)


def _think(reasoning: Any, model: str) -> str | bool | None:
    """An effort where the model knows several, else yes or no.

    Others answer 400 'think value "low" is not supported for this model' (charmbracelet/crush#2623). To gpt-oss, for
    which efforts were made (ollama/ollama-python#553), yes and no mean nothing.
    """
    level = effort(reasoning)
    if level in (None, "none"):
        return None if level is None else False
    return level if "gpt-oss" in model.lower() else True
