"""Bytes of an answer of Ollama → deltas, streamed or not.

Sans-IO. Above: ``body``, ``ndjson``, ``failures``, ``chunk``, ``message``. Below: the codec, which the client drives.
An answer is complete with the line that says ``done``, and with nothing else.

Guarantee: that of ``StreamDecoder``. No bytes make it raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.errors import InvalidRequestError, LlmError
from rillet.core.types import Delta, Finished, Usage, UsageDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.body import START, BodyDecoder
from rillet.core.wire.error_body import is_error, tells_error
from rillet.core.wire.failures import classify_error
from rillet.core.wire.lines import LIMIT, LINE_COST, too_large
from rillet.core.wire.ndjson import NdjsonDecoder
from rillet.core.wire.ollama.chunk import decode_plain, is_chunk
from rillet.core.wire.ollama.message import Message
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable


class OllamaDecoder(BodyDecoder[str]):
    """Decodes one body."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__()
        self._ndjson = NdjsonDecoder()
        self._message = Message(think_tags=think_tags)
        self._answer_seen = False
        self._model: str | None = None
        self._usage = Usage()
        self._before: list[str] = []
        """Lines that are no piece of an answer, until the first that is one: an answer may be spread over lines."""
        self._before_size = 0

    @property
    def _began(self) -> bool:
        return self._answer_seen

    @property
    def _stray(self) -> str:
        return "\n".join(self._before)

    @property
    def _stray_start(self) -> str:
        return "\n".join(line[:START] for line in self._before[:100])[:START]

    def _read(self, data: bytes) -> list[str]:
        return self._ndjson.feed(data)

    def _read_rest(self) -> list[str]:
        return self._ndjson.finish()

    def _take(self, frames: Iterable[str], *, at_end: bool) -> None:
        message = self._message
        for line in frames:
            try:
                chunk = decode_plain(line)
            except (msgspec.MsgspecError, RecursionError):
                self._take_line(line)
            else:
                self._answer_seen = True
                if self._model is None and chunk.model:
                    self._model = chunk.model
                if chunk.message.thinking:
                    message.add_reasoning(chunk.message.thinking)
                if chunk.message.content:
                    message.add_text(chunk.message.content)
                if chunk.done:
                    self._end()
            if self._over:
                return
        if at_end and not self._answer_seen:
            self._take_whole()

    def _take_line(self, line: str) -> None:
        try:
            value = lenient_json.decode(line)
        except ValueError:
            value = list(map(lenient_json.decode, lenient_json.objects(line)))
            if not any(map(is_chunk, value)):  # else lines of which a gateway dropped the ends, or made a list
                self._noise = line
                value = None
        self._take_items(value)
        if not self._answer_seen:
            self._keep(line)

    def _take_items(self, value: Any) -> None:
        for item in value if isinstance(value, list) else [value]:
            if not self._over and isinstance(item, dict):
                self._take_value(item)

    def _take_value(self, value: dict[str, Any]) -> None:
        if is_chunk(value):
            self._answer_seen = True
            self._take_chunk(value)
        if tells_error(value.get("error")):
            self._fail(classify_error(value))
        elif value.get("done") is True:
            self._end()

    def _take_chunk(self, value: dict[str, Any]) -> None:
        if self._model is None and isinstance(value.get("model"), str):
            self._model = mend(value["model"]) or None
        message = value.get("message")
        # The answer of /api/generate is its own message, with the text under another name.
        self._message.take(message if isinstance(message, dict) else value | {"content": value.get("response")})
        if isinstance(reason := value.get("done_reason"), str):
            self._message.raw_reason = reason
        prompt, completion = (_count(value.get(key)) for key in ("prompt_eval_count", "eval_count"))
        # A count of nothing is left out (api/types.go of ollama/ollama), as is that of a cached prompt: no zero.
        usage = Usage(
            prompt_tokens=self._usage.prompt_tokens if prompt is None else prompt,
            completion_tokens=self._usage.completion_tokens if completion is None else completion,
        )
        if usage != self._usage:
            self._usage = usage
            self._message.deltas.append(UsageDelta(usage))

    def _keep(self, line: str) -> None:
        self._before.append(line)
        self._before_size += len(line) + LINE_COST
        if self._before_size > LIMIT:
            raise too_large(LIMIT)

    def _take_whole(self) -> None:
        """The body as one JSON value, if it is one: somebody printed it prettily."""
        text = self._stray
        try:
            value = lenient_json.decode(text)
        except ValueError:
            if text.startswith(("data:", "event:")):
                self._fail(_not_this_api("server-sent events"))
            return
        self._take_items(value)
        if not self._answer_seen and not self._over:
            self._fail(classify_error(value) if is_error(value) else _not_this_api("other JSON than Ollama's"))

    def _end(self) -> None:
        self.finish_seen = True
        self.ended = True
        self._message.finish()
        self._message.deltas.append(Finished(self._message.reason, self._model))

    def _fail(self, error: LlmError) -> None:
        self.failure = error
        self._message.finish()

    def _drain(self) -> list[Delta]:
        deltas, self._message.deltas = self._message.deltas, []
        return deltas


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _not_this_api(what: str) -> LlmError:
    return InvalidRequestError(f"the address answers with {what}", advice="Check the provider's URL and its style.")
