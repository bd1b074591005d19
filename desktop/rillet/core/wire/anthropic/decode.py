"""Bytes of a Messages answer → deltas, streamed or not, from any server that claims to speak it.

Sans-IO. Knows events: their order, errors, counts, the end. Above: ``sse_body``, ``failures``, ``event``, ``blocks``,
``usage``. Below: the codec, which the client drives. Reference:
https://platform.claude.com/docs/en/build-with-claude/streaming, which asks clients to skip events they do not know.

Guarantee: that of ``StreamDecoder``. No bytes make it raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.errors import InvalidRequestError, LlmError
from rillet.core.types import Delta, Finished, FinishReason, UsageDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.anthropic.blocks import Blocks
from rillet.core.wire.anthropic.event import decode_piece
from rillet.core.wire.anthropic.usage import UsageMeter
from rillet.core.wire.error_body import is_error
from rillet.core.wire.failures import classify_error
from rillet.core.wire.sse_body import SseBodyDecoder
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.wire.sse import SseEvent

_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "stop_sequence": "stop_sequence",
    "tool_use": "tool_calls",
    "pause_turn": "pause",
    "compaction": "pause",
    "refusal": "refusal",
    # Not Anthropic's, but what gateways leave untranslated:
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "error": "error",
}
"""https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons"""


class MessagesDecoder(SseBodyDecoder):
    """Decodes one body."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__()
        self._blocks = Blocks(think_tags=think_tags)
        self._usage = UsageMeter()
        self._seen = False
        """An event of this protocol came."""
        self._foreign = False
        """JSON of another kind came."""
        self._id = ""
        self._model: str | None = None
        self._raw_reason = ""
        self._refusal: str | None = None

    @property
    def _began(self) -> bool:
        return self._seen

    def _take(self, events: Iterable[SseEvent], *, at_end: bool) -> None:
        for event in events:
            try:
                piece = decode_piece(event.data)
            except (msgspec.MsgspecError, RecursionError):
                self._take_event(event, at_end=at_end)
                if self._over:
                    return
                continue
            self._seen = True
            self._blocks.add(piece.index, piece.delta)

    def _take_event(self, event: SseEvent, *, at_end: bool) -> None:
        try:
            value = lenient_json.decode(event.data)
        except ValueError:
            if not self._take_glued(event, at_end=at_end):
                self._take_words(event)
            return
        if isinstance(value, dict):
            kind = value.get("type")
            if kind == "error":
                self._fail(classify_error(value))
                return
            if kind is None and event.event != "message":
                kind = event.event  # a gateway may leave the type to the event's name
            take = _EVENTS.get(kind) if isinstance(kind, str) else None
            if take is not None:
                self._seen = True
                take(self, value)
                return
        named = event.event == "error"
        if (named and not at_end) or is_error(value, loosely=named):
            self._fail(classify_error(value))
        elif isinstance(value, dict) and isinstance(value.get("choices"), list):
            self._fail(_not_this_api("the address speaks Chat Completions, not Messages"))
        elif not self._seen and at_end:
            self._fail(_not_this_api())
        else:
            self._foreign = True

    def _take_words(self, event: SseEvent) -> None:
        data = event.data.strip()
        if event.event == "error":
            self._fail(classify_error(data))
        elif data.upper() != "[DONE]":  # some gateways add it; the end it is not
            self._noise = data

    def _start_message(self, event: dict[str, Any]) -> None:
        message = event.get("message")
        if not isinstance(message, dict):
            return
        id = message.get("id")
        if isinstance(id, str) and id:
            if self._id and id != self._id and self._blocks.began:
                self._restart()
            self._id = id
        self._take_model(message)
        self._take_usage(message)

    def _restart(self) -> None:
        self._blocks.restart()
        self._usage = UsageMeter()
        self._model = self._refusal = None
        self._raw_reason = ""
        self.finish_seen = False

    def _start_block(self, event: dict[str, Any]) -> None:
        if isinstance(event.get("content_block"), dict):
            self._blocks.start(_index(event), event["content_block"])

    def _add_to_block(self, event: dict[str, Any]) -> None:
        if isinstance(event.get("delta"), dict):
            self._blocks.add_other(_index(event), event["delta"])

    def _stop_block(self, event: dict[str, Any]) -> None:
        self._blocks.stop(_index(event))

    def _change_message(self, event: dict[str, Any]) -> None:
        if isinstance(event.get("delta"), dict):
            self._take_reason(event["delta"])
        self._take_usage(event)

    def _stop_message(self, event: dict[str, Any]) -> None:
        self._end()

    def _take_whole(self, message: dict[str, Any]) -> None:
        """The whole answer as one value."""
        self._take_model(message)
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
            if isinstance(block, dict):
                self._blocks.start(index, block, whole=True)
        self._take_reason(message)
        self._take_usage(message)
        self._end()

    def _skip(self, event: dict[str, Any]) -> None:
        pass

    def _take_model(self, message: dict[str, Any]) -> None:
        if self._model is None and isinstance(message.get("model"), str):
            self._model = mend(message["model"]) or None

    def _take_usage(self, holder: dict[str, Any]) -> None:
        if usage := self._usage.add(holder.get("usage")):
            self._blocks.deltas.append(UsageDelta(usage))

    def _take_reason(self, holder: dict[str, Any]) -> None:
        reason = holder.get("stop_reason")
        if isinstance(reason, str) and reason:
            # llama.cpp says "end_turn" of an answer that a stop sequence ended, and names the sequence (recorded here).
            self._raw_reason = "stop_sequence" if reason == "end_turn" and holder.get("stop_sequence") else reason
            self.finish_seen = True
        details = holder.get("stop_details")
        explanation = details.get("explanation") if isinstance(details, dict) else None
        if isinstance(explanation, str) and explanation:
            self._refusal = mend(explanation)

    @property
    def _reason(self) -> FinishReason:
        blocks = self._blocks
        reason = _REASONS.get(self._raw_reason.lower(), "unknown") if self._raw_reason else "stop"
        if reason == "stop" and blocks.calls:
            return "tool_calls"
        if reason in ("stop", "tool_calls") and blocks.malformed and not blocks.calls:
            return "error"
        return reason

    def _end(self) -> None:
        self.ended = True
        self._blocks.finish()
        self._blocks.deltas.append(Finished(self._reason, self._model, self._refusal))

    def _fail(self, error: LlmError) -> None:
        self.failure = error
        self._blocks.break_off()

    def _drain(self) -> list[Delta]:
        deltas, self._blocks.deltas = self._blocks.deltas, []
        return deltas

    def _broken_off(self, *, at_end: bool = True) -> LlmError:
        return _not_this_api() if self._foreign and not self._seen else super()._broken_off(at_end=at_end)


_EVENTS = {
    "message_start": MessagesDecoder._start_message,
    "content_block_start": MessagesDecoder._start_block,
    "content_block_delta": MessagesDecoder._add_to_block,
    "content_block_stop": MessagesDecoder._stop_block,
    "message_delta": MessagesDecoder._change_message,
    "message_stop": MessagesDecoder._stop_message,
    "message": MessagesDecoder._take_whole,
    "ping": MessagesDecoder._skip,
}


def _index(event: dict[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0


def _not_this_api(what: str = "the address answers with JSON that is no message") -> LlmError:
    return InvalidRequestError(what, advice="Check the provider's URL and its style.")
