"""The program's icon, from our own drawing. Below: ``main`` sets it after the first paint."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from rillet.data import read

SIZES = (16, 24, 32, 48, 64, 128, 256)
"""What desktops ask for."""


def program_icon() -> QIcon:
    """The icon in all sizes. Needs a QGuiApplication."""
    drawing = read("icons/rillet.svg")
    renderer = QSvgRenderer(QByteArray(drawing))
    icon = QIcon()
    for size in SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon
