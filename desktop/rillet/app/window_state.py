"""What the window needs to look as it did, before anything else of the program is loaded.

Kept by QSettings, which writes atomically, forgives a damaged file and costs no import; settings that mean something to
the rest of the program are in ``core/config/settings``. Above: ``core/config/paths``. Below: ``window``.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:
    from pathlib import Path


class WindowState:
    """Where the window was, and the label of the chosen model."""

    def __init__(self, path: Path) -> None:
        with contextlib.suppress(OSError):  # where nothing can be written, nothing is remembered
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def geometry(self) -> QByteArray:
        """As ``QWidget.saveGeometry`` gave it; empty at the first start."""
        value = self._file.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._file.setValue("geometry", value)
        self._file.sync()

    @property
    def choice_label(self) -> str:
        """What the model picker showed; empty at the first start."""
        value = self._file.value("choice")
        return value if isinstance(value, str) else ""

    @choice_label.setter
    def choice_label(self, value: str) -> None:
        self._file.setValue("choice", value)
        self._file.sync()

    @property
    def sidebar_folded(self) -> bool:
        """Whether the list of chats is out of sight."""
        return bool(self._file.value("sidebar") == "folded")

    @sidebar_folded.setter
    def sidebar_folded(self, value: bool) -> None:
        self._file.setValue("sidebar", "folded" if value else "shown")
        self._file.sync()
