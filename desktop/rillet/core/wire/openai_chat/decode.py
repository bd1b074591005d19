"""Bytes of a Chat Completions answer → deltas, streamed or not, from any server that claims to speak it.

Sans-IO. Knows chunks: framing, choices, errors, counts, the end. Above: ``sse_body``, ``failures``, ``chunk``,
``choice``, ``usage``. Below: the codec, which the client drives.

Guarantee: that of ``StreamDecoder``. No bytes make it raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.errors import InvalidRequestError, LlmError
from rillet.core.types import Delta, Finished, UsageDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.error_body import is_error, tells_error
from rillet.core.wire.failures import classify_error
from rillet.core.wire.openai_chat.choice import Choice
from rillet.core.wire.openai_chat.chunk import completion, decode_plain, groq
from rillet.core.wire.openai_usage import UsageMeter
from rillet.core.wire.sse_body import SseBodyDecoder
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.wire.sse import SseEvent

_CITED = frozenset(("citations", "search_results"))
"""Sources beside the choices (Perplexity, xAI)."""


class ChatDecoder(SseBodyDecoder):
    """Decodes one body."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__()
        self._think_tags = think_tags
        self._first = Choice(think_tags=think_tags)
        self._others: dict[int, Choice] = {}
        self._first_seen = False
        self._in_pieces = False
        """Text came piece by piece."""
        self._usage = UsageMeter()
        self._model: str | None = None

    def alternatives(self) -> dict[int, list[Delta]]:
        """What other choices than the first sent (``n`` > 1), by their index; complete after ``finish``."""
        return {index: list(choice.deltas) for index, choice in self._others.items()}

    @property
    def _began(self) -> bool:
        return bool(self._choices())

    def _take(self, events: Iterable[SseEvent], *, at_end: bool) -> None:
        first = self._first
        for event in events:
            try:
                chunk = decode_plain(event.data)
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
                self._in_pieces = True
                first.add_text(delta.content)
            if delta.tool_calls:
                for call in delta.tool_calls:
                    first.add_arguments(call.index, call.function.arguments)

    def _take_event(self, event: SseEvent, *, at_end: bool) -> None:
        data = event.data.strip()
        if data[:1] == "[" and data.upper() == "[DONE]":
            self._end()
            return
        try:
            value = lenient_json.decode(data)
        except ValueError:
            if self._take_glued(event, at_end=at_end):
                return
            if event.event == "error":
                self._fail(classify_error(data))
            else:
                self._noise = data
            return
        chunks = value if isinstance(value, list) else [value]
        if event.event == "error" and not any(map(completion, chunks)):
            if not at_end or is_error(value):
                self._fail(classify_error(value))
            elif not self._choices():
                self._fail(_not_this_api())
            return
        for chunk in chunks:
            if not self._over and isinstance(chunk, dict):
                self._take_chunk(completion(chunk) or chunk)
        if event.event == "error" and self._alone and not self._over:
            self._end()  # the one JSON answer of a server that does not stream

    def _take_chunk(self, chunk: dict[str, Any]) -> None:
        if self._model is None and isinstance(chunk.get("model"), str):
            self._model = mend(chunk["model"]) or None
        choices = chunk.get("choices")
        error = chunk.get("error") or groq(chunk).get("error")
        for position, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                self._take_choice(choice, position, whole=chunk.get("object") == "chat.completion")
                error = error or choice.get("error")
        for key in _CITED & chunk.keys():
            self._first.cite(key, chunk[key])
        self._take_usage(chunk)
        if tells_error(error):
            self._fail(classify_error({"error": error} if choices else chunk))
        elif not choices and is_error(chunk, loosely=not self._first_seen):
            self._fail(classify_error(chunk))

    def _take_choice(self, value: dict[str, Any], position: int, *, whole: bool) -> None:
        index = value.get("index")
        choice = self._choice(index if isinstance(index, int) else position)
        delta, message = value.get("delta"), value.get("message")
        if isinstance(delta, dict):
            choice.take(delta, whole=False)
            self._in_pieces = self._in_pieces or bool(delta.get("content"))
        elif isinstance(message, dict):
            choice.take(choice.news(message, told=self._in_pieces) if whole else message, whole=True)
        elif isinstance(value.get("text"), str):  # the older Completions API
            choice.add_text(value["text"])
        reason = value.get("finish_reason")
        if isinstance(reason, str) and reason:
            choice.raw_reason = reason
            self.finish_seen = all(other.raw_reason for other in self._choices())
        self._usage.add(value.get("usage"))

    def _take_usage(self, chunk: dict[str, Any]) -> None:
        self._usage.add(chunk.get("usage"))
        self._usage.add(groq(chunk).get("usage"))
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


def _not_this_api() -> LlmError:
    return InvalidRequestError(
        "the address answers with JSON that is no chat completion",
        advice="Check the provider's URL and its style.",
    )
