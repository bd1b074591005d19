"""A conversation → ``systemInstruction`` and ``contents``.

Pure. Above: ``types``, ``attachments``, ``metadata``, ``model``, ``pairs``. Below: ``encode``.

The style knows two roles that take turns, the user first. It wants as many function responses behind a function call
turn as that had calls, in the very next content (google-gemini/gemini-cli#3814), and refuses contents without parts. So
neighbours of one role become one content, results stand first in theirs and in the order of the calls, a call without a
result gets one that says so, and a result without a call becomes text.

What Gemini sent goes back as it came; what other styles left behind (their signatures, blocks and images) does not.
Thoughts go back only when they are signed: the others are summaries made for people.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rillet.core.types import (
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from rillet.core.wire.attachments import PDF, bare_type, encode_base64, file_text, read_data_url
from rillet.core.wire.gemini.metadata import SIGNATURE, STYLE, kept
from rillet.core.wire.gemini.model import sees_results, wants_signatures
from rillet.core.wire.pairs import CANCELLED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rillet.core.types import ChatMessage, Part

_UNSIGNED = "skip_thought_signature_validator"
"""What Google documents for calls that the model did not make itself, as after a change of provider:
https://ai.google.dev/gemini-api/docs/thought-signatures#faqs."""
_IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".heic": "image/heic",
    ".heif": "image/heif",
}
"""What an address tells of an image; https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats."""
_LONGEST_NAME = 64
"""https://ai.google.dev/api/caching#FunctionDeclaration"""
_NO_BEGINNING = "(The beginning of this conversation is missing.)"


def system_instruction(messages: Sequence[ChatMessage]) -> dict[str, Any] | None:
    """All instructions, one part each: the style has no place for them within the conversation."""
    parts = [{"text": message.text} for message in messages if message.role == "system" and message.text]
    return {"parts": parts} if parts else None


def encode_contents(messages: Sequence[ChatMessage], model: str) -> list[dict[str, Any]]:
    """The conversation without its instructions."""
    contents: list[dict[str, Any]] = []
    calls: list[ToolCallPart] = []
    spoken = (message for message in messages if message.role != "system")
    for by_model, group in groupby(spoken, key=lambda message: message.role == "assistant"):
        said = [part for message in group for part in message.parts]
        if by_model:
            calls = [part for part in said if isinstance(part, ToolCallPart)]
            parts = list(_answer(said))
        else:
            parts = _user(said, calls, nested=sees_results(model))
            calls = []
        if not parts:
            continue
        role = "model" if by_model else "user"
        if contents and contents[-1]["role"] == role:  # an answer in between was empty
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": role, "parts": parts})
    if calls:  # nothing follows that could hold their results
        contents.append({"role": "user", "parts": _user((), calls, nested=False)})
    if contents and contents[0]["role"] == "model":  # 400 "function call turn comes immediately after a user turn"
        contents.insert(0, {"role": "user", "parts": [{"text": _NO_BEGINNING}]})
    if wants_signatures(model):
        _sign(contents)
    return contents


