"""A request written down: model, address, headers, bytes, and what cannot be written."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rillet.core.call import chat_call, models_call
from rillet.core.errors import AuthError, InvalidRequestError
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest
from rillet.core.wire.codecs import codec_for

CODEC = codec_for("openai")
PROVIDER = Provider(
    "p", "openai", "https://api.example.com/v1", "key", "small", {"X-Team": "blue", "X-Both": "provider"}
)
HELLO = ChatMessage.user("Hello")


def body(request: ChatRequest, **options: Any) -> dict[str, Any]:
    content = chat_call(PROVIDER, CODEC, request, stream=True, **options).content
    assert content is not None
    decoded: dict[str, Any] = json.loads(content)
    return decoded


def test_the_model_of_the_request_wins_over_the_providers() -> None:
    assert body(ChatRequest([HELLO]))["model"] == "small"
    assert body(ChatRequest([HELLO], model="large"))["model"] == "large"


def test_without_any_model_the_user_is_asked_to_choose_one() -> None:
    nobody = Provider("p", "openai", "https://api.example.com/v1")
    with pytest.raises(InvalidRequestError) as caught:
        chat_call(nobody, CODEC, ChatRequest([HELLO]), stream=True)
    assert "no model is chosen. Choose one from the list" in caught.value.user_message


def test_extra_body_comes_last_but_never_over_the_conversation() -> None:
    extra = {"temperature": 2, "top_k": 5, "messages": [], "tools": [], "stream": False, "model": "routed"}
    result = body(ChatRequest([HELLO], temperature=0.5, extra_body=extra))
    assert (result["temperature"], result["top_k"], result["model"]) == (2, 5, "routed")
    assert result["messages"] == [{"role": "user", "content": "Hello"}]
    assert result["stream"] is True
    assert "tools" not in result


def test_an_object_in_extra_body_does_not_throw_out_what_the_request_says() -> None:
    schema = {"title": "t", "type": "array"}
    extra: dict[str, Any] = {"response_format": {"json_schema": {"strict": False}, "more": 1}, "metadata": "replaced"}
    result = body(ChatRequest([HELLO], response_format=schema, metadata={"a": "b"}, extra_body=extra))
    sent = result["response_format"]
    assert (sent["json_schema"]["strict"], sent["json_schema"]["name"], sent["more"]) == (False, "t", 1)
    assert result["metadata"] == "replaced"
    assert extra["response_format"]["json_schema"] == {"strict": False}


@pytest.mark.parametrize(
    ("style", "conversation"), [("openai", "messages"), ("openai-responses", "input"), ("gemini", "contents")]
)
def test_no_style_lets_extra_fields_replace_the_conversation(style: str, conversation: str) -> None:
    provider, codec = replace(PROVIDER, style=style), codec_for(style)
    plain = chat_call(provider, codec, ChatRequest([HELLO]), stream=True)
    extended = chat_call(provider, codec, ChatRequest([HELLO], extra_body={conversation: []}), stream=True)
    assert extended.content == plain.content


def test_a_transform_sees_the_body_last_and_may_change_everything() -> None:
    def transform(body: dict[str, Any]) -> dict[str, Any]:
        assert body["top_k"] == 5
        return {"messages": [], "seen": True}

    assert body(ChatRequest([HELLO], extra_body={"top_k": 5}), transform=transform) == {"messages": [], "seen": True}


def test_headers_of_the_request_win_over_the_providers_and_names_are_one_in_any_case() -> None:
    call = chat_call(PROVIDER, CODEC, ChatRequest([HELLO], extra_headers={"x-both": "request"}), stream=True)
    headers = call.all_headers(CODEC, PROVIDER, "key")
    assert headers["x-team"] == "blue"
    assert headers["x-both"] == "request"
    assert headers["authorization"] == "Bearer key"
    assert headers["accept-encoding"] == "identity"
    assert headers["accept"] == "text/event-stream"
    assert headers["content-type"] == "application/json"


def test_the_list_of_models_is_asked_for_without_a_body() -> None:
    call = models_call(PROVIDER, CODEC)
    assert call.url(PROVIDER.base_url) == "https://api.example.com/v1/models"
    assert "content-type" not in call.all_headers(CODEC, PROVIDER, None)
    assert "authorization" not in call.all_headers(CODEC, PROVIDER, None)


def test_the_list_of_models_may_be_elsewhere() -> None:
    elsewhere = replace(PROVIDER, models_url="https://api.example.com/catalog")
    assert models_call(elsewhere, CODEC).url(elsewhere.base_url) == "https://api.example.com/catalog"


def test_a_provider_may_want_its_key_in_another_header() -> None:
    azure = replace(PROVIDER, key_header="api-key")
    headers = models_call(azure, CODEC).all_headers(CODEC, azure, " canary ")
    assert headers["api-key"] == "canary"
    assert "authorization" not in headers
    assert "api-key" not in models_call(azure, CODEC).all_headers(CODEC, azure, None)


def test_headers_of_the_network_stand_behind_those_of_the_provider() -> None:
    network = NetworkProfile(headers={"X-Team": "network", "X-Gateway": "pass"})
    headers = models_call(PROVIDER, CODEC).all_headers(CODEC, replace(PROVIDER, network=network), None)
    assert (headers["x-team"], headers["x-gateway"]) == ("blue", "pass")


def test_a_key_is_sent_without_the_blanks_that_copying_brings() -> None:
    headers = models_call(PROVIDER, CODEC).all_headers(CODEC, PROVIDER, " canary\n")
    assert headers["authorization"] == "Bearer canary"


@pytest.mark.parametrize("key", ["cana\nry", "canary\u200b", "canäry", "cana\x00ry"])
def test_a_key_that_cannot_be_one_is_refused_and_not_quoted(key: str) -> None:
    with pytest.raises(AuthError) as caught:
        models_call(PROVIDER, CODEC).all_headers(CODEC, PROVIDER, key)
    assert "Copy the key again" in caught.value.user_message
    assert "cana" not in f"{caught.value!r}{caught.value.user_message}"


@pytest.mark.parametrize(
    "request_",
    [
        ChatRequest([HELLO], extra_body={"x": "half a character: \ud83d"}),
        ChatRequest([HELLO], extra_body={"\ud83d": 1}),
    ],
)
def test_half_a_character_is_a_sentence_and_no_traceback(request_: ChatRequest) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        body(request_)
    assert "half a character" in caught.value.user_message


def test_what_json_cannot_hold_is_a_sentence_and_no_traceback() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (object(), endless):
        with pytest.raises(InvalidRequestError) as caught:
            body(ChatRequest([HELLO], extra_body={"x": value}))
        assert "cannot be written as JSON" in caught.value.user_message


def test_neither_key_nor_content_is_in_the_repr() -> None:
    call = chat_call(PROVIDER, CODEC, ChatRequest([HELLO], extra_headers={"x-key": "canary"}), stream=True)
    assert "Hello" not in repr(call)
    assert "canary" not in repr(call)
