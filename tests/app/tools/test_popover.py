"""The tools of a chat, switched at the foot of the composer."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from rillet.app.tools.popover import ToolsPopover
from rillet.core.visible import visible
from support.fake_server import FakeServer, answer
from support.tool_hands import ask, box, calling, card_of, open_tools, says, wait_for_text

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def test_a_new_chat_has_no_tools_and_those_for_files_are_off_without_a_folder(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("Hi.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        assert window.sessions.current.tools.text() == "No tools"
        popover = open_tools(window)
        assert not box(popover, "write").isEnabled()
        assert not box(popover, "webfetch").isChecked()
        popover.close()
        ask(window, "Hello")
        wait_for_text(qtbot, window, "Hi.")
        assert "tools" not in server.requests[0].json


def test_what_is_switched_on_before_the_first_message_is_offered_with_it(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    with FakeServer(answer("Hi.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        popover.chooseFolder(str(folder))
        assert window.sessions.current.tools.text() == "7 tools"
        for name in ("glob", "grep", "edit", "apply_patch", "bash"):
            box(popover, name).click()
        assert window.sessions.current.tools.text() == "2 tools"
        popover.close()
        ask(window, "Hello")
        wait_for_text(qtbot, window, "Hi.")
        assert [each["function"]["name"] for each in server.requests[0].json["tools"]] == ["read", "write"]
    assert services.settings.tools.folders == (str(folder),)


def test_a_folder_changes_nothing_about_tools_that_were_chosen_before(window: MainWindow, folder: Path) -> None:
    popover = open_tools(window)
    box(popover, "webfetch").click()
    popover.chooseFolder(str(folder))
    assert window.sessions.current.tools.text() == "1 tool"
    assert box(popover, "webfetch").isChecked()


def test_a_folder_that_holds_secrets_is_refused_with_the_reason(window: MainWindow) -> None:
    popover = open_tools(window)
    popover.chooseFolder("/")
    assert popover.folder is None
    assert says(popover, "cannot be used")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_folder_whose_name_is_no_text_is_refused_for_nothing_could_be_kept_about_it(
    window: MainWindow, tmp_path: Path
) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path / "odd") + b"\xff")
    os.mkdir(odd)  # noqa: PTH102 (as the system names it)
    popover = open_tools(window)
    popover.chooseFolder(odd)
    assert popover.folder is None
    assert says(popover, "has bytes that are no letters")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such names")
@pytest.mark.parametrize("name", ["with space", "new\nline", "\u202egnp", "-dash", "q'uo\"te", "%2e", "\u200b"])
def test_a_folder_with_an_odd_name_is_worked_in_and_shown_as_it_is(
    name: str, window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    with FakeServer(calling("write", path="a.txt", content="x"), answer("Done.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        popover.chooseFolder(str(folder))
        assert popover._folder.text() == visible(str(folder))
        popover.close()
        ask(window, "Write")
        QTest.keyClick(card_of(qtbot, window), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        wait_for_text(qtbot, window, "Done.")
    assert (folder / "a.txt").read_text() == "x"


def test_all_tools_can_be_had_and_left_with_one_switch(window: MainWindow) -> None:
    popover = open_tools(window)
    box(popover, "All tools").click()
    assert window.sessions.current.tools.text() == "All tools"
    box(popover, "webfetch").click()
    assert box(popover, "All tools").checkState() is Qt.CheckState.PartiallyChecked
    assert not box(popover, "webfetch").isChecked()
    box(popover, "All tools").click()
    assert window.sessions.current.tools.text() == "All tools"
    box(popover, "All tools").click()
    assert window.sessions.current.tools.text() == "No tools"


def test_a_set_switches_its_tools_together_and_outlives_the_list(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.tools.put_set("Talk", frozenset({"question", "todowrite"}))
    popover = open_tools(window)
    box(popover, "Set: Talk").click()
    assert box(popover, "question").isChecked()
    assert box(popover, "todowrite").isChecked()
    box(popover, "question").click()
    assert box(popover, "Set: Talk").checkState() is Qt.CheckState.PartiallyChecked
    assert services.settings.tools.sets == {"Talk": ("question", "todowrite")}


def test_the_keyboard_goes_through_the_switches_and_escape_leaves(window: MainWindow, qtbot: QtBot) -> None:
    popover = open_tools(window)
    box(popover, "webfetch").setFocus()
    QTest.keyClick(box(popover, "webfetch"), Qt.Key.Key_Space)
    assert window.sessions.current.tools.text() == "1 tool"
    QTest.keyClick(popover, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: box(popover, "question").hasFocus())
    with qtbot.waitSignal(popover.closed):
        QTest.keyClick(popover, Qt.Key.Key_Escape)


def test_a_chat_that_read_a_file_says_that_it_holds_text_from_outside(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    (folder / "a.txt").write_text("hello")
    with FakeServer(calling("read", path="a.txt"), answer("Read."), calling("write", path="b", content="x")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        popover.chooseFolder(str(folder))
        box(popover, "All tools").click()
        assert not says(popover, "outside")
        popover.close()
        ask(window, "Read a.txt")
        wait_for_text(qtbot, window, "Read.")
        again = open_tools(window)
        qtbot.waitUntil(lambda: says(again, "outside: whatever writes or reaches the network always asks"))
        again.close()
        ask(window, "Write b")
        card_of(qtbot, window)


def test_the_focus_stays_where_it_was_when_the_list_is_made_anew(window: MainWindow, services: Services) -> None:
    popover = open_tools(window)
    assert popover._folder.hasFocus()
    services.tools.put_set("Talk", frozenset({"question"}))
    assert popover._folder.hasFocus()
    box(popover, "question").setFocus()
    services.tools.remove_set("Talk")
    assert box(popover, "question").hasFocus()


def test_after_a_folder_was_looked_for_the_tools_for_it_can_be_chosen(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    popover = open_tools(window)
    assert popover._folder.text() == "Choose a folder…"
    QTest.mouseClick(popover._folder, Qt.MouseButton.LeftButton)
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    assert not popover.isVisible()
    chooser.fileSelected.emit(str(folder))
    chooser.close()
    again = window.findChildren(ToolsPopover)[-1]
    assert again.isVisible()
    assert again.folder == str(folder)
    assert box(again, "write").isEnabled()
    assert [each.text() for each in again._folder.menu().actions() if each.text()][-1] == "No folder"
    window.sessions.current.tools.takeFolder("/")
    said = window.findChild(QMessageBox)
    assert said is not None
    assert "This folder cannot be used" in said.text()
    assert again.folder == str(folder)
