"""Something long on the GUI thread, done a piece in each turn of the event loop, so that the window answers in between.

Knows nothing of what is done. Below: ``main`` has the program loaded this way once the window is seen. Guarantee: after
``stop`` no further piece is begun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Iterator


class Pieces(QObject):
    """Runs an iterator to its end; each of its steps is a piece."""

    def __init__(self, work: Iterator[None]) -> None:
        super().__init__()
        self._work = work
        self._timer = QTimer(self, interval=0)  # (it fires once all that was waiting is dealt with)
        self._timer.timeout.connect(self._go_on)
        self._timer.start()

    def stop(self) -> None:
        """Leave the rest undone."""
        self._timer.stop()

    @Slot()
    def _go_on(self) -> None:
        try:
            next(self._work)
        except StopIteration:
            self._timer.stop()
        except BaseException:
            self._timer.stop()  # (a timer would begin anew what has failed, for ever)
            raise
