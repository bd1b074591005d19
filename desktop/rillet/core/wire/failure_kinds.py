"""The kind of a failure: the names, wordings and statuses that providers use, and which of them counts.

Pure tables and the order in which they are asked. Never asks which provider it is, so that a gateway's copy of another
provider's error is understood as well. Above: ``error_body``. Below: ``failures`` makes the error. Guarantee: every
combination has a kind.

The first that knows decides: status 413 · what filters and empty accounts are told by · names in the error object ·
wordings · status · general names. General names ("invalid_request_error") come last because providers put them beside
anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rillet.core.errors import (
    AuthError,
    Cancelled,
    ContentFilterError,
    ContextLengthError,
    InvalidRequestError,
    LlmError,
    ModelNotFoundError,
    NetworkError,
    OverloadedError,
    RateLimitError,
    ServerError,
    TimedOutError,
)

if TYPE_CHECKING:
    from rillet.core.wire.error_body import ErrorFacts


def kind_of(facts: ErrorFacts, status: int | None) -> type[LlmError]:
    """The class of the error. ``status`` is the one of HTTP or, inside a 200 stream, the one in the error object."""
    text = facts.message.lower()
    names = squeezed(facts.words)
    if status == 413:  # even where the name says that it is a rate limit (Groq): the request itself is too large
        return ContextLengthError
    if facts.flagged or _FILTERED.search(text):
        return ContentFilterError
    if status == 403 and _NO_CREDITS.search(text):
        return RateLimitError
    for name in names:
        if name in _NAMES:
            return _NAMES[name]
    kind = _by_wording(text, status)
    if kind is not None:
        return kind
    if status is None or status < 400:
        status = next((_GENERAL_NAMES[name] for name in names if name in _GENERAL_NAMES), 500)
    return kind_of_status(status, text)


def kind_of_status(status: int, text: str = "") -> type[LlmError]:
    """What a status alone means, or a 404 that speaks of a model in ``text`` (lower case)."""
    if status in _STATUSES:
        return _STATUSES[status]
    if status == 404 and re.search(r"\bmodels?\b", text):
        return ModelNotFoundError
    return InvalidRequestError if 400 <= status < 500 else ServerError


def squeezed(words: tuple[str, ...]) -> list[str]:
    """Names made comparable: ``insufficient_quota``, ``InsufficientQuota`` and ``INSUFFICIENT-QUOTA`` are one."""
    return [re.sub(r"[^a-z0-9]", "", word.lower()) for word in words]


def _by_wording(text: str, status: int | None) -> type[LlmError] | None:
    if _TOO_LONG.search(text) and not _NOT_TOO_LONG.search(text):
        return ContextLengthError
    if status in (None, 400, 401, 403, 422) and _KEY_REFUSED.search(text):
        return AuthError
    if _NO_SUCH_MODEL.search(text):
        return ModelNotFoundError
    if status in (None, 500, 501) and _NOT_ABLE.search(text):
        return InvalidRequestError
    if status is None:  # words within a stream, and nothing else
        return next((kind for wording, kind in _IN_WORDS if wording.search(text)), None)
    return None


_NAMES: dict[str, type[LlmError]] = {
    name: kind
    for kind, names in {
        AuthError: """invalid_api_key api_key_invalid incorrect_api_key authentication_error permission_error
            permission_denied unauthenticated unauthorized invalid_authentication access_denied""",
        RateLimitError: """rate_limit_exceeded rate_limit_error rate_limited rate_limit rate_limit_reached
            too_many_requests too_many_requests_error resource_exhausted insufficient_quota quota_exceeded billing_error
            billing_hard_limit_reached billing_not_active insufficient_balance insufficient_credits payment_required
            exceeded_current_quota_error arrearage""",
        ContextLengthError: """context_length_exceeded exceed_context_size_error context_window_exceeded
            model_context_window_exceeded request_too_large too_many_tokens too_many_prompt_tokens""",
        ModelNotFoundError: "model_not_found deployment_not_found model_not_available unknown_model",
        OverloadedError: """overloaded_error overloaded server_is_overloaded slow_down service_unavailable_error
            service_unavailable unavailable_error unavailable capacity_exceeded engine_overloaded
            engine_overloaded_error""",
        TimedOutError: "timeout_error timeout deadline_exceeded request_timeout gateway_timeout",
        ContentFilterError: """content_filter content_policy_violation image_content_policy_violation invalid_prompt
            responsible_ai_policy_violation data_inspection_failed cyber_policy bio_policy""",
        Cancelled: "cancelled client_closed_request",
    }.items()
    for name in squeezed(tuple(names.split()))
}
"""In ``code``, ``type``, ``status`` or ``reason`` these say what happened, whatever stands beside them."""

_GENERAL_NAMES: dict[str, int] = {
    name: status
    for status, names in {
        400: """invalid_request_error invalid_request bad_request bad_request_error invalid_argument invalid_value
            failed_precondition unprocessable_entity unsupported_parameter tool_use_failed json_validate_failed
            invalid_function_call invalid_request_message_order""",
        404: "not_found not_found_error",
    }.items()
    for name in squeezed(tuple(names.split()))
}
"""The status that a name stands for inside a 200 stream. Any other name there means that the server failed."""

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceeds? (?:the |maximum )?context (?:window|length|limit)|prompt (?:is )?too long|"
    r"maximum prompt length is|exceeds the maximum number of tokens|maximum context length|exceeded max context length|"
    r"reduce the length of the (?:messages|prompt|input)|exceed(?:s|ed) the available context size|"
    r"too many tokens: size limit|than the (?:model's )?context (?:length|window|size)|n_keep.*n_ctx|"
    r"length of all messages is too long|input is too long|context (?:length|window) (?:was )?exceeded|"
    # Kimi, Qwen, MiniMax, z.ai, GitHub Copilot, Hugging Face TGI and Together, SGLang; vLLM and LM Studio.
    r"exceeded model token limit|range of input length should be|context window exceeds limit|"
    r"prompt exceeds max length|prompt token count of \d+ exceeds|"
    r"\binputs`? tokens \+ `?max_new_tokens|exceeds the maximum allowed (?:input )?length|context length (?:is|of) only"
)
_NOT_TOO_LONG = re.compile(r"tokens per min|max_(?:completion_)?tokens must be")
"""These speak of tokens too, but not of the conversation."""
_FILTERED = re.compile(
    r"violates usage guidelines|blocked by content filtering|may contain inappropriate content|content exists risk"
)
"""xAI, Anthropic, Qwen, DeepSeek. They name it as anything else: xAI sends 403 "permission-denied"."""
_NO_CREDITS = re.compile(r"\bany credits\b|\bavailable credits\b")
"""xAI: the key is good, the account is empty."""
_IN_WORDS: tuple[tuple[re.Pattern[str], type[LlmError]], ...] = (
    (re.compile(r"too many requests|\brate limit|\busage limit|insufficient balance"), RateLimitError),
    (re.compile(r"\boverloaded\b|\b(?:server|model) (?:is )?(?:too )?busy\b"), OverloadedError),
)
"""Kinds that a status says otherwise."""
_KEY_REFUSED = re.compile(
    r"\bapi[ _-](?:secret )?key\b|\bapikey\b|^unauthorized$|\binvalid (?:access |auth\w* )?token\b"
)
_NO_SUCH_MODEL = re.compile(
    r"\b(?:models?|deployment)\b\S*(?:\s+\S+){0,3}?\s+(?:not found|(?:does not|doesn't|do not|not) exist)|"
    r"no endpoints found|unknown model|no such model"
)
"""A name and two words may stand in between, not a sentence: a model can also call a tool that does not exist."""
_NOT_ABLE = re.compile(r"not supported|does(?: not|n't) support|failed to parse|\bjinja\b|chat template")
"""llama.cpp and LM Studio report what a model cannot do as a failure of the server."""

_STATUSES: dict[int, type[LlmError]] = {
    401: AuthError,
    402: RateLimitError,
    403: AuthError,
    407: NetworkError,
    408: TimedOutError,
    413: ContextLengthError,
    429: RateLimitError,
    498: OverloadedError,  # Groq: no capacity for the flexible tier
    499: Cancelled,
    503: OverloadedError,
    504: TimedOutError,
    529: OverloadedError,  # Anthropic
}
