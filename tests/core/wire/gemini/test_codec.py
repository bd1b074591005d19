"""Addresses, headers, lists of models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import LlmError
from rillet.core.types import ChatMessage, ChatRequest, Model
from rillet.core.wire.gemini import Gemini

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec

codec: Codec = Gemini()
BASE = "https://x.test/v1beta"


@pytest.mark.parametrize(
    "base_url",
    [
        BASE,
        f" {BASE}/ ",
        f"{BASE}/models",
        f"{BASE}/models/gemini-2.5-pro:generateContent",
        f"{BASE}/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    ],
)
def test_addresses_are_made_from_the_base_url_as_people_paste_it(base_url: str) -> None:
    assert codec.chat_url(base_url, "m", stream=True) == f"{BASE}/models/m:streamGenerateContent?alt=sse"
    assert codec.chat_url(base_url, "m", stream=False) == f"{BASE}/models/m:generateContent"
    assert codec.models_url(base_url) == f"{BASE}/models?pageSize=1000"


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3-pro", "/models/gemini-3-pro"),
        ("models/gemini-3-pro", "/models/gemini-3-pro"),
        ("tunedModels/mine", "/tunedModels/mine"),
        ("a b?c#d", "/models/a%20b%3Fc%23d"),
    ],
)
def test_a_model_is_named_with_or_without_its_kind(model: str, path: str) -> None:
    assert codec.chat_url(BASE, model, stream=False) == f"{BASE}{path}:generateContent"


def test_a_query_of_a_gateway_stays() -> None:
    url = codec.chat_url("http://[::1]:8080/g?tenant=a%20b", "m", stream=True)
    assert url == "http://[::1]:8080/g/models/m:streamGenerateContent?tenant=a+b&alt=sse"


@pytest.mark.parametrize(
    ("key", "headers"),
    [("AIza", {"x-goog-api-key": "AIza"}), (" AIza\n", {"x-goog-api-key": "AIza"}), ("", {}), (None, {})],
)
def test_a_key_is_a_header_and_never_part_of_the_url(key: str | None, headers: dict[str, str]) -> None:
    assert codec.headers(key) == headers


def test_the_body_is_the_same_whether_streamed_or_not() -> None:
    request = ChatRequest([ChatMessage.user("Hi")])
    assert codec.encode(request, "m", stream=True) == codec.encode(request, "m", stream=False)


def test_models_that_answer_are_listed_as_sent() -> None:
    entries = [
        {
            "name": "models/gemini-b",
            "displayName": "Gemini B",
            "inputTokenLimit": 8,
            "outputTokenLimit": 4,
            "thinking": True,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/gemini-a", "displayName": "", "inputTokenLimit": 0},
        {"name": "models/gemini-b"},
        {"name": "tunedModels/mine", "inputTokenLimit": True},
        {"name": ""},
        "x",
    ]
    body = json.dumps({"models": entries, "nextPageToken": "t"}).encode()
    assert codec.decode_models(body) == [
        Model("gemini-b", name="Gemini B", context_window=8, output_limit=4, reasoning=True),
        Model("gemini-a"),
        Model("tunedModels/mine"),
    ]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html></html>", "invalid_request"),
        (b'{"models":null}', "invalid_request"),
        (b'{"data":[]}', "invalid_request"),
        (b"3", "invalid_request"),
        (b'{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}', "auth"),
        (b"", "network"),
    ],
)
def test_what_is_no_list_of_models_is_an_error_of_its_kind(body: bytes, kind: str) -> None:
    with pytest.raises(LlmError) as caught:
        codec.decode_models(body)
    assert caught.value.kind == kind


def test_a_failure_is_classified_by_status_and_body() -> None:
    body = b'{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2s"}]}}'
    failure = codec.decode_failure(429, {}, body)
    assert (failure.kind, failure.retry_after, failure.status) == ("rate_limit", 2.0, 429)
