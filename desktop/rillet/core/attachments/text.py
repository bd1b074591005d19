"""Bytes → text, whatever encoding they are in.

Pure. A mark decides, then UTF-8 if it is that without a fault, then a guess: charset-normalizer, which counts how
likely letters stand beside each other. Below: ``extractor``. Guarantee: what comes out is valid Unicode without NUL.
"""

from __future__ import annotations

import codecs
from typing import Final

from rillet.core.attachments.kinds import is_wide

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # (before UTF-16, whose mark it begins with)
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LOOKED_AT: Final = 64_000
"""Bytes that the guess is made from: it takes a second per megabyte."""
_WESTERN: Final = "cp1252"
_CANDIDATES: Final = (
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp437", "cp850"),
    *("cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949", "mac_roman"),
)
"""What files are found in that are not Unicode."""


def decoded(data: bytes, *, is_whole: bool = True) -> tuple[str, str]:
    """The text, and the name of the encoding. ``is_whole`` False: the last character may be cut."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _clean(_decode(data[len(mark) :], name, is_whole=is_whole)), name
    if is_wide(data[:4096]):
        name = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
        return _clean(_decode(data, name, is_whole=is_whole)), name
    try:
        return _clean(codecs.getincrementaldecoder("utf-8")().decode(data, final=is_whole)), "utf-8"
    except UnicodeDecodeError:
        name = _guessed(data[:_LOOKED_AT])
        return _clean(_decode(data, name, is_whole=is_whole)), name


def _decode(data: bytes, name: str, *, is_whole: bool) -> str:
    return codecs.getincrementaldecoder(name)("replace").decode(data, final=is_whole)


def _guessed(data: bytes) -> str:
    import charset_normalizer  # (only for what is not Unicode)

    found = charset_normalizer.from_bytes(data, cp_isolation=list(_CANDIDATES), enable_fallback=False)
    best = found.best()
    if best is None:
        return _WESTERN
    western = next((each for each in found if each.encoding == _WESTERN), None)
    # The encodings of Latin letters look alike; without words that tell them apart the most frequent one it is.
    if western is not None and "Latin" in "".join(best.alphabets) and best.coherence <= western.coherence:
        return _WESTERN
    return best.encoding


def _clean(text: str) -> str:
    """Without NUL, which no provider takes; half characters cannot come of decoding."""
    return text.replace("\0", "")
