"""Writing something of a message to a file that a person chose.

Below: the viewers of images and of files. Guarantee: a file is written only where the person said, off the GUI thread,
byte for byte as it came.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from rillet.qt.errands import Errands

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class Saving(QObject):
    """Asks where to, and writes.

    Signals:
        told(str, bool): What came of it, in a sentence, and whether that is a failure.
    """

    told = Signal(str, bool)

    def __init__(self, data: bytes, name: str, title: str, parent: QWidget) -> None:
        """``name``: what the file is called at first; ``title``: of the dialog that asks."""
        super().__init__(parent)
        self._data = data
        self._name = name
        self._title = title
        self._errands = Errands(self, "saving a file")
        self._window = parent

    def ask(self, folder: QStandardPaths.StandardLocation) -> None:
        """Ask where to, from one of the person's folders on, and write there."""
        dialog = QFileDialog(self._window, self._title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(Path(self._name).suffix.lstrip("."))
        place = QStandardPaths.writableLocation(folder)
        if QDir(place).exists():
            dialog.setDirectory(place)
        dialog.selectFile(self._name)
        dialog.fileSelected.connect(self.save_to)
        dialog.open()

    @Slot(str)
    def save_to(self, path: str) -> None:
        """Write to the file ``path``, and say how that went."""
        written = self._errands.run(partial(_write_elsewhere, path, self._data))
        written.ready(self._tell_saved).except_(self._tell_failed)

    def _tell_saved(self, name: str) -> None:
        self.told.emit(self.tr("Saved as {name}").format(name=name), False)

    def _tell_failed(self, error: Exception) -> None:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        self.told.emit(self.tr("Could not be saved: {why}").format(why=why), True)


async def _write_elsewhere(path: str, data: bytes) -> str:
    """Write a file on a thread of its own; its name."""
    import asyncio  # (here: whoever only looks does without)

    await asyncio.to_thread(Path(path).write_bytes, data)
    return Path(path).name
