"""What the window says about everything: files that are damaged or cannot be written, keys that cannot be had.

Above: ``services``, ``banner``, ``trouble_words``. Below: ``window`` makes it. Guarantees: no trouble of the disk is
silent; what is over is said no more; whoever can do something about it finds a button for it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from rillet.app import coroutines
from rillet.app.banner import Offer
from rillet.app.opening import open_own_folder
from rillet.app.trouble_words import of_keys, of_store
from rillet.core.config.paths import paths
from rillet.core.store.trouble import Damaged, Missing, StoreError, TooNew

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.app.banner import Banner
    from rillet.app.services import Services
    from rillet.core.chat.desk import Desk
    from rillet.core.store.store import Opening

CHECK_MS: Final = 20_000
"""How long after the start the file with all chats is read through, when the person has got what she wanted."""


class Notices(QObject):
    """Fills the banner.

    Signals:
        backupsWanted(): The person wants to choose a backup.
    """

    backupsWanted = Signal()

    def __init__(self, services: Services, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._banner = banner
        self._backups = Offer(self.tr("Restore a backup…"), self.backupsWanted.emit)
        services.desk.troubled.connect(self.showTrouble)
        services.desk.opened.connect(self.showOpening)
        services.storeReplaced.connect(self.forgetDamage)
        services.keys.changed.connect(self.showKeyTrouble)
        services.keeper.troubled.connect(self.showUnsaved)
        coroutines.hear_trouble(self.hear)
        self._check = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._check.timeout.connect(self.check)
        self._check.start()
        self._show_settings()

    def close(self) -> None:
        """Hear nothing any more."""
        coroutines.hear_trouble(None)
        self._check.stop()

    def hear(self, trouble: StoreError) -> None:
        """Something that was asked of the store has failed."""
        if isinstance(trouble, Damaged):
            self._show_damage(trouble)
        elif isinstance(trouble, TooNew):  # (the banner says so already; what was shown too early is taken back)
            coroutines.start(self._services.library.load())
        elif not isinstance(trouble, Missing):  # (somebody was faster)
            self._banner.tell("change", of_store(trouble))

    def tell_of_crash(self, show: Callable[[], object]) -> None:
        """Say that the program ended badly the last time; ``show`` shows what is known of it."""
        words = self.tr("Rillet ended unexpectedly last time.")
        self._banner.tell("crash", words, offer=Offer(self.tr("Show report"), show))

    @Slot()
    def check(self) -> None:
        """Read through the file, beside everything else; ``hear`` is told of damage."""
        coroutines.start(self._checked())

    @Slot(object)
    def showTrouble(self, trouble: StoreError | None) -> None:
        """Say that nothing can be saved, as long as that is so."""
        self._banner.clear("store")
        if isinstance(trouble, Damaged):
            self._show_damage(trouble)
        elif trouble is not None:
            self._banner.tell("store", of_store(trouble), urgent=True)

    @Slot(object)
    def showOpening(self, opening: Opening) -> None:
        """Say what was wrong with the file of all chats when it was opened."""
        if opening.read_only is not None:
            self._banner.tell("opening", of_store(opening.read_only), urgent=True)
        elif opening.set_aside is not None:
            words = self.tr("The file with all chats was damaged. It is kept as {name}, and a new one was begun.")
            self._banner.tell("opening", words.format(name=opening.set_aside.name), offer=self._backups)

    @Slot()
    def forgetDamage(self) -> None:
        """Another file is in the place of the damaged one."""
        for about in ("opening", "damage", "change"):
            self._banner.clear(about)

    @Slot()
    def showKeyTrouble(self) -> None:
        """Say that kept keys cannot be had, because a question without its key fails for a reason nobody guesses."""
        keys = self._services.keys
        if keys.trouble is not None and keys.missing:
            again = Offer(self.tr("Try again"), self._ask_for_keys)
            self._banner.tell("keys", of_keys(keys.trouble), offer=again)
        else:
            self._banner.clear("keys")

    @Slot()
    def showUnsaved(self) -> None:
        """Say that the settings cannot be saved, as long as that is so."""
        trouble = self._services.keeper.trouble
        if trouble is None:
            self._banner.clear("settings")
            return
        words = self.tr(
            "The settings cannot be saved ({reason}). They hold until you quit, and are saved as soon as the disk "
            "allows it."
        )
        self._banner.tell("settings", words.format(reason=trouble.strerror or trouble), urgent=True)

    def _show_settings(self) -> None:
        """Say what was wrong with the settings when they were loaded."""
        file = self._services.settings_file
        offer = Offer(self.tr("Open the folder"), partial(open_own_folder, paths().config))
        if file.set_aside is not None and file.lost:
            words = self.tr("Some settings could not be read and are as at first: {names}. The old file is {name}.")
            said = words.format(names=", ".join(file.lost), name=file.set_aside.name)
        elif file.set_aside is not None:
            words = self.tr("The settings could not be read, and are as at first. The old file is kept as {name}.")
            said = words.format(name=file.set_aside.name)
        elif file.unread is not None:
            words = self.tr("The settings could not be read ({reason}), and are as at first.")
            said = words.format(reason=file.unread.strerror or file.unread)
        else:
            return
        self._banner.tell("settings-file", said, offer=offer)

    def _show_damage(self, damage: Damaged) -> None:
        self._banner.tell("damage", of_store(damage), urgent=True, offer=self._backups)

    def _ask_for_keys(self) -> None:
        coroutines.start(self._services.keys.load())

    async def _checked(self) -> None:
        await self._services.desk.do(_check)


async def _check(desk: Desk) -> None:
    await desk.store.check()
