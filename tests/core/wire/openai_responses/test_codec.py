"""Addresses, the key, lists of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.types import Model
from rillet.core.wire.codecs import codec_for
from rillet.core.wire.openai_responses import OpenAiResponses, ResponsesDecoder

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec

codec: Codec = OpenAiResponses()


def test_the_style_finds_its_codec() -> None:
    found = codec_for("openai-responses")
    assert found.style == "openai-responses"
    assert isinstance(found.decoder(), ResponsesDecoder)


@pytest.mark.parametrize(
    ("base_url", "responses"),
    [
        ("https://api.x.test/v1", "https://api.x.test/v1/responses"),
        ("https://api.x.test/v1/responses", "https://api.x.test/v1/responses"),
        ("https://api.x.test/v1/chat/completions/", "https://api.x.test/v1/responses"),
        ("https://x.test/openai/v1?api-version=preview", "https://x.test/openai/v1/responses?api-version=preview"),
    ],
)
def test_addresses_are_made_from_the_base_url_as_people_paste_it(base_url: str, responses: str) -> None:
    assert codec.chat_url(base_url, "m", stream=True) == responses
    assert codec.chat_url(base_url, "m", stream=False) == responses
    assert codec.models_url(base_url) == responses.replace("/responses", "/models")


def test_a_key_is_a_bearer_token() -> None:
    assert codec.headers(" sk-1\n") == {"Authorization": "Bearer sk-1"}
    assert codec.headers(None) == {}


def test_models_are_listed_as_sent() -> None:
    assert codec.decode_models(b'{"data":[{"id":"b"},{"id":"a"}]}') == [Model("b"), Model("a")]


def test_a_failure_is_classified_by_status_and_body() -> None:
    body = b'{"error":{"code":"model_not_found","message":"The requested model does not exist.","param":"model"}}'
    assert codec.decode_failure(400, {}, body).kind == "model_not_found"
