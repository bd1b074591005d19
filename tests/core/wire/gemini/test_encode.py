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
from rillet.core.wire.gemini import GeminiDecoder
from rillet.core.wire.gemini.encode import encode_request
from support.corpus import Case, corpus
from support.replay import replay

USER = ChatMessage.user("Hi")
WEATHER = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})
OLD, NEW = "gemini-2.5-flash", "gemini-3-pro"


def body(*messages: ChatMessage, model: str = OLD, **fields: Any) -> dict[str, Any]:
    return encode_request(ChatRequest(messages or (USER,), **fields), model)


def wire(*messages: ChatMessage, model: str = OLD) -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = body(*messages, model=model)["contents"]
    return encoded


def user(*parts: Part) -> list[dict[str, Any]]:
    (content,) = wire(ChatMessage("user", parts))
    assert content["role"] == "user"
    found: list[dict[str, Any]] = content["parts"]
    return found


def answer(*parts: Part, model: str = OLD) -> list[dict[str, Any]]:
    """What an earlier answer looks like, between two questions."""
    contents = wire(USER, ChatMessage("assistant", parts), ChatMessage.user("and?"), model=model)
    found: list[dict[str, Any]] = contents[1]["parts"] if len(contents) == 3 else []
    return found


def config(model: str = OLD, **fields: Any) -> Any:
    return body(model=model, **fields).get("generationConfig")


def gemini(**fields: Any) -> dict[str, Any]:
    return {"gemini": fields}


def test_a_bare_request_leaves_everything_to_the_server() -> None:
    assert body() == {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def test_instructions_stand_beside_the_conversation() -> None:
    encoded = body(ChatMessage.system("Be brief."), USER, ChatMessage.system("Be kind."), ChatMessage.system(""))
    assert encoded["systemInstruction"] == {"parts": [{"text": "Be brief."}, {"text": "Be kind."}]}
    assert encoded["contents"] == [{"role": "user", "parts": [{"text": "Hi"}]}]


def test_neighbours_of_one_role_are_one_content() -> None:
    messages = (USER, ChatMessage.user("you"), ChatMessage.assistant("a"), ChatMessage.assistant("b"), USER)
    assert wire(*messages) == [
        {"role": "user", "parts": [{"text": "Hi"}, {"text": "you"}]},
        {"role": "model", "parts": [{"text": "a"}, {"text": "b"}]},
        {"role": "user", "parts": [{"text": "Hi"}]},
    ]


def test_an_empty_answer_is_none_and_its_neighbours_are_one() -> None:
    foreign = (ReasoningPart("hm"), ImagePart(b"i"), OpaquePart("anthropic", {"type": "x"}), TextPart(""))
    for parts in ((), foreign):
        assert wire(USER, ChatMessage("assistant", parts), USER) == [
            {"role": "user", "parts": [{"text": "Hi"}, {"text": "Hi"}]}
        ]


def test_images_and_files_are_parts() -> None:
    assert user(
        TextPart("Look"),
        ImagePart(b"\x00\x01", media_type="image/webp"),
        ImagePart(url="https://x.test/a.jpg?b=c"),
        ImagePart(url="https://x.test/a"),
        ImagePart(url="data:image/gif;base64,AAE="),
        FilePart(b"%PDF", media_type="application/pdf", name="a.pdf"),
        FilePart(b"RIFF", media_type="audio/wav; rate=1"),
        FilePart("größe: 1\n".encode(), media_type="text/plain; charset=utf-8", name="a.txt"),
        FilePart(b"{}", media_type="application/json"),
        OpaquePart("gemini", {"fileData": {"fileUri": "files/x"}}),
        OpaquePart("openai", {"type": "thing"}),
        ReasoningPart("hm"),
    ) == [
        {"text": "Look"},
        {"inlineData": {"mimeType": "image/webp", "data": "AAE="}},
        {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://x.test/a.jpg?b=c"}},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://x.test/a"}},
        {"inlineData": {"mimeType": "image/gif", "data": "AAE="}},
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg=="}},
        {"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}},
        {"text": '<file name="a.txt">\ngröße: 1\n\n</file>'},
        {"text": '<file name="file">\n{}\n</file>'},
        {"fileData": {"fileUri": "files/x"}},
    ]


def test_what_gemini_sent_goes_back_as_it_came() -> None:
    assert answer(
        ReasoningPart("hm", provider_metadata=gemini(thoughtSignature="QQ==")),
        ReasoningPart("summary"),
        OpaquePart("gemini", {"executableCode": {"code": "1"}, "thoughtSignature": "Qg=="}),
        OpaquePart("gemini", {"inlineData": {"data": "AA=="}, "thought": True}),
        OpaquePart("gemini", {"inlineData": {"data": "AA=="}, "thought": True, "thoughtSignature": "RA=="}),
        TextPart("yes", provider_metadata=gemini(thoughtSignature="Qw==")),
        TextPart("and", provider_metadata={"groundingMetadata": {"x": 1}}),
        ImagePart(b"\x00", provider_metadata=gemini(thoughtSignature="RQ==")),
        ImagePart(b"\x01"),
        FilePart(b"\x02", media_type="audio/mp3", provider_metadata=gemini()),
        FilePart(b"\x03", media_type="audio/mp3"),
    ) == [
        {"text": "hm", "thought": True, "thoughtSignature": "QQ=="},
        {"executableCode": {"code": "1"}, "thoughtSignature": "Qg=="},
        {"inlineData": {"data": "AA=="}, "thought": True, "thoughtSignature": "RA=="},
        {"text": "yes", "thoughtSignature": "Qw=="},
        {"text": "and"},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}, "thoughtSignature": "RQ=="},
        {"inlineData": {"mimeType": "audio/mp3", "data": "Ag=="}},
    ]


def test_what_other_styles_left_behind_does_not_go_out() -> None:
    foreign = {"extra_content": {"google": {"thought_signature": "x"}}, "signature": "s", "reasoning_field": "r"}
    call = ToolCallPart("a", "f", "{}", provider_metadata=foreign)
    text = TextPart("t", provider_metadata=foreign)
    contents = wire(USER, ChatMessage("assistant", (text, call)), ChatMessage.tool("a", "1"))
    assert contents[1]["parts"] == [{"text": "t"}, {"functionCall": {"name": "f", "args": {}}}]


CALL = ToolCallPart("call_1", "weather", '{"city": "Oslo"}')
SENT = ToolCallPart(
    "x7", "weather", '{"city": "Oslo"}', provider_metadata=gemini(thoughtSignature="QQ==", functionCall={"id": "x7"})
)


def test_calls_and_results_are_matched_by_name_and_by_an_id_that_was_sent() -> None:
    messages = (
        USER,
        ChatMessage("assistant", (SENT, CALL)),
        ChatMessage.tool("call_1", "cold", is_error=True),
        ChatMessage.tool("x7", '{"$ref": "warm"}'),
    )
    assert wire(*messages)[1:] == [
        {
            "role": "model",
            "parts": [
                {
                    "functionCall": {"id": "x7", "name": "weather", "args": {"city": "Oslo"}},
                    "thoughtSignature": "QQ==",
                },
                {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "x7", "name": "weather", "response": {"output": '{"$ref": "warm"}'}}},
                {"functionResponse": {"name": "weather", "response": {"error": "cold"}}},
            ],
        },
    ]


