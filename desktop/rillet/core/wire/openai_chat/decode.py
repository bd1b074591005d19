"""Bytes of a Chat Completions answer → deltas, streamed or not, from any server that claims to speak it.

Sans-IO. Knows chunks: framing, choices, errors, counts, the end. Above: ``sse``, ``failures``, ``choice``, ``usage``.
Below: the codec, which the client drives.

A chunk that adds nothing but text or reasoning to the only choice, as nearly every chunk does, is recognised by its
type alone: what fits ``_Plain`` needs no second look, and what does not is read as plain JSON with all tolerance.

Guarantee: that of ``StreamDecoder``. No bytes make it raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from rillet.core.errors import InvalidRequestError, LlmError, NetworkError
from rillet.core.types import Delta, Finished, UsageDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.failures import classify_error, classify_response
from rillet.core.wire.openai_chat.choice import Choice
from rillet.core.wire.openai_chat.usage import UsageMeter
from rillet.core.wire.redact import redact
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.wire.sse import SseEvent

_NESTS = ("provider", "data")
"""Where gateways put the whole completion when their own ``choices`` is null (pydantic-ai#3994, AstrBot#9374)."""
_BROKEN_OFF = "the answer broke off before its end"
_CITED = ("citations", "search_results")
"""Sources beside the choices (Perplexity, xAI)."""


class _PlainDelta(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    role: str | None = None
    refusal: Literal[""] | None = None
    reasoning_details: tuple[()] | None = None
    tool_calls: tuple[()] | None = None
    function_call: None = None


class _PlainChoice(msgspec.Struct, gc=False):
    delta: _PlainDelta
    index: Literal[0] = 0
    finish_reason: Literal[""] | None = None
    error: None = None
    usage: None = None


class _Plain(msgspec.Struct, gc=False):
    """A chunk of text. Every other field of interest is declared empty; fields that do not matter are ignored."""

    choices: tuple[_PlainChoice]
    model: str | None = None
    error: None = None
    usage: None = None
    x_groq: None = None
    timings: None = None
    citations: None = None
    search_results: None = None


_decode_plain = msgspec.json.Decoder(_Plain).decode


class ChatDecoder:
    """Decodes one body.

    Attributes:
        failure: see ``StreamDecoder``.
        finish_seen: see ``StreamDecoder``.
        ended: see ``StreamDecoder``.
    """

    def __init__(self, *, think_tags: bool = False) -> None:
        self.failure: LlmError | None = None
        self.finish_seen = False
        self.ended = False
        self._think_tags = think_tags
        self._sse = SseDecoder()
        self._first = Choice(think_tags=think_tags)
        self._others: dict[int, Choice] = {}
        self._first_seen = False
        self._usage = UsageMeter()
        self._model: str | None = None
        self._noise = ""
        """The last data that was no JSON: the best hint when the stream breaks off."""

    def feed(self, data: bytes) -> list[Delta]:
        """Decode the next chunk of the body."""
        if self._over:
            return []
        try:
            self._take(self._sse.feed(data))
        except LlmError as error:
            self._fail(error)
        return self._drain()

    def finish(self) -> list[Delta]:
        """The body has ended: an answer is complete when its reason, its end marker, or its one JSON value arrived."""
        if self._over:
            return []
        try:
            self._take(self._sse.finish(), at_end=True)
        except LlmError as error:
            self._fail(error)
        if not self._over:
            if self.finish_seen:
                self._end()
            else:
                self._fail(self._broken_off())
        return self._drain()

    def alternatives(self) -> dict[int, list[Delta]]:
        """What other choices than the first sent (``n`` > 1), by their index; complete after ``finish``."""
        return {index: list(choice.deltas) for index, choice in self._others.items()}

    @property
    def _over(self) -> bool:
        return self.ended or self.failure is not None

    def _take(self, events: Iterable[SseEvent], *, at_end: bool = False) -> None:
        first = self._first
        for event in events:
            try:
                chunk = _decode_plain(event.data)
            except (msgspec.MsgspecError, RecursionError):
                self._take_event(event, at_end=at_end)
                if self._over:
                    return
                continue
            self._first_seen = True
            if self._model is None and chunk.model:
                self._model = chunk.model
            delta = chunk.choices[0].delta
            reasoning = delta.reasoning_content or delta.reasoning
            if reasoning:
                name = "reasoning_content" if delta.reasoning_content else "reasoning"
                first.add_reasoning(reasoning, first.name_reasoning(name))
            if delta.content:
                first.add_text(delta.content)

    def _take_event(self, event: SseEvent, *, at_end: bool) -> None:
        data = event.data.strip()
        if data[:1] == "[" and data.upper() == "[DONE]":
            self._end()
            return
        try:
            value = lenient_json.decode(data)
        except ValueError:
            if event.event == "error":
                self._fail(classify_error(data))
            else:
                self._noise = data
            return
        is_error = event.event == "error"
        if is_error and not _completion(value):
            # A JSON body that is neither an answer nor an error means that something else lives at this address.
            self._fail(classify_error(value) if not at_end or _is_error(value) else _not_this_api())
            return
        for chunk in value if isinstance(value, list) else [value]:
            self._take_chunk(chunk)
            if self.failure is not None:
                return
        if is_error and at_end:
            self._end()

    def _take_chunk(self, value: Any) -> None:
        chunk = _completion(value) or value
        if not isinstance(chunk, dict):
            return
        if self._model is None and isinstance(chunk.get("model"), str):
            self._model = chunk["model"] or None
        error = chunk.get("error")
        choices = chunk.get("choices")
        for position, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                self._take_choice(choice, position)
                error = error or choice.get("error")
        for key in _CITED:
            self._first.cite(key, chunk.get(key))
        self._take_usage(chunk)
        if _tells_error(error):
            self._fail(classify_error({"error": error}))
        elif not choices and _is_error(chunk):
            self._fail(classify_error(chunk))

    def _take_choice(self, value: dict[str, Any], position: int) -> None:
        index = value.get("index")
        choice = self._choice(index if isinstance(index, int) else position)
        delta, message = value.get("delta"), value.get("message")
        if isinstance(delta, dict):
            choice.take(delta, whole=False)
        elif isinstance(message, dict):
            choice.take(message, whole=True)
        elif isinstance(value.get("text"), str):  # the older Completions API
            choice.add_text(value["text"])
        reason = value.get("finish_reason")
        if isinstance(reason, str) and reason:
            choice.raw_reason = reason
            self.finish_seen = all(other.raw_reason for other in self._choices())
        self._usage.add(value.get("usage"))

    def _take_usage(self, chunk: dict[str, Any]) -> None:
        self._usage.add(chunk.get("usage"))
        extension = chunk.get("x_groq")
        if isinstance(extension, dict):
            self._usage.add(extension.get("usage"))
        self._usage.add_timings(chunk.get("timings"))
        if usage := self._usage.news():
            self._first.deltas.append(UsageDelta(usage))

    def _choice(self, index: int) -> Choice:
        if index == 0:
            self._first_seen = True
            return self._first
        if index not in self._others:
            self._others[index] = Choice(think_tags=self._think_tags)
        return self._others[index]

    def _choices(self) -> list[Choice]:
        return [*([self._first] if self._first_seen else []), *self._others.values()]

    def _end(self) -> None:
        """The answer is complete."""
        self.ended = True
        self._finish_choices()
        first = self._first
        first.deltas.append(Finished(first.reason, self._model, first.refusal))

    def _fail(self, error: LlmError) -> None:
        """The answer is over without being complete; everything that arrived is kept."""
        self.failure = error
        self._finish_choices()

    def _finish_choices(self) -> None:
        if not self._first_seen and self._others:  # a server that does not count from 0
            counts = self._first.deltas
            self._first = self._others.pop(min(self._others))
            self._first.deltas[:0] = counts
        self._first.finish()
        for choice in self._others.values():
            choice.finish()

    def _drain(self) -> list[Delta]:
        deltas, self._first.deltas = self._first.deltas, []
        return deltas

    def _broken_off(self) -> LlmError:
        stray = self._sse.stray.strip()
        if stray[:1] == "<" and not self._first_seen:
            return classify_response(200, {"content-type": "text/html"}, stray.encode())
        hint = " ".join((self._noise or stray).split())[:300]
        return NetworkError(f"{_BROKEN_OFF}: {redact(hint)}" if hint else _BROKEN_OFF)


def _completion(value: Any) -> dict[str, Any] | None:
    """The object with the choices, possibly inside a gateway's own; None when there is none."""
    if not isinstance(value, dict):
        return None
    if value.get("choices"):
        return value
    return next((nest for key in _NESTS if isinstance(nest := value.get(key), dict) and nest.get("choices")), None)


def _tells_error(error: Any) -> bool:
    """Some gateways send an error with empty fields along with every good answer."""
    return any(error.values()) if isinstance(error, dict) else bool(error)


def _is_error(value: Any) -> bool:
    """Whether a JSON value without choices reports an error, in one of the shapes that servers use."""
    if isinstance(value, list):
        return any(map(_is_error, value))
    if not isinstance(value, dict):
        return isinstance(value, str)
    if _tells_error(value.get("error")) or "error" in (value.get("object"), value.get("type")):
        return True
    if "error_type" in value or "error_message" in value:
        return True
    return bool(value.get("detail") or value.get("message")) and not value.keys() & {"usage", "created", "model"}


def _not_this_api() -> LlmError:
    return InvalidRequestError(
        "the address answers with JSON that is no chat completion",
        advice="Check the provider's URL and its style.",
    )
