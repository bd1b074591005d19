"""What an error says, whatever its shape: the decoded body of an answer → plain facts.

Pure. Providers send objects, strings, lists, objects inside strings, web pages, or nothing. This module only reads;
what the facts amount to is decided below, in ``failure_kinds`` and ``failures``. Above: ``lenient_json``, ``waits``.
Guarantee: any JSON value and any bytes give facts; no field is trusted to have the type it should.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from rillet.core.wire import lenient_json
from rillet.core.wire.waits import parse_go_duration

_LONGEST_TEXT = 500
"""Characters of a body that is neither JSON nor a web page that are worth showing."""
_SAID = (
    *("message", "detail", "error_message", "error_description", "msg", "error"),
    *("errors", "Message", "status_msg"),  # Cloudflare, AWS, MiniMax
)
"""Fields that hold words for people, the best first."""
_DEEPEST = 4
"""Errors wrapped in errors are followed this far."""


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """An error in the provider's own words. Empty means: not said."""

    message: str = ""
    _: KW_ONLY
    type: str | None = None
    code: str | None = None
    words: tuple[str, ...] = ()
    """Everything that names the error: code, type, status, reasons."""
    status: int | None = None
    """An HTTP status that stands in the body: all there is when the error came inside a 200 stream."""
    retry_delay: float | None = None
    """Seconds."""
    request_id: str | None = None
    flagged: bool = False
    """A moderation's findings are attached."""
    form: Literal["json", "page", "words", "nothing"] = "json"
    """What the body is. Of a web page, ``message`` is the title; of words, their beginning."""


def tells_error(error: Any) -> bool:
    """Some gateways send an error with empty fields along with every good answer."""
    return any(error.values()) if isinstance(error, dict) else bool(error)


def is_error(value: Any, *, loosely: bool = True) -> bool:
    """Whether a JSON value that is no part of an answer reports an error, in one of the shapes that servers use.

    The loosest of them, words or a message alone, may in the middle of an answer be news of another kind.
    """
    if isinstance(value, list):
        return any(is_error(item) for item in value if not isinstance(item, list))
    if not isinstance(value, dict):
        return loosely and isinstance(value, str)
    if tells_error(value.get("error")) or "error" in (value.get("object"), value.get("type")):
        return True
    if "error_type" in value or "error_message" in value:
        return True
    if value.get("success") is False and value.get("errors"):  # Cloudflare
        return True
    if _wrapped(value, "base_resp") is not None:
        return True
    return loosely and bool(value.get("detail") or value.get("message")) and "usage" not in value


