"""A failed answer → the one error that says what happened, whether to try again, and what to do.

Pure. Above: ``error_body`` (what was said), ``failure_kinds`` (what kind that is), ``waits`` (how long to wait),
``redact``. Below: the codecs. Knows no retry policy: it only tells whether and when the provider sees a chance.
Guarantee: every status, header and body gives an ``LlmError``; no message holds a key.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rillet.core.errors import (
    AuthError,
    InvalidRequestError,
    LlmError,
    NetworkError,
    OverloadedError,
    RateLimitError,
)
from rillet.core.wire.error_body import ErrorFacts, read_body, read_value
from rillet.core.wire.failure_kinds import kind_of, kind_of_status, squeezed
from rillet.core.wire.redact import redact
from rillet.core.wire.surrogates import mend
from rillet.core.wire.waits import seconds_to_wait

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_MESSAGE = 2000
_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id", "x-ms-request-id", "x-amzn-requestid", "cf-ray")


def classify_response(status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
    """The error that an HTTP answer means: one that is no success, or a 200 whose body is no answer.

    Args:
        status: The HTTP status.
        headers: Names in lower case.
        body: As much of the body as there is, content encoding undone.
    """
    facts = read_body(body)
    if 300 <= status < 400:
        return _error(InvalidRequestError, facts, status, headers)
    if facts.form == "json":
        return _error(_kind(facts, status), facts, status, headers)
    if status == 200 and facts.form == "nothing":
        return _error(NetworkError, ErrorFacts("the answer is empty"), status, headers)
    kind = kind_of(facts, status) if facts.form == "words" else kind_of_status(status)
    if status < 400:
        kind = InvalidRequestError
    return _error(kind, facts, status, headers)


def classify_error(value: Any, *, status: int | None = None, headers: Mapping[str, str] | None = None) -> LlmError:
    """The error that a decoded JSON value means: an error object inside a stream, or whatever wraps one.

    Inside a stream HTTP has said 200: then the status in the object decides, and that of the result is None.

    Args:
        value: An object, a list of them, or just words.
        status: The HTTP status, if it was not 200.
        headers: Names in lower case.
    """
    facts = read_value(value)
    return _error(_kind(facts, status), facts, status, headers or {})


def _kind(facts: ErrorFacts, status: int | None) -> type[LlmError]:
    return kind_of(facts, status if status is not None and status >= 400 else facts.status)


def _error(kind: type[LlmError], facts: ErrorFacts, status: int | None, headers: Mapping[str, str]) -> LlmError:
    message = mend(redact(facts.message)) or _phrase(status)
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[:_LONGEST_MESSAGE]}…"
    effective = status if status is not None and status >= 400 else facts.status
    retryable, advice = _circumstances(kind, facts, effective)
    told = headers.get("x-should-retry", "").strip().lower()
    return kind(
        message,
        status=status,
        code=facts.code and mend(facts.code),
        type=facts.type and mend(facts.type),
        request_id=next(filter(None, map(headers.get, _REQUEST_IDS)), facts.request_id and mend(facts.request_id)),
        retry_after=seconds_to_wait(headers, status=effective, asked=facts.retry_delay, message=facts.message),
        retryable={"true": True, "false": False}.get(told, retryable),
        told_to_retry=told == "true",
        advice=advice or (_advice_on_address(kind, facts, status) if status is not None else None),
    )


def _phrase(status: int | None) -> str:
    if status is None:
        return ""
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


# What the kind alone does not say: whether waiting can help, and advice where the cause is known.

_NO_CREDIT_NAMES = frozenset(
    squeezed(
        (
            "insufficient_quota",
            "billing_error",
            "billing_hard_limit_reached",
            "billing_not_active",
            "insufficient_balance",
            "insufficient_credits",
            "payment_required",
            "exceeded_current_quota_error",
            "arrearage",
        )
    )
)
_NO_CREDIT = re.compile(r"insufficient balance|spending limit|\bcredits\b|\blimit: 0\b(?!\.)")
"""Billing in the words of DeepSeek, xAI and OpenRouter, and Gemini's quota of nothing."""
_LIMIT_AND_REQUEST = re.compile(r"\blimit:? ([\d,]+)\b.*\brequested:? ([\d,]+)\b", re.DOTALL)

_BILLING = "Waiting will not help: check the quota and billing of the account."
_LARGER_THAN_LIMIT = "Waiting will not help: this is more than the account may send at once. Shorten the chat."
_WEB_PAGE = "This address answers with a web page, not with a model. Check the provider's URL."
_NO_API = "This address answers with something else than a model. Check the provider's URL."
_MOVED = "This address sends on to another one, which is not followed. Check the provider's URL."
_NO_PATH = "The server has nothing at this path. Check the provider's URL."
_NO_REASON = "No reason was given; often the conversation is too long. Try a new chat or another model."

_ADVICE: tuple[tuple[type[LlmError], re.Pattern[str], str], ...] = (
    (InvalidRequestError, re.compile(r"credit balance"), _BILLING),
    (
        InvalidRequestError,
        re.compile(r"location is not supported"),
        "The provider does not serve this country. Choose another provider.",
    ),
    (
        InvalidRequestError,
        re.compile(r"\bsupport tools\b|\btools? (?:use |calling )?(?:is|are) not supported"),
        "This model cannot use tools. Choose another model, or switch tools off.",
    ),
    (
        InvalidRequestError,
        re.compile(r"\bsupport thinking\b"),  # Ollama
        "This model does not think before it answers. Switch reasoning off, or choose another model.",
    ),
    (
        InvalidRequestError,
        re.compile(r"\bimages? (?:inputs? )?(?:is|are) not supported|\bsupport images?\b"),
        "This model cannot see images. Choose another model, or remove the image.",
    ),
    (OverloadedError, re.compile(r"loading model"), "The model is still being loaded. Try again in a moment."),
)


def _circumstances(kind: type[LlmError], facts: ErrorFacts, status: int | None) -> tuple[bool | None, str | None]:
    """(retryable, advice), each None where the kind's own answer holds."""
    text = facts.message.lower()
    if kind is RateLimitError:
        sizes = _LIMIT_AND_REQUEST.search(text)
        if sizes and _number(sizes[2]) > _number(sizes[1]):
            return False, _LARGER_THAN_LIMIT
        if status == 402 or not _NO_CREDIT_NAMES.isdisjoint(squeezed(facts.words)) or _NO_CREDIT.search(text):
            return False, _BILLING
    if status == 407:
        return False, "The proxy asks for a name and a password. Add them to its URL."
    for concerned, wording, advice in _ADVICE:
        if kind is concerned and wording.search(text):
            return None, advice
    return None, None


def _advice_on_address(kind: type[LlmError], facts: ErrorFacts, status: int) -> str | None:
    """What is wrong with the address, if something is: no API is there, or not at this path."""
    if 300 <= status < 400:
        return _MOVED
    if facts.form == "page" and kind in (InvalidRequestError, AuthError):
        return _WEB_PAGE
    if kind is InvalidRequestError:
        if status in (404, 405):
            return _NO_PATH
        if facts.form == "words" and status < 300:
            return _NO_API
        if status == 400 and not (facts.message or facts.words):
            return _NO_REASON  # Cerebras, for one, says no more when the conversation is too long
    return None


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
