"""Recorded answers of a dozen servers, against what a client should make of them, cut in every way."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from rillet.core.wire.fold import fold
from rillet.core.wire.openai_chat import ChatDecoder
from support.corpus import ABSENT, ROOT, Case, corpus, cuts
from support.replay import expected, replay, summary

FOLDERS = (
    "quirks",
    "openai",
    "azure",
    "deepseek",
    "groq",
    "mistral",
    "openrouter",
    "vllm",
    "xai",
    "llamacpp",
    "compat",
    "gemini_openai",
)

chat = corpus(*FOLDERS, api="chat")
completions = corpus("openai", "vllm", "llamacpp", api="completions")


def local_answers() -> list[Any]:
    """Chat answers of the built-in model: (request, body)."""
    found = []
    for path in sorted((ROOT / "local-model").glob("*.request.json")):
        name = path.name.removesuffix(".request.json")
        status = (path.parent / f"{name}.headers.txt").read_text(encoding="utf-8").split()[1]
        body = (path.parent / f"{name}.sse").read_bytes()
        if status == "200" and b'"chat.completion' in body:
            found.append(pytest.param(json.loads(path.read_text(encoding="utf-8")), body, id=name))
    if not found:
        assert not ROOT.is_dir()
        found = [pytest.param(None, b"", id="no-corpus", marks=pytest.mark.skip(reason=ABSENT))]
    return found


@chat
def test_a_recorded_answer_means_what_it_should(case: Case) -> None:
    outcome = replay(ChatDecoder(), [case.content])

    wanted = expected(case.expect)
    found = summary(outcome)
    if case.expect["usage"] is None and b'"timings"' in case.content:
        del wanted["usage_norm"], found["usage_norm"]  # the expectation counts only what is called usage
    assert found == wanted
    error = case.expect["error"] or {}
    if outcome.failure is not None:
        assert error.get("message") is None or outcome.failure.message.startswith(error["message"][:500])
        assert outcome.failure.retryable == error.get("retryable", outcome.failure.retryable)
    extra = case.expect.get("extra", {})
    assert outcome.response.refusal == extra.get("refusal")


@chat
def test_a_recorded_answer_means_the_same_however_it_is_cut(case: Case) -> None:
    whole = replay(ChatDecoder(), [case.content])
    for reads in cuts(case.content):
        outcome = replay(ChatDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@chat
def test_think_tags_move_only_a_leading_thought(case: Case) -> None:
    wanted = expected(case.expect)
    tagged = re.match(r"\s*<think>\s*(.*?)</think>\s*(.*)", case.expect["text"], re.DOTALL)
    if tagged:
        wanted["reasoning"] += tagged[1]
        wanted["text"] = tagged[2]

    found = summary(replay(ChatDecoder(think_tags=True), [case.content]))

    assert (found["text"], found["reasoning"]) == (wanted["text"], wanted["reasoning"])
    assert found["tool_calls"] == wanted["tool_calls"]


@completions
def test_the_older_completions_are_read_too(case: Case) -> None:
    found = summary(replay(ChatDecoder(), [case.content]))

    assert found["text"] == case.expect["text"]
    assert found["finish"] == case.expect["finish"]["norm"]


@corpus("openai", api="chat")
def test_all_choices_are_kept_apart(case: Case) -> None:
    choices = case.expect.get("extra", {}).get("choices")
    if choices is None:
        choices = {"0": {"text": case.expect["text"]}}
    decoder = ChatDecoder()

    first = replay(decoder, [case.content]).response.text

    others = {str(index): fold(deltas).text for index, deltas in decoder.alternatives().items()}
    assert {"0": first} | others == {index: choice["text"] for index, choice in choices.items()}


@pytest.mark.parametrize(("request_body", "body"), local_answers())
def test_the_built_in_model_is_understood(request_body: dict[str, Any], body: bytes) -> None:
    outcome = replay(ChatDecoder(), [body])

    assert outcome.failure is None
    assert outcome.response.text == naive_text(body, stream=request_body.get("stream", False))
    assert outcome.response.finish_reason in ("stop", "length", "tool_calls")
    assert not outcome.response.incomplete


def naive_text(body: bytes, *, stream: bool) -> str:
    """The text as the shortest possible reader finds it."""
    if not stream:
        return str(json.loads(body)["choices"][0]["message"]["content"] or "")
    chunks = [json.loads(line[6:]) for line in body.split(b"\n") if line.startswith(b"data: {")]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)
