"""Recorded answers of the Gemini API and of Vertex AI, against what a client should make of them, cut in every way.

The corpus also holds the Interactions API, which is another style: those cases are left out by their ``api``.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rillet.core.types import OpaquePart, ToolCallDelta
from rillet.core.wire.gemini import Gemini, GeminiDecoder
from support.corpus import ABSENT, Case, cases, corpus, cuts
from support.replay import expected, replay, summary

gemini = corpus("gemini", "quirks", api="gemini")
absent = pytest.param(None, id="no-corpus", marks=pytest.mark.skip(reason=ABSENT))
errors = pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.id)
        for case in cases("errors")
        if case.expect["name"].startswith(("gemini_4", "gemini_5", "vertex_"))
    ]
    or [absent],
)


@gemini
def test_a_recorded_answer_means_what_it_should(case: Case) -> None:
    outcome = replay(GeminiDecoder(), [case.content])

    wanted, found = expected(case.expect), summary(outcome)
    for calls in (wanted["tool_calls"], found["tool_calls"]):
        for call in calls:  # an object has no spelling of its own
            call["arguments_raw"] = json.loads(call["arguments_raw"])
    if wanted["incomplete"]:
        wanted["kind"] = "network"
    if case.id == "quirks/gem_stop_no_parts":
        wanted["usage_norm"]["output_total"] = 0  # the expectation has only what was sent; the total tells more
    assert found == wanted
    assert outcome.response.model == (case.expect["model"] or outcome.response.model)
    error = case.expect["error"] or {}
    if outcome.failure is not None and error:
        assert outcome.failure.message == error["message"]
        assert (outcome.failure.type, outcome.failure.code) == (error["type"], str(error["code"]))
        assert outcome.failure.retryable == error["retryable"]


@gemini
def test_everything_beside_the_text_is_kept(case: Case) -> None:
    outcome = replay(GeminiDecoder(), [case.content])
    parts = outcome.response.message.parts
    extra = case.expect.get("extra") or {}

    kept = [part.provider_metadata or {} for part in parts]
    kept += [{"gemini": part.data} for part in parts if isinstance(part, OpaquePart)]
    signatures = [fields["gemini"]["thoughtSignature"] for fields in kept if "thoughtSignature" in gemini_of(fields)]
    opaque = [key for part in parts if isinstance(part, OpaquePart) for key in part.data if key.endswith(("Code", "t"))]
    sources = next((fields for fields in kept if "citationMetadata" in fields or "groundingMetadata" in fields), {})
    assert len(signatures) == extra.get("thought_signatures", len(signatures))
    assert all(json.dumps(signature).encode() in case.content for signature in signatures)
    assert [key for key in opaque if key in extra.get("other_parts", ())] == extra.get("other_parts", [])
    assert cited(sources) >= extra.get("citation_sources", 0)
    chunks = sources.get("groundingMetadata", {}).get("groundingChunks", [])
    assert len(chunks) == extra.get("grounding_chunks", len(chunks))
    if outcome.response.finish_reason in ("content_filter", "error"):
        said = extra.get("finish_message") or extra.get("block_message")
        assert outcome.response.refusal == (said or outcome.response.refusal)


@gemini
def test_a_recorded_answer_means_the_same_however_it_is_cut(case: Case) -> None:
    whole = replay(GeminiDecoder(), [case.content])
    for reads in cuts(case.content):
        outcome = replay(GeminiDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@gemini
def test_a_recorded_tool_call_is_one_delta(case: Case) -> None:
    deltas = [d for d in replay(GeminiDecoder(), [case.content]).deltas if isinstance(d, ToolCallDelta)]
    assert [delta.index for delta in deltas] == list(range(len(case.expect["tool_calls"])))


@gemini
def test_an_array_means_the_same_as_its_events(case: Case) -> None:
    """Without ``alt=sse`` the very same chunks come as the items of an array."""
    chunks = [line[6:].strip() for line in case.content.split(b"\n") if line.startswith(b"data: ")]
    if not chunks:
        return
    body = b"[" + b"\n,\r\n".join(chunks) + b"\n]\n"

    events = replay(GeminiDecoder(), [b"".join(b"data: %s\n\n" % chunk for chunk in chunks)])
    array = replay(GeminiDecoder(), [body])
    cut = replay(GeminiDecoder(), [body[: body.rindex(b"}")]])

    assert array.deltas == events.deltas
    assert events.response.text.startswith(cut.response.text)
    assert cut.response.text or len(chunks) == 1 or not events.response.text


@errors
def test_an_error_of_google_is_classified_as_expected(case: Case) -> None:
    error = case.expect["error"]
    failure = Gemini().decode_failure(case.status, case.headers, case.content)
    assert (failure.kind, failure.retryable) == (error["kind"], error["retryable"])
    assert failure.retry_after == error.get("retry_after", failure.retry_after)
    listed = replay(GeminiDecoder(), [b"data: [%s]\n\n" % case.content.replace(b"\n", b"").replace(b"\r", b"")])
    if case.headers["content-type"].startswith("application/json") and not case.content.startswith(b"["):
        assert listed.failure is not None
        assert listed.failure.kind == error["kind"]


def test_no_case_of_the_style_is_left_out() -> None:
    left_out = [case.id for case in cases("gemini") if case.expect["api"] != "gemini"]
    assert all("interactions" in id for id in left_out)


def gemini_of(fields: Any) -> dict[str, Any]:
    kept: dict[str, Any] = fields.get("gemini", {})
    return kept


def cited(sources: Any) -> int:
    found = sources.get("citationMetadata", {})
    return len(found.get("citations", found.get("citationSources", ())))
