"""What is wrong with the disk, with files and with keys is said in the window, and can be mended from there."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QMessageBox, QPushButton

from rillet.app import coroutines
from rillet.app.services import Services
from rillet.app.settings.dialog import SettingsDialog
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.store import chats
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from rillet.core.chat.desk import Desk
    from rillet.widgets.theme.palette import Theme


class Start:
    """Starts the program, as often as wanted."""

    def __init__(self, theme: Theme, qtbot: QtBot) -> None:
        self._theme = theme
        self._qtbot = qtbot
        self._running: Services | None = None

    def __call__(self) -> MainWindow:
        self.quit()
        file = SettingsFile(paths().settings)
        file.load()
        self._running = self.services = Services(file, environment={})
        window = self.window = MainWindow(WindowState(paths().window), self._theme)
        self._qtbot.addWidget(window)
        self.services.desk.open()
        window.serve(self.services)
        window.show()
        coroutines.start(self.services.library.load())
        return window

    def run(self, work: Awaitable[object]) -> None:
        async def turn() -> None:
            await work

        task = coroutines.start(turn())
        self._qtbot.waitUntil(task.done)

    def quit(self) -> None:
        if self._running is not None:
            self.window.leave()
            self._running.close()
            self._running = None


@pytest.fixture
def start(services: Services, theme: Theme, qtbot: QtBot) -> Iterator[Start]:
    start = Start(theme, qtbot)
    yield start
    start.quit()


def said(window: MainWindow) -> str:
    return window._banner.text


def press(window: QWidget, text: str) -> None:
    button = next(each for each in window.findChildren(Button) if each.text() == text and each.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def titles(start: Start) -> list[str]:
    return sorted(chat.title for chat in start.services.library.chats)


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_settings_that_cannot_be_saved_are_told_and_saved_once_the_disk_allows_it(
    start: Start, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rillet.app.keeper.RETRY_MS", 50)
    window = start()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        start.services.change(welcomed=True)
        qtbot.waitUntil(lambda: "cannot be saved (No space left on device)" in said(window))
        assert start.services.settings.welcomed
        assert not paths().settings.exists()
    qtbot.waitUntil(lambda: said(window) == "")
    assert SettingsFile(paths().settings).load().welcomed


def test_what_changes_while_settings_are_saved_is_saved_after_them(
    start: Start, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    start()
    writes = []
    save = SettingsFile.save

    def saved(file: SettingsFile) -> None:
        writes.append(file.settings.recent_actions)
        save(file)

    monkeypatch.setattr(SettingsFile, "save", saved)
    for number in range(200):
        start.services.change(recent_actions=(str(number),))
    qtbot.waitUntil(
        lambda: paths().settings.exists() and SettingsFile(paths().settings).load().recent_actions == ("199",),
        timeout=30_000,
    )
    assert len(writes) < 200, "those in between need not be written"


def test_settings_that_could_not_be_understood_are_told_with_the_name_of_the_old_file(start: Start) -> None:
    paths().settings.parent.mkdir(parents=True)
    paths().settings.write_bytes(b"{ this was")
    window = start()
    assert "as at first. The old file is kept as settings.broken.json" in said(window)
    press(window, "")  # (the cross)
    start.quit()
    paths().settings.write_text('{"titles": 7, "welcomed": true}')
    window = start()
    assert "Some settings could not be read and are as at first: titles." in said(window)
    assert start.services.settings.welcomed


def test_a_disk_without_room_at_the_start_is_told_and_the_chats_come_once_it_has_some(
    start: Start, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rillet.qt.desk.RETRY_SECONDS", 0.05)
    start()
    start.run(start.services.desk.write(chats.create, title="There"))
    start.quit()
    (folder, away) = (paths().data, paths().data.with_name("away"))
    folder.rename(away)
    folder.write_text("in the way")
    window = start()
    qtbot.waitUntil(lambda: "The folder with all chats cannot be used" in said(window))
    folder.unlink()
    away.rename(folder)
    qtbot.waitUntil(lambda: titles(start) == ["There"])
    qtbot.waitUntil(lambda: "folder with all chats" not in said(window))
    assert "The settings could not be read (Not a directory)" in said(window)


def test_a_file_of_a_newer_version_is_shown_and_nothing_of_it_seems_to_change(start: Start, qtbot: QtBot) -> None:
    start()
    start.run(start.services.desk.write(chats.create, title="Old"))
    start.quit()
    with sqlite3.connect(paths().store) as db:
        db.execute("INSERT INTO migrations (name, at) VALUES ('9999 later', 0)")
    db.close()
    window = start()
    qtbot.waitUntil(lambda: "everything can be read" in said(window))
    qtbot.waitUntil(lambda: titles(start) == ["Old"])
    (chat,) = start.services.library.chats
    coroutines.start(start.services.library.rename(chat.id, "New"))
    coroutines.start(start.services.library.pin([chat.id], pinned=True))
    qtbot.waitUntil(lambda: titles(start) == ["Old"] and not start.services.library.chats[0].pinned)
    assert "everything can be read" in said(window)


def _spoil(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\x13" * path.stat().st_size)


async def _tidy(desk: Desk) -> None:
    await desk.store.tidy()


def test_damage_is_found_while_the_program_runs_and_a_backup_restored_without_a_restart(
    start: Start, qtbot: QtBot
) -> None:
    window = start()
    start.run(start.services.desk.write(chats.create, title="Kept"))
    start.run(start.services.desk.do(lambda desk: desk.store.back_up()))
    start.run(start.services.desk.do(_tidy))
    window._notices.check()
    start.run(start.services.library.load())
    assert said(window) == "", "there is nothing to tell"
    _spoil(paths().store)
    window._notices.check()
    qtbot.waitUntil(lambda: "is damaged" in said(window))
    press(window, "Restore a backup…")
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    listed = next(each for each in dialog.page.findChildren(QListWidget) if each.accessibleName() == "Backups")
    qtbot.waitUntil(lambda: listed.isVisible() and listed.count() == 1)
    listed.setCurrentRow(0)
    press(dialog, "Restore…")
    box = dialog.findChild(QMessageBox)
    assert box is not None
    yes = next(each for each in box.findChildren(QPushButton) if each.text().replace("&", "") == "Restore")
    QTest.mouseClick(yes, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: titles(start) == ["Kept"] and said(window) == "")
    start.run(start.services.desk.write(chats.create, title="New"))
    start.run(start.services.library.load())
    assert titles(start) == ["Kept", "New"]


def test_a_file_that_was_damaged_before_the_start_is_set_aside_and_backups_are_offered(
    start: Start, qtbot: QtBot
) -> None:
    start()
    start.run(start.services.desk.write(chats.create, title="Gone"))
    start.quit()
    _spoil(paths().store)
    window = start()
    qtbot.waitUntil(lambda: "It is kept as rillet damaged" in said(window))
    press(window, "Restore a backup…")
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    assert dialog.page.accessibleName() == "Data"


def test_several_notices_stand_together_and_each_goes_by_itself(start: Start, qtbot: QtBot) -> None:
    paths().settings.parent.mkdir(parents=True)
    paths().settings.write_bytes(b"{")
    window = start()
    banner = window._banner
    banner.tell("disk", "The disk is full.", urgent=True)
    banner.tell("disk", "The disk is read-only.", urgent=True)
    assert said(window).splitlines()[0] == "The disk is read-only."
    assert "as at first" in said(window)
    crosses = [each for each in banner.findChildren(Button) if not each.text() and each.isVisible()]
    assert len(crosses) == 1, "what is not over cannot be closed"
    QTest.mouseClick(crosses[0], Qt.MouseButton.LeftButton)
    assert said(window) == "The disk is read-only."
    banner.clear("disk")
    assert not banner.isVisible()
