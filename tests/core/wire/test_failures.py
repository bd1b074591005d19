"""Every row of the error taxonomy, from bytes to the class, the retry, the wait, and the sentence for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from rillet.core.wire.error_body import is_error
from rillet.core.wire.failures import classify_error, classify_response
from support.corpus import Case, corpus

CASSETTES = Path(__file__).parent / "cassettes" / "failures"


def answer(status: int, body: Any = b"", **headers: str) -> LlmError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return classify_response(status, {name.replace("_", "-"): value for name, value in headers.items()}, data)


def nested(message: str, type: str | None = None, code: str | int | None = None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "code": code, **more}}


def failed(code: str) -> dict[str, Any]:
    return {"type": "response.failed", "response": {"id": "resp_1", "error": {"code": code, "message": "x"}}}


@corpus("errors")
def test_recorded_error_bodies_are_classified_as_expected(case: Case) -> None:
    expected = case.expect["error"]
    error = classify_response(case.status, case.headers, case.content)
    assert (error.kind, error.retryable, error.status) == (expected["kind"], expected["retryable"], case.status)
    assert error.type == expected["type"]
    assert error.code == (None if expected["code"] is None else str(expected["code"]))
    assert error.retry_after == expected.get("retry_after", error.retry_after)
    if expected["message"] is not None and not expected["message"].startswith(("{", "[")):
        assert error.message.startswith(expected["message"])


@corpus("framing", api="raw")
def test_recorded_bodies_that_are_no_stream_are_classified_as_expected(case: Case) -> None:
    error = classify_response(case.status, case.headers, case.content)
    assert error.kind == case.expect["error"]["kind"]
    assert error.type == case.expect["error"].get("type")


def load(path: Path) -> tuple[int, dict[str, str], bytes, dict[str, Any]]:
    """A file of what we expect, and the answer as HTTP/1.1 prints it, in four blocks: JSON, status, headers, body."""
    expected, _, http = path.read_text(encoding="utf-8").partition("\n\n")
    head, _, body = http.partition("\n\n")
    status, *headers = head.split("\n")
    pairs = (header.split(": ", 1) for header in headers)
    return int(status.split()[1]), {name.lower(): value for name, value in pairs}, body.encode(), json.loads(expected)


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*.http")), ids=lambda path: path.stem)
def test_our_cassettes_are_classified_as_they_say(path: Path) -> None:
    status, headers, body, expected = load(path)
    error = classify_response(status, headers, body)
    assert {name: getattr(error, name) for name in expected} == expected


STATUSES = [
    (301, InvalidRequestError, False),
    (400, InvalidRequestError, False),
    (401, AuthError, False),
    (402, RateLimitError, False),
    (403, AuthError, False),
    (404, InvalidRequestError, False),
    (405, InvalidRequestError, False),
    (407, NetworkError, False),
    (408, TimedOutError, True),
    (409, InvalidRequestError, False),
    (413, ContextLengthError, False),
    (415, InvalidRequestError, False),
    (422, InvalidRequestError, False),
    (424, InvalidRequestError, False),
    (429, RateLimitError, True),
    (498, OverloadedError, True),
    (499, Cancelled, False),
    (500, ServerError, True),
    (502, ServerError, True),
    (503, OverloadedError, True),
    (504, TimedOutError, True),
    (520, ServerError, True),
    (524, ServerError, True),
    (529, OverloadedError, True),
]


@pytest.mark.parametrize(("status", "kind", "retryable"), STATUSES)
@pytest.mark.parametrize("body", [b"", b"{}", b"null", b"<html><title>Oh</title></html>", b"words", b'{"error":"x"}'])
def test_a_status_decides_when_nothing_else_does(
    status: int, kind: type[LlmError], retryable: bool, body: bytes
) -> None:
    error = answer(status, body)
    assert (type(error), error.retryable, error.status) == (kind, retryable, status)


NAMES: list[tuple[int, Any, type[LlmError], bool]] = [
    (401, nested("Incorrect key", "invalid_request_error", "invalid_api_key"), AuthError, False),
    (400, nested("x", "invalid_request_error", "model_not_found"), ModelNotFoundError, False),
    (400, nested("x", "invalid_request_error", "context_length_exceeded"), ContextLengthError, False),
    (400, nested("x", "invalid_request_error", "unsupported_parameter"), InvalidRequestError, False),
    (429, nested("slow", "tokens", "rate_limit_exceeded"), RateLimitError, True),
    (429, nested("none left", "insufficient_quota", "insufficient_quota"), RateLimitError, False),
    (500, nested("x", "server_error"), ServerError, True),
    (500, nested("x", "service_unavailable_error", "slow_down"), OverloadedError, True),
    (401, nested("no", "api_error"), AuthError, False),
    (403, nested("no", "server_error"), AuthError, False),
    (404, nested("gone", None, "DeploymentNotFound"), ModelNotFoundError, False),
    (400, nested("x", None, None, innererror={"code": "ResponsibleAIPolicyViolation"}), ContentFilterError, False),
    (402, {"type": "error", "error": {"type": "billing_error", "message": "x"}}, RateLimitError, False),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, OverloadedError, True),
    (504, {"type": "error", "error": {"type": "timeout_error", "message": "x"}}, TimedOutError, True),
    (400, nested("x", status="INVALID_ARGUMENT", details=[{"reason": "API_KEY_INVALID"}]), AuthError, False),
    (400, nested("x", status="FAILED_PRECONDITION"), InvalidRequestError, False),
    (403, nested("x", status="PERMISSION_DENIED"), AuthError, False),
    (429, [nested("x", status="RESOURCE_EXHAUSTED")], RateLimitError, True),
    (503, nested("x", status="UNAVAILABLE"), OverloadedError, True),
    (504, nested("x", status="DEADLINE_EXCEEDED"), TimedOutError, True),
    (413, nested("too large", "tokens", "rate_limit_exceeded"), ContextLengthError, False),
    (403, nested("flagged", code=403, metadata={"reasons": ["hate"]}), ContentFilterError, False),
    (400, {"error_type": "TOO_MANY_TOKENS", "message": "x"}, ContextLengthError, False),
    (422, {"detail": [{"loc": ["body"], "msg": "Extra inputs"}]}, InvalidRequestError, False),
    (
        400,
        {"object": "error", "message": "x", "type": "invalid_function_call", "code": "3280"},
        InvalidRequestError,
        False,
    ),
    (429, {"object": "error", "message": "x", "type": "rate_limited", "code": "1300"}, RateLimitError, True),
]


@pytest.mark.parametrize(("status", "body", "kind", "retryable"), NAMES)
def test_a_name_in_the_error_object_beats_the_status(
    status: int, body: Any, kind: type[LlmError], retryable: bool
) -> None:
    error = answer(status, body)
    assert (type(error), error.retryable) == (kind, retryable)


TOO_LONG = [
    "Your input exceeds the context window of this model.",
    "prompt is too long: 300000 tokens > 200000 maximum",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "This model's maximum prompt length is 131072 but the request has 200000 tokens.",
    "Please reduce the length of the messages or completion.",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "This endpoint's maximum context length is 200000 tokens.",
    "request (21159 tokens) exceeds the available context size (1024 tokens)",
    "the context is too small (n_keep: 13055>= n_ctx: 4096)",
    "prompt too long; exceeded max context length by 1119046 tokens",
    "too many tokens: size limit exceeded by 25836 tokens",
    "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    "invalid params, context window exceeds limit (2013)",
    "Prompt exceeds max length",
    "prompt token count of 140000 exceeds the limit of 128000",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens",
    "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
    "You passed 33000 input tokens. However, the model's context length is only 32768 tokens.",
    "Trying to keep the first 9000 tokens, but the model is loaded with context length of only 4096 tokens.",
]


@pytest.mark.parametrize("wording", TOO_LONG)
@pytest.mark.parametrize("status", [400, 413, 500, None])
def test_every_wording_of_too_long_is_understood(wording: str, status: int | None) -> None:
    assert type(classify_error(nested(wording, "invalid_request_error"), status=status)) is ContextLengthError


WORDINGS: list[tuple[int, Any, type[LlmError]]] = [
    (400, nested("max_tokens must be less than the maximum context length"), InvalidRequestError),
    (429, nested("Please reduce the length of the messages: tokens per minute"), RateLimitError),
    (400, {"code": "invalid-argument", "error": "Incorrect API key provided."}, AuthError),
    (429, nested("Too many requests with this API key"), RateLimitError),
    (404, {"error": "model 'llama9' not found"}, ModelNotFoundError),
    (404, {"type": "error", "error": {"type": "not_found_error", "message": "model: claude-0"}}, ModelNotFoundError),
    (404, nested("models/gemini-0.1 is not found for API version v1", status="NOT_FOUND"), ModelNotFoundError),
    (404, nested("The model `x` does not exist.", "NotFoundError", 404), ModelNotFoundError),
    (404, nested("File Not Found", "not_found_error", 404), InvalidRequestError),
    (400, nested("The model called a tool that was not found in the request"), InvalidRequestError),
    (400, {"error": "registry.ollama.ai/library/x does not support tools"}, InvalidRequestError),
    (500, nested("Failed to parse tools: Missing tool function", "server_error", 500), InvalidRequestError),
    (500, nested("image input is not supported", "server_error", 500), InvalidRequestError),
    (503, nested("image input is not supported", "server_error", 503), OverloadedError),
    (403, nested("Permission denied on 'models/gemini' (or it may not exist).", status="PERMISSION_DENIED"), AuthError),
    (400, nested("Model Not Exist", "invalid_request_error", "invalid_request_error"), ModelNotFoundError),
    (400, nested("Content Exists Risk", "invalid_request_error", "invalid_request_error"), ContentFilterError),
    (400, nested("Output blocked by content filtering policy", "invalid_request_error"), ContentFilterError),
    (
        403,
        {"code": "permission-denied", "error": "Content violates usage guidelines. API key ID: x, Failed check: BIO"},
        ContentFilterError,
    ),
    (401, {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]}, AuthError),
]


@pytest.mark.parametrize(("status", "body", "kind"), WORDINGS)
def test_a_wording_counts_where_it_means_what_it_says(status: int, body: Any, kind: type[LlmError]) -> None:
    assert type(answer(status, body)) is kind


STREAM: list[tuple[Any, type[LlmError], str | None]] = [
    ({"error": {"message": "boom", "type": "InternalServerError", "code": 500}}, ServerError, "500"),
    ({"object": "error", "message": "x", "type": "BadRequestError", "code": 400}, InvalidRequestError, "400"),
    ({"error_type": "context_length_exceeded", "error_message": "too long"}, ContextLengthError, None),
    ({"error": "model crashed"}, ServerError, None),
    ("model crashed", ServerError, None),
    ({"code": 429, "message": "Rate limited upstream"}, RateLimitError, "429"),
    ({"error": {"code": "502", "message": "Bad gateway"}}, ServerError, "502"),
    ({"error": {"code": 499, "message": "x", "status": "CANCELLED"}}, Cancelled, "499"),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, OverloadedError, None),
    ({"type": "error", "code": "server_error", "message": "boom", "param": None}, ServerError, "server_error"),
    ({"type": "error", "code": "unknown-error", "message": "Foobar"}, ServerError, "unknown-error"),
    (failed("rate_limit_exceeded"), RateLimitError, "rate_limit_exceeded"),
    (failed("invalid_prompt"), ContentFilterError, "invalid_prompt"),
    (nested("x", "invalid_request_error", "tool_use_failed"), InvalidRequestError, "tool_use_failed"),
    ({"error": {"type": "not_found_error", "message": "model: x"}}, ModelNotFoundError, None),
    ({"error": {"message": "Error rendering prompt with jinja template"}}, InvalidRequestError, None),
    ({"error": "Invalid API key"}, AuthError, None),
    ({"error": {"message": "Token limit reached", "code": 400}}, InvalidRequestError, "400"),
    ({"message": "Too many requests, please wait before trying again."}, RateLimitError, None),
    ({"error": "server busy, please try again.  maximum pending requests exceeded"}, OverloadedError, None),
    ({"StatusCode": 502, "Status": "502 Bad Gateway", "error": "upstream error"}, ServerError, None),
    ({"success": False, "errors": [{"code": 5007, "message": "No such model @cf/x"}]}, ModelNotFoundError, None),
    (failed("cyber_policy"), ContentFilterError, "cyber_policy"),
    ({"base_resp": {"status_code": 1004, "status_msg": "login fail: carry the API secret key"}}, AuthError, None),
    ({"error": "Model too busy, unable to get response in less than 60 second(s)"}, OverloadedError, None),
    (None, ServerError, None),
    ({}, ServerError, None),
    ([], ServerError, None),
]


@pytest.mark.parametrize(("value", "kind", "code"), STREAM)
def test_an_error_inside_a_stream_has_no_status_but_the_one_in_the_object_counts(
    value: Any, kind: type[LlmError], code: str | None
) -> None:
    error = classify_error(value)
    assert (type(error), error.code, error.status) == (kind, code, None)


HOPELESS = [
    (429, nested("Request too large on tokens per min (TPM): Limit 1, Requested 30.", "tokens", "rate_limit_exceeded")),
    (429, nested("Limit 30,000, Requested 31,000", "tokens", "rate_limit_exceeded")),
    (429, {"code": "x", "error": "Your team has used all its credits or reached its spending limit."}),
    (429, nested("Quota exceeded, limit: 0, model: gemini-pro", status="RESOURCE_EXHAUSTED")),
    (402, nested("Insufficient Balance", "unknown_error", "invalid_request_error")),
    (429, nested("Your account is suspended, check your plan", "exceeded_current_quota_error")),
    (400, nested("Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage")),
    (403, {"code": "permission-denied", "error": "Your newly created team doesn't have any credits yet."}),
]


@pytest.mark.parametrize(("status", "body"), HOPELESS)
def test_a_rate_limit_that_waiting_cannot_cure_is_not_retried(status: int, body: Any) -> None:
    error = answer(status, body)
    assert (type(error), error.retryable) == (RateLimitError, False)
    assert "Waiting will not help" in error.user_message


@pytest.mark.parametrize(
    "message", ["Limit 30000, Used 29000, Requested 2000.", "limit: 0.5 requests", "limit: 1000000, model: x"]
)
def test_other_rate_limits_are_retried(message: str) -> None:
    assert answer(429, nested(message, "tokens", "rate_limit_exceeded")).retryable


@pytest.mark.parametrize(
    ("status", "header", "retryable"), [(503, "false", False), (400, "true", True), (503, "?", True)]
)
def test_x_should_retry_beats_the_status(status: int, header: str, retryable: bool) -> None:
    assert answer(status, nested("x"), x_should_retry=header).retryable is retryable


@pytest.mark.parametrize("header", ["x-request-id", "request-id", "apim-request-id", "cf-ray"])
def test_the_request_id_is_kept(header: str) -> None:
    assert classify_response(500, {header: "req_1"}, b"").request_id == "req_1"
    assert answer(500, {"error": {"message": "x"}, "request_id": "req_2"}).request_id == "req_2"


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (
            200,
            b"<!doctype html><title>Sign&nbsp;in\n now</title><p>secret",
            "Sign in now. This address answers with a web",
        ),
        (404, b"<html><title>404</title></html>", "404. This address answers with a web page"),
        (403, b"<html><title>Just a moment</title></html>", "This address answers with a web page"),
        (200, b"Ollama is running", "Ollama is running. This address answers with something else"),
        (200, b"", "the answer is empty. Check the network"),
        (302, b"", "302 Found. This address sends on to another one"),
        (404, b'{"error":{"message":"File Not Found"}}', "File Not Found. The server has nothing at this path"),
        (405, b"", "405 Method Not Allowed. The server has nothing at this path"),
        (400, b"", "400 Bad Request. No reason was given; often the conversation is too long"),
        (407, b"", "The proxy asks for a name and a password"),
        (400, b'{"error":{"message":"Your credit balance is too low"}}', "check the quota and billing"),
        (
            400,
            b'{"error":{"message":"User location is not supported for the API use."}}',
            "does not serve this country",
        ),
        (400, b'{"error":"x does not support tools"}', "This model cannot use tools"),
        (500, b'{"error":{"message":"image input is not supported"}}', "This model cannot see images"),
        (503, b'{"error":{"message":"Loading model"}}', "Loading model. The model is still being loaded"),
        (502, b"upstream connect error", "internal error: upstream connect error. Try again"),
        (599, b"", "HTTP 599"),
    ],
)
def test_people_are_told_what_to_do(status: int, body: bytes, sentence: str) -> None:
    error = answer(status, body)
    assert sentence in error.user_message
    assert "<" not in error.user_message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": {"detail": "inner"}}}, "inner"),
        ({"message": {"detail": [{"loc": ["body", "x", 0], "msg": "bad"}, {"msg": "worse"}]}}, "body.x.0: bad; worse"),
        ({"status": 404, "error": "Not Found", "message": ""}, "Not Found"),
        ({"error": [{"message": "first"}, {"message": "second"}]}, "first"),
        ({"message": '{"error":{"code":429,"message":"deep","status":"RESOURCE_EXHAUSTED"}}'}, "deep"),
        (
            nested("Provider returned error", metadata={"raw": '{"error":{"message":"why"}}'}),
            "Provider returned error: why",
        ),
        (nested("Provider returned error", metadata={"raw": "why"}), "Provider returned error: why"),
        (nested("all of why", metadata={"raw": "why"}), "all of why"),
        ({"error": 5}, "HTTP 418 I'm a Teapot"),
        ({"error": {"code": True}}, "HTTP 418 I'm a Teapot"),
        ([["x"]], "x"),
    ],
)
def test_the_message_is_found_in_any_shape(body: Any, message: str) -> None:
    assert answer(418, body).message == message


def test_what_a_gateway_wraps_counts_as_if_it_were_said_directly() -> None:
    raw = '{"error":{"type":"insufficient_quota","message":"none left"}}'
    assert not answer(429, nested("Provider returned error", code=429, metadata={"raw": raw})).retryable
    wrapped = json.dumps(nested("too much", status="RESOURCE_EXHAUSTED", details=[{"retryDelay": "7s"}]))
    error = answer(500, {"error": {"message": wrapped}})
    assert (type(error), error.retry_after) == (RateLimitError, 7.0)


@pytest.mark.parametrize("code", ["tool_use_failed", "3280", "1e3", "٤٠٠", "", None, 12, 1.5, {"a": 1}, 10**30])
def test_a_code_of_any_sort_is_text_or_nothing(code: Any) -> None:
    error = classify_error({"error": {"message": "x", "code": code}})
    assert error.code == (str(code) if code not in ("", None, 1.5, {"a": 1}) else None)
    assert type(error) is (InvalidRequestError if code == "tool_use_failed" else ServerError)


def test_no_message_holds_a_key() -> None:
    error = answer(
        401, nested("Incorrect API key provided: sk-proj-abcdEFGH1234. See https://x.example/?key=AIzaSy12345")
    )
    assert error.message == "Incorrect API key provided: sk-proj-…. See https://x.example/?key=…"
    assert "abcdEFGH1234" not in str(error) + error.user_message


def test_half_a_character_in_an_error_can_be_shown_and_stored() -> None:
    error = classify_error(nested("\ud83d", "\udc00", "\ud83d", request_id="\ud83d"))
    assert (error.message, error.type, error.code, error.request_id) == ("\ufffd",) * 4


def test_words_in_the_middle_of_an_answer_are_no_error() -> None:
    assert is_error("hello")
    assert not is_error("hello", loosely=False)


def test_a_message_is_not_endless() -> None:
    assert len(answer(400, nested("x" * 100_000)).message) < 3000
    assert len(answer(502, b"x" * 100_000).message) < 1000


def test_an_error_object_nested_without_end_is_an_error_like_any_other() -> None:
    body = b'{"error":' * 500 + b"1" + b"}" * 500
    assert type(classify_response(500, {}, body)) is ServerError
    assert type(classify_response(500, {}, b"[" * 100_000)) is ServerError


keys = st.sampled_from(
    ["error", "message", "code", "type", "status", "detail", "details", "metadata", "raw", "msg", "loc", "response"]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
)


@given(json_values, st.sampled_from([None, 200, 400, 404, 429, 500, 999]))
def test_any_value_gives_an_error(value: Any, status: int | None) -> None:
    error = classify_error(value, status=status)
    assert isinstance(error, LlmError)
    assert isinstance(error.message, str)
    assert error.user_message


@given(
    st.binary(max_size=60), st.integers(100, 999), st.dictionaries(st.sampled_from(["retry-after", "date"]), st.text())
)
def test_any_answer_gives_an_error(body: bytes, status: int, headers: dict[str, str]) -> None:
    assert classify_response(status, headers, body).status == status
