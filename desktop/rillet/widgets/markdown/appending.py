"""Whether what has arrived can be put behind a document as it is, or has to be parsed with the text before it.

Most of an answer is words, and most pieces of it go on with a sentence: they mean nothing but themselves. Above:
nothing. Below: ``growing`` and ``build`` say whether the end of a text is that of a paragraph of which all is shown,
``live`` asks here whether a piece goes on with it. Guarantee: a document that was appended to equals one that was built
of the whole text; what is not certain to be plain is not taken for it.
"""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = re.compile(r"""(?:[^\W_]|[ ,;:.'"?’“”–—-])*""")
"""What is no mark of anything behind a letter in its line. No ``!``: it waits for what may be a picture."""
_LETTER: Final = re.compile(r"[^\W\d_]")
"""With one in it a line is no rule, no marker and no underline, and a paragraph has its direction."""
_DEFINES: Final = frozenset("[('\"")
"""What a link definition, or a title behind one, begins with."""
_ADDRESS: Final = re.compile(r"[@/\\]|www\.", re.IGNORECASE)
"""A word with one of these may be an address, and goes on being one."""


def appended(paragraph: str, shown: str, source: str) -> str | None:
    """What to write behind ``shown``, whose last ``paragraph`` is shown whole, to show ``source``; None: not known."""
    if paragraph[:1] in _DEFINES or not source.startswith(shown):
        return None
    line = shown[shown.rfind("\n") + 1 :]
    visible = line.rstrip(" ")
    word = visible[visible.rfind(" ") + 1 :]
    more = line[len(visible) :] + source[len(shown) :]
    if _WORDS.fullmatch(more) is None or _WORDS.fullmatch(word[-1:]) is None or _LETTER.search(word) is None:
        return None
    if "|" in line or _ADDRESS.search(word + more):
        return None
    return more.rstrip(" ")