def response(output: str, key: str = "output") -> dict[str, Any]:
    return {"functionResponse": {"name": "weather", "response": {key: output}}}


CANCELLED = response("This call was cancelled: how far it ran is not known.", "error")


def test_every_call_has_a_result_and_every_result_its_call() -> None:
    calls = ChatMessage("assistant", (CALL, ToolCallPart("call_2", "weather", "{}")))
    assert wire(USER, calls, ChatMessage.user("Stop"), ChatMessage.tool("call_2", "late"))[2]["parts"] == [
        CANCELLED,
        response("late"),
        {"text": "Stop"},
    ]
    assert wire(USER, calls)[2:] == [{"role": "user", "parts": [CANCELLED, CANCELLED]}]
    assert wire(USER, calls, ChatMessage("user", ()), ChatMessage.assistant("a"))[2]["parts"] == [CANCELLED, CANCELLED]
    twice = (ChatMessage.tool("call_1", "1"), ChatMessage.tool("call_2", "2"), ChatMessage.tool("call_1", "3"))
    assert wire(USER, calls, *twice)[2]["parts"] == [
        response("1"),
        response("2"),
        {"text": "Result of the tool call call_1:\n3"},
    ]


def test_a_result_without_its_call_becomes_text() -> None:
    lost = ToolResultPart("gone", "1", images=(ImagePart(b"\x00"),))
    assert wire(USER, ChatMessage("tool", (lost, TextPart("go on"))))[0]["parts"] == [
        {"text": "Hi"},
        {"text": "Result of the tool call gone:\n1"},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"text": "go on"},
    ]


