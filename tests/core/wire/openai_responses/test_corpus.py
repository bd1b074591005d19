"""Recorded answers of eight servers, against what a client should make of them, cut in every way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rillet.core.types import ImagePart, OpaquePart, Part, ReasoningPart
from rillet.core.wire.openai_responses import ResponsesDecoder
from support.corpus import ABSENT, ROOT, Case, cases, corpus, cuts
from support.replay import expected, replay, summary

FOLDERS = ("openai_responses", "azure", "xai", "lmstudio", "openrouter", "deepseek", "llamacpp", "quirks")

responses = corpus(*FOLDERS, api="responses")


@responses
def test_a_recorded_answer_means_what_it_should(case: Case) -> None:
    outcome = replay(ResponsesDecoder(), [case.content])

    wanted = expected(case.expect)
    for call in wanted["tool_calls"]:
        call.pop("custom", None)
    assert summary(outcome) == wanted
    error = case.expect["error"] or {}
    if outcome.failure is not None:
        assert outcome.failure.message == error.get("message", outcome.failure.message)
        assert outcome.failure.code == error.get("code", outcome.failure.code)
        assert outcome.failure.retryable == error.get("retryable", outcome.failure.retryable)
    extra = case.expect.get("extra") or {}
    assert outcome.response.refusal == extra.get("refusal")
    if outcome.failure is not None:
        assert outcome.failure.retry_after == extra.get("retry_after")
    parts = outcome.response.message.parts
    assert [kind for part in parts if (kind := server_item(part))] == extra.get("server_items", [])
    sealed = [len(text) for part in parts if (text := encrypted(part))]
    assert sealed == extra.get("encrypted_reasoning_lengths", sealed)
    if "messages" in extra:
        assert [part.text for part in parts if hasattr(part, "text")] == extra["messages"]


@responses
def test_a_recorded_answer_means_the_same_however_it_is_cut(case: Case) -> None:
    whole = replay(ResponsesDecoder(), [case.content])
    for reads in cuts(case.content):
        outcome = replay(ResponsesDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@responses
def test_think_tags_change_nothing_where_there_are_none(case: Case) -> None:
    plain, split = (replay(ResponsesDecoder(think_tags=tags), [case.content]) for tags in (False, True))
    assert summary(split) == summary(plain)


@responses
def test_an_answer_without_its_items_told_again_means_the_same(case: Case) -> None:
    """Servers tell everything up to four times; what is told last may be missing (``output`` empty)."""
    outcome = replay(ResponsesDecoder(), [case.content])
    lines = case.content.decode().split("\n")
    emptied = replay(ResponsesDecoder(), ["\n".join(map(without_output, lines)).encode()])
    if case.id != "quirks/resp_output_only_in_completed":
        assert summary(emptied) == summary(outcome)


def whole_answers() -> list[Any]:
    """Streams whose last event holds the answer once more."""
    found = [
        pytest.param(case, answer, id=case.id)
        for case in cases(*FOLDERS, api="responses")
        if (answer := last_answer(case.content)) and answer.get("output")
    ]
    return found or [pytest.param(None, None, id="no-corpus", marks=pytest.mark.skip(reason=ABSENT))]


def last_answer(body: bytes) -> dict[str, Any] | None:
    """What the event that ends the answer holds."""
    found = None
    for line in body.decode().split("\n"):
        if line.startswith("data: {") and (value := json.loads(line[6:])).get("type") in (
            "response.completed",
            "response.incomplete",
        ):
            found = value["response"]
    return found


@pytest.mark.parametrize(("case", "answer"), whole_answers())
def test_the_last_event_alone_means_the_same_as_the_stream(case: Case, answer: dict[str, Any]) -> None:
    """The body of a server that does not stream is what ``response.completed`` holds."""
    stream = replay(ResponsesDecoder(), [case.content])
    alone = replay(ResponsesDecoder(), [json.dumps(answer, indent=1).encode()])

    assert summary(alone) == summary(stream)
    kinds = [
        [type(part) for part in outcome.response.message.parts if not isinstance(part, ReasoningPart)]
        for outcome in (stream, alone)
    ]
    assert kinds[0] == kinds[1]


def local_answers() -> list[Any]:
    """The bodies of the built-in model in this style."""
    bodies = [
        path for path in sorted((ROOT / "local-model").glob("*.sse")) if b"response.completed" in path.read_bytes()
    ]
    if not bodies:
        assert not ROOT.is_dir()
        return [pytest.param(b"", id="no-corpus", marks=pytest.mark.skip(reason=ABSENT))]
    return [pytest.param(path.read_bytes(), id=path.stem) for path in bodies]


@pytest.mark.parametrize("body", local_answers())
def test_the_built_in_model_is_understood(body: bytes) -> None:
    outcome = replay(ResponsesDecoder(think_tags=True), [body])

    answer = last_answer(body)
    assert answer is not None
    assert outcome.failure is None
    assert outcome.response.text == answer["output"][0]["content"][0]["text"]
    assert outcome.response.finish_reason == "stop"
    assert outcome.response.usage is not None
    assert outcome.response.usage.total_tokens == answer["usage"]["total_tokens"]


def without_output(line: str) -> str:
    """The line of the last event with an empty list of items."""
    if not line.startswith("data: {") or '"response.completed"' not in line:
        return line
    value = json.loads(line[6:])
    value["response"]["output"] = []
    return f"data: {json.dumps(value)}"


def server_item(part: Part) -> str | None:
    """The type of a block that is the server's own affair."""
    if isinstance(part, OpaquePart):
        return str(part.data["type"])
    kept = (part.provider_metadata or {}).get("responses", {}).get("item", {})
    return str(kept["type"]) if isinstance(part, ImagePart) else None


def encrypted(part: Part) -> str | None:
    """The encrypted content of a thought."""
    if not isinstance(part, ReasoningPart):
        return None
    kept = (part.provider_metadata or {}).get("responses", {}).get("item", {})
    content: str | None = kept.get("encrypted_content")
    return content
