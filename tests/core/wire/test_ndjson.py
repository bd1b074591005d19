"""Lines of JSON, cut in every way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.errors import ServerError
from rillet.core.wire.ndjson import NdjsonDecoder
from support.corpus import Case, corpus, cuts

if TYPE_CHECKING:
    from collections.abc import Iterable


def decode(reads: Iterable[bytes]) -> list[str]:
    decoder = NdjsonDecoder()
    return [line for data in reads for line in decoder.feed(data)] + decoder.finish()


RULES: dict[str, tuple[bytes, list[str]]] = {
    "a line ends in LF": (b'{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']),
    "or in CR LF": (b'{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']),
    "the last one need not end": (b'{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']),
    "a cut one is given as it is": (b'{"a":1}\n{"b"', ['{"a":1}', '{"b"']),
    "blank lines say nothing": (b'\n\r\n \t\n{"a":1}\n\n', ['{"a":1}']),
    "CR alone ends nothing": (b'{"a":\r1}\n', ['{"a":\r1}']),
    "other separators are text": (
        '{"t":"a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"}\n'.encode(),
        ['{"t":"a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"}'],
    ),
    "a mark at the very start is no text": ('\ufeff{"a":"\ufeff"}\n\ufeff1\n'.encode(), ['{"a":"\ufeff"}', "\ufeff1"]),
    "characters are whole": ('{"t":"é漢😀"}\n'.encode(), ['{"t":"é漢😀"}']),
    "broken ones are shown": (b'{"t":"\xff\xe2\x80"}\n', ['{"t":"\ufffd\ufffd"}']),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("body", "lines"), RULES.values(), ids=RULES)
def test_a_rule_holds_at_every_cut(body: bytes, lines: list[str]) -> None:
    for reads in cuts(body):
        assert decode(reads) == lines, reads


@corpus("framing", api="ndjson")
def test_the_recorded_framing_cases_decode_as_expected_at_every_cut(case: Case) -> None:
    for reads in cuts(case.content):
        assert decode(reads) == case.expect["events"], reads


def test_a_line_is_given_as_soon_as_it_has_ended() -> None:
    decoder = NdjsonDecoder()
    assert decoder.feed(b'{"a"') == []
    assert decoder.feed(b':1}\n{"b":') == ['{"a":1}']
    assert decoder.feed(b"2}\n") == ['{"b":2}']
    assert decoder.finish() == []


@pytest.mark.parametrize("end", [b"", b"\n", b"\n3\n"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_line_beyond_the_limit_fails_behind_the_lines_before_it(end: bytes, size: int) -> None:
    body = b"1\n2\n" + b"x" * 11 + end
    decoder = NdjsonDecoder(limit=10)
    found: list[str] = []
    with pytest.raises(ServerError) as caught:
        for at in range(0, len(body), size):
            found += decoder.feed(body[at : at + size])
        decoder.finish()
    assert found == ["1", "2"]
    assert not caught.value.retryable


def test_a_line_of_exactly_the_limit_is_taken() -> None:
    assert NdjsonDecoder(limit=10).feed(b"x" * 10 + b"\n") == ["x" * 10]


def test_what_exceeded_the_limit_is_not_kept() -> None:
    decoder = NdjsonDecoder(limit=10)
    for _ in range(3):
        with pytest.raises(ServerError):
            decoder.feed(b"x" * 11)
        assert decoder._lines.size == 0
    with pytest.raises(ServerError):
        decoder.feed(b"\n1\n")  # the end of the line that was too long


PIECES = [b"{", b"}", b'"a"', b"\n", b"\r\n", b"\r", b" ", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xff", "é".encode()]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.lists(st.integers(1, 9), max_size=30))
def test_any_body_in_any_reads_decodes_like_a_plain_split(body: bytes, sizes: list[int]) -> None:
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    wanted = [line.strip(" \t\r") for line in text.split("\n") if line.strip(" \t\r")]
    reads, at = [], 0
    for size in sizes:
        reads.append(body[at : at + size])
        at += size
    assert decode([*reads, body[at:]]) == wanted
