"""What one chunk of a generateContent stream costs: ``python tests/bench/gemini_decode.py [capture.sse …]``.

Without arguments it makes a stream in the shape of Gemini's, counts with every chunk included. Per chunk, best of
several passes: msgspec into a type, msgspec into dicts, the standard library; then the whole way from bytes to deltas,
in reads of 16 KB.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.chat_decode import MIN_CHUNKS, READ, microseconds
from rillet.core.wire.gemini import GeminiDecoder
from rillet.core.wire.gemini.chunk import decode_plain
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Callable


def made_stream() -> bytes:
    """Text chunks with the fields that Google sends; the counts grow."""
    return b"".join(
        b"data: %s\r\n\r\n"
        % json.dumps(
            {
                "candidates": [{"content": {"parts": [{"text": " word"}], "role": "model"}, "index": 0}],
                "usageMetadata": {
                    "promptTokenCount": 44,
                    "candidatesTokenCount": number,
                    "totalTokenCount": number + 946,
                    "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 44}],
                    "thoughtsTokenCount": 902,
                    "serviceTier": "standard",
                },
                "modelVersion": "gemini-3-flash-preview",
                "responseId": "AbCdEfGhIjKlMnOpQrStUv",
            }
        ).encode()
        for number in range(MIN_CHUNKS)
    )


def is_plain(data: str) -> bool:
    """Whether a chunk takes the fast path."""
    try:
        decode_plain(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def measure(name: str, body: bytes) -> None:
    """Print one line of figures."""
    texts = [event.data for event in SseDecoder().feed(body)]
    plain = [text for text in texts if is_plain(text)]
    times = MIN_CHUNKS // len(texts) + 1
    sample = (plain or texts) * times
    decode: Callable[[str], Any] = decode_plain if plain else msgspec.json.decode

    whole = body * times
    reads = [whole[at : at + READ] for at in range(0, len(whole), READ)]

    def to_deltas() -> None:
        decoder = GeminiDecoder()
        for read in reads:
            decoder.feed(read)

    figures = {
        "type": microseconds(lambda: [decode(text) for text in sample], len(sample)),
        "dict": microseconds(lambda: [msgspec.json.decode(text) for text in sample], len(sample)),
        "json": microseconds(lambda: [json.loads(text) for text in sample], len(sample)),
        "bytes to deltas": microseconds(to_deltas, len(texts) * times),
    }
    shown = "  ".join(f"{label} {value:5.2f}" for label, value in figures.items())
    print(f"{name:44} {len(plain):4}/{len(texts):4} plain   µs per chunk: {shown}")


if __name__ == "__main__":
    measure("made", made_stream())
    for argument in sys.argv[1:]:
        measure("/".join(Path(argument).parts[-2:]), Path(argument).read_bytes())
