"""A person with a chat that outgrows the window: fills it, reads the lines in it, and opens its ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from rillet.app.chats.plans import window_for
from rillet.app.models.context_card import ContextCard
from rillet.app.models.gauge import ContextGauge
from rillet.core.agent.compaction import HEADING
from rillet.core.store import summaries
from rillet.widgets.blocks.mark import MarkBlock
from support.chatting import PATIENCE, wait_for_end
from support.fake_server import FakeServer, answer, respond

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.chats.session import Session
    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.core.store.summaries import Summary
    from support.fake_server import Script

ROOM: Final = 1000
"""Tokens of a window with room for three questions with their answers, of 208 tokens each."""
TOO_LONG: Final = respond(400, {"error": {"message": "The prompt is too long.", "code": "context_length_exceeded"}})


def said(letter: str) -> Script:
    """An answer of 100 tokens."""
    return answer(letter * 400)


def talk(window: MainWindow, qtbot: QtBot, letters: str) -> Session:
    """Ask a question of 100 tokens for each letter, and wait for the answers."""
    for letter in letters:
        send(window, letter * 400)
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: not window.sessions.current.is_answering, timeout=PATIENCE)
    return window.sessions.current


def send(window: MainWindow, text: str) -> None:
    """Send a question of any length."""
    window.view.composer.setText(text)
    window.view.composer.send()


def hold_so_much(window: MainWindow, qtbot: QtBot, tokens: int = ROOM, **settings: Any) -> Session:
    """Take the window of the model for so large, until that holds."""
    session = window.sessions.current
    usual = gauge_of(window).services.settings.overflow
    with qtbot.waitSignal(gauge_of(window).weighed, timeout=PATIENCE):
        session.settings.set(window=window_for(session.picker.choice, tokens), **settings)

    def holds() -> bool:
        weighed = session.horizon.ledger
        gauge_of(window).refresh()
        return weighed is not None and (weighed.window, weighed.rule) == (tokens, settings.get("rule") or usual)

    qtbot.waitUntil(holds, timeout=PATIENCE)
    return session


def marks(window: MainWindow) -> list[MarkBlock]:
    """The lines that are in sight."""
    return [each for each in window.view.findChildren(MarkBlock) if each.isVisible()]


def mark(window: MainWindow, qtbot: QtBot, text: str) -> MarkBlock:
    """The line that says so, once it is there and scrolled to."""

    def seen() -> list[MarkBlock]:
        transcript = window.view.transcript
        for handle in window.view.handles():
            if (line := handle.entry.mark) is not None and text in line.text:
                window.view.showMessage(handle)
                transcript.verticalScrollBar().setValue(
                    transcript._layout.y_of(handle.entry, handle.entry.mark_tile) - 99
                )
        return [each for each in marks(window) if text in each.accessibleName()]

    qtbot.waitUntil(lambda: bool(seen()), timeout=PATIENCE)
    return seen()[0]


def has_no_mark(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until no line is anywhere in the chat."""
    qtbot.waitUntil(lambda: all(each.entry.mark is None for each in window.view.handles()), timeout=PATIENCE)


def press(mark: MarkBlock, text: str) -> None:
    """Press a button of a line."""
    found = next(each for each in mark.findChildren(QToolButton) if each.isVisible() and each.text() == text)
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


def asked(server: FakeServer, at: int = -1) -> list[str]:
    """The questions of a request, by their first letter; a summary before one is "S" and what it says."""
    found = []
    for message in server.requests[at].json["messages"]:
        if message["role"] == "user":
            content = message["content"]
            text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
            if text.startswith(HEADING):
                found.append(f"S {text.removeprefix(HEADING).strip()[:9]}")
                text = text[-1]
            found.append(text[0])
    return found


def kept(session: Session, services: Services, qtbot: QtBot) -> list[Summary]:
    """The summaries of a chat."""
    assert session.chat_id is not None
    resource = services.desk.read(summaries.of_chat, session.chat_id)
    qtbot.waitUntil(resource.isDone, timeout=PATIENCE)
    return resource.get()


def gauge_of(window: MainWindow) -> ContextGauge:
    """The gauge in the header."""
    gauge = window.findChild(ContextGauge)
    assert gauge is not None
    return gauge


def opened(window: MainWindow, qtbot: QtBot) -> ContextCard:
    """The ledger, with what is known now."""
    gauge = gauge_of(window)
    with qtbot.waitSignal(gauge.weighed, timeout=PATIENCE):
        gauge.refresh()
    gauge.click()
    return gauge.window().findChildren(ContextCard)[-1]
