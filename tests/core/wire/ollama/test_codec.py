"""Addresses, headers, lists of models, refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import LlmError
from rillet.core.types import Model
from rillet.core.wire.ollama import Ollama

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec

codec: Codec = Ollama()


@pytest.mark.parametrize(
    ("base_url", "root"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        (" http://127.0.0.1:11434/ ", "http://127.0.0.1:11434"),
        ("http://[::1]:11434/api", "http://[::1]:11434"),
        ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434"),
        ("https://x.test/team/ollama", "https://x.test/team/ollama"),
        ("https://x.test/my-api", "https://x.test/my-api"),
        ("https://ollama.com?x=1#y", "https://ollama.com"),
    ],
)
def test_addresses_are_made_from_the_base_url_as_people_paste_it(base_url: str, root: str) -> None:
    assert codec.chat_url(base_url, "m", stream=True) == f"{root}/api/chat"
    assert codec.chat_url(base_url, "m", stream=False) == f"{root}/api/chat"
    assert codec.models_url(base_url) == f"{root}/api/tags"


def test_a_key_is_a_bearer_token_and_none_is_needed() -> None:
    assert codec.headers(" k\n") == {"Authorization": "Bearer k"}
    assert codec.headers(None) == {}


def test_models_go_by_name_and_tag() -> None:
    entries = [
        {"name": "qwen3:8b", "model": "qwen3:8b", "size": 1, "details": {"family": "qwen3"}},
        {"name": "tiny:latest"},
        {"model": "qwen3:8b"},
        {"name": ""},
        7,
    ]
    assert codec.decode_models(json.dumps({"models": entries}).encode()) == [Model("qwen3:8b"), Model("tiny:latest")]
    assert codec.decode_models(b'{"models":[]}') == []


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"Ollama is running", "invalid_request"),
        (b'{"data":[]}', "invalid_request"),
        (b'{"error":"unauthorized"}', "auth"),
        (b"", "network"),
    ],
)
def test_what_is_no_list_of_models_is_an_error_of_its_kind(body: bytes, kind: str) -> None:
    with pytest.raises(LlmError) as caught:
        codec.decode_models(body)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (404, "model 'tiny:2b' not found", "model_not_found"),
        (400, "registry.ollama.ai/library/tiny:1b does not support tools", "invalid_request"),
        (400, '"tiny:1b" does not support thinking', "invalid_request"),
        (400, "the input length exceeds the context length", "context_length"),
        (400, "input length exceeds maximum context length", "context_length"),
        (503, "server busy, please try again.  maximum pending requests exceeded", "overloaded"),
        (500, "llama runner process has terminated: exit status 2", "server"),
        (401, "unauthorized", "auth"),
    ],
)
def test_a_refusal_is_an_error_of_its_kind(status: int, message: str, kind: str) -> None:
    error = codec.decode_failure(status, {}, json.dumps({"error": message}).encode())
    assert (error.kind, error.message, error.status) == (kind, message, status)


def test_a_model_that_cannot_think_is_told_from_a_broken_request() -> None:
    error = codec.decode_failure(400, {}, b'{"error":"\\"tiny:1b\\" does not support thinking"}')
    assert "Switch reasoning off" in error.user_message
