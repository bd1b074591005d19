"""Temporary chats: they are marked, can do what others can, leave nothing behind, and can be kept after all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from rillet.core.config.paths import paths
from rillet.core.store import chats, ledger, messages
from rillet.core.store.store import Store
from rillet.core.store.temporary import is_temporary
from rillet.core.types import FilePart
from rillet.qt import Engine
from rillet.widgets.composer import attachment_of
from support.apart import run_apart
from support.chatting import PATIENCE, ask, button, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer, hold, sse_end, sse_text, stream
from support.traces import traces

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from support.fake_server import Script

CANARY = "canary tidal 4711"


def slow(release: threading.Event, text: str) -> Script:
    return stream(sse_text(text), lambda exchange: exchange.wait(release), sse_end())


def listed(window: MainWindow) -> list[str]:
    """The rows of the side bar, headings included."""
    model = window.sidebar.list.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def kept(services: Services) -> list[str]:
    """The titles of the chats in the file."""
    return [chat.title for chat in services.desk.read(chats.overview).get(30)]


async def said_in_the_file() -> list[list[str]]:
    """What is said in each chat, for whoever opens the file."""
    store = await Store.open(paths().store)
    try:
        found = await store.read(chats.overview)
        return [[node.message.text for node in await store.read(messages.path, chat.id)] for chat in found]
    finally:
        await store.close()


def in_memory(services: Services) -> list[str]:
    found: Any = services.desk.temporary.read(lambda db: db.execute("SELECT title FROM chats").fetchall()).get(30)
    return [title for (title,) in found]


def asked(window: MainWindow, services: Services, qtbot: QtBot, *scripts: Script) -> None:
    """A temporary chat with one answered question per script."""
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    with FakeServer(*scripts) as server:
        talk_to(services, server)
        for number in range(len(scripts)):
            ask(window, f"Question {number}")
            wait_for_end(window, qtbot)
    qtbot.waitUntil(lambda: "Question 0" in listed(window), timeout=PATIENCE)


def test_it_is_marked_everywhere_and_is_in_no_file(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    asked(window, services, qtbot, answer("one"))
    standing = window.sessions.current.standing
    assert standing.isVisible()
    assert "nothing of it is saved" in standing.text
    assert listed(window)[:2] == ["Temporary", "Question 0"]
    assert any(each.isVisible() and each.text() == "Temporary" for each in window.findChildren(QLabel))
    assert kept(services) == []
    assert in_memory(services) == ["Question 0"]
    window.newChat()
    assert not window.sessions.current.standing.isVisible()
    assert not any(each.isVisible() and each.text() == "Temporary" for each in window.findChildren(QLabel))


def test_edits_versions_and_forks_work_and_stay_in_memory(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    asked(window, services, qtbot, answer("one"))
    with FakeServer(answer("two"), answer("three")) as server:
        talk_to(services, server)
        window.sessions.current.picker.choose(services.choice.provider, "m")
        window.sessions.current.regenerate(window.view.handles()[-1])
        qtbot.waitUntil(lambda: texts(window) == ["Question 0", "two"], timeout=PATIENCE)
        answered = wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: answered.entry.foot.versions == 2, timeout=PATIENCE)
        window.view.messageActionRequested.emit("previous", window.view.handles()[-1])
        qtbot.waitUntil(lambda: texts(window) == ["Question 0", "one"], timeout=PATIENCE)
        window.view.messageActionRequested.emit("edit", window.view.handles()[0])
        ask(window, "!")
        qtbot.waitUntil(lambda: texts(window) == ["Question 0!", "three"], timeout=PATIENCE)
        wait_for_end(window, qtbot)
    first = window.sessions.current.chat_id
    window.view.messageActionRequested.emit("fork", window.view.handles()[-1])
    qtbot.waitUntil(lambda: window.sessions.current.chat_id not in (first, None), timeout=PATIENCE)
    qtbot.waitUntil(lambda: texts(window) == ["Question 0!", "three"], timeout=PATIENCE)
    assert window.sessions.current.is_temporary
    assert kept(services) == []


def test_several_are_answered_at_once_and_what_waits_is_asked_in_turn(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    release = threading.Event()
    with FakeServer(slow(release, "one"), answer("two"), answer("three")) as server:
        talk_to(services, server)
        window.newTemporaryChat()
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"], timeout=PATIENCE)
        ask(window, "b")
        first = window.sessions.current
        window.newTemporaryChat()
        assert window.sessions.current is not first
        ask(window, "other")
        wait_for_end(window, qtbot)
        assert texts(window) == ["other", "two"]
        release.set()
        assert first.chat_id is not None
        window.sessions.open(first.chat_id)
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "three"], timeout=PATIENCE)
        wait_for_end(window, qtbot)
    assert kept(services) == []


def test_what_is_closed_is_gone_once_it_cannot_be_brought_back_any_more(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    asked(window, services, qtbot, answer("one"))
    button(window, "Close").click()
    qtbot.waitUntil(lambda: window._toast.text == "Temporary chat closed", timeout=PATIENCE)
    qtbot.waitUntil(lambda: listed(window) == [], timeout=PATIENCE)
    assert window._toast.undo()
    qtbot.waitUntil(lambda: listed(window) == ["Temporary", "Question 0"], timeout=PATIENCE)
    window.sessions.open(next(iter(services.library.chats)).id)
    qtbot.waitUntil(lambda: texts(window) == ["Question 0", "one"], timeout=PATIENCE)
    button(window, "Close").click()
    qtbot.waitUntil(lambda: window._toast.isVisible() and listed(window) == [], timeout=PATIENCE)
    assert in_memory(services) == ["Question 0"]
    window._toast.dismiss()
    qtbot.waitUntil(lambda: in_memory(services) == [], timeout=PATIENCE)
    assert services.library.trashed == []


def test_an_empty_one_just_goes(window: MainWindow, qtbot: QtBot) -> None:
    window.newTemporaryChat()
    session = window.sessions.current
    window.newTemporaryChat()
    assert window.sessions.current is session
    button(window, "Close").click()
    assert not window.sessions.current.is_temporary
    assert not window._toast.isVisible()


def test_what_is_kept_is_an_ordinary_chat_from_then_on(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    asked(window, services, qtbot, answer("one"), answer("two"))
    session = window.sessions.current
    first, last = session._line.ids_of(window.view.handles()[0])[0], session.chat_id
    assert last is not None and is_temporary(last)
    session.settings.set(pinned=[first])
    qtbot.waitUntil(
        lambda: "pinned" in services.desk.temporary.read(chats.get, last).get(30).settings, timeout=PATIENCE
    )
    window.view.composer.setText("half")
    window.view.composer.attach(attachment_of(b"bytes", "notes.txt"))
    button(window, "Keep this chat").click()
    qtbot.waitUntil(lambda: not session.is_temporary and not session.standing.isVisible(), timeout=PATIENCE)
    chat_id = session.chat_id
    assert chat_id is not None and not is_temporary(chat_id)
    assert texts(window) == ["Question 0", "one", "Question 1", "two"]
    assert window.view.composer.text() == "half"
    assert kept(services) == ["Question 0"]
    assert in_memory(services) == []
    assert session.settings.values["pinned"] == [session._line.ids_of(window.view.handles()[0])[0]]
    assert chat_id in window.sessions.open_chats
    qtbot.waitUntil(lambda: listed(window) == ["Today", "Question 0"], timeout=PATIENCE)
    with FakeServer(answer("three")) as server:
        session.picker.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"), "m")
        ask(window, "")
        wait_for_end(window, qtbot)
    line = services.desk.read(messages.path, chat_id).get(30)
    assert [node.message.text for node in line] == ["Question 0", "one", "Question 1", "two", "half", "three"]
    assert any(isinstance(part, FilePart) for part in line[4].message.parts)
    assert services.desk.read(ledger.spent, chat_id).get(30).answers >= 0


def test_one_that_is_being_answered_is_kept_once_the_answer_is_over(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    release = threading.Event()
    with FakeServer(slow(release, "one"), answer("two")) as server:
        talk_to(services, server)
        window.newTemporaryChat()
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"], timeout=PATIENCE)
        session = window.sessions.current
        button(window, "Keep this chat").click()
        ask(window, "b")
        assert "as soon as the answer is over" in session.standing.text
        assert kept(services) == []
        release.set()
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "two"], timeout=PATIENCE)
        wait_for_end(window, qtbot)
    assert session.chat_id is not None
    line = services.desk.read(messages.path, session.chat_id).get(30)
    assert [node.message.text for node in line] == ["a", "one", "b", "two"]


def test_one_that_is_about_to_be_kept_is_kept_when_the_program_ends(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(stream(sse_text("one"), hold)) as server:
        talk_to(services, server)
        window.newTemporaryChat()
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"], timeout=PATIENCE)
        button(window, "Keep this chat").click()
        window.close()
        services.close()
        Engine.default().shutdown()
    assert run_apart(said_in_the_file()) == [["a", "one"]]


def test_it_does_not_come_back_and_nobody_is_told_that_it_was_open(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    asked(window, services, qtbot, answer("one"))
    window.close()
    assert all(each == 0 for each in window._state.open_chats)


PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from rillet.app import main as program
from rillet.app.window import MainWindow
from rillet.qt import Engine
from rillet.widgets.composer import attachment_of

url, canary = sys.argv[1:3]

class Person(QObject):
    \"\"\"Asks in a temporary chat with a file attached, half writes another question, and waits for the end.\"\"\"

    def __init__(self):
        super().__init__()
        self.steps = [self.ask, self.write]
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.look)
        self.timer.start(20)

    def look(self):
        for window in QApplication.topLevelWidgets():
            if isinstance(window, MainWindow) and window._services is not None and self.steps:
                if self.steps[0](window):
                    self.steps.pop(0)

    def ask(self, window):
        services = window._services
        services.choose(services.enter_endpoint(f"{url}/v1", None, "m"))
        window.newTemporaryChat()
        window.view.composer.setText(f"Tell me about {canary}")
        window.view.composer.attach(attachment_of(f"{canary} in a file".encode(), f"{canary}.txt"))
        window.view.composer.send()
        return True

    def write(self, window):
        if window.view.composer.isBusy() or any(each.pending for each in window.view.handles()):
            return False
        window.view.composer.setText(f"More about {canary}")
        QTimer.singleShot(1500, lambda: print("written", flush=True))
        return True

app = program.make_application()
person = Person()
sys.exit(program.main())
"""


def test_nothing_of_it_is_on_the_disk_when_the_program_is_killed(tmp_path: Path) -> None:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    scratch.mkdir()
    environment = os.environ | {"RILLET_HOME": str(home), "TMPDIR": str(scratch), "QT_QPA_PLATFORM": "offscreen"}
    with FakeServer(answer(f"All about {CANARY}.")) as server:
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, server.url, CANARY], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        try:
            assert program.stdout.readline() == "written\n"
            assert CANARY in str(server.requests[0].json)
            assert (home / "chats.db").exists() or any(home.rglob("*.db"))
            found = traces(tmp_path, CANARY)
        finally:
            program.kill()
            program.wait()
            program.stdout.close()
    assert found == []
    assert traces(tmp_path, CANARY) == []
