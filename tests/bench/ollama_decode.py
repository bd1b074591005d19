"""What one line of an answer of Ollama costs: ``python tests/bench/ollama_decode.py [capture.jsonl …]``.

Without arguments it makes a stream in the shape of Ollama's. Per line, best of several passes: msgspec into a type,
msgspec into dicts, the standard library; then the whole way from bytes to deltas, in reads of 16 KB.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rillet.core.wire.ndjson import NdjsonDecoder
from rillet.core.wire.ollama import OllamaDecoder
from rillet.core.wire.ollama.chunk import decode_plain

if TYPE_CHECKING:
    from collections.abc import Callable

READ = 16 * 1024
PASSES = 15
MIN_LINES = 5000


def made_stream() -> bytes:
    """Text lines with the fields that Ollama sends."""
    chunk = {
        "model": "qwen3:8b",
        "created_at": "2026-11-30T10:00:00.123456789Z",
        "message": {"role": "assistant", "content": " word"},
        "done": False,
    }
    return json.dumps(chunk, separators=(",", ":")).encode() + b"\n"


def microseconds(run: Callable[[], object], count: int) -> float:
    """The best pass, per line."""
    best = float("inf")
    for _ in range(PASSES):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def is_plain(line: str) -> bool:
    """Whether a line takes the fast path."""
    try:
        return not decode_plain(line).done
    except (msgspec.MsgspecError, RecursionError):
        return False


def measure(name: str, body: bytes) -> None:
    """Print one line of figures."""
    lines = NdjsonDecoder().feed(body)
    plain = [line for line in lines if is_plain(line)]
    sample = plain * (MIN_LINES // len(plain) + 1)
    whole = "\n".join(sample).encode() + b"\n"
    reads = [whole[at : at + READ] for at in range(0, len(whole), READ)]

    def to_deltas() -> None:
        decoder = OllamaDecoder()
        for read in reads:
            decoder.feed(read)

    figures = {
        "type": microseconds(lambda: [decode_plain(line) for line in sample], len(sample)),
        "dict": microseconds(lambda: [msgspec.json.decode(line) for line in sample], len(sample)),
        "json": microseconds(lambda: [json.loads(line) for line in sample], len(sample)),
        "bytes to deltas": microseconds(to_deltas, len(sample)),
    }
    shown = "  ".join(f"{label} {value:5.2f}" for label, value in figures.items())
    print(f"{name:44} {len(plain):4}/{len(lines):4} plain   µs per line: {shown}")


if __name__ == "__main__":
    measure("made", made_stream())
    for argument in sys.argv[1:]:
        measure("/".join(Path(argument).parts[-2:]), Path(argument).read_bytes())
