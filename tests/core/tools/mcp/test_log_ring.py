"""What is kept of what a server says beside the protocol."""

from __future__ import annotations

from rillet.core.tools.mcp.log_ring import LINES, MOST_SKIPPED, WIDTH, LogRing


def test_only_the_last_lines_are_kept() -> None:
    ring = LogRing()
    ring.feed(b"".join(b"line %d\n" % number for number in range(10_000)))
    assert len(ring.lines) == LINES
    assert ring.last_words == "line 9999"


def test_a_flood_without_an_end_is_bounded() -> None:
    ring = LogRing()
    for _ in range(100):
        ring.feed(b"x" * 1_000_000)
    ring.feed(b"\nend\n")
    assert ring.written == 100_000_005
    assert sum(map(len, ring.lines)) <= 2 * WIDTH
    assert ring.last_words == "end"


def test_lines_are_joined_over_reads() -> None:
    ring = LogRing()
    for piece in (b"on", b"e\ntw", b"o\n"):
        ring.feed(piece)
    assert ring.lines == ("one", "two")


def test_noise_is_counted_and_kept_for_a_while() -> None:
    ring = LogRing()
    for number in range(1000):
        ring.skip(f"noise {number}")
    assert ring.skipped == 1000
    assert len(ring.lines) == MOST_SKIPPED


def test_secrets_are_taken_out() -> None:
    ring = LogRing()
    ring.keep_secret(["canary-4711"])
    ring.feed(b"using canary-4711\n")
    ring.note("key sk-abcdefghijklmnop")
    assert ring.lines == ("using …", "key sk-…")


def test_bytes_that_are_no_text_cost_letters_only() -> None:
    ring = LogRing()
    ring.feed(b"a\xffb\n")
    assert ring.lines == ("a\ufffdb",)
