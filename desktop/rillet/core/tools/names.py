"""Names of tools made of words that others chose, and which names could be taken for each other.

Pure. Above: ``tool`` (what a name may hold). Below: ``openapi``, ``mcp/names``, ``toolkit``. Guarantee: the same words
always give the same name, one that every provider takes.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

LONGEST: Final = 64
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH = 6
_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s"})


def legal_name(words: str) -> str:
    """A name from any words. One that had to be shortened ends in a hash of them, so that no two become the same.

    It begins with a letter or "_": Gemini refuses a whole request for one name that begins with a digit
    (SuperClaude-Org/SuperGemini_Framework#12).
    """
    name = _ILLEGAL.sub("_", words).strip("_") or "tool"
    if not name[0].isalpha():
        name = f"_{name}"
    if len(name) <= LONGEST:
        return name
    mark = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{name[: LONGEST - _HASH - 1].rstrip('_')}_{mark}"


def outline(name: str) -> str:
    """What remains of a legal name that is read in passing: two with one outline could be taken for each other."""
    return re.sub(r"[_-]", "", name).lower().translate(_ALIKE)
