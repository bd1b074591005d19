"""Recorded answers of Ollama, against what a client should make of them, cut in every way."""

from __future__ import annotations

from typing import Any

from rillet.core.wire.ollama import OllamaDecoder
from support.corpus import Case, corpus, cuts
from support.replay import expected, replay, summary

answers = corpus("ollama", "quirks", api="ollama")
generated = corpus("ollama", api="ollama_generate")


def without_spelling(facts: dict[str, Any]) -> dict[str, Any]:
    """Arguments come as an object here: how its text is spelled is nobody's to say."""
    for call in facts["tool_calls"]:
        del call["arguments_raw"]
    return facts


@answers
def test_a_recorded_answer_means_what_it_should(case: Case) -> None:
    outcome = replay(OllamaDecoder(), [case.content])

    assert without_spelling(summary(outcome)) == without_spelling(expected(case.expect))
    if case.expect["model"] is not None and outcome.failure is None:
        assert outcome.response.model == case.expect["model"]
    if outcome.failure is not None:
        assert outcome.failure.message == case.expect["error"]["message"]
        assert outcome.failure.retryable == case.expect["error"]["retryable"]


@answers
def test_a_recorded_answer_means_the_same_however_it_is_cut(case: Case) -> None:
    whole = replay(OllamaDecoder(), [case.content])
    for reads in cuts(case.content):
        outcome = replay(OllamaDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@generated
def test_the_older_generate_is_read_too(case: Case) -> None:
    assert summary(replay(OllamaDecoder(), [case.content])) == expected(case.expect)
