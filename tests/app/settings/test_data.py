"""The page of what is kept, as a person uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QListWidget, QMessageBox, QPushButton

from rillet.app import coroutines
from rillet.app.settings.data import DataPage
from rillet.app.settings.data_files import readable
from rillet.core.config.paths import paths
from rillet.core.config.settings import Settings
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path
    from sqlite3 import Connection

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme
    from support.key_stores import FakeKeyStore


def wait(qtbot: QtBot, work: Awaitable[object]) -> None:
    async def turn() -> None:
        await work

    task = coroutines.start(turn())
    qtbot.waitUntil(task.done)


@pytest.fixture
def page(services: Services, theme: Theme, qtbot: QtBot) -> DataPage:
    services.desk.open()
    for title in ("First", "Second"):
        wait(qtbot, services.desk.write(chats.create, title=title))
    wait(qtbot, services.library.load())
    page = DataPage(services, theme)
    qtbot.addWidget(page)
    page.resize(680, 1200)
    page.show()
    qtbot.waitUntil(lambda: page._place.text() != "")
    return page


def press(page: DataPage, text: str) -> None:
    button = [each for each in page.findChildren(Button) if each.text() == text][-1]
    assert button.isEnabled(), text
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def answer(page: DataPage, qtbot: QtBot, words: str) -> None:
    """Answer the question that was asked."""
    qtbot.waitUntil(lambda: bool(page.window().findChildren(QMessageBox)))
    box = page.window().findChildren(QMessageBox)[-1]
    button = next(each for each in box.findChildren(QPushButton) if each.text().replace("&", "") == words)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def listed(page: DataPage, name: str) -> list[str]:
    items = next(each for each in page.findChildren(QListWidget) if each.accessibleName() == name)
    return [items.item(row).text() for row in range(items.count())]


def select(page: DataPage, name: str, row: int) -> None:
    next(each for each in page.findChildren(QListWidget) if each.accessibleName() == name).setCurrentRow(row)


def titles(services: Services) -> list[str]:
    return sorted(chat.title for chat in services.library.chats)


def test_it_says_where_everything_is_and_how_much(page: DataPage) -> None:
    assert str(paths().data) in page._place.text()
    assert "B in" in page._place.text()


def test_a_backup_is_made_listed_and_restored_and_what_there_was_is_kept(
    page: DataPage, services: Services, qtbot: QtBot
) -> None:
    press(page, "Back up now")
    qtbot.waitUntil(lambda: len(listed(page, "Backups")) == 1)
    wait(qtbot, services.library.create())
    assert len(services.library.chats) == 3
    select(page, "Backups", 0)
    press(page, "Restore…")
    answer(page, qtbot, "Restore")
    qtbot.waitUntil(lambda: "Restored" in page._backup_note.text())
    assert titles(services) == ["First", "Second"]
    qtbot.waitUntil(lambda: len(listed(page, "Backups")) == 2)
    assert any("before restoring" in text for text in listed(page, "Backups"))


def test_a_copy_is_saved_elsewhere_and_restored_from_there(
    page: DataPage, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    elsewhere = tmp_path / "other disk" / "copy.db"
    press(page, "Save a copy elsewhere…")
    chooser = page.window().findChildren(QFileDialog)[-1]
    chooser.fileSelected.emit(str(elsewhere))
    chooser.close()
    qtbot.waitUntil(lambda: str(elsewhere) in page._backup_note.text())
    wait(qtbot, services.library.create())
    press(page, "Restore a file…")
    finder = page.window().findChildren(QFileDialog)[-1]
    finder.fileSelected.emit(str(elsewhere))
    finder.close()
    answer(page, qtbot, "Restore")
    qtbot.waitUntil(lambda: "Restored" in page._backup_note.text())
    assert titles(services) == ["First", "Second"]


@pytest.mark.parametrize("way", ["backUpTo", "restore"])
def test_the_file_with_all_chats_is_no_backup_of_itself(
    way: str, page: DataPage, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    link = tmp_path / "link"
    link.hardlink_to(paths().store)
    for name in (paths().store, link):
        page._backup_note.clear()
        if way == "backUpTo":
            page.backUpTo(str(name))
        else:
            page.restoreFile(str(name))
            answer(page, qtbot, "Restore")
        qtbot.waitUntil(lambda: "the file with all chats itself" in page._backup_note.text())
    wait(qtbot, services.library.load())
    assert titles(services) == ["First", "Second"]


def test_restoring_waits_for_answers_and_can_be_called_off(page: DataPage, services: Services, qtbot: QtBot) -> None:
    press(page, "Back up now")
    qtbot.waitUntil(lambda: len(listed(page, "Backups")) == 1)
    select(page, "Backups", 0)
    press(page, "Restore…")
    answer(page, qtbot, "Cancel")
    services.library.set_answering(services.library.chats[0].id, True)
    press(page, "Restore…")
    answer(page, qtbot, "Restore")
    qtbot.waitUntil(lambda: "under way" in page._backup_note.text())
    assert len(listed(page, "Backups")) == 1


def test_a_damaged_backup_is_told_and_changes_nothing(page: DataPage, services: Services, qtbot: QtBot) -> None:
    press(page, "Back up now")
    qtbot.waitUntil(lambda: len(listed(page, "Backups")) == 1)
    (file,) = (paths().data / "backups").glob("*.db")
    file.write_bytes(b"no database" * 500)
    select(page, "Backups", 0)
    press(page, "Restore…")
    answer(page, qtbot, "Restore")
    qtbot.waitUntil(lambda: "damaged" in page._backup_note.text())
    assert titles(services) == ["First", "Second"]


def test_a_deleted_chat_is_brought_back_or_deleted_for_good(page: DataPage, services: Services, qtbot: QtBot) -> None:
    services.library.trash([chat.id for chat in services.library.chats])
    qtbot.waitUntil(lambda: len(services.desk.read(chats.trashed).get(30)) == 2)
    wait(qtbot, page.fill())
    assert len(listed(page, "Deleted chats")) == 2
    select(page, "Deleted chats", 0)
    press(page, "Bring back")
    qtbot.waitUntil(lambda: len(listed(page, "Deleted chats")) == 1)
    assert len(services.library.chats) == 1
    select(page, "Deleted chats", 0)
    press(page, "Delete for good")
    answer(page, qtbot, "Delete")
    qtbot.waitUntil(lambda: listed(page, "Deleted chats") == [])
    assert "1" in page._trash_note.text()
    assert len(services.library.chats) == 1


def test_what_was_in_the_trash_for_a_month_is_deleted_by_itself(
    page: DataPage, services: Services, qtbot: QtBot
) -> None:
    old, young = (chat.id for chat in services.library.chats)
    services.library.trash([old, young])
    qtbot.waitUntil(lambda: len(services.desk.read(chats.trashed).get(30)) == 2)
    wait(qtbot, services.desk.write(_age, old))
    wait(qtbot, services.library.purge_overdue())
    wait(qtbot, page.fill())
    assert len(listed(page, "Deleted chats")) == 1


def _age(db: Connection, chat_id: int) -> None:
    db.execute("UPDATE chats SET trashed_at = trashed_at - 31 * 24 * 3600 WHERE id = ?", (chat_id,))


def test_everything_is_deleted_once_the_word_is_typed(
    page: DataPage, services: Services, key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    chat = services.library.chats[0].id
    wait(qtbot, services.desk.writeDurably(messages.add, chat, None, ChatMessage.user("a secret plan")))
    services.add_provider("mistral")
    wait(qtbot, services.keys.keep("https://api.mistral.ai/v1", "sk"))
    press(page, "Back up now")
    qtbot.waitUntil(lambda: len(listed(page, "Backups")) == 1)
    typed = next(each for each in page.findChildren(QLineEdit) if each.accessibleName().startswith("Type"))
    assert not page._end.isEnabled()
    QTest.keyClicks(typed, "delet")
    assert not page._end.isEnabled()
    QTest.keyClicks(typed, "e")
    page._too.setChecked(True)
    press(page, "Delete everything")
    qtbot.waitUntil(lambda: "Everything was deleted" in page._end_note.text())
    assert services.library.chats == []
    assert key_store.secrets == {}
    assert services.settings == Settings()
    left = [file for file in paths().data.rglob("*") if file.is_file() and b"secret plan" in file.read_bytes()]
    assert left == []
    qtbot.waitUntil(lambda: listed(page, "Backups") == [])


def test_keys_that_cannot_be_deleted_are_told(
    page: DataPage, services: Services, key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    wait(qtbot, services.keys.keep("https://api.mistral.ai/v1", "sk"))
    key_store.locked = True
    page._too.setChecked(True)
    page._typed.setText("DELETE")
    press(page, "Delete everything")
    qtbot.waitUntil(lambda: "Some keys could not be" in page._end_note.text())
    assert services.settings.stored_keys == ("https://api.mistral.ai/v1",)


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (12_345_678, "12 MB"), (5 * 10**12, "5000 GB")],
)
def test_sizes_are_for_people(size: int, words: str) -> None:
    assert readable(size) == words
