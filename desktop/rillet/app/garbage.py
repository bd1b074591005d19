"""Python's cyclic garbage collection, on the GUI thread only.

Cycles may hold widgets, and a widget that is released on another thread is destroyed there. Automatic collection runs
on whichever thread allocates, so the program switches it off and collects from a timer. Above: ``main``.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL = 1_000
"""Milliseconds between two looks at the counts."""
THRESHOLDS = (2_000, 3, 200)
"""Objects for a young collection; young collections for a middle one; middle ones for a full one (40 ms and more).

A chat that is let go is garbage of the middle age, some ten milliseconds of it: such collections are so frequent that
few pile up.
"""


class Collector(QObject):
    """Collects when enough has piled up, oldest generation that is due."""

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that is due, and with it the younger ones."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > THRESHOLDS[generation]:
                gc.collect(generation)
                return

    def freeze(self) -> None:
        """Exempt what is there now, the modules above all: it is never garbage, and costs time in every collection.

        The little that is garbage (some hundred objects of importing) stays: to look for it takes 40 ms.
        """
        gc.freeze()