def test_two_calls_with_one_id_have_a_result_each() -> None:
    calls = ChatMessage("assistant", (CALL, CALL))
    results = (ChatMessage.tool("call_1", "1"), ChatMessage.tool("call_1", "2"))
    assert wire(USER, calls, *results)[2]["parts"] == [response("1"), response("2")]


def test_a_user_begins() -> None:
    begun, called, *_ = wire(ChatMessage("assistant", (ToolCallPart("a", "f", "{}"),)), USER)
    assert (begun["role"], called["role"]) == ("user", "model")


@pytest.mark.parametrize(("name", "sent"), [("7zip", "_7zip"), ("a b/c", "a_b_c"), ("a.b:c-d", "a.b:c-d")])
def test_a_function_of_another_model_is_called_as_the_style_allows(name: str, sent: str) -> None:
    call = ToolCallPart("a", name, "{}")
    _, called, answered = wire(USER, ChatMessage("assistant", (call,)), ChatMessage.tool("a", "1"))
    assert called["parts"][0]["functionCall"]["name"] == sent
    assert answered["parts"][0]["functionResponse"]["name"] == sent


def test_images_of_a_result_are_inside_it_where_the_model_looks_there() -> None:
    image = ImagePart(b"\x00")
    linked = ImagePart(url="https://x.test/a.png")
    result = ToolResultPart("call_1", "seen", images=(image, linked))
    data = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    file = {"fileData": {"mimeType": "image/png", "fileUri": "https://x.test/a.png"}}
    caption = {"text": "Images of the result of weather:"}
    messages = (USER, ChatMessage("assistant", (CALL,)), ChatMessage("tool", (result,)), USER)

    inside = {"functionResponse": {"name": "weather", "response": {"output": "seen"}, "parts": [data]}}
    assert wire(*messages, model=NEW)[2]["parts"] == [inside, caption, file, {"text": "Hi"}]
    assert wire(*messages, model=OLD)[2]["parts"] == [response("seen"), caption, data, file, {"text": "Hi"}]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [('{"x": 1}', {"x": 1}), ("", {}), ('"{\\"x\\":1}"', {"x": 1}), ('{"x": "unfin', {}), ("[1]", {})],
)
def test_arguments_are_always_sent_as_an_object(arguments: str, sent: Any) -> None:
    call = ToolCallPart("a", "f", arguments)
    assert wire(USER, ChatMessage("assistant", (call,)), USER)[1]["parts"][0]["functionCall"]["args"] == sent


def signatures(*messages: ChatMessage, model: str) -> list[str | None]:
    parts = [part for content in wire(*messages, model=model) for part in content["parts"]]
    return [part.get("thoughtSignature") for part in parts if "functionCall" in part]


def test_calls_that_gemini_did_not_make_are_marked_in_the_running_turn() -> None:
    skip = "skip_thought_signature_validator"
    step = (ChatMessage("assistant", (CALL, CALL)), ChatMessage.tool("call_1", "1"), ChatMessage.tool("call_1", "2"))
    signed = (ChatMessage("assistant", (SENT, CALL)), ChatMessage.tool("x7", "1"), ChatMessage.tool("call_1", "1"))
    assert signatures(USER, *step, USER, *step, *signed, *step, model=NEW) == [
        *(None, None),
        *(skip, None),
        *("QQ==", None),
        *(skip, None),
    ]
    assert signatures(USER, *step, model="gemini-flash-latest") == [skip, None]
    for model in (OLD, "gemini-2.0-flash", "gemma-3-27b-it"):
        assert signatures(USER, *step, model=model) == [None, None]


def test_tools_are_described_and_none_are_no_empty_list() -> None:
    tool = ToolSpec("now", "The time", {"type": "object", "additionalProperties": False, "$schema": "x"})
    assert body(tools=[WEATHER, tool])["tools"] == [
        {
            "functionDeclarations": [
                {"name": "weather", "description": "Current weather", "parameters": WEATHER.input_schema},
                {"name": "now", "description": "The time"},
            ]
        }
    ]
    assert body(tools=[], tool_choice="required") == body()
    assert "toolConfig" not in body(tools=[WEATHER])


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("weather", {"mode": "ANY", "allowedFunctionNames": ["weather"]}),
    ],
)
def test_a_choice_of_tools_is_a_mode(choice: str, sent: Any) -> None:
    assert body(tools=[WEATHER], tool_choice=choice)["toolConfig"] == {"functionCallingConfig": sent}


