"""The page of what is kept: where, how much, backups, the trash, and deleting all of it.

Above: ``library``, ``qt/desk``, ``data_files``. Guarantees: restoring keeps a copy of what there was; nothing is
deleted for good without being asked about; nothing here makes the window wait for the disk.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QDate, QDateTime, QLocale, Qt, Slot
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QLineEdit, QListWidget, QListWidgetItem

from rillet.app import coroutines
from rillet.app.opening import open_own_folder
from rillet.app.question import ask
from rillet.app.settings.data_files import delete_copies, delete_old_settings, holdings, readable
from rillet.app.settings.page import Page
from rillet.app.trouble_words import of_store
from rillet.core.config.paths import paths
from rillet.core.store import chats, trash
from rillet.core.store.trouble import StoreError
from rillet.core.visible import visible
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.check_box import CheckBox

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QLabel, QWidget

    from rillet.app.services import Services
    from rillet.app.settings.data_files import Holdings
    from rillet.core.chat.desk import Desk
    from rillet.core.store.chats import Chat
    from rillet.widgets.theme.palette import Theme

LIST_HEIGHT: Final = 120
_WHAT: Final = Qt.ItemDataRole.UserRole


class DataPage(Page):
    """Lists are read anew whenever the page is shown."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._services = services
        self._add_place()
        self._add_backups()
        self._add_trash()
        self._add_end()
        self.noteSelection()

    def _add_place(self) -> None:
        self.section(self.tr("Where everything is"))
        self._place = self.note("")
        open_folder = Button("folder", self.tr("Open the folder"), look="outlined")
        open_folder.clicked.connect(self.openFolder)
        self.wide_buttons(open_folder)

    def _add_backups(self) -> None:
        self.section(self.tr("Backups"), self.tr("A backup holds every chat with its files. It holds no keys."))
        self._backups = self._new_list(self.tr("Backups"))
        self._no_backups = self.note(self.tr("There is none yet."))
        self._restore = Button("", self.tr("Restore…"), look="outlined")
        self._restore.clicked.connect(self.restore)
        back_up = Button("save", self.tr("Back up now"), look="outlined")
        back_up.clicked.connect(self.backUp)
        copy = Button("", self.tr("Save a copy elsewhere…"), look="outlined")
        copy.clicked.connect(self.chooseTarget)
        find = Button("", self.tr("Restore a file…"), look="outlined")
        find.clicked.connect(self.chooseBackup)
        self.wide_buttons(back_up, self._restore)
        self.wide_buttons(copy, find)  # (beside the others they would not fit into a narrow window)
        self._backup_note = self.note("")

    def _add_trash(self) -> None:
        self.section(self.tr("Trash"), self.tr("Deleted chats stay here for 30 days."))
        self._trash = self._new_list(self.tr("Deleted chats"))
        self._no_trash = self.note(self.tr("It is empty."))
        self._trash.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._bring_back = Button("", self.tr("Bring back"), look="outlined")
        self._bring_back.clicked.connect(self.bringBack)
        self._purge = Button("delete", self.tr("Delete for good"), look="outlined")
        self._purge.clicked.connect(self.purge)
        self.wide_buttons(self._bring_back, self._purge)
        self._trash_note = self.note("")

    def _add_end(self) -> None:
        self._word = self.tr("delete")
        self.section(
            self.tr("Delete everything"),
            self.tr("Every chat, the trash, drafts, files and backups. This cannot be undone."),
        )
        self._too = CheckBox(self.tr("&Keys and settings too"))
        self.wide(self._too)
        self._typed = QLineEdit()
        self._typed.textChanged.connect(self.noteTyped)
        self.row(self.tr("Type “{word}”").format(word=self._word), self._typed)
        self._end = Button("delete", self.tr("Delete everything"), look="outlined")
        self._end.clicked.connect(self.deleteEverything)
        self.buttons(self._end)
        self._end_note = self.note("")
        self.noteTyped()

    def _new_list(self, name: str) -> QListWidget:
        items = QListWidget()
        items.setAccessibleName(name)
        items.setFixedHeight(LIST_HEIGHT)
        items.hide()
        items.itemSelectionChanged.connect(self.noteSelection)
        self.wide(items)
        return items

    # What is shown

    async def fill(self) -> None:
        """Read everything anew."""
        try:
            await self._read()
        except StoreError as error:
            self.say(self._place, of_store(error), trouble=True)

    async def _read(self) -> None:
        store = paths().store
        found = await self._services.desk.do(partial(_count, store))
        size = self.tr("{size} in {folder}").format(size=readable(found.size), folder=store.parent)
        self.say(self._place, size)
        self._backups.clear()
        for backup in found.backups:
            _add(self._backups, f"{backup.path.stem}  ·  {readable(backup.size)}", backup.path)
        _show_unless_empty(self._backups, self._no_backups)  # (a damaged file ends this below)
        self._trash.clear()
        for chat in await self._services.desk.read(chats.trashed):
            _add(self._trash, self._words_of(chat), chat.id)
        _show_unless_empty(self._trash, self._no_trash)
        self.noteSelection()

    def _words_of(self, chat: Chat) -> str:
        title = chat.title or self.tr("Without a title")
        if chat.trashed_at is None:
            return title
        at = QDateTime.fromSecsSinceEpoch(round(chat.trashed_at))
        day = QLocale().toString(at.date(), QLocale.FormatType.ShortFormat)
        return self.tr("{title}  ·  deleted {day}").format(title=title, day=day)

    @Slot()
    def noteSelection(self) -> None:
        """Offer what can be done with what is selected."""
        self._restore.setEnabled(bool(self._backups.selectedItems()))
        for button in (self._bring_back, self._purge):
            button.setEnabled(bool(self._trash.selectedItems()))

    @Slot()
    def noteTyped(self) -> None:
        """Everything can be deleted once the word is typed."""
        self._end.setEnabled(self._typed.text().strip().casefold() == self._word.casefold())

    # What is done

    @Slot()
    def openFolder(self) -> None:
        """Show the folder in the system's file manager."""
        open_own_folder(paths().data)

    @Slot()
    def backUp(self) -> None:
        """Copy everything."""
        self._do(self._backed_up(), self._backup_note)

    @Slot()
    def restore(self) -> None:
        """Ask, and put the selected backup in the place of everything."""
        (item,) = self._backups.selectedItems()
        self._ask_to_restore(item.text(), item.data(_WHAT))

    @Slot()
    def chooseTarget(self) -> None:
        """Let the person say where a copy is to be: on another disk, as a rule."""
        chooser = self._file_dialog(self.tr("Save a copy of everything"))
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.setDefaultSuffix("db")
        chooser.selectFile(f"rillet-{QDate.currentDate().toString(Qt.DateFormat.ISODate)}.db")
        chooser.fileSelected.connect(self.backUpTo)
        chooser.open()

    @Slot(str)
    def backUpTo(self, file: str) -> None:
        """Copy everything into this file."""
        self._do(self._backed_up(Path(file)), self._backup_note)

    @Slot()
    def chooseBackup(self) -> None:
        """Let the person look for a copy."""
        chooser = self._file_dialog(self.tr("Restore a copy"))
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        chooser.fileSelected.connect(self.restoreFile)
        chooser.open()

    @Slot(str)
    def restoreFile(self, file: str) -> None:
        """Ask, and put this copy in the place of everything."""
        self._ask_to_restore(visible(Path(file).name), Path(file))

    def _ask_to_restore(self, name: str, backup: Path) -> None:
        ask(
            self,
            self.tr("Restore {name}?").format(name=name),
            self.tr("What there is now is kept as another backup."),
            self.tr("Restore"),
            lambda: self._do(self._restored(backup), self._backup_note),
        )

    def _file_dialog(self, title: str) -> QFileDialog:
        chooser = QFileDialog(self.window(), title, str(Path.home()))
        chooser.setNameFilters([self.tr("Backups of Rillet (*.db)"), self.tr("All files (*)")])
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return chooser

    @Slot()
    def bringBack(self) -> None:
        """Take the selected chats out of the trash."""
        self._do(self._brought_back(_selected(self._trash)), self._trash_note)

    @Slot()
    def purge(self) -> None:
        """Ask, and delete the selected chats for good."""
        ids = _selected(self._trash)
        ask(
            self,
            self.tr("Delete {count} chats for good?").format(count=len(ids))
            if len(ids) > 1
            else self.tr("Delete this chat for good?"),
            self.tr("This cannot be undone. Backups may still hold it."),
            self.tr("Delete"),
            lambda: self._do(self._purged(ids), self._trash_note),
        )

    @Slot()
    def deleteEverything(self) -> None:
        """Delete all of it."""
        self._do(self._all_deleted(keys_too=self._too.isChecked()), self._end_note)
        self._typed.clear()

    async def _backed_up(self, target: Path | None = None) -> str:
        path = await self._services.desk.do(lambda desk: desk.store.back_up(target))
        return self.tr("Saved as {name}.").format(name=visible(path.name if target is None else str(path)))

    async def _restored(self, backup: Path) -> str:
        library = self._services.library
        if any(library.is_answering(chat.id) for chat in library.chats):
            return self.tr("An answer is under way: stop it, or wait for its end.")
        library.leave()
        try:
            previous = await self._services.desk.do(partial(_restore, backup))
            self._services.storeReplaced.emit()
        finally:
            await library.load()
        return self.tr("Restored. What there was is kept as {name}.").format(name=previous.name)

    async def _brought_back(self, ids: list[int]) -> str:
        await self._services.library.untrash(ids)
        return self.tr("Brought back: {count}").format(count=len(ids))

    async def _purged(self, ids: list[int]) -> str:
        count = await self._services.library.purge(ids)
        return self.tr("Deleted for good: {count}").format(count=count)

    async def _all_deleted(self, *, keys_too: bool) -> str:
        services = self._services
        if any(services.library.is_answering(chat.id) for chat in services.library.chats):
            return self.tr("An answer is under way: stop it, or wait for its end.")
        services.library.leave(temporary=True)
        try:
            left = await services.desk.do(partial(_delete_everything, paths().store))
        finally:
            await services.library.load()
        if keys_too:
            if not await services.keys.forget_all():
                return self.tr("The chats were deleted. Some keys could not be: the key store is not open.")
            services.reset()
            left += await services.desk.do(partial(_delete_old_settings, paths().config))
        if left:
            return self.tr("Some files could not be deleted; they are in {folder}.").format(folder=paths().data)
        return self.tr("Everything was deleted.")

    def _do(self, work: Coroutine[Any, Any, str], note: QLabel) -> None:
        coroutines.start(self._done(work, note))

    async def _done(self, work: Coroutine[Any, Any, str], note: QLabel) -> None:
        """Do something, say how it went, and show what there is then."""
        try:
            self.say(note, await work)
        except StoreError as error:
            self.say(note, of_store(error), trouble=True)
        await self.fill()

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """Show what there is now."""
        super().showEvent(event)
        coroutines.start(self.fill())


