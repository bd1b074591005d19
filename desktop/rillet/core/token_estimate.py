"""How many tokens a text takes, estimated without any tokenizer.

Pure, and a matter of microseconds for a page, of a millisecond for a book: it counts characters by the length of their
UTF-8, of a long text in samples of it. Tokenizers differ by
a fifth among themselves, so the figure is good for a hint and for a safety margin, never for a bill. Below: the
composer, and whatever has to guess whether a conversation still fits.
"""

from __future__ import annotations

from typing import Final

_ASCII: Final = 0.25
"""About four letters of English or code to a token, as the vendors say."""
_TWO_BYTES: Final = 0.5
"""Accented Latin, Greek, Cyrillic, Hebrew, Arabic."""
_THREE_BYTES: Final = 0.9
"""Ideographs, kana, Hangul, the scripts of India."""
_FOUR_BYTES: Final = 2.0
"""Emoji and rare ideographs are spelled in pieces."""


_LONG: Final = 200_000
"""Characters; of a longer text as many are looked at, in four places."""


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` takes. 0 only for the empty text."""
    if text.isascii():
        return -(-len(text) // 4)
    if len(text) > _LONG:
        step, piece = (len(text) - _LONG // 4) // 3, _LONG // 4
        sample = "".join(text[place * step : place * step + piece] for place in range(4))
        return max(1, round(estimate_tokens(sample) * len(text) / len(sample)))
    bytes_8 = len(text.encode("utf-8", "replace"))
    units_16 = len(text.encode("utf-16-le", "replace")) // 2
    ones = len(text.encode("ascii", "ignore"))
    fours = units_16 - len(text)
    between = len(text) - ones - fours
    # 2a + 3b bytes are left for a + b characters.
    threes = bytes_8 - ones - 4 * fours - 2 * between
    twos = between - threes
    return max(1, round(ones * _ASCII + twos * _TWO_BYTES + threes * _THREE_BYTES + fours * _FOUR_BYTES))
