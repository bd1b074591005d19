"""How large a window is at first: as it was meant, but never larger than its screen.

A laptop of 1366 × 768, or a larger one whose desktop is scaled, has less room than we would like: what is beyond its
edge, such as the field that one writes in, cannot be reached. Below: every window that asks for a size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

FRAME: Final = QSize(16, 56)
"""Room for the title bar and the edges that the desktop draws."""


def resize_to_fit(window: QWidget, wanted: QSize) -> None:
    """Make a window this large, as far as its screen has room."""
    host = window.parentWidget()
    place = (host.window() if host is not None else window).geometry().center()
    screen = QGuiApplication.screenAt(place) or QGuiApplication.primaryScreen()  # (not by ``screen()``: test_bindings)
    room = screen.availableSize() - FRAME
    window.setMinimumSize(window.minimumSize().boundedTo(room))
    window.resize(wanted.boundedTo(room))
