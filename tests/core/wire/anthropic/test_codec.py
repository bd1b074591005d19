"""Addresses, headers, lists of models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rillet.core.types import Model
from rillet.core.wire.anthropic import AnthropicMessages

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec

codec: Codec = AnthropicMessages()


@pytest.mark.parametrize(
    ("base_url", "messages", "models"),
    [
        ("https://api.x.test", "https://api.x.test/v1/messages", "https://api.x.test/v1/models?limit=1000"),
        ("https://api.x.test/v1", "https://api.x.test/v1/messages", "https://api.x.test/v1/models?limit=1000"),
        ("https://api.x.test/v1/ ", "https://api.x.test/v1/messages", "https://api.x.test/v1/models?limit=1000"),
        ("http://[::1]:8080", "http://[::1]:8080/v1/messages", "http://[::1]:8080/v1/models?limit=1000"),
        (
            "https://x.test/anthropic",
            "https://x.test/anthropic/v1/messages",
            "https://x.test/anthropic/v1/models?limit=1000",
        ),
        ("https://x.test/v1/messages", "https://x.test/v1/messages", "https://x.test/v1/models?limit=1000"),
        (
            "https://x.test/v2beta?a=1",
            "https://x.test/v2beta/messages?a=1",
            "https://x.test/v2beta/models?a=1&limit=1000",
        ),
    ],
)
def test_addresses_are_made_from_the_base_url_as_people_paste_it(base_url: str, messages: str, models: str) -> None:
    assert codec.chat_url(base_url, "m", stream=True) == messages
    assert codec.chat_url(base_url, "m", stream=False) == messages
    assert codec.models_url(base_url) == models


@pytest.mark.parametrize(
    ("key", "headers"),
    [("sk-1", {"x-api-key": "sk-1"}), (" sk-1\n", {"x-api-key": "sk-1"}), ("", {}), (None, {})],
)
def test_a_key_has_a_header_of_its_own_and_the_version_is_always_sent(key: str | None, headers: dict[str, str]) -> None:
    assert codec.headers(key) == headers | {"anthropic-version": "2023-06-01"}


def test_models_are_listed_with_the_names_and_windows_that_anthropic_gives() -> None:
    entries = [
        {"type": "model", "id": "claude-opus-5", "display_name": "Claude Opus 5", "max_input_tokens": 1_000_000},
        {"type": "model", "id": "claude-haiku-4-5", "display_name": "Claude Haiku 4.5"},
        {"id": "tiny.gguf", "object": "model", "meta": {"n_ctx": 4096}},
    ]
    assert codec.decode_models(json.dumps({"data": entries, "has_more": False}).encode()) == [
        Model("claude-opus-5", name="Claude Opus 5", context_window=1_000_000),
        Model("claude-haiku-4-5", name="Claude Haiku 4.5"),
        Model("tiny.gguf", context_window=4096),
    ]


def test_an_error_instead_of_models_is_that_error() -> None:
    with pytest.raises(Exception, match="invalid x-api-key") as caught:
        codec.decode_models(b'{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}')
    assert getattr(caught.value, "kind", None) == "auth"


def test_an_http_error_keeps_what_anthropic_says_of_it() -> None:
    body = b'{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"},"request_id":"req_1"}'
    failure = codec.decode_failure(429, {"retry-after": "12", "x-should-retry": "true"}, body)
    assert (failure.kind, failure.retryable, failure.retry_after) == ("rate_limit", True, 12.0)
    assert (failure.type, failure.request_id, failure.status) == ("rate_limit_error", "req_1", 429)
