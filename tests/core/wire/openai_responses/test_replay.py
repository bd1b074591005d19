"""Answers that were decoded, as they go back to the server: whole, in order, paired."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
)
from rillet.core.wire.openai_responses import OpenAiResponses, ResponsesDecoder
from support.corpus import Case, corpus
from support.replay import replay

THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
BARE = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
RAW = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}


OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def kept(index: int, **item: Any) -> dict[str, Any]:
    return {"responses": {"index": index, "item": item}}


def thought(item: dict[str, Any], index: int = 0) -> ReasoningPart:
    return ReasoningPart("hm", provider_metadata=kept(index, **item))


def said(index: int = 1, **item: Any) -> TextPart:
    return TextPart("yes", provider_metadata=kept(index, **item))


def block(item: dict[str, Any], index: int = 1) -> OpaquePart:
    return OpaquePart("openai-responses", item, provider_metadata={"responses": {"index": index}})


CALL = ToolCallPart("call_1", "f", '{"a": 1}', provider_metadata=kept(2, id="fc_1", namespace="n"))


def message(text: str = "yes", **fields: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {**fields, "type": "message", "role": "assistant", "content": content}


def call(**fields: Any) -> dict[str, Any]:
    return {**fields, "type": "function_call", "call_id": "call_1", "name": "f", "arguments": '{"a": 1}'}


def items(*parts: Part, after: tuple[ChatMessage, ...] = ()) -> list[dict[str, Any]]:
    request = ChatRequest((ChatMessage("assistant", parts), *after))
    encoded: list[dict[str, Any]] = OpenAiResponses().encode(request, "m", stream=True)["input"]
    return [item for item in encoded if item["type"] not in OUTPUTS]


def test_an_answer_goes_back_whole() -> None:
    assert items(thought(THOUGHT), said(id="msg_1", phase="commentary"), CALL) == [
        THOUGHT,
        message(id="msg_1", phase="commentary", status="completed"),
        call(id="fc_1", namespace="n"),
    ]


def test_an_answer_of_another_provider_goes_back_as_text_and_calls() -> None:
    parts = (
        ReasoningPart("hm", provider_metadata={"reasoning_field": "reasoning"}),
        TextPart("yes", provider_metadata={"annotations": [{"type": "url_citation", "url_citation": {}}]}),
        ToolCallPart("call_1", "f", '{"a": 1}', provider_metadata={"extra_content": {}}),
        ImagePart(b"i"),
        OpaquePart("anthropic", {"type": "server_tool_use"}),
        OpaquePart("openai-responses", {"no": "type"}),
    )
    assert items(*parts) == [message(), call()]


def test_sources_go_back_with_their_text() -> None:
    source = {"type": "url_citation", "url": "https://x.test", "start_index": 0, "end_index": 3}
    (sent,) = items(TextPart("yes", provider_metadata=kept(0, id="msg_1") | {"annotations": [source]}))
    assert sent["content"] == [{"type": "output_text", "text": "yes", "annotations": [source]}]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [('{"x": 1}', '{"x": 1}'), ("", "{}"), ('"{\\"x\\":1}"', '{"x":1}'), ('{"x": "unfin', "{}"), ("[1]", "{}")],
)
def test_arguments_are_always_sent_as_an_object(arguments: str, sent: str) -> None:
    assert items(ToolCallPart("a", "f", arguments))[0]["arguments"] == sent


def test_the_input_of_a_custom_tool_is_sent_as_it_is() -> None:
    custom = ToolCallPart("a", "sql", "SELECT", provider_metadata=kept(0, id="ct_1", type="custom_tool_call"))
    assert items(custom) == [
        {"type": "custom_tool_call", "id": "ct_1", "call_id": "a", "name": "sql", "input": "SELECT"}
    ]


def test_a_thought_in_the_clear_goes_back_too() -> None:
    assert items(thought(RAW), said(id="msg_1")) == [RAW, message(id="msg_1", status="completed")]


def test_a_thought_that_is_only_an_id_stays_away_and_its_followers_lose_theirs() -> None:
    assert items(thought(BARE), said(id="msg_1", phase="final_answer"), CALL) == [
        message(phase="final_answer"),
        call(namespace="n"),
    ]


def test_a_block_of_the_server_stays_away_with_its_thought() -> None:
    assert items(thought(BARE), block(SEARCH), said(2, id="msg_1")) == [message()]
    assert items(thought(THOUGHT), block(SEARCH), said(2, id="msg_1")) == [
        THOUGHT,
        SEARCH,
        message(id="msg_1", status="completed"),
    ]


def test_a_whole_thought_mends_what_a_bare_one_tore() -> None:
    second = THOUGHT | {"id": "rs_2"}
    assert items(thought(BARE), block(SEARCH), thought(second, 2), said(3, id="msg_1")) == [
        second,
        message(id="msg_1", status="completed"),
    ]


def test_a_thought_without_its_follower_stays_away() -> None:
    assert items(thought(THOUGHT)) == []
    assert items(thought(THOUGHT), TextPart("", provider_metadata=kept(1, id="msg_1"))) == []
    assert items(CALL, thought(THOUGHT, 3)) == [call(id="fc_1", namespace="n")]


def test_a_thought_that_was_closed_late_goes_back_in_its_place() -> None:
    assert items(ReasoningPart("hm"), said(id="msg_1"), CALL, thought(RAW)) == [
        RAW,
        message(id="msg_1", status="completed"),
        call(id="fc_1", namespace="n"),
    ]


def test_of_a_thought_that_was_closed_twice_the_later_counts() -> None:
    for first in (BARE, RAW):
        assert items(thought(first), said(id="msg_1"), thought(THOUGHT)) == [
            THOUGHT,
            message(id="msg_1", status="completed"),
        ]


def test_a_call_of_the_server_s_tool_that_nobody_answered_stays_away_with_its_thought() -> None:
    shell = {"type": "local_shell_call", "call_id": "call_9", "action": {}}
    output = OpaquePart("openai-responses", {"type": "local_shell_call_output", "call_id": "call_9", "output": ""})
    assert items(thought(THOUGHT), block(shell)) == []
    assert items(thought(THOUGHT), block(shell), after=(ChatMessage("tool", (output,)),)) == [THOUGHT, shell]
    assert items(block(shell), after=(ChatMessage.tool("call_9", "ok"),)) == [shell]


def test_calls_that_the_server_answers_itself_go_back() -> None:
    search = {"type": "tool_search_call", "call_id": None, "execution": "server"}
    shell = {"type": "shell_call", "call_id": "call_9"}
    output = {"type": "shell_call_output", "call_id": "call_9"}
    assert items(block(search, 0), block(shell, 1), block(output, 2)) == [search, shell, output]


def test_an_image_goes_back_as_the_call_that_made_it() -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed"}
    assert items(ImagePart(b"\x01\x02\x03", provider_metadata=kept(0, **item))) == [{**item, "result": "AQID"}]


@pytest.mark.parametrize(("model", "kinds"), [("gpt-5", ["reasoning", "message"]), ("gpt-4.1", ["message"])])
def test_a_thought_goes_to_no_model_that_does_not_think(model: str, kinds: list[str]) -> None:
    request = ChatRequest((ChatMessage("assistant", (thought(THOUGHT), said(id="msg_1"))),))
    sent = OpenAiResponses().encode(request, model, stream=True)["input"]
    assert [item["type"] for item in sent] == kinds
    assert ("id" in sent[-1]) == (len(kinds) > 1)


@pytest.mark.parametrize(("model", "longest"), [("gpt-5", 64), ("grok-4", 100)])
def test_ids_and_names_are_made_to_fit_openai_alone(model: str, longest: int) -> None:
    messages = (ChatMessage("assistant", (ToolCallPart("x" * 100, "a.b", "{}"),)), ChatMessage.tool("x" * 100, "1"))
    made, output = OpenAiResponses().encode(ChatRequest(messages), model, stream=True)["input"]
    assert len(made["call_id"]) == longest
    assert output["call_id"] == made["call_id"]
    assert made["name"] == ("a_b" if model == "gpt-5" else "a.b")


@corpus("openai_responses", "azure", "xai", "lmstudio", "openrouter", "deepseek", "llamacpp", api="responses")
def test_a_recorded_answer_goes_back_as_it_came(case: Case) -> None:
    """Item for item, but for calls that nobody answered, the thoughts before them, and messages without text.

    Several were recorded with a server that stored the answer; encrypted content is added, as without storage.
    """
    events = [json.loads(line[6:]) for line in case.content.decode().split("\n") if line.startswith("data: {")]
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    for item in done:
        if item["type"] == "reasoning" and not item.get("content"):
            item["encrypted_content"] = item.get("encrypted_content") or "gAAA"
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events if event["type"] != "response.completed")

    sent = items(*replay(ResponsesDecoder(), [body.encode()]).response.message.parts)

    for item in sent:
        original = next(other for other in done if gist(other) == gist(item))
        done.remove(original)
        differing = {key for key in item if key in original and item[key] != original[key]}
        assert differing <= {"id", "content"}  # ids that rotate; log probabilities
    kinds = {item["type"] for item in done if item["type"] != "message" or gist(item)[0] != [""]}
    assert kinds in (set(), {"apply_patch_call"}, {"local_shell_call", "reasoning"})


def gist(item: dict[str, Any]) -> Any:
    """What an item says, whatever its id."""
    texts = [part.get("text") for part in item.get("content") or [] if item["type"] == "message"]
    keys = ("type", "call_id", "name", "arguments", "input", "action", "result", "encrypted_content", "server_label")
    return texts, [item.get(key) for key in keys]
