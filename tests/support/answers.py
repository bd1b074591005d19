"""One answer in the words of every style: what it says is written down once, each server's way to say it beside it.

A test that should hold for all styles describes an ``Answer`` and gets the frames that a well-behaved server of a
style streams: what to damage, delay or cut is then a matter of frames, not of JSON. Knows nothing of our codecs, so
that a mistake of theirs cannot hide here; the official SDKs read the same bytes (``chaos/test_sdks``).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

MODEL = "fake-1"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, its arguments cut into the fragments that are sent."""

    id: str
    name: str
    fragments: tuple[str, ...]

    @property
    def arguments(self) -> Any:
        """What the fragments come to."""
        return json.loads("".join(self.fragments))


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said: texts, then perhaps a tool call, and the counts (prompt, completion)."""

    texts: tuple[str, ...]
    call: Call | None = None
    counts: tuple[int, int] = (7, 5)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.texts)


@dataclass(frozen=True, slots=True)
class Frame:
    """The smallest piece of a stream that a client can decode: an event, or a line."""

    role: str
    """"open", "text", "call", "close" (of a part), "finish" (says why it stopped), "usage", "end" (the end marker)."""
    data: bytes
    text: str = ""
    """The text that it brings."""


Frames: TypeAlias = Iterator[Frame]


def frames(style: str, answer: Answer) -> list[Frame]:
    """The stream of a well-behaved server."""
    return list(_STYLES[style].stream(answer))


def whole(style: str, answer: Answer) -> dict[str, Any]:
    """The same as one JSON value, as it comes when no stream was asked for."""
    return _STYLES[style].whole(answer)


def error_body(style: str, status: int, message: str) -> dict[str, Any]:
    """What an HTTP answer of this status holds."""
    return _STYLES[style].error(status, message)


def error_frame(style: str, status: int, message: str) -> Frame:
    """How the same is said when the stream has begun."""
    body = error_body(style, status, message)
    match style:
        case "ollama":
            return _line("error", body)
        case "anthropic":
            return _event("error", body, "error")
        case "openai-responses":
            return _event("error", {"type": "error", **body["error"], "param": None, "sequence_number": 9}, "error")
    return _event("error", body)


def media_type(style: str) -> str:
    """The content type of the stream."""
    return "application/x-ndjson" if style == "ollama" else "text/event-stream"


def base_path(style: str) -> str:
    """What follows the host in the base URL of a provider."""
    return {"gemini": "/v1beta", "ollama": ""}.get(style, "/v1")


def dump(value: Any) -> str:
    """Compact JSON, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _event(role: str, value: Any, name: str | None = None, *, brings: str = "") -> Frame:
    head = f"event: {name}\n" if name else ""
    return Frame(role, f"{head}data: {value if isinstance(value, str) else dump(value)}\n\n".encode(), brings)


def _line(role: str, value: Any, *, brings: str = "") -> Frame:
    return Frame(role, f"{dump(value)}\n".encode(), brings)


# Chat Completions


def _chat_chunk(role: str, delta: dict[str, Any], *, finish: str | None = None, brings: str = "") -> Frame:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event(role, {**_chat_head("chat.completion.chunk"), "choices": [choice]}, brings=brings)


def _chat_head(kind: str) -> dict[str, Any]:
    return {"id": "c1", "object": kind, "created": 1, "model": MODEL}


def _chat_usage(answer: Answer) -> dict[str, int]:
    prompt, completion = answer.counts
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _chat_stream(answer: Answer) -> Frames:
    yield _chat_chunk("open", {"role": "assistant", "content": ""})
    for text in answer.texts:
        yield _chat_chunk("text", {"content": text}, brings=text)
    if answer.call is not None:
        head = {"index": 0, "id": answer.call.id, "type": "function"}
        yield _chat_chunk("open", {"tool_calls": [{**head, "function": {"name": answer.call.name, "arguments": ""}}]})
        for fragment in answer.call.fragments:
            yield _chat_chunk("call", {"tool_calls": [{"index": 0, "function": {"arguments": fragment}}]})
    yield _chat_chunk("finish", {}, finish="tool_calls" if answer.call else "stop")
    yield _event("usage", {**_chat_head("chat.completion.chunk"), "choices": [], "usage": _chat_usage(answer)})
    yield _event("end", "[DONE]")


