"""Conversations as the servers of particular models demand them, which others do not mind."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from rillet.core.wire.openai_chat.encode import encode_request

USER = ChatMessage.user("Hi")


def wire(*messages: ChatMessage, model: str = "m") -> list[dict[str, Any]]:
    encoded: list[dict[str, Any]] = encode_request(ChatRequest(messages), model, stream=False)["messages"]
    return encoded


def call(id: str = "a", name: str = "f", **metadata: Any) -> ToolCallPart:
    return ToolCallPart(id, name, "{}", provider_metadata=metadata or None)


def asked(call: ToolCallPart, *parts: Any) -> tuple[ChatMessage, ...]:
    return (USER, ChatMessage("assistant", (*parts, call)), ChatMessage.tool(call.id, "1"))


def test_what_neighbours_say_is_one_message_and_who_says_nothing_has_none() -> None:
    messages = (
        ChatMessage.system("a"),
        ChatMessage.system("b"),
        ChatMessage.system(""),
        ChatMessage.user("1"),
        ChatMessage.assistant(""),
        ChatMessage.user("2", TextPart(""), ImagePart(url="https://x.test/y.png")),
        ChatMessage.assistant("x"),
        ChatMessage.assistant("y"),
    )
    assert wire(*messages) == [
        {"role": "system", "content": "a\n\nb"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "1"},
                {"type": "text", "text": "2"},
                {"type": "image_url", "image_url": {"url": "https://x.test/y.png"}},
            ],
        },
        {"role": "assistant", "content": "x\n\ny"},
    ]


def test_an_answer_that_goes_on_with_a_call_is_one_message() -> None:
    first, answer, _ = wire(USER, ChatMessage.assistant("I look."), ChatMessage("assistant", (call(),)))
    assert first["role"] == "user"
    assert (answer["content"], len(answer["tool_calls"])) == ("I look.", 1)


@pytest.mark.parametrize("style", ["anthropic", "gemini", "responses"])
def test_what_another_style_kept_with_a_call_stays_away(style: str) -> None:
    kept = {style: {"signature": "QUJD"}, "extra_content": {"g": 1}}
    (_, answer, _) = wire(*asked(ToolCallPart("a", "f", "{}", provider_metadata=kept)))
    assert answer["tool_calls"][0].keys() == {"id", "type", "function", "extra_content"}


@pytest.mark.parametrize(("model", "longest"), [("gpt-4o", 40), ("openai/o4-mini", 40), ("gemini-3-pro", 90)])
def test_ids_that_openai_finds_too_long_are_shortened_for_its_models_alone(model: str, longest: int) -> None:
    (_, answer, result) = wire(*asked(call("call__thought__" + "x" * 75)), model=model)
    (sent,) = answer["tool_calls"]
    assert len(sent["id"]) == longest
    assert result["tool_call_id"] == sent["id"]


def test_names_that_openai_refuses_are_made_to_fit() -> None:
    (_, answer, _) = wire(*asked(call(name="server.tool:x" + "y" * 80)), model="gpt-5")
    assert answer["tool_calls"][0]["function"]["name"] == ("server_tool_x" + "y" * 80)[:64]


def test_mistral_has_spoken_before_the_user_does() -> None:
    shown = ToolResultPart("a", "seen", images=(ImagePart(b"i"),))
    messages = (USER, ChatMessage("assistant", (call(),)), ChatMessage("tool", (shown,)))
    roles = ["user", "assistant", "tool", "assistant", "user"]
    assert [message["role"] for message in wire(*messages, model="mistral-large-latest")] == roles
    assert [message["role"] for message in wire(*messages)] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize("model", ["kimi-k2.6", "deepseek-v4-flash"])
def test_models_that_want_a_thought_before_each_call_get_one(model: str) -> None:
    known = ReasoningPart("hm", provider_metadata={"reasoning_field": "reasoning_content"})
    assert wire(*asked(call()), model=model)[1]["reasoning_content"]
    assert wire(*asked(call(), known), model=model)[1]["reasoning_content"] == "hm"
    assert "reasoning_content" not in wire(USER, ChatMessage.assistant("x"), model=model)[1]


@pytest.mark.parametrize("model", ["moonshotai/kimi-k2-instruct", "deepseek-r1-distill-llama-70b", "gpt-5"])
def test_others_refuse_such_a_thought(model: str) -> None:
    assert "reasoning_content" not in wire(*asked(call()), model=model)[1]
