"""Requests against the JSON that goes out."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

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
from rillet.core.wire.openai_chat import ChatDecoder
from rillet.core.wire.openai_chat.encode import encode_request
from support.replay import replay

USER = ChatMessage.user("Hi")
CALLS = ChatMessage("assistant", (ToolCallPart("a", "f", "{}"), ToolCallPart("b", "f", "{}")))
WEATHER = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})


def body(*messages: ChatMessage, model: str = "m", stream: bool = False, **fields: Any) -> dict[str, Any]:
    return encode_request(ChatRequest(messages or (USER,), **fields), model, stream=stream)


def wire(*messages: ChatMessage) -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = body(*messages)["messages"]
    return encoded


def assistant(*parts: Part) -> dict[str, Any]:
    message, *_ = wire(ChatMessage("assistant", parts))
    return message


def options(**fields: Any) -> dict[str, Any]:
    """What a field of a request adds to the body."""
    return {key: value for key, value in body(**fields).items() if key not in ("model", "messages")}


def test_a_bare_request_leaves_everything_to_the_server() -> None:
    assert body() == {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def test_a_stream_asks_for_its_counts() -> None:
    assert body(stream=True) == body() | {"stream": True, "stream_options": {"include_usage": True}}


def test_plain_text_stays_a_string() -> None:
    assert wire(ChatMessage.system("Be brief."), ChatMessage.user("a", TextPart("b")), ChatMessage.assistant("c")) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "c"},
    ]


def test_images_and_files_make_a_list() -> None:
    parts = (
        ImagePart(b"\x00\x01", media_type="image/webp"),
        ImagePart(url="https://x.test/a.png"),
        FilePart(b"%PDF", media_type="application/pdf", name="a.pdf"),
        FilePart(b"RIFF", media_type="audio/wav"),
        FilePart(b"\xff\xd8", media_type="image/jpeg", name="a.jpg"),
        FilePart("größe: 1\n".encode(), media_type="text/plain; charset=utf-8", name="a.txt"),
        FilePart(b"PK", media_type="application/zip"),
        OpaquePart("openai", {"type": "video_url", "video_url": {"url": "https://x.test/v"}}),
        OpaquePart("anthropic", {"type": "thing"}),
    )
    assert wire(ChatMessage.user("Look", *parts))[0]["content"] == [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "data:image/webp;base64,AAE="}},
        {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9g="}},
        {"type": "text", "text": '<file name="a.txt">\ngröße: 1\n\n</file>'},
        {"type": "file", "file": {"filename": "file", "file_data": "data:application/zip;base64,UEs="}},
        {"type": "video_url", "video_url": {"url": "https://x.test/v"}},
    ]


def test_a_text_file_alone_stays_a_string_for_servers_that_read_nothing_else() -> None:
    (message,) = wire(ChatMessage.user("Read", FilePart(b"{}", media_type="application/json", name="a.json")))
    assert message["content"] == 'Read\n\n<file name="a.json">\n{}\n</file>'


def test_tool_calls_go_back_under_their_ids_with_what_came_along() -> None:
    signed = {"extra_content": {"google": {"thought_signature": "QUJD"}}}
    call = ToolCallPart("call_1", "weather", '{"city": "Oslo"}', provider_metadata=signed)
    assert assistant(call) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
                **signed,
            }
        ],
    }


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [('{"x": 1}', '{"x": 1}'), ("", "{}"), ('"{\\"x\\":1}"', '{"x":1}'), ('{"x": "unfin', "{}"), ("[1]", "{}")],
)
def test_arguments_are_always_sent_as_an_object(arguments: str, sent: str) -> None:
    (call,) = assistant(ToolCallPart("a", "f", arguments))["tool_calls"]
    assert call["function"]["arguments"] == sent


def test_tool_results_stay_together_and_their_images_follow() -> None:
    first = ToolResultPart("a", "seen", images=(ImagePart(b"\x00"),))
    messages = (CALLS, ChatMessage("tool", (first,)), ChatMessage.tool("b", "no such file", is_error=True), USER)
    assert wire(*messages)[1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "seen"},
        {"role": "tool", "tool_call_id": "b", "content": "Error: no such file"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Images of the tool result a:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                {"type": "text", "text": "Hi"},
            ],
        },
    ]


def test_results_and_text_in_one_message_become_two() -> None:
    both = ChatMessage("user", (ToolResultPart("a", "1"), ToolResultPart("b", "2"), TextPart("go on")))
    assert wire(CALLS, both)[1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "user", "content": "go on"},
    ]


CALL = ToolCallPart("a", "f", "{}")


def test_reasoning_goes_back_in_its_field_only_with_tool_calls() -> None:
    thought = ReasoningPart("hm", provider_metadata={"reasoning_field": "reasoning_content"})
    assert assistant(thought, CALL)["reasoning_content"] == "hm"
    assert assistant(thought, TextPart("yes")) == {"role": "assistant", "content": "yes"}
    assert "reasoning_content" not in assistant(ReasoningPart("hm"), CALL)


def test_mistral_thinking_goes_back_inside_the_content() -> None:
    thought = ReasoningPart("hm", provider_metadata={"reasoning_field": "thinking"})
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert assistant(thought, TextPart("yes"), CALL)["content"] == [thinking, {"type": "text", "text": "yes"}]
    assert assistant(thought, CALL)["content"] == [thinking]


def test_reasoning_details_go_back_joined_from_their_pieces() -> None:
    details = [
        {"type": "reasoning.text", "text": "h", "index": 0, "format": "f"},
        {"type": "reasoning.text", "text": "m", "index": 0, "signature": ""},
        {"type": "reasoning.text", "text": "", "index": 0, "signature": "s"},
        {"type": "reasoning.summary", "summary": "a", "index": 1},
        {"type": "reasoning.encrypted", "data": "A", "index": 2},
        {"type": "reasoning.encrypted", "data": "B", "index": 2},
    ]
    message = assistant(ReasoningPart("hm", provider_metadata={"reasoning_details": details}), TextPart("yes"))
    assert message["reasoning_details"] == [
        {"type": "reasoning.text", "text": "hm", "index": 0, "format": "f", "signature": "s"},
        *details[3:],
    ]
    assert details[0]["text"] == "h"


def test_an_answer_that_was_decoded_goes_back_as_its_server_wants_it() -> None:
    chunks: list[dict[str, Any]] = [
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm", "index": 0}]},
        {"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]},
        {"content": "yes", "images": [{"image_url": {"url": "data:image/png;base64,AA=="}}]},
        {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"g": 1}}]},
        {"audio": {"id": "au"}, "extra_content": {"g": 2}},
    ]
    stream = "".join(f"data: {json.dumps({'choices': [{'delta': delta}]})}\n\n" for delta in chunks) + "data: [DONE]"
    response = replay(ChatDecoder(), [stream.encode()]).response

    assert wire(response.message)[:1] == [
        {
            "role": "assistant",
            "content": "yes",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"g": 1}}
            ],
            "reasoning_details": [{"type": "reasoning.text", "text": "hm", "index": 0, "signature": "s"}],
            "images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}],
            "audio": {"id": "au"},
            "extra_content": {"g": 2},
        }
    ]


def test_an_empty_answer_and_images_of_others_do_not_break_the_conversation() -> None:
    assert wire(ChatMessage("assistant", ()), ChatMessage("assistant", (ImagePart(b"i"),)), USER) == wire(USER)


def test_tools_are_described_and_none_are_no_empty_list() -> None:
    function = {"name": "weather", "description": "Current weather", "parameters": WEATHER.input_schema}
    assert options(tools=[WEATHER]) == {"tools": [{"type": "function", "function": function}]}
    assert options(tools=[], tool_choice="required") == {}
    (tool,) = options(tools=[ToolSpec("now", "The time", {})])["tools"]
    assert tool["function"]["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("weather", {"type": "function", "function": {"name": "weather"}}),
    ],
)
def test_a_choice_of_tools_is_a_word_or_a_name(choice: str, sent: Any) -> None:
    assert options(tools=[WEATHER], tool_choice=choice)["tool_choice"] == sent


def test_json_is_asked_for_loosely_or_by_schema() -> None:
    schema = {"title": "A city!", "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    named = {"name": "A_city_", "schema": schema | {"additionalProperties": False}, "strict": True}
    assert options(response_format="json") == {"response_format": {"type": "json_object"}}
    assert options(response_format=schema) == {"response_format": {"type": "json_schema", "json_schema": named}}
    assert options(response_format={"type": "array"})["response_format"]["json_schema"]["name"] == "answer"


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("gpt-5-mini", "max_completion_tokens"),
        ("o3", "max_completion_tokens"),
        ("openai/o4-mini", "max_completion_tokens"),
        ("gpt-4o", "max_tokens"),
        ("gpt-oss-120b", "max_tokens"),
        ("mistral-small-latest", "max_tokens"),
        ("olmo-2", "max_tokens"),
    ],
)
def test_the_limit_is_named_as_the_model_reads_it(model: str, field: str) -> None:
    encoded = body(model=model, max_tokens=5)
    assert {key: encoded[key] for key in encoded if key.startswith("max_")} == {field: 5}


@pytest.mark.parametrize("model", ["mistral-small-latest", "mistralai/Devstral-2", "codestral:22b"])
def test_ids_of_another_model_are_made_to_fit_mistral_and_still_belong_together(model: str) -> None:
    calls = ChatMessage.assistant("", ToolCallPart("call_abc-1", "f", "{}"), ToolCallPart("D681PevKs", "g", "{}"))
    results = (ChatMessage.tool("call_abc-1", "1"), ChatMessage.tool("D681PevKs", "2"))

    asked, first, second = body(calls, *results, model=model)["messages"]

    ids = [call["id"] for call in asked["tool_calls"]]
    assert ids == [first["tool_call_id"], second["tool_call_id"]]
    assert ids[1] == "D681PevKs"
    assert ids[0].isalnum()
    assert len(ids[0]) == 9


@pytest.mark.parametrize(
    ("reasoning", "effort"),
    [("low", "low"), ("high", "high"), (0, "none"), (1024, "low"), (1025, "medium"), (8192, "medium"), (8193, "high")],
)
def test_a_budget_becomes_the_effort_that_covers_it(reasoning: Any, effort: str) -> None:
    assert options(reasoning=reasoning) == {"reasoning_effort": effort}


def test_the_other_options_keep_their_names() -> None:
    fields: dict[str, Any] = {"temperature": 0.0, "top_p": 0.5, "seed": 0, "metadata": {"a": "b"}}
    assert options(**fields, stop=["END", "\n"]) == {**fields, "stop": ["END", "\n"]}


def test_what_the_client_merges_is_not_merged_here() -> None:
    assert options(extra_body={"x": 1}, extra_headers={"y": "2"}) == {}


def test_half_a_character_anywhere_does_not_keep_the_body_from_being_sent() -> None:
    messages = (ChatMessage.user("a\ud83d"), ChatMessage.assistant("", ToolCallPart("a", "f", '{"x":"\ude00"}')))
    encoded = body(*messages, tools=[ToolSpec("f", "\ud83d", {"\ude00": 1})], stop=["\ud83d"])
    assert msgspec.json.decode(msgspec.json.encode(encoded))["messages"][0]["content"] == "a\ufffd"
