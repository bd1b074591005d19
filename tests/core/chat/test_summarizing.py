"""A summary by a model: what it is given, in which pieces, and what a failure is."""

from __future__ import annotations

import pytest

from rillet.core.chat.summarizing import INSTRUCTION, LONGEST, SummaryFailed, summarize
from rillet.core.errors import AuthError, ContextLengthError
from rillet.core.token_estimate import estimate_tokens
from rillet.core.types import ChatMessage, FilePart, ImagePart, TextPart, ToolCallPart, ToolResultPart, Usage
from support.scripted import ScriptedModel, says

USAGE = Usage(prompt_tokens=30, completion_tokens=5)
OLD = [ChatMessage.user("Where is Faro?"), ChatMessage.assistant("In Portugal.")]


def asked(model: ScriptedModel, at: int = 0) -> str:
    return model.requests[at].messages[-1].text


async def test_a_model_is_given_the_conversation_as_text_and_what_it_says_is_the_summary() -> None:
    model = ScriptedModel(says("Faro is in Portugal.", usage=USAGE))
    counted: list[Usage | None] = []
    old = [
        ChatMessage.user("Look", ImagePart(b"png"), FilePart(b"a,b", media_type="text/csv", name="sums.csv")),
        ChatMessage("assistant", (TextPart("I will"), ToolCallPart("c", "read", '{"path": "x"}'))),
        ChatMessage("tool", (ToolResultPart("c", "z" * 90_000),)),
    ]
    assert await summarize(model, "m", old, note=lambda answer: counted.append(answer.usage)) == "Faro is in Portugal."
    [request] = model.requests
    assert (request.model, request.max_tokens, request.tools) == ("m", LONGEST, ())
    assert [message.role for message in request.messages] == ["user"]
    text = asked(model)
    assert text.startswith(INSTRUCTION)
    for part in ("User: Look\n[image]\n[sums.csv]\na,b", "Assistant: I will\n[calls read with", "Result of a tool: zz"):
        assert part in text
    assert len(text) < 10_000
    assert counted == [USAGE]


async def test_what_is_too_long_for_the_window_goes_piece_by_piece_each_after_the_summary_so_far() -> None:
    old = [ChatMessage.user(f"{number} " + "word " * 400) for number in range(6)]
    model = ScriptedModel(*(f"Summary {number}." for number in range(6)))
    summary = await summarize(model, None, old, window=2000)
    assert summary == f"Summary {len(model.requests) - 1}."
    assert len(model.requests) > 2
    assert "Summary of what came before:\n\nSummary 0." in asked(model, 1)
    assert all(estimate_tokens(asked(model, at)) < 2000 * 3 // 4 for at in range(len(model.requests)))
    assert all(any(f"User: {number} " in asked(model, at) for at in range(len(model.requests))) for number in range(6))


async def test_one_message_that_is_too_long_is_shortened_in_its_middle() -> None:
    model = ScriptedModel("Short.")
    await summarize(model, None, [ChatMessage.user("begin " + "word " * 9000 + "end")], window=2000)
    assert "User: begin" in asked(model)
    assert asked(model).endswith("end")
    assert "[…]" in asked(model)


async def test_where_even_that_is_refused_as_too_long_smaller_pieces_are_tried() -> None:
    model = ScriptedModel([ContextLengthError("too long")], "One.", "Two.", "Three.")
    old = [ChatMessage.user(f"{number} " + "word " * 5000) for number in range(3)]
    assert (await summarize(model, None, old)).endswith(".")
    assert len(asked(model, 1)) < len(asked(model, 0))


@pytest.mark.parametrize("script", [[AuthError("no")], "   ", [ContextLengthError("too long")] * 20])
async def test_a_model_that_fails_or_says_nothing_gives_no_summary(script: str | list[BaseException]) -> None:
    scripts = [[each] for each in script] if isinstance(script, list) else [script]
    with pytest.raises(SummaryFailed, match="could not be summarized"):
        await summarize(ScriptedModel(*scripts), None, OLD)


async def test_nothing_but_pictures_gives_no_empty_request() -> None:
    with pytest.raises(SummaryFailed):
        await summarize(ScriptedModel(), None, [ChatMessage("assistant", ())])
