"""Conversations as every provider accepts them: what is put right, what is left alone, and that it is enough."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.agent.history import CANCELLED, NO_ANSWER, NO_BEGINNING, repair, tidy
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
)
from rillet.core.wire.codecs import codec_for
from support.transcripts import assert_keeps_the_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

user, assistant, system = ChatMessage.user, ChatMessage.assistant, ChatMessage.system
CALL = ToolCallPart("c1", "weather", '{"city": "X"}')
RESULT = ChatMessage.tool("c1", "sunny")


def call(id: str, name: str = "weather", arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(id, name, arguments)


def results_of(messages: Iterable[ChatMessage]) -> list[ToolResultPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolResultPart)]


def orphan(id: str, output: str) -> TextPart:
    """What a result without its call becomes: text that nobody here wrote."""
    return TextPart(f"Result of the tool call {id}:\n{output}", provider_metadata={"rillet": {"untrusted": True}})


WHOLE = [
    [user("hello")],
    [system("Be brief."), user("hello"), assistant("Hi."), user("weather?")],
    [user("?"), assistant("", CALL), RESULT, assistant("Sunny."), user("thanks")],
    [user("?"), assistant("Looking.", CALL, call("c2")), RESULT, ChatMessage.tool("c2", "rain"), assistant("Both.")],
    [user("?"), assistant("", CALL), RESULT, assistant("", call("c2")), ChatMessage.tool("c2", "", True)],
    [
        user("?"),
        assistant("", call("a"), call("b")),
        ChatMessage("tool", (ToolResultPart("a", "A"), ToolResultPart("b", "B"))),
    ],
    [user("?"), ChatMessage("assistant", (ReasoningPart("hm"), TextPart("yes"))), user("why?", ImagePart(b"png"))],
]


@pytest.mark.parametrize("messages", WHOLE)
def test_what_keeps_the_rules_leaves_as_it_came(messages: list[ChatMessage]) -> None:
    repaired = repair(messages)
    assert repaired.repairs == ()
    assert len(repaired.messages) == len(messages)
    assert all(new is old for new, old in zip(repaired.messages, messages, strict=True))


@pytest.mark.parametrize(
    ("broken", "whole", "told"),
    [
        pytest.param(
            [user("?"), assistant("", CALL), user("hello?")],
            [
                user("?"),
                assistant("", CALL),
                ChatMessage.tool("c1", CANCELLED, is_error=True),
                assistant(NO_ANSWER),
                user("hello?"),
            ],
            ["a tool call without a result was noted as cancelled", "a missing answer was noted as such"],
            id="a call that was stopped",
        ),
        pytest.param(
            [user("a"), user("b"), user("c")],
            [ChatMessage("user", (TextPart("a"), TextPart("b"), TextPart("c")))],
            ["two messages in a row (user) were joined (2 ×)"],
            id="failed turns that were sent again",
        ),
        pytest.param(
            [user("a"), assistant("b"), assistant("c")],
            [user("a"), ChatMessage("assistant", (TextPart("b"), TextPart("c")))],
            ["two messages in a row (assistant) were joined"],
            id="an answer in two pieces",
        ),
        pytest.param(
            [user("a"), assistant(""), user("b")],
            [ChatMessage("user", (TextPart("a"), TextPart("b")))],
            ["an empty message (assistant) was left out", "two messages in a row (user) were joined"],
            id="an empty answer",
        ),
        pytest.param(
            [user("?"), assistant("", CALL), user("wait"), RESULT, assistant("Sunny.")],
            [user("?"), assistant("", CALL), RESULT, assistant(NO_ANSWER), user("wait"), assistant("Sunny.")],
            ["tool results were moved behind their calls", "a missing answer was noted as such"],
            id="a result behind a word of the user",
        ),
        pytest.param(
            [user("?"), assistant("", call("a"), call("b")), ChatMessage.tool("b", "B"), ChatMessage.tool("a", "A")],
            [user("?"), assistant("", call("a"), call("b")), ChatMessage.tool("a", "A"), ChatMessage.tool("b", "B")],
            ["tool results were moved behind their calls"],
            id="results in another order",
        ),
        pytest.param(
            [user("?"), RESULT, assistant("Sunny.")],
            [
                ChatMessage("user", (TextPart("?"), orphan("c1", "sunny"))),
                assistant("Sunny."),
            ],
            ["a tool result without its call became text", "two messages in a row (user) were joined"],
            id="a result without its call",
        ),
        pytest.param(
            [user("?"), assistant("", CALL), RESULT, ChatMessage.tool("c1", "rain"), assistant("Well.")],
            [
                user("?"),
                assistant("", CALL),
                RESULT,
                assistant(NO_ANSWER),
                ChatMessage("user", (orphan("c1", "rain"),)),
                assistant("Well."),
            ],
            ["a tool result without its call became text", "a missing answer was noted as such"],
            id="two results of one call",
        ),
        pytest.param(
            [assistant("Welcome!"), user("hi")],
            [user(NO_BEGINNING), assistant("Welcome!"), user("hi")],
            ["the missing beginning was noted as such"],
            id="no beginning",
        ),
        pytest.param(
            [system("s"), assistant("", CALL), RESULT],
            [system("s"), user(NO_BEGINNING), assistant("", CALL), RESULT],
            ["the missing beginning was noted as such"],
            id="no beginning behind the system prompt",
        ),
        pytest.param(
            [user("?"), assistant("", ToolCallPart("c1", "weather", '{"ci', cut=True)), RESULT],
            [user("?"), assistant("", ToolCallPart("c1", "weather", "{}")), RESULT],
            ["ids, names or arguments of tool calls were put right"],
            id="arguments that were cut",
        ),
        pytest.param(
            [user("?"), assistant("", call("c1", "get weather!")), RESULT],
            [user("?"), assistant("", call("c1", "get_weather_")), RESULT],
            ["ids, names or arguments of tool calls were put right"],
            id="an illegal name",
        ),
        pytest.param(
            [user("?"), ChatMessage("user", (ToolResultPart("c9", "x"), TextPart("hi")))],
            [ChatMessage("user", (TextPart("?"), orphan("c9", "x"), TextPart("hi")))],
            [
                "what stood beside a tool result became a message of the user",
                "a tool result without its call became text",
                "two messages in a row (user) were joined (2 ×)",
            ],
            id="a result in a message of the user",
        ),
        pytest.param([], [], [], id="nothing"),
    ],
)
def test_what_breaks_a_rule_is_put_right_and_told(
    broken: list[ChatMessage], whole: list[ChatMessage], told: list[str]
) -> None:
    repaired = repair(broken)
    assert list(repaired.messages) == whole
    assert list(repaired.repairs) == told
    assert repair(repaired.messages).repairs == (), "once is enough"


def test_ids_that_are_used_again_are_told_apart_with_their_results() -> None:
    turn = [assistant("", call("0")), ChatMessage.tool("0", "first")]
    other = [assistant("", call("0")), ChatMessage.tool("0", "second")]
    repaired = repair([user("?"), *turn, *other]).messages
    ids = [each.id for message in repaired for each in message.tool_calls]
    results = results_of(repaired)
    assert len(set(ids)) == 2
    assert [(part.call_id, part.output) for part in results] == [(ids[0], "first"), (ids[1], "second")]


def test_a_result_is_not_taken_by_an_earlier_call_of_the_same_id() -> None:
    messages = [user("?"), assistant("", call("0")), assistant("", call("0")), ChatMessage.tool("0", "second")]
    assert [part.output for part in results_of(repair(messages).messages)] == [CANCELLED, "second"]


def test_images_of_an_orphaned_result_are_kept() -> None:
    image = ImagePart(b"png")
    orphan = ChatMessage("tool", (ToolResultPart("c1", "see", images=(image,)),))
    assert image in repair([user("?"), orphan]).messages[0].parts


@pytest.mark.parametrize("id", ["", "x" * 60])
def test_a_new_id_is_one_that_providers_take(id: str) -> None:
    tidied = tidy(assistant("", call(id)), {id})
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", tidied.tool_calls[0].id)


# Whatever comes in, what leaves keeps the rules

_ids = st.sampled_from(["a", "b", "c", ""])
_texts = st.sampled_from(["", " ", "one", "zwei\n", "drei \ud83d"])
_metadata = st.sampled_from([None, {"signature": "s"}])
_images = st.builds(ImagePart, st.just(b"png"))
_parts: dict[str, st.SearchStrategy[Part]] = {
    "text": st.builds(TextPart, _texts),
    "reasoning": st.builds(ReasoningPart, _texts, provider_metadata=_metadata),
    "image": _images,
    "file": st.builds(FilePart, st.just(b"text"), media_type=st.just("text/plain")),
    "call": st.builds(
        ToolCallPart, _ids, st.sampled_from(["weather", "no such name!", ""]), st.sampled_from(["{}", "", '{"a"', "[]"])
    ),
    "result": st.builds(ToolResultPart, _ids, _texts, is_error=st.booleans(), images=st.tuples() | st.tuples(_images)),
    "opaque": st.builds(OpaquePart, st.just("other"), st.just({"type": "x"})),
}


def _message(role: str, *kinds: str) -> st.SearchStrategy[ChatMessage]:
    return st.lists(st.one_of([_parts[kind] for kind in kinds]), max_size=4).map(
        lambda parts: ChatMessage(role, tuple(parts))  # type: ignore[arg-type]
    )


conversations = st.lists(
    st.one_of(
        _message("system", "text"),
        _message("user", "text", "image", "file", "result"),
        _message("assistant", "text", "reasoning", "call", "opaque"),
        _message("tool", "result", "result", "text"),
    ),
    max_size=8,
)


@given(conversations)
def test_any_conversation_keeps_the_rules_afterwards(messages: list[ChatMessage]) -> None:
    repaired = repair(messages)
    assert_keeps_the_rules(repaired.messages)
    assert repair(repaired.messages).messages == repaired.messages
    assert repair(repaired.messages).repairs == ()


def test_blanks_are_nothing_that_was_said() -> None:
    repaired = repair([user(" "), ChatMessage.assistant("Hello."), user("go on")])
    assert [message.role for message in repaired.messages] == ["user", "assistant", "user"]
    assert repaired.messages[0].text == NO_BEGINNING
    assert "an empty message (user) was left out" in repaired.repairs


@given(conversations)
def test_nothing_that_was_said_is_lost(messages: list[ChatMessage]) -> None:
    after = repr(repair(messages).messages)
    for message in messages:
        for part in message.parts:
            if isinstance(part, TextPart | ReasoningPart):
                assert repr(part.text.strip())[1:-1] in after
            elif isinstance(part, ToolResultPart):
                assert repr(part.output)[1:-1] in after
    kept = [part for message in repair(messages).messages for part in message.parts]
    for kind in (ImagePart, FilePart, OpaquePart, ToolCallPart):
        before = sum(isinstance(part, kind) for message in messages for part in message.parts)
        assert sum(isinstance(part, kind) for part in kept) >= before


# And each style can say it


def _pairs_openai(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting
        made = message.get("tool_calls", ())
        waiting = [each["id"] for each in made]
        assert all(isinstance(json.loads(each["function"]["arguments"]), dict) for each in made)
    assert not waiting


def _pairs_responses(body: dict[str, Any]) -> None:
    items = [item for item in body["input"] if isinstance(item, dict)]
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert called == answered
    assert len(set(called)) == len(called)


def _pairs_anthropic(body: dict[str, Any]) -> None:
    roles = [message["role"] for message in body["messages"]]
    assert all(first != second for first, second in pairwise(roles))
    assert not roles or roles[0] == "user"
    waiting: list[str] = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        assert [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"] == waiting
        waiting = [each["id"] for each in blocks if each["type"] == "tool_use"]
    assert not waiting


def _pairs_gemini(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    for content in body["contents"]:
        assert [p["functionResponse"]["name"] for p in content["parts"] if "functionResponse" in p] == waiting
        waiting = [p["functionCall"]["name"] for p in content["parts"] if "functionCall" in p]
    assert not waiting


def _pairs_ollama(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting
        waiting = [each["id"] for each in message.get("tool_calls", ())]
        assert all(isinstance(each["function"]["arguments"], dict) for each in message.get("tool_calls", ()))
    assert not waiting


_CHECKS = {
    "openai": _pairs_openai,
    "openai-responses": _pairs_responses,
    "anthropic": _pairs_anthropic,
    "gemini": _pairs_gemini,
    "ollama": _pairs_ollama,
}


@pytest.mark.parametrize("style", _CHECKS)
@given(messages=conversations)
def test_every_style_can_send_a_repaired_conversation(style: str, messages: list[ChatMessage]) -> None:
    request = ChatRequest(repair([*messages, user("go on")]).messages)
    body = codec_for(style).encode(request, "a-model", stream=True)
    json.dumps(body).encode()
    _CHECKS[style](body)
