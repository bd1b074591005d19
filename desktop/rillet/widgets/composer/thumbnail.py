"""The small picture of an image that is attached, sharp at 3×.

Large images are decoded off the GUI thread. Above: ``pictures``. Below: ``chip``. Guarantee: there is none of what
cannot be shown, and none once its owner has gone.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap

from rillet.qt.errands import Errands
from rillet.widgets.pictures import decode, decode_elsewhere, is_quick, natural_size

_SHARPEST = 3


class Thumbnail(QObject):
    """Covers a square of ``side`` logical pixels; what is longer stands out on one side.

    Signals:
        changed(): It has come.
    """

    changed = Signal()

    def __init__(self, data: bytes, side: int, parent: QObject) -> None:
        super().__init__(parent)
        self.pixmap = QPixmap()
        """Null until it has come, and for what cannot be shown."""
        natural = natural_size(data)
        if natural.isEmpty():
            return
        square = QSize(side, side) * _SHARPEST
        target = natural.scaled(square, Qt.AspectRatioMode.KeepAspectRatioByExpanding)
        if is_quick(data, natural):
            self._take(decode(data, target))
        else:
            errands = Errands(self, "decoding a small picture")
            errands.run(partial(decode_elsewhere, data, target)).ready(self._take)

    def _take(self, image: QImage) -> None:
        self.pixmap = QPixmap.fromImage(image)
        self.changed.emit()
