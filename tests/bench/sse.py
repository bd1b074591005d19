"""What decoding server-sent events costs: ``python tests/bench/sse.py``. Prints figures, asserts nothing.

Best of five for each: MB/s and µs per event for the shapes that providers send, in reads as a local server (one event
each) and a distant one (16 KB) make them; growth of the time when the input doubles, up to one event of 20 MB.
"""

from __future__ import annotations

import sys
from time import perf_counter

from rillet.core.wire.sse import SseDecoder

DELTA = (
    '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","system_fingerprint":"fp",'
    '"choices":[{"index":0,"delta":{"content":" stream"},"logprobs":null,"finish_reason":null}]}'
)
SHAPES = {
    "data": f"data: {DELTA}\n\n",
    "data, CRLF": f"data: {DELTA}\r\n\r\n",
    "event and data": f"event: content_block_delta\ndata: {DELTA}\n\n",
    "comment and data": f": PROCESSING\n\ndata: {DELTA}\n\n",
    "data without space": f"data:{DELTA}\n\n",
}


def seconds(body: bytes, size: int) -> float:
    """The best of five times for the whole body in reads of ``size`` bytes."""
    reads = [body[at : at + size] for at in range(0, len(body), size)]
    best = float("inf")
    for _ in range(5):
        decoder = SseDecoder()
        start = perf_counter()
        for data in reads:
            decoder.feed(data)
        decoder.finish()
        best = min(best, perf_counter() - start)
    return best


def main() -> None:
    """Print the figures."""
    say = sys.stdout.write
    count = 20_000
    for name, shape in SHAPES.items():
        event = shape.encode()
        for label, size in (("one event", len(event)), ("1000 B", 1000), ("16 KB", 16384)):
            took = seconds(event * count, size)
            rate = len(event) * count / took / 1e6
            say(f"{name:20} reads of {label:10} {took / count * 1e6:6.2f} µs per event {rate:7.0f} MB/s\n")
    event = SHAPES["data"].encode()
    huge = b'data: {"b64":"' + b"A" * 10_000_000 + b'"}\n\n'
    many_lines = b"data: [1,2,3]\n" * 200_000
    for name, body, double in (
        ("many events", event * count, event * count * 2),
        ("one event of 10 and 20 MB", huge, huge.replace(b"AA", b"AAAA")),
        ("one event of 200,000 lines", many_lines + b"\n", many_lines * 2 + b"\n"),
        ("stray lines", b"oops\n" * 200_000, b"oops\n" * 400_000),
    ):
        for size in (1000, 16384):
            once, twice = seconds(body, size), seconds(double, size)
            growth = f"time(2n)/time(n) {twice / once:.2f}"
            say(f"{name:28} reads of {size:5} B {once * 1e3:7.1f} ms {len(body) / once / 1e6:6.0f} MB/s  {growth}\n")


if __name__ == "__main__":
    main()