def _chat_whole(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.call is not None:
        function = {"name": answer.call.name, "arguments": "".join(answer.call.fragments)}
        message["tool_calls"] = [{"id": answer.call.id, "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if answer.call else "stop"}
    return {**_chat_head("chat.completion"), "choices": [choice], "usage": _chat_usage(answer)}


def _chat_error(status: int, message: str) -> dict[str, Any]:
    code = "rate_limit_exceeded" if status == 429 else None
    return {"error": {"message": message, "type": _openai_type(status), "code": code}}


def _openai_type(status: int) -> str:
    types = {401: "authentication_error", 429: "requests", 503: "service_unavailable_error"}
    return types.get(status, "server_error" if status >= 500 else "invalid_request_error")


# Responses


def _response(answer: Answer, status: str) -> dict[str, Any]:
    done = status == "completed"
    prompt, completion = answer.counts
    usage = {"input_tokens": prompt, "output_tokens": completion, "total_tokens": prompt + completion}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": MODEL,
        "output": _response_items(answer) if done else [],
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "error": None,
        "incomplete_details": None,
        "usage": {**usage, **details} if done else None,
    }


def _response_items(answer: Answer) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.texts:
        content = {"type": "output_text", "text": answer.text, "annotations": []}
        head = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
        items.append({**head, "content": [content]})
    if answer.call is not None:
        call = {"call_id": answer.call.id, "name": answer.call.name, "arguments": "".join(answer.call.fragments)}
        items.append({"type": "function_call", "id": "f1", "status": "completed", **call})
    return items


def _responses_stream(answer: Answer) -> Frames:
    numbers = itertools.count()

    def event(role: str, kind: str, fields: dict[str, Any], *, brings: str = "") -> Frame:
        return _event(role, {"type": kind, "sequence_number": next(numbers), **fields}, kind, brings=brings)

    yield event("open", "response.created", {"response": _response(answer, "in_progress")})
    for index, item in enumerate(_response_items(answer)):
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        added = {"output_index": index, "item": {**item, **empty, "status": "in_progress"}}
        yield event("open", "response.output_item.added", added)
        place = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            place["content_index"] = 0
            part = {"type": "output_text", "text": "", "annotations": []}
            yield event("open", "response.content_part.added", {**place, "part": part})
            for text in answer.texts:
                yield event("text", "response.output_text.delta", {**place, "delta": text, "logprobs": []}, brings=text)
            yield event("close", "response.output_text.done", {**place, "text": answer.text, "logprobs": []})
            yield event("close", "response.content_part.done", {**place, "part": item["content"][0]})
        elif answer.call is not None:
            for fragment in answer.call.fragments:
                yield event("call", "response.function_call_arguments.delta", {**place, "delta": fragment})
            yield event("close", "response.function_call_arguments.done", {**place, "arguments": item["arguments"]})
        yield event("close", "response.output_item.done", {"output_index": index, "item": item})
    yield event("finish", "response.completed", {"response": _response(answer, "completed")})


def _responses_error(status: int, message: str) -> dict[str, Any]:
    codes = {401: "invalid_api_key", 429: "rate_limit_exceeded", 503: "server_is_overloaded"}
    code = codes.get(status, "server_error" if status >= 500 else "invalid_value")
    return {"error": {"message": message, "type": _openai_type(status), "code": code}}


# Messages


def _message(answer: Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.texts else []
    if answer.call is not None:
        call = {"id": answer.call.id, "name": answer.call.name, "input": answer.call.arguments}
        content.append({"type": "tool_use", **call})
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": "tool_use" if answer.call else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": answer.counts[0], "output_tokens": answer.counts[1]},
    }


def _message_stream(answer: Answer) -> Frames:
    def event(role: str, kind: str, fields: dict[str, Any], *, brings: str = "") -> Frame:
        return _event(role, {"type": kind, **fields}, kind, brings=brings)

    message = _message(answer)
    blocks = message["content"]
    begun: dict[str, Any] = {"content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield event("open", "message_start", {"message": {**message, **begun}})
    for index, block in enumerate(blocks):
        empty: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
        yield event("open", "content_block_start", {"index": index, "content_block": {**block, **empty}})
        if block["type"] == "text":
            for text in answer.texts:
                delta = {"type": "text_delta", "text": text}
                yield event("text", "content_block_delta", {"index": index, "delta": delta}, brings=text)
        elif answer.call is not None:
            for fragment in answer.call.fragments:
                delta = {"type": "input_json_delta", "partial_json": fragment}
                yield event("call", "content_block_delta", {"index": index, "delta": delta})
        yield event("close", "content_block_stop", {"index": index})
    stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("finish", "message_delta", {"delta": stopped, "usage": {"output_tokens": answer.counts[1]}})
    yield event("end", "message_stop", {})


def _message_error(status: int, message: str) -> dict[str, Any]:
    types = {401: "authentication_error", 429: "rate_limit_error", 503: "overloaded_error", 529: "overloaded_error"}
    kind = types.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


# Gemini


def _candidate(parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **more.pop("candidate", {})}
    return {"candidates": [candidate], "modelVersion": MODEL, **more}


def _gemini_call(call: Call) -> dict[str, Any]:
    return {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}


def _gemini_finish(answer: Answer) -> dict[str, Any]:
    prompt, completion = answer.counts
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": completion, "totalTokenCount": prompt + completion}
    return {"candidate": {"finishReason": "STOP"}, "usageMetadata": counts}


def _gemini_stream(answer: Answer) -> Frames:
    for text in answer.texts:
        yield _event("text", _candidate([{"text": text}]), brings=text)
    if answer.call is not None:
        yield _event("call", _candidate([_gemini_call(answer.call)]))
    yield _event("finish", _candidate([{"text": ""}], **_gemini_finish(answer)))


def _gemini_whole(answer: Answer) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.texts else []
    if answer.call is not None:
        parts.append(_gemini_call(answer.call))
    return _candidate(parts, **_gemini_finish(answer))


def _gemini_error(status: int, message: str) -> dict[str, Any]:
    states = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}
    return {"error": {"code": status, "message": message, "status": states.get(status, "INVALID_ARGUMENT")}}


# Ollama


def _ollama_line(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": "", **message}
    return {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": said, "done": False, **more}


def _ollama_call(call: Call) -> dict[str, Any]:
    return {"tool_calls": [{"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}]}


def _ollama_done(answer: Answer) -> dict[str, Any]:
    return {"done": True, "done_reason": "stop", "prompt_eval_count": answer.counts[0], "eval_count": answer.counts[1]}


def _ollama_stream(answer: Answer) -> Frames:
    for text in answer.texts:
        yield _line("text", _ollama_line({"content": text}), brings=text)
    if answer.call is not None:
        yield _line("call", _ollama_line(_ollama_call(answer.call)))
    yield _line("finish", _ollama_line({}, **_ollama_done(answer)))


def _ollama_whole(answer: Answer) -> dict[str, Any]:
    message = {"content": answer.text} | (_ollama_call(answer.call) if answer.call else {})
    return _ollama_line(message, **_ollama_done(answer))


@dataclass(frozen=True, slots=True)
class _Style:
    stream: Callable[[Answer], Frames]
    whole: Callable[[Answer], dict[str, Any]]
    error: Callable[[int, str], dict[str, Any]]


_STYLES = {
    "openai": _Style(_chat_stream, _chat_whole, _chat_error),
    "openai-responses": _Style(_responses_stream, lambda answer: _response(answer, "completed"), _responses_error),
    "anthropic": _Style(_message_stream, _message, _message_error),
    "gemini": _Style(_gemini_stream, _gemini_whole, _gemini_error),
    "ollama": _Style(_ollama_stream, _ollama_whole, lambda _status, message: {"error": message}),
}
STYLES = tuple(_STYLES)
"""Every style there is."""
