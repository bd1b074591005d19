"""Our icons: one line style on a grid of 20, drawn as SVG in ``rillet.resources`` and tinted on use.

Knows no widget. Below: buttons of the composer, the blocks and the program. Guarantee: an icon is sharp at 1×, 2× and
3×; what was drawn is kept in Qt's cache of pixmaps, which has its limit and ends with the application.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from rillet.data import read

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

_SCALES = (1, 2, 3)


def icon(name: str, colour: QColor, *, size: int = 20) -> QIcon:
    """The icon ``name`` in ``colour``, ``size`` logical pixels square.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(_pixmap(name, colour.name(), size, scale))
    return made


def _pixmap(name: str, colour: str, size: int, scale: int) -> QPixmap:
    """Kept by Qt, because there are dozens of buttons of each kind, and drawing one takes longer than the button."""
    key = f"rillet {name} {colour} {size} {scale}"
    pixmap = QPixmap()
    if QPixmapCache.find(key, pixmap):
        return pixmap
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    pixmap = QPixmap(QSize(size, size) * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    QPixmapCache.insert(key, pixmap)
    return pixmap


@cache
def _source(name: str) -> str:
    return read(f"icons/{name}.svg").decode()
