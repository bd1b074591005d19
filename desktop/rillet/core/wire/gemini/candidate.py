"""One candidate of an answer: the JSON of its parts → our deltas.

Pure. Knows what may stand in a ``content``, and why a candidate may end; knows nothing of chunks, framing, counts or
errors. Above: ``prose``, ``attachments``, ``partial_args``, ``metadata``. Below: ``decode``. Guarantee: no JSON value
makes it raise; a tool call is one delta; a part that brings a signature, and every part that only Gemini understands,
goes back exactly as it came and where it came.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from rillet.core.types import (
    FilePart,
    FinishReason,
    ImagePart,
    OpaquePart,
    PartDelta,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from rillet.core.wire.attachments import decode_base64
from rillet.core.wire.gemini.metadata import STYLE, keep
from rillet.core.wire.gemini.partial_args import PartialArgs
from rillet.core.wire.prose import Prose
from rillet.core.wire.surrogates import mend

_NAMES: dict[FinishReason, str] = {
    "stop": "STOP",
    "length": "MAX_TOKENS CONTINUATION",
    "content_filter": """SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT
        IMAGE_RECITATION MODEL_ARMOR ESCALATION PUP_LIMITED_DISABLED""",
    "error": """MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE
        MALFORMED_RESPONSE LANGUAGE NO_IMAGE IMAGE_OTHER""",
}
"""https://ai.google.dev/api/generate-content#FinishReason and google-genai 3.6. Others are "unknown", OTHER as well."""
_REASONS = {name: reason for reason, names in _NAMES.items() for name in names.split()}
_UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"
_BLOCKED = "blocked:"

_SOURCES = ("groundingMetadata", "citationMetadata", "urlContextMetadata")
_CALL_FIELDS = frozenset(("name", "args", "partialArgs", "willContinue"))

ProseDelta: TypeAlias = type[TextDelta] | type[ReasoningDelta]


