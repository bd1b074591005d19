"""Bytes of a Responses answer → deltas, streamed or not, from any server that claims to speak it.

Sans-IO. Knows events: which of them begin, continue and end what, errors, counts, the end. Above: ``sse_body``,
``event``, ``output``. Below: the codec, which the client drives.

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
from rillet.core.wire.openai_responses.event import (
    ERRORS,
    PIECES,
    TERMINAL,
    WHOLES,
    decode_piece,
    is_answer,
    is_chat,
    status_of,
)
from rillet.core.wire.openai_responses.items import Message
from rillet.core.wire.openai_responses.output import Output
from rillet.core.wire.openai_usage import UsageMeter
from rillet.core.wire.sse_body import SseBodyDecoder
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.wire.sse import SseEvent


class ResponsesDecoder(SseBodyDecoder):
    """Decodes one body."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__()
        self._output = Output(think_tags=think_tags)
        self._usage = UsageMeter()
        self._model: str | None = None
        self._error: LlmError | None = None
        """An error that did not say what it is: a better one may follow, and comes at once if it does."""

    @property
    def _began(self) -> bool:
        return self._output.began

    def _take(self, events: Iterable[SseEvent], *, at_end: bool) -> None:
        find = self._output.find
        for event in events:
            try:
                piece = decode_piece(event.data)
            except (msgspec.MsgspecError, RecursionError):
                self._take_event(event, at_end=at_end)
                if self._over:
                    return
                continue
            kind, name = PIECES[piece.type]
            position = piece.summary_index if name == "summary_text" else piece.content_index
            find(kind, piece.output_index, piece.item_id or None).add(name, position, piece.delta)

    def _take_event(self, event: SseEvent, *, at_end: bool) -> None:
        data = event.data.strip()
        if data[:1] == "[" and data.upper() == "[DONE]":
            self._take_done()
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
        for item in value if isinstance(value, list) else [value]:
            if self._over:
                return
            if isinstance(item, dict):
                self._take_value(item, event.event, at_end=at_end)
            elif event.event == "error" and is_error(item):
                self._fail(classify_error(item))
        if at_end and not self._over and not self._began and event.event == "error":
            self._fail(_not_this_api())

    def _take_value(self, value: dict[str, Any], event: str, *, at_end: bool) -> None:
        kind = value.get("type")
        if not isinstance(kind, str) or not kind:
            kind = event if event.startswith("response.") else ""  # a gateway may leave the type to the event's name
        answer = value.get("response")
        if isinstance(answer, dict):
            self._take_counts(answer)
        self._take_counts(value)
        if kind in ERRORS or tells_error(value.get("error")):
            self._take_error(value)
        elif (status := status_of(kind, value)) is not None:
            self._settle(answer if isinstance(answer, dict) else {}, status)
        elif kind.startswith("response."):
            self._take_progress(kind, value)
        elif is_answer(value):
            self._take_answer(value)
        elif is_chat(value):
            self._fail(_chat_completions())
        elif is_error(value, loosely=event == "error" or not self._began) or (event == "error" and not at_end):
            self._take_error(value)

    def _take_progress(self, kind: str, value: dict[str, Any]) -> None:
        """An event in the middle; one of an unknown kind means nothing."""
        if kind in ("response.output_item.added", "response.output_item.done"):
            item = value.get("item")
            if isinstance(item, dict) and isinstance(item.get("type"), str):
                take = self._output.begin if kind.endswith("added") else self._output.close
                take(item, _int(value, "output_index"))
            return
        if kind == "response.output_text.annotation.added":
            message = self._output.find("message", *_address(value))
            if isinstance(message, Message):
                message.cite(value.get("annotation"))
            return
        for table, field in ((PIECES, "delta"), (WHOLES, "")):
            if kind not in table:
                continue
            item_kind, name, *fields = table[kind]
            text = value.get(fields[0] if fields else field)
            if isinstance(text, str):
                position = _int(value, "summary_index" if name == "summary_text" else "content_index") or 0
                item = self._output.find(item_kind, *_address(value))
                (item.tell if fields else item.add)(name, position, text)

    def _take_answer(self, answer: dict[str, Any]) -> None:
        """The one JSON answer of a server that does not stream."""
        status = answer.get("status", "completed")
        if status in TERMINAL.values():
            self._settle(answer, status)
            return
        if isinstance(answer.get("output"), list):
            self._output.settle(answer["output"])
        self._noise = str(status)  # queued, for one: background mode, whose answer is to be fetched later
        self._fail(self._broken_off(at_end=False))

    def _settle(self, answer: dict[str, Any], status: str) -> None:
        """The answer has ended: take what only its last event tells."""
        if isinstance(answer.get("output"), list):
            self._output.settle(answer["output"])
        if status == "failed":
            self._take_error({"response": answer})
            return
        details = answer.get("incomplete_details")
        self._end(status, details.get("reason") if isinstance(details, dict) else None)

    def _take_done(self) -> None:
        """The marker of another protocol, which some servers send behind the end, and a few instead of it."""
        if self._began and self._output.closed:
            self._end()
        else:
            self._fail(self._error or self._broken_off(at_end=False))

    def _take_counts(self, value: dict[str, Any]) -> None:
        model = value.get("model")
        if isinstance(model, str) and model:
            self._model = mend(model)
        self._usage.add(value.get("usage"))
        self._usage.add_timings(value.get("timings"))
        if usage := self._usage.news():
            self._output.deltas.append(UsageDelta(usage))

    def _take_error(self, value: dict[str, Any]) -> None:
        """Errors come in pairs, ``error`` and ``response.failed``; the first that says something counts."""
        error = classify_error(value)
        if error.message:
            self._fail(error)
        else:
            self._error = self._error or error
            self.finish_seen = True  # nothing can follow but the other of the pair

    def _end(self, status: str = "completed", why: Any = None) -> None:
        """The answer is complete, unless an error came that said nothing and was alone."""
        if self._error is not None:
            self._fail(self._error)
            return
        self.finish_seen = self.ended = True
        self._output.finish()
        reason = self._output.reason(status, why)
        self._output.deltas.append(Finished(reason, self._model, self._output.refused))

    def _fail(self, error: LlmError) -> None:
        """The answer is over without being complete; everything that arrived is kept."""
        self.failure = error
        self._output.finish()

    def _drain(self) -> list[Delta]:
        return self._output.drain()


def _address(value: dict[str, Any]) -> tuple[int | None, str | None]:
    id = value.get("item_id")
    return _int(value, "output_index"), id if isinstance(id, str) and id else None


def _int(value: dict[str, Any], key: str) -> int | None:
    number = value.get(key)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _chat_completions() -> LlmError:
    return InvalidRequestError(
        "the address answers with Chat Completions, not with Responses",
        advice="Set the provider's style to “openai”.",
    )


def _not_this_api() -> LlmError:
    return InvalidRequestError(
        "the address answers with JSON that is no response",
        advice="Check the provider's URL and its style.",
    )
