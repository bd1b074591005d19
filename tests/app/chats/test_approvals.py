"""A tool that must be asked about: the card in the chat, the answer, and what came of it, also after a restart."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.app.services import Services
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.store import moving
from rillet.core.store.trouble import Missing
from rillet.qt import Engine
from rillet.widgets.blocks.approval import ApprovalCard
from rillet.widgets.transcript.tool import ApprovalAnswer
from support.chatting import PATIENCE, ask
from support.fake_server import FakeServer, answer, sse, sse_end, stream

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.widgets.theme.palette import Theme
    from support.fake_server import Script


def calling(name: str, id: str = "c1", **arguments: Any) -> Script:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return stream(
        sse({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": id, "function": function}]}}]}), sse_end()
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def let_work_in(qtbot: QtBot, services: Services, window: MainWindow, folder: Path) -> int:
    """A chat that may work in a folder, with all tools."""
    created = services.desk.write(_create, str(folder))
    chat = created.get(10)
    qtbot.waitUntil(lambda: services.library.chat(chat) is not None or not _refresh(services, chat))
    window.sessions.open(chat)
    return chat


def _create(db: Any, folder: str) -> int:
    from rillet.core.store import chats

    return chats.create(db, title="Work", settings={"workspace": folder, "tools": "all"})


def _refresh(services: Services, chat: int) -> bool:
    from rillet.app import coroutines

    coroutines.start(services.library.refresh(chat))
    return True


def card_of(qtbot: QtBot, window: MainWindow) -> ApprovalCard:
    def shown() -> ApprovalCard | None:
        return next((each for each in window.view.findChildren(ApprovalCard) if each.isVisible() and each.tile), None)

    qtbot.waitUntil(lambda: shown() is not None)
    card = shown()
    assert card is not None
    qtbot.waitUntil(lambda: card.armed)
    return card


def wait_for_text(qtbot: QtBot, window: MainWindow, text: str) -> None:
    qtbot.waitUntil(
        lambda: (
            not window.view.composer.isBusy() and bool(window.view.history()) and window.view.history()[-1].text == text
        ),
        timeout=PATIENCE,
    )


def test_a_file_is_written_once_the_card_was_answered(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    with FakeServer(calling("write", path="a.txt", content="new\n"), answer("Written.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        let_work_in(qtbot, services, window, folder)
        ask(window, "Write a.txt")
        card = card_of(qtbot, window)
        assert "+new" in card._call.toPlainText()
        assert not (folder / "a.txt").exists()
        QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        wait_for_text(qtbot, window, "Written.")
        assert QApplication.focusWidget() is window.view.composer.focusProxy(), "one can go on writing"
        assert [handle.entry.foot.note for handle in window.view.handles()] == ["", "", ""]
        assert (folder / "a.txt").read_text() == "new\n"
        results = [message for message in server.requests[1].json["messages"] if message["role"] == "tool"]
        assert len(results) == 1


def test_letters_of_every_script_can_be_read_before_agreeing_and_what_is_hidden_too(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    with FakeServer(calling("write", path="a.txt", content="Belém 日本 \u202egnp"), answer("As you like.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        let_work_in(qtbot, services, window, folder)
        ask(window, "Write")
        card = card_of(qtbot, window)
        call = card._call.toPlainText().partition("write {")[2]
        assert "Belém 日本 ⟨U+202E⟩gnp" in call
        assert "\\u" not in call
        QTest.keyClick(card, Qt.Key.Key_Escape)
        wait_for_text(qtbot, window, "As you like.")


def test_what_was_refused_does_not_run(window: MainWindow, services: Services, folder: Path, qtbot: QtBot) -> None:
    with FakeServer(calling("write", path="a.txt", content="x"), answer("As you like.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        let_work_in(qtbot, services, window, folder)
        ask(window, "Write")
        QTest.keyClick(card_of(qtbot, window), Qt.Key.Key_Escape)
        wait_for_text(qtbot, window, "As you like.")
    assert not (folder / "a.txt").exists()
    calls = [call for handle in window.view.handles() for call in handle.calls]
    assert [call.status for call in calls] == ["denied"], "it is shown once, and as refused"


def started_again(qtbot: QtBot, theme: Theme) -> tuple[MainWindow, Services]:
    """The program after its end; the caller closes both."""
    file = SettingsFile(paths().settings)
    file.load()
    services = Services(file, environment={})
    window = MainWindow(WindowState(paths().window), theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    return window, services


def test_a_question_that_was_open_is_asked_again_after_a_restart(
    window: MainWindow, services: Services, folder: Path, theme: Theme, qtbot: QtBot
) -> None:
    with FakeServer(calling("write", path="a.txt", content="late"), answer("At last.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        chat = let_work_in(qtbot, services, window, folder)
        ask(window, "Write")
        card_of(qtbot, window)
        window.close()
        services.close()
        Engine.default().shutdown()

        second, again = started_again(qtbot, theme)
        second.sessions.open(chat)
        QTest.keyClick(card_of(qtbot, second), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        wait_for_text(qtbot, second, "At last.")
        second.close()
        again.close()
    assert (folder / "a.txt").read_text() == "late"


@pytest.mark.parametrize("restarts", [False, True])
def test_a_question_of_a_temporary_chat_is_still_open_once_the_chat_is_kept(
    window: MainWindow, services: Services, folder: Path, theme: Theme, qtbot: QtBot, *, restarts: bool
) -> None:
    script = calling("bash", command="echo ran >> log.txt"), answer("It ran.")
    with ExitStack() as ending, FakeServer(*script) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        window.newTemporaryChat()
        session = window.sessions.current
        session.settings.set(tools="all", workspace=str(folder))
        ask(window, "Run it")
        before = card_of(qtbot, window)._asked
        assert before is not None
        session.restore()
        window.view.approvalAnswered.emit(ApprovalAnswer(before, "once"))  # (on the way it is answered nowhere)
        qtbot.waitUntil(lambda: not session.is_temporary and not session.standing.isVisible(), timeout=PATIENCE)
        after = card_of(qtbot, window)._asked
        assert after is not None
        assert after.id != before.id
        assert replace(after, id=before.id) == before
        if restarts:
            chat = session.chat_id
            assert chat is not None
            window.close()
            services.close()
            Engine.default().shutdown()
            window, services = started_again(qtbot, theme)
            ending.callback(services.close)
            ending.callback(window.close)
            window.sessions.open(chat)
        card = card_of(qtbot, window)
        window.view.approvalAnswered.emit(ApprovalAnswer(before, "once"))
        assert not (folder / "log.txt").exists()
        for _ in range(2):
            QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        wait_for_text(qtbot, window, "It ran.")
        assert len(server.requests) == 2
        assert [message["role"] for message in server.requests[1].json["messages"]][-2:] == ["assistant", "tool"]
        assert (folder / "log.txt").read_text() == "ran\n"


def test_a_question_is_open_again_when_the_chat_could_not_be_kept_meanwhile(
    window: MainWindow, services: Services, folder: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def refuse(*_: object) -> moving.Moved:
        raise Missing("There is no room for this chat")

    with FakeServer(calling("write", path="a.txt", content="x"), answer("Written.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        window.newTemporaryChat()
        session = window.sessions.current
        session.settings.set(tools="all", workspace=str(folder))
        ask(window, "Write")
        card = card_of(qtbot, window)
        monkeypatch.setattr(moving, "put", refuse)
        with qtbot.waitSignal(session.told, timeout=PATIENCE):
            session.restore()
            QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: not session._restoring.is_under_way, timeout=PATIENCE)
        assert session.is_temporary
        QTest.keyClick(card_of(qtbot, window), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        wait_for_text(qtbot, window, "Written.")
    assert (folder / "a.txt").read_text() == "x"


def test_a_question_that_was_passed_over_runs_nothing_when_it_is_answered_at_last(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    with FakeServer(calling("write", path="a.txt", content="x"), answer("Very well."), answer("No.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        let_work_in(qtbot, services, window, folder)
        ask(window, "Write")
        asked = card_of(qtbot, window)._asked
        assert asked is not None
        ask(window, "Leave it")
        wait_for_text(qtbot, window, "Very well.")
        window.view.approvalAnswered.emit(ApprovalAnswer(asked, "once"))
        qtbot.waitUntil(lambda: len(window.view.handles()) == 5 and not window.view.composer.isBusy())
        ask(window, "Sure?")
        wait_for_text(qtbot, window, "No.")
        assert len(server.requests) == 3
    assert not (folder / "a.txt").exists()


def test_a_question_that_is_answered_twice_in_one_breath_runs_once(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    with FakeServer(calling("write", path="a.txt", content="x"), answer("Written.")) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        let_work_in(qtbot, services, window, folder)
        ask(window, "Write")
        card = card_of(qtbot, window)
        for _ in range(3):
            QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        wait_for_text(qtbot, window, "Written.")
        assert len(server.requests) == 2
        assert len(window.view.handles()) == 3
    assert (folder / "a.txt").read_text() == "x"


@pytest.mark.parametrize("id", ["c1", ""])
def test_calls_that_have_the_same_id_or_none_in_each_answer_are_told_apart(
    id: str, window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    script = [
        script
        for name in ("a", "b")
        for script in (calling("write", id=id, path=f"{name}.txt", content="new\n"), answer(f"Written {name}."))
    ]
    with FakeServer(*script) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        chat = let_work_in(qtbot, services, window, folder)
        for name in ("a", "b"):
            ask(window, f"Write {name}.txt")
            QTest.keyClick(card_of(qtbot, window), Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
            wait_for_text(qtbot, window, f"Written {name}.")
            assert (folder / f"{name}.txt").exists()

    def shown() -> list[str | None]:
        return [call.status for handle in window.view.handles() for call in handle.calls]

    assert shown() == ["done", "done"]
    window.sessions.drop(window.sessions.current)
    window.sessions.open(chat)
    qtbot.waitUntil(lambda: window.view.history()[-1:] != [] and len(shown()) == 2, timeout=PATIENCE)
    assert shown() == ["done", "done"]
