"""Requests against the JSON that goes out."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from rillet.core.types import ChatMessage, ChatRequest, ReasoningPart, TextPart, ToolCallPart, ToolSpec
from rillet.core.wire.anthropic import AnthropicMessages

USER = ChatMessage.user("Hi")
WEATHER = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})
WEATHER_TOOL = {
    "name": "weather",
    "description": "Current weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}
SCHEMA = {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}, "required": ["age"]}

OLD = "claude-3-haiku-20240307"
MANUAL = "claude-sonnet-4-5-20250929"
ADAPTIVE = "claude-opus-4-6"
LATEST = "claude-opus-5"
OTHER = "deepseek-flash"


def body(*messages: ChatMessage, model: str = MANUAL, stream: bool = False, **fields: Any) -> dict[str, Any]:
    return AnthropicMessages().encode(ChatRequest(messages or (USER,), **fields), model, stream=stream)


def options(model: str = MANUAL, **fields: Any) -> dict[str, Any]:
    """What a field of a request adds to the body."""
    bare = body(model=model)
    return {key: value for key, value in body(model=model, **fields).items() if value != bare.get(key)}


def test_a_bare_request_names_no_more_than_it_must() -> None:
    assert body() == {"model": MANUAL, "max_tokens": 32_000, "messages": [{"role": "user", "content": "Hi"}]}
    assert body(stream=True) == body() | {"stream": True}


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        (OLD, 4096),
        ("claude-2.1", 4096),
        ("claude-3-5-sonnet-20241022", 8192),
        ("claude-3-7-sonnet-latest", 32_000),
        ("claude-opus-4-20250514", 32_000),
        ("anthropic/claude-sonnet-4.5", 32_000),
        ("eu.anthropic.claude-opus-4-1-20250805-v1:0", 32_000),
        ("claude-mythos-preview", 32_000),
        (OTHER, 8192),
    ],
)
def test_the_limit_that_the_api_demands_is_one_that_the_model_allows(model: str, limit: int) -> None:
    assert body(model=model)["max_tokens"] == limit
    assert body(model=model, max_tokens=7)["max_tokens"] == 7


def test_the_system_speaks_before_the_conversation() -> None:
    encoded = body(ChatMessage.system("Be brief."), USER, ChatMessage.system(" "), ChatMessage.system("Be kind."))
    assert encoded["system"] == "Be brief.\n\nBe kind."
    assert encoded["messages"] == [{"role": "user", "content": "Hi"}]


def test_stop_sequences_have_their_own_name() -> None:
    assert options(stop=["###"]) == {"stop_sequences": ["###"]}


def test_a_seed_is_left_out_because_the_api_refuses_what_it_does_not_know() -> None:
    assert options(seed=1) == {}


def test_only_the_user_is_told_of_the_metadata() -> None:
    assert options(metadata={"user_id": "u", "chat": "c"}) == {"metadata": {"user_id": "u"}}
    assert options(metadata={"chat": "c"}) == {}


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        (OLD, {"temperature": 0.5, "top_p": 0.9}),
        (OTHER, {"temperature": 0.5, "top_p": 0.9}),
        (MANUAL, {"temperature": 0.5}),
        (ADAPTIVE, {"temperature": 0.5}),
        ("claude-opus-4-7", {}),
        (LATEST, {}),
    ],
)
def test_sampling_is_sent_as_far_as_the_model_takes_it(model: str, sent: dict[str, Any]) -> None:
    assert options(model, temperature=0.5, top_p=0.9) == sent


def test_top_p_alone_is_sent() -> None:
    assert options(top_p=0.9) == {"top_p": 0.9}


def test_a_temperature_beyond_the_scale_is_the_highest() -> None:
    assert options(temperature=1.7) == {"temperature": 1.0}
    assert options(OTHER, temperature=1.7) == {"temperature": 1.7}


def test_tools_and_their_choice() -> None:
    assert options(tools=[WEATHER]) == {"tools": [WEATHER_TOOL]}
    choices = {
        "auto": {"type": "auto"},
        "none": {"type": "none"},
        "required": {"type": "any"},
        "weather": {"type": "tool", "name": "weather"},
    }
    for choice, sent in choices.items():
        assert body(tools=[WEATHER], tool_choice=choice)["tool_choice"] == sent
        assert "tool_choice" not in body(tool_choice=choice)


def test_a_tool_without_words_has_no_description() -> None:
    assert body(tools=[ToolSpec("f", "", {})])["tools"] == [
        {"name": "f", "input_schema": {"type": "object", "properties": {}}}
    ]


@pytest.mark.parametrize(
    ("reasoning", "budget", "limit"),
    [
        ("low", 1024, 32_000),
        ("medium", 8192, 32_000),
        ("high", 24_576, 32_000),
        (100, 1024, 32_000),
        (40_000, 40_000, 44_096),
    ],
)
def test_thinking_has_a_budget_below_the_limit(reasoning: Any, budget: int, limit: int) -> None:
    encoded = body(reasoning=reasoning)
    assert encoded["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert encoded["max_tokens"] == limit


def test_a_limit_of_the_request_holds_for_thinking_too() -> None:
    encoded = body(reasoning="high", max_tokens=5000)
    assert (encoded["thinking"]["budget_tokens"], encoded["max_tokens"]) == (4999, 5000)
    assert "thinking" not in body(reasoning="high", max_tokens=1024)


def test_models_that_decide_themselves_are_told_an_effort() -> None:
    for reasoning, effort in (("low", "low"), ("high", "high"), (1024, "low"), (5000, "medium"), (50_000, "high")):
        assert options(ADAPTIVE, reasoning=reasoning) == {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": effort},
        }


def test_thinking_does_not_begin_between_a_call_and_its_result() -> None:
    signed = ReasoningPart("hm", provider_metadata={"signature": "s"})
    call = ToolCallPart("t1", "f", "{}")
    for parts, thinks in (((call,), False), ((TextPart("I look."), call), False), ((signed, call), True)):
        messages = [USER, ChatMessage("assistant", parts), ChatMessage.tool("t1", "1")]
        encoded = body(*messages, reasoning="low", temperature=0.5)
        assert ("thinking" in encoded, "temperature" in encoded) == (thinks, not thinks)


def test_no_thinking_is_asked_for_as_such() -> None:
    for model in (MANUAL, ADAPTIVE, OTHER):
        assert options(model, reasoning=0) == {"thinking": {"type": "disabled"}}
    assert options(OLD, reasoning="high") == {}


def test_thinking_rules_out_a_temperature() -> None:
    for model in (MANUAL, ADAPTIVE):
        assert "temperature" not in body(model=model, reasoning="low", temperature=0.5)
        assert body(model=model, reasoning=0, temperature=0.5)["temperature"] == 0.5


def test_a_demanded_call_rules_out_a_budget_but_not_an_effort() -> None:
    assert "thinking" not in body(tools=[WEATHER], tool_choice="required", reasoning="low")
    assert "thinking" in body(tools=[WEATHER], tool_choice="auto", reasoning="low")
    assert "thinking" in body(tool_choice="required", reasoning="low")
    assert "thinking" in body(model=ADAPTIVE, tools=[WEATHER], tool_choice="weather", reasoning="low")


def test_a_schema_holds_models_that_can_be_held() -> None:
    schema = {
        "type": "object",
        "properties": {"age": {"type": "integer", "description": "minimum: 0"}},
        "required": ["age"],
        "additionalProperties": False,
    }
    assert options(response_format=SCHEMA) == {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    config = body(model=LATEST, response_format=SCHEMA, reasoning="low")["output_config"]
    assert config == {"effort": "low", "format": {"type": "json_schema", "schema": schema}}


@pytest.mark.parametrize("model", [OLD, "claude-sonnet-4-20250514", OTHER])
def test_others_are_asked_for_it_in_words(model: str) -> None:
    encoded = body(ChatMessage.system("Be brief."), USER, model=model, response_format=SCHEMA)
    assert "output_config" not in encoded
    system = encoded["system"]
    assert system.startswith("Be brief.\n\n")
    assert system.endswith(json.dumps(SCHEMA))


def test_json_of_any_kind_is_asked_for_in_words() -> None:
    assert "JSON object" in body(response_format="json")["system"]
    assert "output_config" not in body(response_format="json")


def test_halves_of_characters_are_mended_everywhere() -> None:
    encoded = body(
        ChatMessage.system("\ud83d"),
        ChatMessage.user("a\ud83d\ude00b\ude00"),
        stop=["\ud83d"],
        tools=[ToolSpec("f", "\ude00", {"properties": {"\ud83d": {}}})],
        metadata={"user_id": "\ud83d"},
    )
    assert encoded["messages"] == [{"role": "user", "content": "a😀b\ufffd"}]
    msgspec.json.encode(encoded)