def _answer(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """An earlier answer, with everything that its server wants to see again."""
    for part in parts:
        fields = kept(part)
        match part:
            case TextPart() if part.text:
                yield {"text": part.text} | (fields or {})
            case ReasoningPart() if part.text and fields:
                yield {"text": part.text, "thought": True} | fields
            case ToolCallPart():
                yield _call(part, fields or {})
            case ImagePart() | FilePart() if fields is not None:
                yield _media(part) | fields
            case OpaquePart(style=style) if style == STYLE and not _idle(part):
                yield dict(part.data)
            case _:
                pass


def _user(parts: Sequence[Part], calls: Sequence[ToolCallPart], *, nested: bool) -> list[dict[str, Any]]:
    """What follows an answer: the results of its calls, then images of them that do not fit inside, then the rest."""
    results: defaultdict[str, deque[ToolResultPart]] = defaultdict(deque)
    for part in parts:
        if isinstance(part, ToolResultPart):
            results[part.call_id].append(part)
    responses: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for call in calls:
        result = results[call.id].popleft() if results[call.id] else None
        images = [_media(image) for image in result.images] if result else []
        inside = [image for image in images if nested and "inlineData" in image]
        responses.append(_response(call, result, inside))
        outside = [image for image in images if image not in inside]
        if outside:
            shown += [{"text": f"Images of the result of {call.name}:"}, *outside]
    lost = {id(result) for queue in results.values() for result in queue}
    rest = [item for part in parts for item in _user_part(part, lost=id(part) in lost)]
    return [*responses, *shown, *rest]


def _user_part(part: Part, *, lost: bool) -> Iterator[dict[str, Any]]:
    match part:
        case TextPart() if part.text:
            yield {"text": part.text}
        case ImagePart():
            yield _media(part)
        case FilePart():
            text = file_text(part, PDF)
            yield _media(part) if text is None else {"text": text}
        case ToolResultPart() if lost:
            yield {"text": f"Result of the tool call {part.call_id}:\n{part.output}"}
            yield from map(_media, part.images)
        case OpaquePart(style=style) if style == STYLE:
            yield dict(part.data)
        case _:
            pass


def _call(part: ToolCallPart, fields: dict[str, Any]) -> dict[str, Any]:
    """A call with the id that was sent, if one was: an invented one is not for the server.

    Arguments that are no object become an empty one; the result of such a call says what was wrong with it.
    """
    extra = fields.pop("functionCall", {})
    return {"functionCall": {**extra, "name": _name(part.name), "args": part.parsed or {}}} | fields


def _name(name: str) -> str:
    """The name of a function as the style takes it: that of a call that another model made may be any."""
    taken = re.sub(r"[^a-zA-Z0-9_.:-]", "_", name)
    return (taken if taken[:1].isalpha() or taken[:1] == "_" else f"_{taken}")[:_LONGEST_NAME]


def _response(call: ToolCallPart, result: ToolResultPart | None, images: list[dict[str, Any]]) -> dict[str, Any]:
    """A result under the keys that the style reads.

    The output stays text even if it is JSON: a ``$ref`` inside an object would be refused (vercel/ai#14369).
    """
    extra = (kept(call) or {}).get("functionCall", {})
    response: dict[str, Any] = {"id": extra["id"]} if extra.get("id") else {}
    response["name"] = _name(call.name)
    if result is None:
        response["response"] = {"error": CANCELLED}
    else:
        response["response"] = {"error" if result.is_error else "output": result.output}
    if images:
        response["parts"] = images
    return {"functionResponse": response}


def _media(part: ImagePart | FilePart) -> dict[str, Any]:
    """Bytes inside the request, or the address of an image, which the server fetches itself."""
    url = part.url if isinstance(part, ImagePart) else None
    if url is None:
        data = {"mimeType": bare_type(part.media_type), "data": encode_base64(part.data or b"")}
        return {"inlineData": data}
    if (inline := read_data_url(url)) is not None:
        media_type, content = inline
        return {"inlineData": {"mimeType": media_type or part.media_type, "data": encode_base64(content)}}
    suffix = PurePosixPath(urlsplit(url).path).suffix.lower()
    return {"fileData": {"mimeType": _IMAGE_TYPES.get(suffix, part.media_type), "fileUri": url}}


def _idle(part: OpaquePart) -> bool:
    """A thought that is not signed, such as a draft of an image."""
    return bool(part.data.get("thought")) and SIGNATURE not in part.data


def _sign(contents: list[dict[str, Any]]) -> None:
    """Mark the first call of each answer in the running turn as unsigned, if it is: only there it is looked at."""
    for content in reversed(contents):
        if content["role"] == "user":
            if any("functionResponse" not in part for part in content["parts"]):
                return
            continue
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None:
            first.setdefault(SIGNATURE, _UNSIGNED)
