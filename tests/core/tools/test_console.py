"""What a command prints becomes text that is bounded, and without what only a terminal understands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.console import Printed, readable


def printed(*pieces: bytes, head: int = 10, tail: int = 10) -> Printed:
    found = Printed(head, tail)
    for piece in pieces:
        found.feed(piece)
    return found


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mx\x1b[K", "x"),
        ("\x9b1mx", "x"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP+q544e\x1b\\after", "after"),
        ("\x1b(Bplain\x1b>", "plain"),
        ("\x1b[?25lhidden cursor", "hidden cursor"),
        ("an end\x1b", "an end"),
        ("an end\x1b[3", "an end"),
        ("\x1b]0;never closed\nnext line", "\nnext line"),
        ("10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        ("last\r", "last"),
        ("a\r\r\nb", "a\nb"),
        ("N\bNA\bAME _\bx", "NAME x"),
        ("bell\x07 nul\x00 tab\t.", "bell nul tab\t."),
        ("é, 日本, 🎈, \u202e", "é, 日本, 🎈, \u202e"),
    ],
)
def test_a_terminals_sequences_are_gone_and_the_text_is_not(raw: str, shown: str) -> None:
    assert readable(raw) == shown


def test_little_output_is_whole() -> None:
    found = printed(b"one\n", b"two\n")
    assert found.text() == "one\ntwo\n"
    assert found.left_out == 0


def test_of_much_output_the_beginning_and_the_end_are_kept_and_the_rest_is_named() -> None:
    found = printed(b"0123456789", b"x" * 1_234_567, b"abcdefghij")
    assert found.text() == "0123456789\n[… 1,234,567 bytes left out …]\nabcdefghij"
    assert found.left_out == 1_234_567


def test_what_just_fits_is_whole() -> None:
    assert printed(b"0123456789", b"abcdefghij").text() == "0123456789abcdefghij"


@pytest.mark.parametrize("shift", range(4))
def test_a_character_cut_in_two_is_left_out_and_not_garbled(shift: int) -> None:
    text = printed(b"x" * shift + "🎈🎈🎈🎈🎈🎈🎈🎈🎈".encode()).text()
    assert re.fullmatch(r"x*🎈+\n\[… \d+ bytes left out …\]\n🎈+", text)


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert printed(b"a\xff\xfeb").text() == "a\ufffd\ufffdb"


@given(st.lists(st.binary(max_size=30), max_size=12))
def test_the_pieces_do_not_matter_and_memory_is_bounded(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    found, at_once = printed(*pieces), printed(whole)
    assert (found.text(), found.left_out) == (at_once.text(), at_once.left_out)
    assert len(found._head) + len(found._tail) + found.left_out == len(whole)
    assert len(found._head) <= 10
    assert len(found._tail) <= 10


def test_the_last_line_is_the_last_with_something_in_it() -> None:
    assert printed(b"one\n\x1b[1mtwo\x1b[0m\n\n", head=100).last_line == "two"
    assert printed(b"", head=100).last_line == ""
    assert len(printed(b"x" * 5000, head=100, tail=4000).last_line) == 200


@pytest.mark.parametrize("evil", ["a" * 15_000 + "\b" * 15_000, "\x1b]" * 15_000, "\x1b[" * 15_000, "x\r" * 15_000])
def test_output_made_to_be_slow_is_not(evil: str) -> None:
    assert len(readable(evil)) < len(evil)
