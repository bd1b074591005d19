"""What one event of a Responses stream costs: ``python tests/bench/responses_decode.py [capture.sse …]``.

Without arguments it makes streams of text and of arguments in the shape of OpenAI's. Per event, best of several passes:
msgspec into a type, msgspec into dicts; then the whole way from bytes to deltas, in reads of 16 KB.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.wire.openai_responses import ResponsesDecoder
from rillet.core.wire.openai_responses.event import decode_piece
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Callable

READ = 16 * 1024
PASSES = 15
MIN_EVENTS = 5000


def made_stream(kind: str, delta: str) -> bytes:
    """Events with the fields that OpenAI sends."""
    event = {
        "type": f"response.{kind}.delta",
        "content_index": 0,
        "delta": delta,
        "item_id": "msg_00592e63e61b66660169fab1bada8481a28ef92eb62c168ead",
        "logprobs": [],
        "obfuscation": "mZhSFjZXJr0X",
        "output_index": 0,
        "sequence_number": 4,
    }
    line = f"event: {event['type']}\ndata: {json.dumps(event, separators=(',', ':'))}\n\n"
    return line.encode() * MIN_EVENTS


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
    texts = [event.data for event in SseDecoder().feed(body) if '"response.completed"' not in event.data]
    pieces = [text for text in texts if is_piece(text)]
    times = MIN_EVENTS // len(texts) + 1
    sample = (pieces or texts) * times
    decode: Callable[[str], Any] = decode_piece if pieces else msgspec.json.decode

    # Events that end something are left out, so that the same decoder takes the answer again and again.
    whole = "".join(f"data: {text}\n\n" for text in pieces or texts).encode() * times
    reads = [whole[at : at + READ] for at in range(0, len(whole), READ)]

    def to_deltas() -> None:
        decoder = ResponsesDecoder()
        for read in reads:
            decoder.feed(read)

    figures = {
        "type": microseconds(lambda: [decode(text) for text in sample], len(sample)),
        "dict": microseconds(lambda: [msgspec.json.decode(text) for text in sample], len(sample)),
        "bytes to deltas": microseconds(to_deltas, len(sample)),
    }
    shown = "  ".join(f"{label} {value:5.2f}" for label, value in figures.items())
    print(f"{name:44} {len(pieces):4}/{len(texts):4} pieces   µs per event: {shown}")


if __name__ == "__main__":
    measure("made: text", made_stream("output_text", " word"))
    measure("made: arguments", made_stream("function_call_arguments", '"a":1,'))
    for argument in sys.argv[1:]:
        measure("/".join(Path(argument).parts[-2:]), Path(argument).read_bytes())
