"""Bytes of a generateContent answer → deltas, streamed or not.

Sans-IO. Knows chunks: framing, candidates, errors, counts, the end. Above: ``sse_body``, ``failures``, ``chunk``,
``candidate``, ``usage``. Below: the codec, which the client drives.

The style has no end marker: an answer is over when the body is, and complete when a finish reason came. Only the first
candidate is read.

Guarantee: that of ``StreamDecoder``. No bytes make it raise.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.errors import InvalidRequestError, LlmError
from rillet.core.types import Delta, Finished, UsageDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.error_body import is_error, tells_error
from rillet.core.wire.failures import classify_error
from rillet.core.wire.gemini.candidate import Candidate
from rillet.core.wire.gemini.chunk import answer_of, decode_plain
from rillet.core.wire.gemini.usage import UsageMeter, read_counts
from rillet.core.wire.sse import SseEvent
from rillet.core.wire.sse_body import SseBodyDecoder
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class GeminiDecoder(SseBodyDecoder):
    """Decodes one body."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__()
        self._candidate = Candidate(think_tags=think_tags)
        self._usage = UsageMeter()
        self._model: str | None = None
        self._answer_seen = False
        self._went_on = False
        """A chunk came that did not say why it was the last."""
        self._foreign = False
        """JSON came that is no part of an answer."""

    @property
    def _began(self) -> bool:
        return self._answer_seen

    def _take(self, events: Iterable[SseEvent], *, at_end: bool) -> None:
        if at_end and not self._answer_seen and self._stray_start.lstrip().startswith("["):
            events = _elements(self._stray)
        candidate = self._candidate
        for event in events:
            try:
                chunk = decode_plain(event.data)
            except (msgspec.MsgspecError, RecursionError):
                self._take_event(event, at_end=at_end)
                if self._over:
                    return
                continue
            self._answer_seen = self._went_on = True
            if self._model is None and chunk.model_version:
                self._model = chunk.model_version
            part = chunk.candidates[0].content.parts[0]
            candidate.add_plain(part.text, thought=part.thought)
            if chunk.usage_metadata is not None:
                self._usage.add(chunk.usage_metadata)
                self._tell_usage()
            if self._alone and event.event == "error":
                self._end()
                return
        if at_end:
            self._decide()

    def _take_event(self, event: SseEvent, *, at_end: bool) -> None:
        data = event.data.strip()
        if data[:1] == "[" and data.upper() == "[DONE]":  # gateways
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
        named_error = event.event == "error"
        for chunk in value if isinstance(value, list) else [value]:
            answer = answer_of(chunk) if isinstance(chunk, dict) else None
            if answer is not None:
                self._take_chunk(answer)
            elif is_error(chunk, loosely=not self._answer_seen) or (named_error and not at_end):
                self._fail(classify_error(chunk))
            else:
                self._foreign = True
            if self._over:
                return
        if named_error and self._alone and self._answer_seen and isinstance(value, dict):
            self._end()  # the one JSON answer of a request that was not streamed

    def _take_chunk(self, chunk: dict[str, Any]) -> None:
        self._answer_seen = True
        if self._model is None and isinstance(chunk.get("modelVersion"), str):
            self._model = mend(chunk["modelVersion"]) or None
        candidates = chunk.get("candidates")
        for position, candidate in enumerate(candidates if isinstance(candidates, list) else ()):
            if isinstance(candidate, dict) and candidate.get("index", position) in (0, None):
                self._take_candidate(candidate)
        if not candidates and self._candidate.block(chunk.get("promptFeedback")):
            self.finish_seen = True
        counts = read_counts(chunk.get("usageMetadata"))
        if counts is not None:
            self._usage.add(counts)
            self._tell_usage()
        if tells_error(chunk.get("error")):
            self._fail(classify_error(chunk))

    def _take_candidate(self, candidate: dict[str, Any]) -> None:
        """A reason is the end only if it was not sent all along: older models put "STOP" into every chunk."""
        if not self._candidate.take(candidate):
            self._went_on = True
        elif self._went_on or self._candidate.raw_reason != "STOP":
            self.finish_seen = True

    def _decide(self) -> None:
        """The body is over: any reason that came was the last."""
        if self._candidate.raw_reason:
            self.finish_seen = True
        elif self._foreign and not self._answer_seen and not self._over:
            self._fail(_not_this_api())

    def _tell_usage(self, *, final: bool = False) -> None:
        if usage := self._usage.news(final=final):
            self._candidate.deltas.append(UsageDelta(usage))

    def _end(self) -> None:
        self.ended = True
        candidate = self._candidate
        candidate.finish(complete=True)
        self._tell_usage(final=True)
        candidate.deltas.append(Finished(candidate.reason, self._model, candidate.refusal))

    def _fail(self, error: LlmError) -> None:
        self.failure = error
        self._candidate.finish(complete=False)

    def _drain(self) -> list[Delta]:
        deltas, self._candidate.deltas = self._candidate.deltas, []
        return deltas


def _elements(body: str) -> Iterator[SseEvent]:
    """The chunks of a body that is one JSON array, as it comes without ``alt=sse``, up to where it was cut."""
    decoder = json.JSONDecoder(strict=False)
    at = body.index("[") + 1
    while True:
        while at < len(body) and body[at] in ", \t\r\n":
            at += 1
        try:
            _, end = decoder.raw_decode(body, at)
        except (ValueError, RecursionError):
            return
        yield SseEvent("message", body[at:end])
        at = end


def _not_this_api() -> LlmError:
    return InvalidRequestError(
        "the address answers with JSON that is no answer of this API",
        advice="Check the provider's URL and its style.",
    )
