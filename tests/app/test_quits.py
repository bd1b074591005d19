"""The real program is left at random moments, in the middle of everything: it ends well, and keeps everything.

Answers are being written, the built-in model is started, a command runs, so does an MCP server, a file is being read.
Ten times here; ``RILLET_QUITS=50`` leaves it as often as the figures in the documentation say. Which moments these are
is told when one fails, and ``RILLET_QUIT_SEED`` brings them back.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.config.paths import paths
from rillet.core.store import chats, drafts, messages
from rillet.core.store.drafts import NEW_CHAT
from rillet.core.store.store import Store
from support.apart import run_apart
from support.fake_server import FakeServer, drip, sse, sse_end, sse_text, stream
from support.mcp.running import SCRIPTS
from support.office import pdf
from support.processes import Family, comes_true, living, word

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.fake_server import Exchange

QUITS = int(os.environ.get("RILLET_QUITS", "10"))
SEED = os.environ.get("RILLET_QUIT_SEED", "the same each time")
LIMIT = 3
"""Seconds that the program may take to end."""

PERSON = """
import json, os, signal, sys
from PySide6.QtCore import QObject, QTimer, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from rillet.app import main as program
from rillet.app.window import MainWindow
from rillet.widgets.transcript.tool import ApprovalAnswer

task = json.loads(sys.argv.pop())

class Person(QObject):
    \"\"\"Asks in several chats, lets a command run in one, half writes another question, and leaves.\"\"\"

    def __init__(self):
        super().__init__()
        self.sent = []
        self.window = None
        self.typing = False
        self.questions = list(task["questions"])
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.look)
        self.timer.start(10)

    def look(self):
        if self.typing:
            return
        if self.window is not None:
            self.agree()
        if self.window is None:
            windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
            if not windows or windows[0]._sessions is None:
                return
            self.window = windows[0]
            QTimer.singleShot(task["after"], self.leave)
            if task["server"]:
                tools = self.window._services.tools
                tools.put_servers({"one": {"command": sys.executable, "args": ["-S", *task["server"]]}})
                tools.look()
                tools.start_server("one")
        self.answer_questions()
        if self.questions:
            if self.sent:
                self.window.newChat()
            self.type(self.questions.pop(0), send=True)
        elif self.window.sessions.current.chat_id is not None:
            self.window.newChat()
            self.type("half a thought", send=False)
            if task["attached"]:
                self.window.view.composer.attachFiles([task["attached"]])

    def agree(self):
        state = self.window._services.tools.state
        for server in state.servers if state is not None else ():
            for consent in server.asked:
                self.window._services.tools.approve(consent.digest)

    def type(self, text, send):
        session = self.window.sessions.current
        if text == "command":
            session.settings.set(tools="all", workspace=task["folder"])
        if text == "built-in":
            session.picker.choose(self.window._services.providers[0])
        self.typing = True  # (pressing a key turns the event loop)
        self.window.view.composer.setText(text)
        if send:
            self.window.view.sendRequested.connect(lambda message: self.sent.append(message.text))
            QTest.keyClick(self.window.view.composer.focusProxy(), Qt.Key.Key_Return)
        self.typing = False

    def answer_questions(self):
        for session in self.window.sessions._open:
            for handle in session.view.handles():
                for call in handle.calls:
                    if call.request is not None and call.status == "waiting":
                        session.view.approvalAnswered.emit(ApprovalAnswer(call.request, "once"))
                        call.status = "running"

    def leave(self):
        if self.typing:
            QTimer.singleShot(1, self.leave)
            return
        self.timer.stop()
        if task["send_last"]:
            self.window.newChat()
            self.type("a last question", send=True)
        shown = [[message.text for message in session.view.history()] for session in self.window.sessions._open]
        self.window.sessions.current.view.composer.setText("the draft")
        print(json.dumps({"sent": self.sent, "shown": shown}), flush=True)
        if task["way"] == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            self.window.close()

