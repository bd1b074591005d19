"""Requests against the JSON that goes out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    FilePart,
    ImagePart,
    OpaquePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)
from rillet.core.wire.openai_responses.encode import encode_request

USER = ChatMessage.user("Hi")
CALL = ToolCallPart("b", "f", "{}")
WEATHER = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})


def body(*messages: ChatMessage, model: str = "m", stream: bool = False, **fields: Any) -> dict[str, Any]:
    return encode_request(ChatRequest(messages or (USER,), **fields), model, stream=stream)


def wire(*messages: ChatMessage) -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = body(*messages)["input"]
    return encoded


def options(**fields: Any) -> dict[str, Any]:
    """What a field of a request adds to the body."""
    return {key: value for key, value in body(**fields).items() if key not in ("model", "input", "store")}


def test_a_bare_request_leaves_everything_to_the_server_but_asks_it_to_keep_nothing() -> None:
    message = {"type": "message", "role": "user", "content": "Hi"}
    assert body() == {"model": "m", "input": [message], "store": False}
    assert body(stream=True) == body() | {"stream": True}


def test_plain_text_stays_a_string() -> None:
    assert wire(ChatMessage.system("Be brief."), ChatMessage.user("a", TextPart("b"))) == [
        {"type": "message", "role": "system", "content": "Be brief."},
        {"type": "message", "role": "user", "content": "a\n\nb"},
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
        OpaquePart("openai-responses", {"type": "input_file", "file_id": "f"}),
        OpaquePart("anthropic", {"type": "thing"}),
    )
    (message,) = wire(ChatMessage.user("Look", *parts))
    assert message["content"] == [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "image_url": "data:image/webp;base64,AAE=", "detail": "auto"},
        {"type": "input_image", "image_url": "https://x.test/a.png", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "input_image", "image_url": "data:image/jpeg;base64,/9g=", "detail": "auto"},
        {"type": "input_text", "text": '<file name="a.txt">\ngröße: 1\n\n</file>'},
        {"type": "input_file", "filename": "file", "file_data": "data:application/zip;base64,UEs="},
        {"type": "input_file", "file_id": "f"},
    ]


def test_a_text_file_alone_needs_no_list() -> None:
    file = FilePart(b"{}", media_type="application/json", name="a.json")
    assert wire(ChatMessage.user("Read", file))[0]["content"] == 'Read\n\n<file name="a.json">\n{}\n</file>'


def test_the_output_of_a_tool_is_text_or_a_list_with_images() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"}
    messages = (
        ChatMessage("assistant", tuple(ToolCallPart(id, "f", "{}") for id in "abcd")),
        ChatMessage("tool", (ToolResultPart("a", "seen", images=(ImagePart(b"\x00"),)),)),
        ChatMessage("tool", (ToolResultPart("b", "", images=(ImagePart(b"\x00"),)), ToolResultPart("c", "3"))),
        ChatMessage.tool("d", "no such file", is_error=True),
    )
    assert wire(*messages)[4:] == [
        {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "seen"}, image]},
        {"type": "function_call_output", "call_id": "b", "output": [image]},
        {"type": "function_call_output", "call_id": "c", "output": "3"},
        {"type": "function_call_output", "call_id": "d", "output": "Error: no such file"},
    ]


def test_the_output_of_a_custom_tool_is_of_another_kind() -> None:
    metadata = {"responses": {"index": 0, "item": {"type": "custom_tool_call"}}}
    call = ToolCallPart("a", "sql", "SELECT 1", provider_metadata=metadata)
    messages = ChatMessage.assistant("", call, CALL), ChatMessage.tool("a", "1"), ChatMessage.tool("b", "2")
    assert wire(*messages)[2:] == [
        {"type": "custom_tool_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call_output", "call_id": "b", "output": "2"},
    ]


def test_results_and_text_in_one_message_become_two_items() -> None:
    messages = ChatMessage.assistant("", CALL), ChatMessage("user", (ToolResultPart("b", "1"), TextPart("go on")))
    assert wire(*messages)[1:] == [
        {"type": "function_call_output", "call_id": "b", "output": "1"},
        {"type": "message", "role": "user", "content": "go on"},
    ]


def test_every_call_has_its_output_and_no_output_is_without_its_call() -> None:
    messages = ChatMessage.assistant("", CALL), ChatMessage.user("Stop"), ChatMessage.tool("c", "late")
    call, output, said, told = wire(*messages)
    assert [item["type"] for item in (call, output)] == ["function_call", "function_call_output"]
    assert output["output"].startswith("Error: This call was cancelled")
    assert [item["content"] for item in (said, told)] == ["Stop", "Result of the tool call c:\nlate"]


def test_what_answers_the_server_s_own_tool_is_an_item_of_its_own() -> None:
    output = {"type": "local_shell_call_output", "call_id": "a", "output": "x"}
    part = OpaquePart("openai-responses", output)
    assert wire(ChatMessage("tool", (part,))) == [output]
    assert wire(ChatMessage.user("Go on", part)) == [output, {"type": "message", "role": "user", "content": "Go on"}]


def test_an_empty_message_of_a_person_is_sent_and_an_empty_answer_is_not() -> None:
    assert wire(ChatMessage.user(""), ChatMessage.assistant("")) == [{"type": "message", "role": "user", "content": ""}]


def test_tools_are_described_flat_and_not_strict() -> None:
    assert options(tools=[WEATHER]) == {
        "tools": [
            {
                "type": "function",
                "name": "weather",
                "description": "Current weather",
                "parameters": WEATHER.input_schema,
                "strict": False,
            }
        ]
    }
    assert options(tools=[], tool_choice="required") == {}


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("weather", {"type": "function", "name": "weather"}),
    ],
)
def test_a_choice_of_tools_is_a_word_or_a_name(choice: str, sent: Any) -> None:
    assert options(tools=[WEATHER], tool_choice=choice)["tool_choice"] == sent


def test_json_is_asked_for_loosely_or_by_schema() -> None:
    schema = {"title": "A city!", "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    strict = {**schema, "additionalProperties": False}
    assert options(response_format="json") == {"text": {"format": {"type": "json_object"}}}
    assert options(response_format=schema) == {
        "text": {"format": {"type": "json_schema", "name": "A_city_", "schema": strict, "strict": True}}
    }
    loose = {"type": "array", "items": {"type": "string"}}
    assert options(response_format=loose) == {
        "text": {"format": {"type": "json_schema", "name": "answer", "schema": loose, "strict": False}}
    }


ENCRYPTED = {"include": ["reasoning.encrypted_content"]}


@pytest.mark.parametrize(
    ("model", "added"),
    [
        ("gpt-5-mini", ENCRYPTED),
        ("openai/gpt-5.5", ENCRYPTED),
        ("o3", ENCRYPTED),
        ("codex-mini-latest", ENCRYPTED),
        ("grok-4.3", ENCRYPTED),
        ("x-ai/grok-4", ENCRYPTED),
        ("gpt-5-chat-latest", {}),
        ("gpt-4o", {}),
        ("gpt-oss-120b", {}),
        ("smollm2", {}),
    ],
)
def test_encrypted_reasoning_is_asked_of_models_that_have_it(model: str, added: dict[str, Any]) -> None:
    assert options(model=model) == added


@pytest.mark.parametrize(
    ("reasoning", "effort"),
    [("low", "low"), ("high", "high"), (1024, "low"), (1025, "medium"), (8192, "medium"), (8193, "high")],
)
def test_an_effort_comes_with_a_summary_and_a_budget_becomes_the_effort_that_covers_it(
    reasoning: Any, effort: str
) -> None:
    assert options(reasoning=reasoning) == ENCRYPTED | {"reasoning": {"effort": effort, "summary": "auto"}}


def test_no_budget_is_no_reasoning() -> None:
    assert options(reasoning=0) == {"reasoning": {"effort": "none"}}


def test_the_other_options_have_their_names_and_what_has_none_is_left_out() -> None:
    fields: dict[str, Any] = {"temperature": 0.0, "top_p": 0.5, "metadata": {"a": "b"}}
    assert options(**fields, max_tokens=5) == {**fields, "max_output_tokens": 5}
    assert options(stop=["END"], seed=1, extra_body={"x": 1}, extra_headers={"y": "2"}) == {}


def test_half_a_character_anywhere_does_not_keep_the_body_from_being_sent() -> None:
    messages = (ChatMessage.user("a\ud83d"), ChatMessage.assistant("", ToolCallPart("a", "f", '{"x":"\ude00"}')))
    encoded = body(*messages, tools=[ToolSpec("f", "\ud83d", {"\ude00": 1})], metadata={"\ud83d": "\ud83d"})
    assert msgspec.json.decode(msgspec.json.encode(encoded))["input"][0]["content"] == "a\ufffd"
