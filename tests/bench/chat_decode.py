"""What one chunk of a Chat Completions stream costs: ``python tests/bench/chat_decode.py [capture.sse …]``.

Without arguments it makes a stream in the shape of OpenAI's. Per chunk, best of several passes: msgspec into a type,
msgspec into dicts, the standard library; then the whole way from bytes to deltas, in reads of 16 KB.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.wire.openai_chat import ChatDecoder
from rillet.core.wire.openai_chat.chunk import decode_plain
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Callable

READ = 16 * 1024
PASSES = 15
MIN_CHUNKS = 5000


def made_stream() -> bytes:
    """Text chunks with the fields that OpenAI sends."""
    chunk = {
        "id": "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-4o-2024-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "choices": [{"index": 0, "delta": {"content": " word"}, "logprobs": None, "finish_reason": None}],
        "usage": None,
        "obfuscation": "abcdefgh",
    }
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for _ in range(MIN_CHUNKS))


def microseconds(run: Callable[[], object], count: int) -> float:
    """The best pass, per chunk."""
    best = float("inf")
    for _ in range(PASSES):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def is_plain(data: str) -> bool:
    """Whether a chunk takes the fast path."""
    try:
        decode_plain(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def measure(name: str, body: bytes) -> None:
    """Print one line of figures."""
    texts = [event.data for event in SseDecoder().feed(body) if event.data != "[DONE]"]
    plain = [text for text in texts if is_plain(text)]
    times = MIN_CHUNKS // len(texts) + 1
    sample = (plain or texts) * times
    decode: Callable[[str], Any] = decode_plain if plain else msgspec.json.decode

    # The end is left out, so that the same decoder takes the answer again and again.
    whole = body.replace(b"data: [DONE]", b"") * times
    reads = [whole[at : at + READ] for at in range(0, len(whole), READ)]

    def to_deltas() -> None:
        decoder = ChatDecoder()
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
