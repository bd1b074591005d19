"""The colour of a label, whatever stands above or around it.

By its palette, for a style sheet on a label makes Qt restyle what is around it. Above: Qt alone. Below: everything with
a sentence that steps back, warns, or says that something failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QPalette

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLabel


def tint(label: QLabel, colour: str) -> None:
    """Write in this colour."""
    shades = QPalette(label.palette())
    shades.setColor(QPalette.ColorRole.WindowText, QColor(colour))
    label.setPalette(shades)
