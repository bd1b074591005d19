"""Words that mix scripts are told from words that merely have letters of another one."""

from __future__ import annotations

import pytest

from rillet.core.scripts import is_mixed


@pytest.mark.parametrize("word", ["p\u0430ypal", "g\u03bft", "\u0440\u0443c", "r\u217f\u0430m", "\u05d0b"])
def test_letters_of_two_scripts_in_one_word_are_mixed(word: str) -> None:
    assert is_mixed(word)


@pytest.mark.parametrize(
    "word",
    [
        "paypal",
        "b\u00fccher",
        "\u043c\u043e\u0441\u043a\u0432\u0430",
        "\u65e5\u672c\u8a9e",
        "\u30b3\u30fc\u30c9x",
        "x1_2",
        "",
    ],
)
def test_words_of_one_script_are_not(word: str) -> None:
    assert not is_mixed(word)
