"""What a vector costs: ``python tests/bench/embedding_decode.py [dimensions]``.

Per vector of an answer of Chat Completions' sibling, as numbers and in base64: bytes on the wire, time from bytes to
the response, and the memory of the result, beside that of a tuple of floats.
"""

from __future__ import annotations

import base64
import random
import sys
import time
from array import array
from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.wire.openai_chat.embed import OpenAiEmbeddings

if TYPE_CHECKING:
    from collections.abc import Callable

INPUTS = 200
PASSES = 7


def body(encode: Callable[[array[float]], Any], vectors: list[array[float]]) -> bytes:
    """An answer with these vectors."""
    data = [{"object": "embedding", "index": at, "embedding": encode(vector)} for at, vector in enumerate(vectors)]
    return msgspec.json.encode({"object": "list", "data": data, "model": "m"})


def numbers(vector: array[float]) -> list[float]:
    """As many digits as single precision has."""
    return [float(f"{value:.8g}") for value in vector]


def in_base64(vector: array[float]) -> str:
    """Its bytes."""
    return base64.b64encode(vector.tobytes()).decode()


def microseconds(answer: bytes) -> float:
    """The best pass, per vector."""
    codec = OpenAiEmbeddings()
    best = float("inf")
    for _ in range(PASSES):
        start = time.perf_counter()
        codec.decode(answer, INPUTS)
        best = min(best, time.perf_counter() - start)
    return best / INPUTS * 1e6


def main(dimensions: int) -> None:
    """Print the figures."""
    source = random.Random(0)
    vectors = [array("f", (source.gauss(0, 0.03) for _ in range(dimensions))) for _ in range(INPUTS)]
    for name, encode in (("numbers", numbers), ("base64", in_base64)):
        answer = body(encode, vectors)
        print(
            f"{name:8} {len(answer) // INPUTS:6} B per vector on the wire   {microseconds(answer):6.1f} µs per vector"
        )
    as_tuple = tuple(vectors[0])
    size = sys.getsizeof(as_tuple) + sum(map(sys.getsizeof, as_tuple))
    print(f"memory   {sys.getsizeof(vectors[0]):6} B as an array   {size:6} B as a tuple")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1536)