program.make_application()
person = Person()
sys.exit(program.main())
"""


def script(mark: str) -> Any:
    """Answers "command" with a command that never ends, everything else with text that never does."""

    def script(exchange: Exchange) -> None:
        asked = str(exchange.request.json["messages"][-1]["content"])
        if asked == "command":
            arguments = json.dumps({"command": f"sleep {mark}", "description": "waits"})
            call = {"index": 0, "id": "c1", "function": {"name": "bash", "arguments": arguments}}
            stream(sse({"choices": [{"delta": {"tool_calls": [call]}}]}), sse_end("tool_calls"))(exchange)
        else:
            stream(sse_text(f"On {asked}: "), drip(sse_text("and so on ")))(exchange)

    return script


def tasks() -> Iterator[dict[str, Any]]:
    """What the person does each time."""
    chance = random.Random(SEED)
    for number in range(QUITS):
        yield {
            "questions": chance.sample(["rivers", "tides", "command", "built-in"], k=chance.randint(1, 3)),
            "server": chance.random() < 0.5,
            "attached": chance.random() < 0.5,
            "after": int(chance.triangular(0, 2000, 300)),
            "way": chance.choice(["window", "signal"]),
            "send_last": number % 2 == 0,
        }


async def kept() -> tuple[list[list[messages.Node]], list[str]]:
    """What is in the store before anything could be recovered: the chats, and all drafts."""
    store = await Store.open(paths().store)
    try:
        assert store.opening.recovered == 0, "an answer was left unfinished"
        known = await store.read(chats.overview)
        lines = [await store.read(messages.path, chat.id) for chat in known]
        found = [await store.read(drafts.load, each) for each in (NEW_CHAT, *(chat.id for chat in known))]
        return lines, [draft.text for draft in found]
    finally:
        await store.close()


@pytest.mark.timeout(60 + 10 * QUITS)
def test_leaving_at_any_moment_ends_well_and_keeps_everything(tmp_path: Path) -> None:
    for task in tasks():
        leave(task, tmp_path)


def leave(task: dict[str, Any], tmp_path: Path) -> None:
    mark = word()
    folder = tmp_path / mark
    folder.mkdir()
    os.environ["RILLET_HOME"] = str(folder / "home")
    paths().settings.parent.mkdir(parents=True)
    report = folder / "report.pdf"
    report.write_bytes(pdf(*["A page of a long report. " * 40] * 200))
    task |= {
        "folder": str(folder),
        "server": [str(SCRIPTS), "good", mark] if task["server"] else [],
        "attached": str(report) if task["attached"] else "",
    }
    with FakeServer(*[script(mark)] * 12) as server:
        address = server.url.removeprefix("http://") + "/v1"
        endpoint = {"url": f"{server.url}/v1", "model": "m"}
        settings = {"provider": address, "endpoints": [endpoint], "titles": "off", "welcomed": True}
        paths().settings.write_text(json.dumps(settings), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-c", PERSON, json.dumps(task)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        )
        with Family(process.pid) as family:
            try:
                assert process.stdout is not None
                said = process.stdout.readline()
                _, errors = process.communicate(timeout=LIMIT)
            finally:
                process.kill()
            # What ends with the program (a command by its warden) ends a moment later on a busy machine.
            run_apart(comes_true(lambda: not (living(mark) or family.living()), 30))
            left = [*map(str, living(mark)), *family.living()]
    assert (process.returncode, "Traceback" in errors) == (0, False), (task, errors)
    assert left == [], task
    told = json.loads(said)
    lines, written = run_apart(kept())
    asked = [line[0].message.text for line in lines]
    assert len(asked) == len(set(asked)), (task, asked)
    assert set(told["sent"]) == set(asked), (task, asked)
    assert "the draft" in written, (task, written)
    answers = {line[0].message.text: "".join(node.message.text for node in line[1:]) for line in lines}
    for question, *shown in (texts for texts in told["shown"] if texts):
        assert answers[question].startswith("".join(shown)), (task, shown)