def test_json_is_asked_for_loosely_or_by_schema() -> None:
    assert config(response_format="json") == {"responseMimeType": "application/json"}
    schema = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
    assert config(response_format=schema) == {
        "responseMimeType": "application/json",
        "responseSchema": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "(uniqueItems: true)",
        },
    }


@pytest.mark.parametrize(
    ("model", "reasoning", "sent"),
    [
        (NEW, "low", {"thinkingLevel": "low", "includeThoughts": True}),
        (NEW, "high", {"thinkingLevel": "high", "includeThoughts": True}),
        (NEW, 0, {"thinkingLevel": "low", "includeThoughts": True}),
        (NEW, 1025, {"thinkingLevel": "medium", "includeThoughts": True}),
        (NEW, 30000, {"thinkingLevel": "high", "includeThoughts": True}),
        (NEW, -1, {"includeThoughts": True}),
        ("gemini-pro-latest", "medium", {"thinkingLevel": "medium", "includeThoughts": True}),
        ("models/gemini-3.5-flash", "medium", {"thinkingLevel": "medium", "includeThoughts": True}),
        (OLD, "low", {"thinkingBudget": 1024, "includeThoughts": True}),
        (OLD, "high", {"thinkingBudget": 24576, "includeThoughts": True}),
        (OLD, 0, {"thinkingBudget": 0, "includeThoughts": False}),
        (OLD, -1, {"thinkingBudget": -1, "includeThoughts": True}),
        ("gemini-2.0-flash", "high", None),
        ("gemini-1.5-pro", 100, None),
        ("gemma-3-27b-it", "high", None),
        (NEW, None, None),
    ],
)
def test_how_much_to_think_is_said_as_the_model_reads_it(model: str, reasoning: Any, sent: Any) -> None:
    assert config(model, reasoning=reasoning) == (sent and {"thinkingConfig": sent})


def test_the_other_options_have_the_names_of_the_style() -> None:
    fields: dict[str, Any] = {"temperature": 0.0, "top_p": 0.5, "seed": 0, "max_tokens": 5, "stop": ["END", "\n"]}
    assert config(**fields, metadata={"a": "b"}, extra_body={"x": 1}, extra_headers={"y": "2"}) == {
        "temperature": 0.0,
        "topP": 0.5,
        "seed": 0,
        "maxOutputTokens": 5,
        "stopSequences": ["END", "\n"],
    }


def test_half_a_character_anywhere_does_not_keep_the_body_from_being_sent() -> None:
    messages = (ChatMessage.user("a\ud83d"), ChatMessage.assistant("", ToolCallPart("a", "f\ud83d", '{"x":"\ude00"}')))
    encoded = body(*messages, tools=[ToolSpec("f", "\ud83d", {"\ude00": 1})], stop=["\ud83d"])
    assert msgspec.json.decode(msgspec.json.encode(encoded))["contents"][0]["parts"] == [{"text": "a\ufffd"}]


def sent_parts(body: bytes) -> list[dict[str, Any]]:
    """The parts of a recorded answer that a server wants to see again, pieces of unsigned text joined."""
    parts: list[dict[str, Any]] = []
    for line in body.split(b"\n"):
        chunk = json.loads(line[6:]) if line.startswith(b"data: {") else {}
        for part in chunk.get("candidates", [{}])[0].get("content", {}).get("parts", []):
            last = parts[-1] if parts else {}
            if part.get("thought") or part == {"text": ""}:
                continue
            if part.keys() == {"text"} == last.keys():
                last["text"] += part["text"]
            else:
                parts.append(dict(part))
    for part in parts:
        part.get("functionCall", {}).setdefault("args", {})
    return parts


@corpus("gemini", "quirks", api="gemini")
def test_a_recorded_answer_goes_back_exactly_as_it_came(case: Case) -> None:
    response = replay(GeminiDecoder(), [case.content]).response
    parts = answer(*response.message.parts, model=NEW)
    if b'"willContinue"' in case.content:  # calls that came in pieces go back whole, under the signature of the first
        calls = [{"name": call["name"], "args": call["arguments"]} for call in case.expect["tool_calls"]]
        assert [part["functionCall"] for part in parts] == calls
        assert json.dumps(parts[0]["thoughtSignature"]).encode() in case.content
    else:
        assert parts == sent_parts(case.content)
    encoded = body(USER, response.message, model=NEW)
    assert msgspec.json.decode(msgspec.json.encode(encoded)) == encoded
