"""Saves the settings beside the GUI: whenever they change, and again while the disk refuses.

Above: ``core/config/settings`` on the engine thread. Below: ``services`` makes it. Guarantees: a change never waits for
the disk; what is saved last is what holds last; what could not be saved is told, tried again, and once more when the
program quits.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from rillet.core.errors import Cancelled

if TYPE_CHECKING:
    from rillet.core.config.settings import SettingsFile
    from rillet.qt.errands import Errands
    from rillet.qt.resource import AsyncResource

log = logging.getLogger("rillet.config")

RETRY_MS: Final = 1000


class Keeper(QObject):
    """Saves one file.

    Attributes:
        trouble: Why the settings are not saved just now, or None.

    Signals:
        troubled(): ``trouble`` is another one.
    """

    troubled = Signal()

    def __init__(self, file: SettingsFile, errands: Errands, parent: QObject) -> None:
        super().__init__(parent)
        self._file = file
        self._errands = errands
        self._saving: AsyncResource[OSError | None] | None = None
        self._is_behind = False
        """Whether something has changed since saving began last."""
        self.trouble: OSError | None = None
        self._again = QTimer(self, singleShot=True, interval=RETRY_MS)
        self._again.timeout.connect(self.keep)

    @Slot()
    def keep(self) -> None:
        """Save what holds now, soon."""
        self._is_behind = True
        if self._saving is None:
            self._begin()

    def close(self) -> None:
        """Save what is not saved yet, if the disk allows it."""
        self._again.stop()
        if self._is_behind or self._saving is not None or self.trouble is not None:
            self._is_behind, self._saving = False, None
            try:
                self._file.save()
            except OSError as error:
                log.warning("the settings could not be saved: %s", error)

    def _begin(self) -> None:
        self._is_behind = False
        self._again.stop()
        self._saving = self._errands.run(partial(_save, self._file)).onResult(self._end)

    def _end(self, trouble: OSError | None, error: Exception | None) -> None:
        if self._saving is None:  # (it was closed meanwhile)
            return
        self._saving = None
        if isinstance(error, Cancelled):  # (the engine has ended: another one saves what holds)
            self._again.start()
            return
        if error is not None:
            raise error
        if trouble is not None:
            self._again.start()
        elif self._is_behind:
            self._begin()
        if str(trouble) != str(self.trouble):
            log.warning("saving the settings: %s", trouble or "goes on")
            self.trouble = trouble
            self.troubled.emit()


async def _save(file: SettingsFile) -> OSError | None:
    try:
        await asyncio.to_thread(file.save)
    except OSError as error:
        return error
    return None
