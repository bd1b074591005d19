"""What was sent before, to be fetched back with the arrow keys.

Free of Qt. Below: ``field`` asks with the text that it shows. Guarantee: only an empty field, or an entry that was
fetched and not touched since, gives way: nothing that was typed is ever replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

LENGTH: Final = 200
"""More entries than anyone walks back by keys."""


class History:
    """Texts, oldest first, and a place among them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = [text for text in texts if text][-LENGTH:]
        self._place = len(self._texts)

    def add(self, text: str) -> None:
        """Append what was sent; said twice in a row it is kept once."""
        if text and self._texts[-1:] != [text]:
            self._texts = [*self._texts, text][-LENGTH:]
        self._place = len(self._texts)

    def older(self, shown: str) -> str | None:
        """The entry before the one that is shown; None when there is none or something else is shown."""
        place = self._place_of(shown)
        if place is None or place == 0:
            return None
        self._place = place - 1
        return self._texts[self._place]

    def newer(self, shown: str) -> str | None:
        """The entry after the one that is shown, "" behind the last; None when none is shown."""
        place = self._place_of(shown)
        if place is None or place == len(self._texts):
            return None
        self._place = place + 1
        return self._texts[self._place] if self._place < len(self._texts) else ""

    def _place_of(self, shown: str) -> int | None:
        if not shown:
            return len(self._texts)
        fetched = self._place < len(self._texts) and self._texts[self._place] == shown
        return self._place if fetched else None
