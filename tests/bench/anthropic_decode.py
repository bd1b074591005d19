"""What one event of a Messages stream costs: ``python tests/bench/anthropic_decode.py [capture.sse …]``.

Without arguments it makes streams of text, thinking and tool arguments in the shape of Anthropic's. Per event, best of
several passes: msgspec into a type, msgspec into dicts; then the whole way from bytes to deltas, in reads of 16 KB.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rillet.core.wire.anthropic import MessagesDecoder
from rillet.core.wire.anthropic.event import decode_piece
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Callable

READ = 16 * 1024
PASSES = 15
MIN_EVENTS = 5000
MADE: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "text": ({"type": "text", "text": ""}, {"type": "text_delta", "text": " word"}),
    "thinking": ({"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": " hm"}),
    "arguments": (
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
        {"type": "input_json_delta", "partial_json": '"a": 1, '},
    ),
}


def event(value: dict[str, object]) -> bytes:
    """One event, padded with blanks as Anthropic pads."""
    return f"event: {value['type']}\ndata: {json.dumps(value, separators=(',', ':'))}         \n\n".encode()


def made_stream(block: dict[str, object], delta: dict[str, object]) -> bytes:
    """A block of many pieces, which goes on."""
    piece = event({"type": "content_block_delta", "index": 0, "delta": delta})
    return event({"type": "content_block_start", "index": 0, "content_block": block}) + piece * MIN_EVENTS


def microseconds(run: Callable[[], object], count: int) -> float:
    """The best pass, per event."""
    best = float("inf")
    for _ in range(PASSES):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def is_piece(data: str) -> bool:
    """Whether an event takes the fast path."""
    try:
        decode_piece(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def measure(name: str, body: bytes) -> None:
    """Print one line of figures."""
    texts = [event.data for event in SseDecoder().feed(body)]
    pieces = [text for text in texts if is_piece(text)]
    reads = [body[at : at + READ] for at in range(0, len(body), READ)]
    times = MIN_EVENTS // len(texts) + 1

    def to_deltas() -> None:
        for _ in range(times):
            decoder = MessagesDecoder()
            for read in reads:
                decoder.feed(read)

    sample = pieces * times
    figures = {
        "type": microseconds(lambda: [decode_piece(text) for text in sample], len(sample)),
        "dict": microseconds(lambda: [msgspec.json.decode(text) for text in sample], len(sample)),
        "bytes to deltas": microseconds(to_deltas, len(texts) * times),
    }
    shown = "  ".join(f"{label} {value:5.2f}" for label, value in figures.items())
    print(f"{name:44} {len(pieces):4}/{len(texts):4} pieces   µs per event: {shown}")


if __name__ == "__main__":
    for name, (block, delta) in MADE.items():
        measure(f"made: {name}", made_stream(block, delta))
    for argument in sys.argv[1:]:
        measure("/".join(Path(argument).parts[-2:]), Path(argument).read_bytes())
