"""What is shown for approval is what would be run, and all of it is seen."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.visible import is_hidden, restored, visible

TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\u27e8\u27e9\u00d7U+\\ \n\t\r\0\u202e\u2066\u200b\xad\ufeff\x1b0123456789ABCDEF\ud800\udc00"),
    )
)
GAPS = st.lists(st.one_of(st.integers(0, 90).map(lambda n: " " * n), st.integers(0, 6).map(lambda n: "\n" * n), TEXTS))
"""Pieces of text with wide and high gaps between them."""


@given(TEXTS)
def test_what_is_shown_can_be_read_back(text: str) -> None:
    assert restored(visible(text)) == text


@given(TEXTS)
def test_nothing_hidden_is_left(text: str) -> None:
    assert not any(is_hidden(character) for character in visible(text))


@given(GAPS)
def test_gaps_can_be_read_back_and_none_is_left(pieces: list[str]) -> None:
    text = "".join(pieces)
    shown = visible(text)
    assert restored(shown) == text
    assert " " * 40 not in shown
    assert "\n\n\n\n" not in shown.replace(" ", "")


@given(TEXTS, TEXTS)
def test_two_texts_never_look_the_same(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm -rf build", "rm -rf build"),
        ("C:\\new\\u202e.txt", "C:\\new\\u202e.txt"),
        ("a\u202eb", "a\u27e8U+202E\u27e9b"),
        ("\x1b[2K", "\u27e8U+001B\u27e9[2K"),
        ("a\tb", "a\u27e8U+0009\u27e9b"),
        ("a\r\nb", "a\u27e8U+000D\u27e9\nb"),
        ("a\xa0b", "a\u27e8U+00A0\u27e9b"),
        ("a\u3000b", "a\u27e8U+3000\u27e9b"),
        ("\U000e0041", "\u27e8U+E0041\u27e9"),
        ("\ud800", "\u27e8U+D800\u27e9"),
        ("\u27e8U+202E\u27e9", "\u27e8U+27E8\u27e9U+202E\u27e9"),
        ("b\u00fccher \u65e5\u672c \u05d0 \U0001f600 e\u0301", "b\u00fccher \u65e5\u672c \u05d0 \U0001f600 e\u0301"),
        ("<b>x</b> &amp;", "<b>x</b> &amp;"),
        ("if x:\n            return\n\n\ndone", "if x:\n            return\n\n\ndone"),
        ("ls" + " " * 300 + "; rm x", "ls\u27e8U+0020\u00d7300\u27e9; rm x"),
        ("ls" + "\n" * 200 + "rm x", "ls\u27e8U+000A\u00d7199\u27e9\nrm x"),
        ("a\n \n \n\nb", "a" + "\u27e8U+000A\u27e9\u27e8U+0020\u27e9" * 2 + "\u27e8U+000A\u27e9\nb"),
        ("\u27e8U+0020\u00d7300\u27e9", "\u27e8U+27E8\u27e9U+0020\u00d7300\u27e9"),
    ],
)
def test_only_what_is_hidden_is_shown_by_its_number(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_every_character_that_unicode_lets_programs_ignore_is_hidden() -> None:
    # DerivedCoreProperties.txt, Default_Ignorable_Code_Point; the ranges hold a few unassigned ones on purpose.
    ranges = [(0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)]
    ranges += [(0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F)]
    ranges += [(0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)]
    ranges += [(0xE0000, 0xE0FFF)]
    missed = [hex(code) for first, last in ranges for code in range(first, last + 1) if not is_hidden(chr(code))]
    assert missed == []


def test_no_letter_digit_or_ascii_sign_is_hidden() -> None:
    hidden = [c for c in map(chr, range(sys.maxunicode + 1)) if c.isalnum() and is_hidden(c)]
    assert hidden == ["\u115f", "\u1160", "\u3164", "\uffa0"]  # Hangul fillers: letters by name only
    assert not any(is_hidden(chr(code)) for code in range(0x20, 0x7F))
