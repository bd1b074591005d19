"""Words whose letters come from several scripts: the usual way to make one word look like another.

Pure. Below: ``tools/policy`` warns of them in calls, ``widgets/links`` marks them in addresses.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_EAST_ASIAN: Final = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"})


def is_mixed(word: str) -> bool:
    """Whether ``word`` has letters of scripts that are not written together. Latin and those of East Asia are."""
    if word.isascii():
        return False
    scripts = {_script(char) for char in word if char.isalpha()}
    return len(scripts) > 1 and scripts != {"LATIN", "CJK"}


def _script(char: str) -> str:
    """The script of a letter, by its name; those of Chinese, Japanese and Korean count as one."""
    name = unicodedata.name(char, "?").split()[0]
    return "CJK" if name in _EAST_ASIAN else name