def _add(items: QListWidget, text: str, what: object) -> None:
    item = QListWidgetItem(text)
    item.setData(_WHAT, what)
    items.addItem(item)


def _show_unless_empty(items: QListWidget, nothing: QLabel) -> None:
    items.setVisible(items.count() > 0)
    nothing.setVisible(items.count() == 0)


def _selected(items: QListWidget) -> list[int]:
    return [item.data(_WHAT) for item in items.selectedItems()]


# On the engine thread


async def _count(store: Path, _desk: Desk) -> Holdings:
    return await asyncio.to_thread(holdings, store)


async def _restore(backup: Path, desk: Desk) -> Path:
    previous = await desk.store.restore(backup)
    await desk.bench.keep_everything()
    return previous


async def _delete_everything(store: Path, desk: Desk) -> int:
    """Chats, drafts and every copy: how many files could not be deleted."""
    found = [chat.id for chat in await desk.store.read(chats.overview) + await desk.store.read(chats.trashed)]
    await desk.store.write(trash.clear)
    desk.log.clear()
    await desk.bench.revoke_everything()
    await desk.store.purge(found)
    return await asyncio.to_thread(delete_copies, store)


async def _delete_old_settings(folder: Path, _desk: Desk) -> int:
    return await asyncio.to_thread(delete_old_settings, folder)
