"""One choice of a Chat Completions answer: the JSON of its deltas → our deltas.

Pure. Knows what may stand in a ``delta`` or ``message``; knows nothing of chunks, framing, counts or errors. Above:
``prose``, ``tool_calls``, ``media``. Below: ``decode``. Guarantee: no JSON value makes it raise;
what is held back (half a character, a possible tag, an open tool name) leaves in its place in the order, at the latest
in ``finish``.
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import FinishReason, PartDelta, TextDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.openai_chat.media import audio_part, image_part
from rillet.core.wire.prose import Prose
from rillet.core.wire.surrogates import mend
from rillet.core.wire.tool_calls import ToolCallAssembler

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
_REASONING = frozenset((*_REASONING_FIELDS, "reasoning_details"))
_TOOL_FIELDS = frozenset(("index", "id", "type", "function"))

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",  # Together
    "eos_token": "stop",  # Hugging Face TGI
    "complete": "stop",  # Cohere
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral: the window is full
    "max_output_tokens": "length",
    "max_completion_tokens": "length",
    "model_context_window_exceeded": "length",  # z.ai, and Anthropic behind gateways
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",  # z.ai
    "guardrail_intervened": "content_filter",  # Bedrock behind gateways, as is the next
    "content_filtered": "content_filter",
    # Google's endpoint of this style, also with its own name behind: "content_filter: PROHIBITED_CONTENT"
    # (HKUDS/Vibe-Trading#308).
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "spii": "content_filter",
    "image_safety": "content_filter",
    "image_prohibited_content": "content_filter",
    "malformed_function_call": "error",
    "function_call_filter": "error",
    "refusal": "refusal",
    "stop_sequence": "stop_sequence",
    "error": "error",
    "abort": "error",  # vLLM, SGLang
    "network_error": "error",  # z.ai
    "insufficient_system_resource": "error",  # DeepSeek
}


class Choice(Prose):
    """Collects one choice; ``deltas`` is drained by the owner."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__(think_tags=think_tags)
        self.raw_reason = ""
        """The last finish reason that was not empty: a later null does not erase it."""
        self._tools = ToolCallAssembler()
        self._refusal: list[str] = []
        self._audio: dict[str, list[Any]] = {}
        self._trailer: dict[str, Any] = {}
        """Metadata of the message as a whole: a text delta in its middle would cut the text in two parts."""
        self._reasoning_named = False

    def take(self, delta: dict[str, Any], *, whole: bool) -> None:
        """Take a ``delta``, or a ``message`` (``whole``), in whose list of calls every item is a call of its own."""
        if not _REASONING.isdisjoint(delta):
            self._take_reasoning(delta)
        content = delta.get("content")
        if isinstance(content, str):
            if content:
                self.add_text(content)
        elif content is not None:
            for part in content if isinstance(content, list) else [content]:
                self._take_part(part)
        for image in _list(delta.get("images")):
            self._take_image(image)
        for position, call in enumerate(_list(delta.get("tool_calls"))):
            self._take_call(call, position if whole else None)
        if isinstance(delta.get("function_call"), dict):
            self._take_call({"function": delta["function_call"]}, None)
        if isinstance(delta.get("refusal"), str):
            self._refusal.append(delta["refusal"])
        if isinstance(delta.get("audio"), dict):
            self._take_audio(delta["audio"])
        if annotations := _list(delta.get("annotations")):
            self._trailer.setdefault("annotations", []).extend(annotations)
        if extra := delta.get("extra_content"):
            self._trailer["extra_content"] = extra

    def news(self, message: dict[str, Any], *, told: bool) -> dict[str, Any]:
        """What a whole message tells that its pieces did not: MiniMax sends it behind them. ``told``: text came."""
        known = {"content", *_REASONING} if told else set()
        if self._tools.begun:
            known.add("tool_calls")
        return {key: value for key, value in message.items() if key not in known}

    def add_arguments(self, index: int, arguments: str) -> None:
        """The next piece of the arguments of the call at ``index``."""
        self.release()
        self.deltas += self._tools.add(index=index, arguments=arguments)

    def name_reasoning(self, field: str) -> dict[str, Any] | None:
        """Metadata for the first piece only: in which field it came, so that it can go back in the same."""
        if self._reasoning_named:
            return None
        self._reasoning_named = True
        return {"reasoning_field": field}

    def cite(self, key: str, sources: Any) -> None:
        """Keep sources that stand beside the choices; a later list replaces an earlier one."""
        if sources:
            self._trailer[key] = sources

    def finish(self) -> None:
        """The answer is over, complete or not."""
        self.release()
        self.deltas += self._tools.finish()
        if self._audio:
            self.deltas.append(PartDelta(audio_part(self._audio)))
        if self._trailer:
            self.deltas.append(TextDelta("", self._trailer))

    @property
    def reason(self) -> FinishReason:
        """Why it ended, in our vocabulary. Valid after ``finish``."""
        reason = _REASONS.get(self.raw_reason.lower().partition(":")[0], "unknown") if self.raw_reason else "stop"
        if reason == "stop" and self._tools.announced:
            return "tool_calls"
        if reason in ("stop", "tool_calls") and self._tools.malformed and not self._tools.announced:
            return "error"
        if reason == "stop" and self.refusal:
            return "refusal"
        return reason

    @property
    def refusal(self) -> str | None:
        """What the model said instead of an answer."""
        return mend("".join(self._refusal)) or None

    def _take_reasoning(self, delta: dict[str, Any]) -> None:
        """The first of four names that holds text: a server may send the same text under two of them."""
        name = next((name for name in _REASONING_FIELDS if _str(delta, name)), _REASONING_FIELDS[0])
        text = _str(delta, name)
        details = [item for item in _list(delta.get("reasoning_details")) if _tells(item)]
        if details:
            text = text or "".join(_str(item, "text") or _str(item, "summary") for item in details)
            self.add_reasoning(text, {"reasoning_details": details})
        elif text:
            self.add_reasoning(text, self.name_reasoning(name))

    def _take_part(self, part: Any) -> None:
        if isinstance(part, str):
            self.add_text(part)
        if not isinstance(part, dict):
            return
        kind = part.get("type")
        if kind in ("thinking", "reasoning"):
            thinking = part.get("thinking") or part.get("summary")  # the latter: Databricks
            pieces = [thinking] if isinstance(thinking, str) else [_str(item, "text") for item in _list(thinking)]
            if text := "".join(pieces):
                self.add_reasoning(text, self.name_reasoning("thinking") if kind == "thinking" else None)
        elif kind == "image_url":
            self._take_image(part)
        elif kind == "refusal":
            self._refusal.append(_str(part, "refusal"))
        elif text := _str(part, "text"):
            self.add_text(text)

    def _take_image(self, value: Any) -> None:
        inner = value.get("image_url") if isinstance(value, dict) else value
        url = inner if isinstance(inner, str) else _str(inner, "url")
        if url:
            self.release()
            self.deltas.append(PartDelta(image_part(url)))

    def _take_call(self, value: Any, index: int | None) -> None:
        if not isinstance(value, dict):
            return
        self.release()
        function = value.get("function")
        arguments = function.get("arguments") if isinstance(function, dict) else None
        sent_index = value.get("index")
        self.deltas += self._tools.add(
            index=sent_index if isinstance(sent_index, (int, str)) else index,
            id=mend(_str(value, "id")),
            name=mend(_str(function, "name")),
            arguments=lenient_json.as_text(arguments),
            metadata={key: item for key, item in value.items() if key not in _TOOL_FIELDS and item is not None} or None,
        )

    def _take_audio(self, audio: dict[str, Any]) -> None:
        """Text and data come in pieces, anything else replaces what was known."""
        for key, value in audio.items():
            if key not in ("data", "transcript"):
                self._audio[key] = [value]
            elif isinstance(value, str):
                self._audio.setdefault(key, []).append(value)


def _list(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value]
    return value if isinstance(value, list) else []


def _str(value: Any, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _tells(detail: Any) -> bool:
    """Whether an entry of ``reasoning_details`` holds more than its own description; Anthropic's first one is empty."""
    return isinstance(detail, dict) and any(detail.get(key) for key in ("text", "summary", "data", "signature"))
