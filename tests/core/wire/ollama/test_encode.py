"""Requests against the JSON that goes out."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from rillet.core.errors import InvalidRequestError
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)
from rillet.core.wire.ollama import OllamaDecoder
from rillet.core.wire.ollama.encode import encode_request
from support.replay import replay

USER = ChatMessage.user("Hi")
WEATHER = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})
NOW = ToolSpec("now", "The time", {})


def body(*messages: ChatMessage, stream: bool = True, **fields: Any) -> dict[str, Any]:
    return encode_request(ChatRequest(messages or (USER,), **fields), "m", stream=stream)


def wire(*messages: ChatMessage) -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = body(*messages)["messages"]
    return encoded


def assistant(*parts: Part) -> dict[str, Any]:
    (message,) = wire(ChatMessage("assistant", parts))
    return message


def fields(**given: Any) -> dict[str, Any]:
    """What a field of a request adds to the body."""
    return {key: value for key, value in body(**given).items() if key not in body()}


def test_a_bare_request_says_only_what_would_mean_something_else_unsaid() -> None:
    hello = {"role": "user", "content": "Hi"}
    assert body() == {"model": "m", "messages": [hello], "stream": True, "truncate": False}
    assert body(stream=False)["stream"] is False


def test_each_message_is_one_text() -> None:
    assert wire(ChatMessage.system("Be brief."), ChatMessage.user("a", TextPart("b")), ChatMessage.assistant("c")) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "c"},
    ]


def test_images_stand_beside_the_text_and_text_files_in_it() -> None:
    parts = (
        ImagePart(b"\x00\x01", media_type="image/webp"),
        FilePart("größe: 1\n".encode(), media_type="text/plain; charset=utf-8", name="a.txt"),
        ImagePart(url="data:image/png;base64,AAI="),
        FilePart(b"\xff\xd8", media_type="image/jpeg", name="a.jpg"),
        OpaquePart("anthropic", {"type": "thing"}),
    )
    assert wire(ChatMessage.user("Look", *parts)) == [
        {
            "role": "user",
            "content": 'Look\n\n<file name="a.txt">\ngröße: 1\n\n</file>',
            "images": ["AAE=", "AAI=", "/9g="],
        }
    ]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (FilePart(b"%PDF", media_type="application/pdf"), "application/pdf"),
        (ImagePart(url="https://x.test/a.png"), "does not fetch images"),
    ],
)
def test_what_the_model_would_not_get_is_refused_and_not_dropped(part: Part, words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        body(ChatMessage.user("Look", part))


def test_a_call_goes_back_as_an_object_and_its_result_under_name_and_id() -> None:
    call = ToolCallPart("call_1", "weather", '{"city": "Oslo"}')
    assert wire(ChatMessage.assistant("", call), ChatMessage.tool("call_1", "rain")) == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_1", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}],
        },
        {"role": "tool", "content": "rain", "tool_call_id": "call_1", "tool_name": "weather"},
    ]
    assert wire(ChatMessage.tool("unknown", "rain")) == [{"role": "tool", "content": "rain", "tool_call_id": "unknown"}]


@pytest.mark.parametrize(
    ("arguments", "sent"), [("", {}), ('"{\\"x\\":1}"', {"x": 1}), ('{"x": "unfin', {}), ("[1]", {})]
)
def test_arguments_are_always_sent_as_an_object(arguments: str, sent: dict[str, Any]) -> None:
    (call,) = assistant(ToolCallPart("a", "f", arguments))["tool_calls"]
    assert call["function"]["arguments"] == sent


def test_tool_results_stay_together_and_their_images_follow() -> None:
    first = ToolResultPart("a", "seen", images=(ImagePart(b"\x00"),))
    messages = (ChatMessage("tool", (first,)), ChatMessage.tool("b", "no such file", is_error=True), USER)
    assert wire(*messages) == [
        {"role": "tool", "tool_call_id": "a", "content": "seen"},
        {"role": "tool", "tool_call_id": "b", "content": "Error: no such file"},
        {"role": "user", "content": "Images of the tool result a:", "images": ["AA=="]},
        {"role": "user", "content": "Hi"},
    ]
    assert wire(messages[0])[1]["role"] == "user"


def test_results_and_text_in_one_message_become_two() -> None:
    assert wire(ChatMessage("user", (ToolResultPart("a", "1"), TextPart("go on")))) == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": "go on"},
    ]


def test_an_answer_that_was_decoded_goes_back_as_it_came() -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": {"x": 1}, "signature": "s"}, "extra": 1}
    message = {"content": "yes", "thinking": "hm", "images": ["iVBORw=="], "tool_calls": [call]}
    response = replay(OllamaDecoder(), [json.dumps({"message": message, "done": True}).encode()]).response

    assert wire(response.message) == [{"role": "assistant", **message}]


def test_an_id_that_was_invented_is_the_same_for_call_and_result() -> None:
    call = {"function": {"name": "f", "arguments": {}}}
    response = replay(
        OllamaDecoder(), [json.dumps({"message": {"tool_calls": [call]}, "done": True}).encode()]
    ).response
    asked, result = wire(response.message, ChatMessage.tool(response.tool_calls[0].id, "1"))
    assert asked["tool_calls"][0]["id"] == result["tool_call_id"] != ""
    assert result["tool_name"] == "f"


def test_what_others_answered_does_not_break_the_conversation() -> None:
    assert assistant() == {"role": "assistant", "content": ""}
    others = (ReasoningPart("", provider_metadata={"encrypted": "x"}), ImagePart(url="https://x.test/a.png"))
    assert assistant(*others, OpaquePart("gemini", {"a": 1})) == {"role": "assistant", "content": ""}


def test_tools_are_described_and_none_are_no_empty_list() -> None:
    function = {"name": "weather", "description": "Current weather", "parameters": WEATHER.input_schema}
    assert fields(tools=[WEATHER]) == {"tools": [{"type": "function", "function": function}]}
    assert fields(tools=[], tool_choice="required") == {}
    (tool,) = fields(tools=[NOW])["tools"]
    assert tool["function"]["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("choice", "offered"),
    [
        (None, ["weather", "now"]),
        ("auto", ["weather", "now"]),
        ("required", ["weather", "now"]),
        ("now", ["now"]),
        ("none", []),
    ],
)
def test_a_choice_of_tools_is_what_is_offered(choice: str | None, offered: list[str]) -> None:
    sent = fields(tools=[WEATHER, NOW], tool_choice=choice)
    assert [tool["function"]["name"] for tool in sent.get("tools", [])] == offered
    assert "tool_choice" not in sent


def test_json_is_asked_for_loosely_or_by_schema() -> None:
    schema = {"type": "object", "properties": {"name": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"const": 1}}}
    assert fields(response_format="json") == {"format": "json"}
    assert fields(response_format=schema) == {"format": schema}


@pytest.mark.parametrize("style", ["anthropic", "gemini", "responses"])
def test_what_another_style_kept_with_a_call_stays_away(style: str) -> None:
    call = ToolCallPart("a", "f", "{}", provider_metadata={style: {"signature": "QUJD"}})
    (answer,) = body(ChatMessage("assistant", (call,)))["messages"]
    assert answer["tool_calls"] == [{"id": "a", "function": {"name": "f", "arguments": {}}}]


@pytest.mark.parametrize(
    ("reasoning", "think"), [("low", "low"), ("high", "high"), (0, False), (1024, "low"), (9000, "high")]
)
def test_reasoning_is_a_level_or_off(reasoning: Any, think: Any) -> None:
    request = ChatRequest((USER,), reasoning=reasoning)
    assert encode_request(request, "gpt-oss:20b", stream=True)["think"] == think


@pytest.mark.parametrize(("reasoning", "think"), [("low", True), (9000, True), (0, False)])
def test_reasoning_is_on_or_off_for_models_that_refuse_a_level(reasoning: Any, think: bool) -> None:
    assert fields(reasoning=reasoning) == {"think": think}


def test_the_other_options_stand_together_under_their_names() -> None:
    given: dict[str, Any] = {"temperature": 0.0, "top_p": 0.5, "seed": 0, "stop": ["END", "\n"]}
    assert fields(**given, max_tokens=5) == {"options": {**given, "num_predict": 5}}
    assert fields(metadata={"a": "b"}, extra_body={"x": 1}, extra_headers={"y": "2"}) == {}


def test_half_a_character_anywhere_does_not_keep_the_body_from_being_sent() -> None:
    messages = (ChatMessage.user("a\ud83d"), ChatMessage.assistant("", ToolCallPart("a", "f", '{"x":"\ude00"}')))
    encoded = body(*messages, tools=[ToolSpec("f", "\ud83d", {"\ude00": 1})], stop=["\ud83d"])
    assert msgspec.json.decode(msgspec.json.encode(encoded))["messages"][0]["content"] == "a\ufffd"