def read_body(body: bytes) -> ErrorFacts:
    """The facts of a response body: JSON of any shape, a web page (title only), some words, or nothing."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if text.startswith("<"):
        return ErrorFacts(_title(text), form="page")
    try:
        return read_value(lenient_json.decode(text))
    except ValueError:
        return ErrorFacts(_shortened(text), form="words" if text else "nothing")


def read_value(value: Any) -> ErrorFacts:
    """The facts of a decoded JSON value: an error object, or whatever wraps one."""
    return _read(value, _DEEPEST)


def _read(value: Any, depth: int) -> ErrorFacts:
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, Mapping)), value)
    if not isinstance(value, Mapping):
        return ErrorFacts(_sentence(value))
    for key in ("error", "response", "base_resp", "message") if depth else ():
        inner = _wrapped(value, key)
        if inner is not None:
            around = {name: item for name, item in value.items() if name != key}
            return _merged(_read(inner, depth - 1), _read_object(around, 0))
    return _read_object(value, depth)


def _wrapped(value: Mapping[str, Any], key: str) -> Any:
    """The error object under this key, or None.

    ``error``, OpenAI's ``response.error``, MiniMax's ``base_resp``, a message that is an object.
    """
    item = value.get(key)
    match key:
        case "error":
            return item if isinstance(item, list | Mapping) and item else None
        case "response":
            return _wrapped(item, "error") if isinstance(item, Mapping) else None
        case "base_resp":  # MiniMax; with code 0 it stands beside every good answer
            return item if isinstance(item, Mapping) and item.get("status_code") else None
    if isinstance(item, str) and item.lstrip()[:1] in ("{", "["):  # gateways put the whole body there, as text
        item = _json(item)
    if isinstance(item, list):
        item = next(iter(_mappings(item)), None)
    return item if isinstance(item, Mapping) and ("message" in item or "error" in item) else None


def _read_object(value: Mapping[str, Any], depth: int) -> ErrorFacts:
    type_ = _first_text(value, "type", "error_type", "status") if value.get("type") != "error" else None
    code = value.get("code")
    details = [item for key in ("details", "errors") for item in _mappings(value.get(key))]
    metadata: Mapping[str, Any] = next(iter(_mappings([value.get("metadata")])), {})
    facts = ErrorFacts(
        _message(value),
        type=type_,
        code=str(code) if isinstance(code, str | int) and not isinstance(code, bool) and code != "" else None,
        words=tuple(word for word in _words(value, details) if word),
        status=_status(value),
        retry_delay=next(filter(None, (_delay(item) for item in details)), None),
        request_id=_first_text(value, "request_id"),
        flagged=bool(metadata.get("reasons") or metadata.get("flagged_input")),
    )
    raw = metadata.get("raw")  # OpenRouter: what the provider behind it said
    return _merged(facts, _read(_json(raw) or raw, depth - 1)) if raw and depth else facts


def _merged(facts: ErrorFacts, other: ErrorFacts) -> ErrorFacts:
    """Both together; where both speak of the same, the first counts, but neither message is lost."""
    message = facts.message
    if message in other.message:
        message = other.message
    elif other.message not in message:
        message = f"{message}: {other.message}"
    return ErrorFacts(
        message,
        type=facts.type or other.type,
        code=facts.code or other.code,
        words=facts.words + other.words,
        status=facts.status or other.status,
        retry_delay=facts.retry_delay or other.retry_delay,
        request_id=facts.request_id or other.request_id,
        flagged=facts.flagged or other.flagged,
    )


def _message(value: Mapping[str, Any]) -> str:
    keys = (
        "message",
        "detail",
        "error_message",
        "error_description",
        "msg",
        "error",
        "errors",
        "Message",
        "status_msg",
    )
    return next(filter(None, (_sentence(value.get(key)) for key in keys)), "")


def _sentence(value: Any, depth: int = _DEEPEST) -> str:
    """Words for people out of a message of any shape; of FastAPI's list of findings, place and finding of each."""
    if isinstance(value, str):
        return value.strip()
    if not depth:
        return ""
    if isinstance(value, list):
        return "; ".join(filter(None, (_sentence(item, depth - 1) for item in value)))
    if not isinstance(value, Mapping):
        return ""
    keys = ("message", "msg", "detail", "error", "error_message")
    said = next(filter(None, (_sentence(value.get(key), depth - 1) for key in keys)), "")
    place = value.get("loc")
    if said and isinstance(place, list):
        return f"{'.'.join(str(step) for step in place)}: {said}"
    return said


def _words(value: Mapping[str, Any], details: list[Mapping[str, Any]]) -> list[str | None]:
    inner = value.get("innererror")
    short = value.get("error")
    return [
        *(_first_text(value, key) for key in ("code", "type", "error_type", "status", "reason")),
        short if isinstance(short, str) and " " not in short else None,
        _first_text(inner, "code") if isinstance(inner, Mapping) else None,
        *(_first_text(item, "reason") for item in details),
    ]


def _status(value: Mapping[str, Any]) -> int | None:
    """A number, or digits, that can only be an HTTP error status: codes are often other numbers ("3280")."""
    for key in ("status_code", "raw_status_code", "status", "code", "StatusCode"):
        digits = str(value.get(key))
        if re.fullmatch(r"[45]\d\d", digits, re.ASCII):
            return int(digits)
    return None


def _delay(detail: Mapping[str, Any]) -> float | None:
    """``google.rpc.RetryInfo``: https://cloud.google.com/apis/design/errors#error_details."""
    delay = detail.get("retryDelay")
    return parse_go_duration(delay) if isinstance(delay, str) else None


def _first_text(value: Mapping[str, Any], *keys: str) -> str | None:
    return next((item for key in keys if isinstance(item := value.get(key), str) and item), None)


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _json(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return lenient_json.decode(text)
    except ValueError:
        return None


def _title(page: str) -> str:
    match = re.search(r"<title[^>]*>([^<]*)</title", page[:100_000], re.IGNORECASE)
    return " ".join(html.unescape(match[1]).split()) if match else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