class Candidate(Prose):
    """Collects one candidate; ``deltas`` is drained by the owner."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__(think_tags=think_tags)
        self.raw_reason = ""
        """The last finish reason that was sent: some servers send "STOP" with every chunk."""
        self.explanation = ""
        """What was said about the reason."""
        self._open: ProseDelta | None = None
        """The kind of prose that the next piece continues."""
        self._calls = 0
        self._partial: _PartialCall | None = None
        self._malformed = False
        """A call without a name was dropped."""
        self._trailer: dict[str, Any] = {}
        """Sources of the answer as a whole."""

    def add_plain(self, text: str, *, thought: bool) -> None:
        """The next piece of text or thought."""
        if not text:
            return
        if thought:
            self._open = ReasoningDelta
            self.add_reasoning(text)
        else:
            self._open = TextDelta
            self.add_text(text)

    def take(self, candidate: dict[str, Any]) -> bool:
        """Take a ``candidates`` entry: whether it says why the answer ends."""
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                self._take_part(part)
        for key in _SOURCES:
            if isinstance(candidate.get(key), dict):
                self._take_sources(key, candidate[key])
        reason = _str(candidate, "finishReason")
        if not reason or reason == _UNSPECIFIED:
            return False
        self.raw_reason = reason
        self.explanation = _str(candidate, "finishMessage")
        return True

    def block(self, feedback: Any) -> bool:
        """Take ``promptFeedback``: whether it says that there will be no answer."""
        reason = _str(feedback, "blockReason") if isinstance(feedback, dict) else ""
        if not reason or self.raw_reason:
            return False
        self.raw_reason = f"{_BLOCKED}{reason}"
        self.explanation = _str(feedback, "blockReasonMessage") or f"The prompt was blocked ({reason})."
        return True

    def finish(self, *, complete: bool) -> None:
        """The answer is over. If it was cut, so were the arguments of a call that is still open."""
        self.release()
        self._close_partial(cut=not complete or self._named == "length")
        if self._trailer:
            self.deltas.append(TextDelta("", self._trailer))

    @property
    def reason(self) -> FinishReason:
        """Why it ended, in our vocabulary. Valid after ``finish``."""
        reason = self._named
        if reason == "stop" and self._calls:
            return "tool_calls"
        if reason == "stop" and self._malformed:
            return "error"
        return reason

    @property
    def refusal(self) -> str | None:
        """What was said instead of an answer; nothing, when there is one."""
        if self.reason in ("stop", "length", "tool_calls"):
            return None
        return mend(self.explanation) or None

    @property
    def _named(self) -> FinishReason:
        """The reason that was sent, in our vocabulary."""
        if self.raw_reason.startswith(_BLOCKED):
            return "content_filter"
        return _REASONS.get(self.raw_reason.upper(), "unknown") if self.raw_reason else "stop"

    def _take_part(self, part: dict[str, Any]) -> None:
        text = part.get("text")
        call = part.get("functionCall")
        media = part.get("inlineData") or part.get("fileData")
        if isinstance(text, str):
            self._take_text(text, part)
        elif isinstance(call, dict):
            self._take_call(call, {key: value for key, value in part.items() if key != "functionCall"})
        elif isinstance(media, dict) and not part.get("thought"):
            self._take_media(media, part)
        elif part.keys() - {"thought", "text"}:
            self._take_opaque(part)

    def _take_text(self, text: str, part: dict[str, Any]) -> None:
        """A signature belongs to the very part it came with, be that empty: parts with one are never merged."""
        thought = part.get("thought") is True
        fields = {key: value for key, value in part.items() if key not in ("text", "thought") and value is not None}
        if not fields:
            self.add_plain(text, thought=thought)
            return
        if not text:
            self._take_opaque(part)
            return
        kind: ProseDelta = ReasoningDelta if thought else TextDelta
        self.release()
        if self._open is kind:
            self.deltas.append(kind("", keep({})))
        self.add_plain(text, thought=thought)
        self.release()
        self.deltas.append(kind("", keep(fields)))
        self._open = None

    def _take_opaque(self, part: dict[str, Any]) -> None:
        self._interrupt()
        self.deltas.append(PartDelta(OpaquePart(STYLE, part)))

    def _take_media(self, media: dict[str, Any], part: dict[str, Any]) -> None:
        kind, data, url = (media.get(key) for key in ("mimeType", "data", "fileUri"))
        media_type = mend(kind) if isinstance(kind, str) else ""
        content = decode_base64(data) if isinstance(data, str) else b""
        metadata = keep({key: value for key, value in part.items() if key not in ("inlineData", "fileData")})
        self._interrupt()
        if media_type.startswith("image/") and isinstance(url, str) and url:
            image = ImagePart(url=mend(url), media_type=media_type, provider_metadata=metadata)
            self.deltas.append(PartDelta(image))
        elif not content:
            self.deltas.append(PartDelta(OpaquePart(STYLE, part)))
        elif media_type.startswith("image/"):
            self.deltas.append(PartDelta(ImagePart(content, media_type=media_type, provider_metadata=metadata)))
        else:
            media_type = media_type or "application/octet-stream"
            self.deltas.append(PartDelta(FilePart(content, media_type=media_type, provider_metadata=metadata)))

    def _take_call(self, call: dict[str, Any], fields: dict[str, Any]) -> None:
        """A call that comes whole, or the next piece of one that comes in pieces."""
        partial = self._partial
        if partial is not None and not partial.continued_by(call):
            self._close_partial()
            partial = None
        if partial is None:
            partial = self._partial = _PartialCall(_str(call, "name"), _str(call, "id"))
        partial.add(call, fields)
        if not call.get("willContinue"):
            self._close_partial()

    def _close_partial(self, *, cut: bool = False) -> None:
        call, self._partial = self._partial, None
        if call is None:
            return
        if not call.name:
            self._malformed = True
            return
        self._interrupt()
        self.deltas.append(call.delta(self._calls, cut=cut))
        self._calls += 1

    def _interrupt(self) -> None:
        """Something else than prose comes."""
        self.release()
        self._open = None

    def _take_sources(self, key: str, sources: dict[str, Any]) -> None:
        """Citations come one by one; grounding is told anew, and more of it, with every chunk."""
        known = self._trailer.setdefault(key, {}) if sources else {}
        for name, value in sources.items():
            if key == "citationMetadata" and isinstance(value, list) and isinstance(known.get(name), list):
                known[name] = known[name] + value
            else:
                known[name] = value


class _PartialCall:
    """A function call, of which there may be more to come."""

    def __init__(self, name: str, id: str) -> None:
        self.name = name
        self._id = id
        self._text: str | None = None
        """Arguments that a gateway sent as text."""
        self._args = PartialArgs()
        self._call_fields: dict[str, Any] = {}
        self._part_fields: dict[str, Any] = {}

    def continued_by(self, call: dict[str, Any]) -> bool:
        """Whether a piece belongs to this call: it has no name, or the same name and id and brings single values."""
        name, id = _str(call, "name"), _str(call, "id")
        if id and self._id and id != self._id:
            return False
        return not name or (name == self.name and "partialArgs" in call)

    def add(self, call: dict[str, Any], fields: dict[str, Any]) -> None:
        """Take a piece."""
        self._id = self._id or _str(call, "id")
        self._part_fields |= fields
        self._call_fields |= {key: value for key, value in call.items() if key not in _CALL_FIELDS}
        args = call.get("args")
        if isinstance(args, str):
            self._text = args
        else:
            self._args.update(args)
        changes = call.get("partialArgs")
        for change in changes if isinstance(changes, list) else ():
            self._args.add(change)

    def delta(self, index: int, *, cut: bool) -> ToolCallDelta:
        """The call, whole."""
        fields = self._part_fields | ({"functionCall": self._call_fields} if self._call_fields else {})
        arguments = self._text if self._text is not None else self._args.json(cut=cut)
        return ToolCallDelta(index, mend(self._id) or None, mend(self.name), mend(arguments), keep(fields))


def _str(value: dict[str, Any], key: str) -> str:
    item = value.get(key)
    return item if isinstance(item, str) else ""
