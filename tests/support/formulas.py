"""Typesetters for tests: formulas that are drawn when the test says so, as boxes or as ziamath does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from rillet.widgets.markdown.formulas import Formulas
from rillet.widgets.markdown.typeset import Drawing

if TYPE_CHECKING:
    from rillet.widgets.markdown.formulas import Done, Key

_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}"><path d="M0 0H9V9Z"/></svg>'
)


def box(key: Key) -> Drawing | None:
    """A drawing as wide as its TeX is long; none for TeX that says "bad"."""
    if "bad" in key.tex:
        return None
    width, height = 9.0 * len(key.tex), key.size * (2.0 if key.display else 1.0)
    return Drawing(_SVG.format(width, height).encode(), width, height, height / 4)


class Typesetter:
    """Draws nothing before ``release``, then boxes; at once (a turn of the event loop later) if ``instant``.

    Attributes:
        asked: Every formula that was asked for.
    """

    def __init__(self, *, instant: bool = False) -> None:
        self.asked: list[Key] = []
        self._instant = instant
        self._waiting: list[tuple[Key, Done]] = []

    def start(self, key: Key, done: Done) -> None:
        """As ``formulas.Typesetter`` says."""
        self.asked.append(key)
        self._waiting.append((key, done))
        if self._instant:
            QTimer.singleShot(0, self.release)

    def release(self) -> None:
        """Draw what was asked for."""
        waiting, self._waiting = self._waiting, []
        for key, done in waiting:
            done(box(key))


class Drawn(Formulas):
    """Formulas that were all drawn before anybody asked."""

    def find(self, key: Key) -> Drawing | None:
        """A box."""
        return self._drawings.setdefault(key, box(key))
