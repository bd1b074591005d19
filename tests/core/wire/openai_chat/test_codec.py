"""Addresses, headers, lists of models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import LlmError
from rillet.core.types import Model
from rillet.core.wire.openai_chat import OpenAiChat

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec

codec: Codec = OpenAiChat()


@pytest.mark.parametrize(
    ("base_url", "chat", "models"),
    [
        ("https://api.x.test/v1", "https://api.x.test/v1/chat/completions", "https://api.x.test/v1/models"),
        ("https://api.x.test/v1/", "https://api.x.test/v1/chat/completions", "https://api.x.test/v1/models"),
        (" http://[::1]:8080 ", "http://[::1]:8080/chat/completions", "http://[::1]:8080/models"),
        ("https://x.test/v1/chat/completions", "https://x.test/v1/chat/completions", "https://x.test/v1/models"),
        (
            "https://x.test/openai/deployments/d?api-version=1",
            "https://x.test/openai/deployments/d/chat/completions?api-version=1",
            "https://x.test/openai/deployments/d/models?api-version=1",
        ),
    ],
)
def test_addresses_are_made_from_the_base_url_as_people_paste_it(base_url: str, chat: str, models: str) -> None:
    assert codec.chat_url(base_url, "m", stream=True) == chat
    assert codec.chat_url(base_url, "m", stream=False) == chat
    assert codec.models_url(base_url) == models


@pytest.mark.parametrize(
    ("key", "headers"),
    [("sk-1", {"Authorization": "Bearer sk-1"}), (" sk-1\n", {"Authorization": "Bearer sk-1"}), ("", {}), (None, {})],
)
def test_a_key_is_a_bearer_token(key: str | None, headers: dict[str, str]) -> None:
    assert codec.headers(key) == headers


def test_models_are_listed_as_sent_with_the_window_under_any_of_its_names() -> None:
    entries = [
        {"id": "b", "name": "Model B", "context_length": 8},
        {"id": "a", "context_window": 16},
        {"id": "b"},
        {"id": "c", "max_model_len": 32, "name": ""},
        {"id": "d", "meta": {"n_ctx": 64, "n_ctx_train": 128}},
        {"id": "e", "context_length": None},
        {"id": ""},
        "f",
    ]
    wanted = [
        Model("b", name="Model B", context_window=8),
        Model("a", context_window=16),
        Model("c", context_window=32),
        Model("d", context_window=64),
        Model("e"),
    ]
    assert codec.decode_models(json.dumps({"object": "list", "data": entries}).encode()) == wanted
    assert codec.decode_models(json.dumps(entries).encode()) == wanted


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html></html>", "invalid_request"),
        (b'{"data":null}', "invalid_request"),
        (b"3", "invalid_request"),
        (b'{"error":{"message":"Incorrect API key provided"}}', "auth"),
        (b"", "network"),
    ],
)
def test_what_is_no_list_of_models_is_an_error_of_its_kind(body: bytes, kind: str) -> None:
    with pytest.raises(LlmError) as caught:
        codec.decode_models(body)
    assert caught.value.kind == kind


def test_a_failure_is_classified_by_status_and_body() -> None:
    failure = codec.decode_failure(429, {"retry-after": "2"}, b'{"error":{"message":"slow down"}}')
    assert (failure.kind, failure.retry_after, failure.status) == ("rate_limit", 2.0, 429)
