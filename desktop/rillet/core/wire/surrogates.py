"""Characters that arrive in halves, and what to do with a half that stays alone.

Pure. Servers that cut text by UTF-16 units send one emoji as two deltas, each with half of it (a surrogate). Above:
nothing. Below: the codecs. Guarantee: text that leaves here can be encoded as UTF-8, so it can be stored and sent.
"""

from __future__ import annotations

from typing import Any

import msgspec


class SurrogateJoiner:
    """Joins halves over any number of pieces; one joiner per running text."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """The text that is certain now; a half at its end is held back until the next piece."""
        if not self._half and (text.isascii() or _is_encodable(text)):
            return text
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._half = text[-1]
            text = text[:-1]
        return mend(text)

    def flush(self) -> str:
        """What is still held: half a character, shown as U+FFFD."""
        if not self._half:
            return ""
        half, self._half = self._half, ""
        return mend(half)


def mend(text: str) -> str:
    """Join neighbouring halves and replace lone ones by U+FFFD."""
    if text.isascii() or _is_encodable(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mend_all(value: Any) -> Any:
    """``mend`` every string of a JSON value.

    A value that has nothing to mend, as almost all, is returned itself: to find that out by encoding it costs a
    fiftieth of looking at each string, and a conversation goes through here again with each of its turns.
    """
    try:
        msgspec.json.encode(value)
    except (TypeError, ValueError, OverflowError):
        return _mended(value)
    return value


def _mended(value: Any) -> Any:
    """A copy with each string mended; what is no JSON stays as it is."""
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in value]
    return value


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
