"""Lines of a server's output, however they are cut and however long they are."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.mcp.lines import HEAD, LONGEST, LineReader

TEXT = b"\xef\xbb\xbf{1}\r\n\n  \n{2}\n\r\n" + b"x" * 50 + b"\n{3}"


def lines(*reads: bytes, limit: int = LONGEST) -> list[tuple[bytes, int]]:
    reader = LineReader(limit)
    found = [line for read in reads for line in reader.feed(read)]
    return [(line.data, line.size) for line in found + reader.finish()]


def test_ends_blanks_and_byte_order_marks_are_no_part_of_a_line() -> None:
    assert lines(TEXT) == [(b"{1}", 3), (b"{2}", 3), (b"x" * 50, 50), (b"{3}", 3)]


@given(st.lists(st.integers(0, len(TEXT)), max_size=8))
def test_lines_do_not_depend_on_how_they_were_read(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    reads = [TEXT[start:end] for start, end in itertools.pairwise(edges)]
    assert lines(*reads) == lines(TEXT)
    assert lines(*reads, limit=40) == lines(TEXT, limit=40)


def test_a_line_that_is_too_long_is_skipped_to_its_end_and_counted() -> None:
    assert lines(b"a" * 30 + b"\nb\n", limit=20) == [(b"a" * 20, 30), (b"b", 1)]
    reader = LineReader(20)
    (line,) = reader.feed(b"a" * 30 + b"\n")
    assert not line.is_whole


@pytest.mark.parametrize("size", [1, 1000, 1_000_000])
def test_of_an_endless_line_only_the_head_is_held(size: int) -> None:
    reader = LineReader(10_000)
    for _ in range(30):
        assert reader.feed(b"x" * size) == []
    held = sum(map(len, reader._pieces))
    assert held <= max(10_000, HEAD)
