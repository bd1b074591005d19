"""What a line of an answer looks like: the common one as a type, the others as predicates.

Pure. Above: nothing. Below: ``decode``. A line that adds nothing but text or reasoning, as nearly every line does, is
recognised by its type alone: what fits ``Plain`` needs no second look, and what does not is read as a dict with all
tolerance (``tests/bench/ollama_decode.py``).
"""

from __future__ import annotations

from typing import Any

import msgspec


class PlainMessage(msgspec.Struct, gc=False):
    """Text and reasoning."""

    content: str | None = None
    thinking: str | None = None
    images: tuple[()] | None = None
    tool_calls: tuple[()] | None = None


class Plain(msgspec.Struct, gc=False):
    """A line of text. Every other field of interest is declared empty; fields that do not matter are ignored."""

    message: PlainMessage
    model: str | None = None
    done: bool = False
    done_reason: None = None
    error: None = None
    prompt_eval_count: None = None
    eval_count: None = None


decode_plain = msgspec.json.Decoder(Plain).decode
"""Raises ``msgspec.MsgspecError`` or ``RecursionError`` for everything that is not plain."""


def is_chunk(value: Any) -> bool:
    """Whether a JSON value is a piece of an answer, of ``/api/chat`` or of ``/api/generate``."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("message"), dict) or isinstance(value.get("response"), str) or "done" in value
