"""What an event of a Responses stream looks like: the common one as a type, the others as tables.

Pure. Above: nothing. Below: ``items``, ``decode``. An event that brings the next piece of something, as nearly every
event does, is recognised by its type alone: what fits ``Piece`` needs no second look, and what does not is read as a
dict with all tolerance (``tests/bench/responses_decode.py`` has the figures).

Reference: https://platform.openai.com/docs/api-reference/responses-streaming.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec


class Piece(msgspec.Struct, gc=False):
    """The next piece of text, refusal, reasoning or arguments. Fields that do not matter (padding, counts) are skipped.

    llama.cpp sends no ``output_index``; GitHub Copilot invents a new ``item_id`` for every event.
    """

    type: Literal[
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_text.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
        "response.custom_tool_call_input.delta",
    ]
    delta: str
    output_index: int | None = None
    item_id: str | None = None
    content_index: int = 0
    summary_index: int = 0


decode_piece = msgspec.json.Decoder(Piece).decode
"""Raises ``msgspec.MsgspecError`` or ``RecursionError`` for everything that is no piece."""

PIECES: Final = {
    "response.output_text.delta": ("message", "output_text"),
    "response.refusal.delta": ("message", "refusal"),
    "response.reasoning_text.delta": ("reasoning", "reasoning_text"),
    "response.reasoning_summary_text.delta": ("reasoning", "summary_text"),
    "response.function_call_arguments.delta": ("function_call", "arguments"),
    "response.custom_tool_call_input.delta": ("custom_tool_call", "input"),
    # Earlier names of the same, still sent by gateways.
    "response.reasoning.delta": ("reasoning", "reasoning_text"),
    "response.reasoning_summary.delta": ("reasoning", "summary_text"),
}
"""Event → the kind of item, and which of its texts grows."""

WHOLES: Final = {
    "response.output_text.done": ("message", "output_text", "text"),
    "response.refusal.done": ("message", "refusal", "refusal"),
    "response.reasoning_text.done": ("reasoning", "reasoning_text", "text"),
    "response.reasoning_summary_text.done": ("reasoning", "summary_text", "text"),
    "response.function_call_arguments.done": ("function_call", "arguments", "arguments"),
    "response.custom_tool_call_input.done": ("custom_tool_call", "input", "input"),
}
"""Event → the kind of item, which of its texts is told again whole, and in which field."""

TERMINAL: Final = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}
"""The events that end an answer, and the status they stand for."""

ERRORS: Final = frozenset(("error", "response.error"))


def status_of(kind: str, value: dict[str, Any]) -> str | None:
    """How the answer ended, or None when this event does not end it.

    ``response.done`` takes the place of the other three at Codex endpoints (can1357/oh-my-pi#4692,
    decolua/9router#2142); elsewhere it means nothing, so only its status counts.
    """
    answer = value.get("response")
    told = answer.get("status") if isinstance(answer, dict) else None
    if kind == "response.done" or (kind in TERMINAL and told in ("incomplete", "failed")):
        return told if told in TERMINAL.values() else None
    return TERMINAL.get(kind)


def is_answer(value: dict[str, Any]) -> bool:
    """Whether this is a whole response, as a server sends it that does not stream."""
    return isinstance(value.get("output"), list) or (value.get("object") == "response" and "status" in value)


def is_chat(value: dict[str, Any]) -> bool:
    """Whether this belongs to Chat Completions: the address serves the other style (vercel/ai@1ead90c)."""
    return isinstance(value.get("choices"), list) or str(value.get("object")).startswith("chat.completion")
