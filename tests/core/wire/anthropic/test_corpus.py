"""Recorded answers of Anthropic, DeepSeek and llama.cpp against what a client should make of them, and of it again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rillet.core.types import ChatMessage, ChatRequest, ChatResponse, OpaquePart
from rillet.core.wire.anthropic import AnthropicMessages, MessagesDecoder
from support.corpus import ABSENT, ROOT, Case, corpus, cuts
from support.replay import expected, replay, summary

messages = corpus("anthropic", "quirks", "llamacpp", api="anthropic")
errors = corpus("errors")


@messages
def test_a_recorded_answer_means_what_it_should(case: Case) -> None:
    outcome = replay(MessagesDecoder(), [case.content])

    assert summary(outcome) == expected(case.expect)
    error = case.expect["error"] or {}
    if outcome.failure is not None:
        assert error.get("message") is None or outcome.failure.message == error["message"]
        assert outcome.failure.retryable == error.get("retryable", outcome.failure.retryable)
    extra = case.expect.get("extra") or {}
    if not outcome.response.incomplete:
        assert outcome.response.model == (case.expect.get("model") or outcome.response.model)
        assert outcome.response.refusal == extra.get("stop_details", {}).get("explanation")


@messages
def test_a_recorded_answer_means_the_same_however_it_is_cut(case: Case) -> None:
    whole = replay(MessagesDecoder(), [case.content])
    for reads in cuts(case.content):
        outcome = replay(MessagesDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@messages
def test_a_recorded_answer_goes_back_as_it_came(case: Case) -> None:
    response = replay(MessagesDecoder(), [case.content]).response
    if response.incomplete:
        return
    assert sent_back(response) == naive_blocks(case.content)


@messages
def test_a_recorded_answer_means_the_same_as_one_value(case: Case) -> None:
    streamed = replay(MessagesDecoder(), [case.content])
    if streamed.response.incomplete:
        return
    value = naive_message(case.content)
    for body in (json.dumps(value).encode(), json.dumps(value, indent=1).encode().replace(b"\n", b"\r\n\r\n")):
        whole = replay(MessagesDecoder(), [body])
        assert whole.failure is None
        assert sent_back(whole.response) == sent_back(streamed.response)
        assert (whole.response.usage, whole.response.finish_reason) == (
            streamed.response.usage,
            streamed.response.finish_reason,
        )


@errors
def test_a_recorded_error_of_anyone_is_of_its_kind(case: Case) -> None:
    failure = AnthropicMessages().decode_failure(case.status, case.headers, case.content)

    error = case.expect["error"]
    assert (failure.kind, failure.retryable) == (error["kind"], error["retryable"])
    assert failure.retry_after == error.get("retry_after")
    assert failure.type == error["type"]


@pytest.mark.skipif(not ROOT.is_dir(), reason=ABSENT)
def test_the_built_in_model_is_understood() -> None:
    body = (ROOT / "local-model" / "anthropic-messages.sse").read_bytes()
    outcome = replay(MessagesDecoder(), [body])

    assert outcome.failure is None
    assert outcome.response.text == "".join(block["text"] for block in naive_blocks(body))
    assert outcome.response.finish_reason == "length"
    usage = outcome.response.usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (33, 32, 12)


def sent_back(response: ChatResponse) -> list[dict[str, Any]]:
    """The answer as it goes into the next request, with results for its calls."""
    conversation = [ChatMessage.user("Hi"), response.message]
    if not any(is_open(part) for part in response.message.parts):  # else the provider goes on with it
        conversation.append(ChatMessage.user("Go on"))
    body = AnthropicMessages().encode(ChatRequest(conversation), "claude-x", stream=False)
    turns = [turn for turn in body["messages"] if turn["role"] == "assistant"]
    content = turns[0]["content"] if turns else []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def is_open(part: object) -> bool:
    return isinstance(part, OpaquePart) and part.data["type"] == "server_tool_use"


def naive_blocks(body: bytes) -> list[dict[str, Any]]:
    """The blocks of the message, without what the API does not take back: empty text, a null ``file_id``."""
    blocks = naive_message(body)["content"]
    for block in blocks:
        for citation in block.get("citations") or ():
            if citation.get("file_id", "") is None:
                del citation["file_id"]
        if not block.get("citations"):
            block.pop("citations", None)
    return [block for block in blocks if block.get("text") != ""]


def naive_message(body: bytes) -> dict[str, Any]:
    """The whole message, as the shortest possible reader of well-formed streams puts it together."""
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    pieces: dict[int, str] = {}
    for line in body.decode().split("\n"):
        if not line.startswith("data: {"):
            continue
        event = json.loads(line[6:])
        if event["type"] == "message_start" and event["message"]["id"] != message.get("id"):
            message = event["message"]
            blocks, pieces = {}, {}
        elif event["type"] == "content_block_start":
            block = blocks[event["index"]] = event["content_block"]
            if block["type"] == "thinking":
                block.setdefault("signature", "")
            if block["type"] == "tool_use":
                block.setdefault("input", {})
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            block = blocks[event["index"]]
            match delta["type"]:
                case "text_delta":
                    block["text"] += delta["text"]
                case "thinking_delta":
                    block["thinking"] += delta["thinking"]
                case "signature_delta":
                    block["signature"] += delta["signature"]
                case "input_json_delta":
                    pieces[event["index"]] = pieces.get(event["index"], "") + delta["partial_json"]
                case "citations_delta":
                    block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
                case "compaction_delta":
                    block["content"] = (block["content"] or "") + delta["content"]
        elif event["type"] == "message_delta":
            message |= event["delta"]
            message["usage"] |= event["usage"]
    for index, text in pieces.items():
        if text:
            blocks[index]["input"] = parsed(text)
    return message | {"content": [blocks[index] for index in sorted(blocks)]}


def parsed(text: str) -> Any:
    """The arguments; of a call that was cut, none."""
    try:
        return json.loads(text)
    except ValueError:
        return {}
