"""The message that an answer of Ollama builds up: the JSON of its pieces → our deltas.

Pure. Knows what may stand in a ``message``; knows nothing of lines, counts or errors. Above: ``prose``, ``media``.
Below: ``decode``. Tool calls come whole, each in one piece. Guarantee: no JSON value makes it raise; what is held back
(half a character, a possible tag) leaves in its place in the order, at the latest in ``finish``.
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import FinishReason, PartDelta, ToolCallDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.ollama.media import image_part
from rillet.core.wire.prose import Prose
from rillet.core.wire.surrogates import mend

_CALL_FIELDS = frozenset(("id", "type", "function"))
_FUNCTION_FIELDS = frozenset(("index", "name", "arguments"))

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",  # gateways
    "load": "stop",  # a warm-up: the model was loaded, nothing was asked
    "unload": "stop",
}


class Message(Prose):
    """Collects one message; ``deltas`` is drained by the owner."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__(think_tags=think_tags)
        self.raw_reason = ""
        self._calls = 0
        self._ids: set[str] = set()
        self._malformed = False

    def take(self, message: dict[str, Any]) -> None:
        """Take the next piece: reasoning comes before text, text before calls."""
        if text := _str(message, "thinking"):
            self.add_reasoning(text)
        if text := _str(message, "content"):
            self.add_text(text)
        for image in _list(message.get("images")):
            if isinstance(image, str) and (part := image_part(image)) is not None:
                self.release()
                self.deltas.append(PartDelta(part))
        for call in _list(message.get("tool_calls")):
            self._take_call(call)

    def finish(self) -> None:
        """The answer is over, complete or not."""
        self.release()

    @property
    def reason(self) -> FinishReason:
        """Why it ended, in our vocabulary: Ollama says "stop" though tools were called. Valid after ``finish``."""
        reason = _REASONS.get(self.raw_reason, "unknown") if self.raw_reason else "stop"
        if reason != "stop":
            return reason
        if self._calls:
            return "tool_calls"
        return "error" if self._malformed else "stop"

    def _take_call(self, call: Any) -> None:
        """One whole call. The index inside it means nothing: several calls may have the same one."""
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return
        name = mend(_str(function, "name"))
        if not name:
            self._malformed = True
            return
        self.release()
        self.deltas.append(
            ToolCallDelta(
                self._calls,
                self._new_id(mend(_str(call, "id"))),
                name,
                mend(lenient_json.as_text(function.get("arguments"))),
                _rest(call, function),
            )
        )
        self._calls += 1

    def _new_id(self, id: str) -> str | None:
        """The id, unless an earlier call of this answer has it: results could not be told apart."""
        if not id or id in self._ids:
            return None
        self._ids.add(id)
        return id


def _rest(call: dict[str, Any], function: dict[str, Any]) -> dict[str, Any] | None:
    """The fields that we do not know, to be sent back."""
    rest = {key: value for key, value in call.items() if key not in _CALL_FIELDS and value is not None}
    inner = {key: value for key, value in function.items() if key not in _FUNCTION_FIELDS and value is not None}
    if inner:
        rest["function"] = inner
    return rest or None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _str(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
