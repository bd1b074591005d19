"""A chat with tools, from the first switch to the last answer, with a scripted provider."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from support.fake_server import FakeServer, answer
from support.processes import living, word
from support.tool_hands import ask, box, calling, card_of, open_tools, says, wait_for_text

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def test_a_file_is_changed_after_its_diff_was_seen_and_a_command_is_refused(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    (folder / "a.txt").write_text("old\n")
    script = (
        calling("read", "c1", path="a.txt"),
        calling("write", "c2", path="a.txt", content="new\n"),
        calling("bash", "c3", command="touch b.txt"),
        answer("Written; the command was not run."),
    )
    with FakeServer(*script) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        popover.chooseFolder(str(folder))
        box(popover, "All tools").click()
        popover.close()
        ask(window, "Change a.txt and run it")
        card = card_of(qtbot, window)
        shown = card._call.toPlainText()
        assert "-old" in shown
        assert "+new" in shown
        assert (folder / "a.txt").read_text() == "old\n"
        QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: len(server.requests) == 3)
        assert (folder / "a.txt").read_text() == "new\n"
        command = card_of(qtbot, window)
        assert "touch b.txt" in command._call.toPlainText()
        QTest.keyClick(command, Qt.Key.Key_Escape)
        wait_for_text(qtbot, window, "Written; the command was not run.")
        results = [each["content"] for each in server.requests[3].json["messages"] if each["role"] == "tool"]
    assert not (folder / "b.txt").exists()
    assert "not allowed" in results[-1]
    assert services.tools.state is not None
    assert services.tools.state.grants == (), "once is once"
    again = open_tools(window)
    qtbot.waitUntil(lambda: says(again, "text from outside"))


@pytest.mark.skipif(sys.platform != "linux", reason="what lives is read from /proc")
def test_stop_ends_a_command_with_all_it_started_and_the_call_says_so(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    mark = word()
    command = f"sleep {mark} & (setsid sleep {mark} &); sleep {mark}; touch late"
    with FakeServer(calling("bash", command=command), answer("Stopped.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        popover.chooseFolder(str(folder))
        popover.close()
        ask(window, "Wait")
        QTest.keyClick(card_of(qtbot, window), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: len(living(mark)) >= 3)
        window.stop()
        qtbot.waitUntil(lambda: not living(mark))
        qtbot.waitUntil(lambda: not window.view.composer.isBusy())
        (call,) = [call for handle in window.view.handles() for call in handle.calls]
        qtbot.waitUntil(lambda: call.status == "stopped")
        assert len(server.requests) == 1
        ask(window, "And now?")
        wait_for_text(qtbot, window, "Stopped.")
        (result,) = [each["content"] for each in server.requests[1].json["messages"] if each["role"] == "tool"]
    assert "cancelled" in result
    assert not (folder / "late").exists()


def test_a_folder_that_is_gone_fails_the_answer_with_the_reason_and_not_the_program(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    with FakeServer(answer("never")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        popover.chooseFolder(str(folder))
        popover.close()
        folder.rmdir()
        ask(window, "Read")
        qtbot.waitUntil(lambda: bool(window.view.handles()) and not window.view.composer.isBusy())
        assert server.requests == []
