"""Answers that one provider wrote, as they go to it and to another."""

from __future__ import annotations

from rillet.core.agent.trust import KEY, UNTRUSTED
from rillet.core.chat.lean import as_sent
from rillet.core.chat.plan import Plan
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ImagePart, OpaquePart, ReasoningPart, TextPart, ToolCallPart

PLAN = Plan(provider=Provider("here", "openai", "http://127.0.0.1:1/v1", default_model="m"))
ANSWER = ChatMessage(
    "assistant",
    (
        ReasoningPart("hm", provider_metadata={"reasoning_field": "reasoning_content"}),
        TextPart("yes", provider_metadata={"annotations": [], **UNTRUSTED}),
        ImagePart(b"i", provider_metadata={"image_field": "images"}),
        OpaquePart("openai", {"type": "block"}),
        ToolCallPart("a", "f", "{}", provider_metadata={"extra_content": {"google": {"thought_signature": "x"}}}),
    ),
)
PLAIN = ChatMessage(
    "assistant",
    (
        ReasoningPart("hm"),
        TextPart("yes", provider_metadata={KEY: {"untrusted": True}}),
        ImagePart(b"i"),
        ToolCallPart("a", "f", "{}"),
    ),
)


def test_what_a_provider_attached_for_itself_goes_back_to_it_alone() -> None:
    for is_last in (True, False):
        assert as_sent(ANSWER, PLAN, is_last=is_last, by="here") == ANSWER
        assert as_sent(ANSWER, PLAN, is_last=is_last, by="there") == PLAIN


def test_an_answer_of_nobody_knows_whom_stays_as_it_is() -> None:
    assert as_sent(ANSWER, PLAN, is_last=False) == ANSWER
