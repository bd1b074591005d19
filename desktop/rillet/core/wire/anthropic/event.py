"""The one event that comes often: the next piece of a block.

Pure. Above: nothing. Below: ``decode``. Text, thinking and tool arguments are recognised by their type alone; every
other event, and every piece that is not quite so, is read as a dict with all tolerance. A typed piece decodes
in half the time of a dict, and what follows is one comparison of types (``tests/bench/anthropic_decode.py``).
"""

from __future__ import annotations

from typing import Literal

import msgspec


class TextPiece(msgspec.Struct, tag_field="type", tag="text_delta", gc=False):
    """More text."""

    text: str


class ThinkingPiece(msgspec.Struct, tag_field="type", tag="thinking_delta", gc=False):
    """More thinking."""

    thinking: str


class InputPiece(msgspec.Struct, tag_field="type", tag="input_json_delta", gc=False):
    """More arguments of a tool, client's or server's."""

    partial_json: str


class Piece(msgspec.Struct, gc=False):
    """The next piece of the block at ``index``. (A tag may be absent; this type may not.)"""

    type: Literal["content_block_delta"]
    index: int
    delta: TextPiece | ThinkingPiece | InputPiece


decode_piece = msgspec.json.Decoder(Piece).decode
"""Raises ``msgspec.MsgspecError`` or ``RecursionError`` for everything else."""
