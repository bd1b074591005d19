"""Whoever is quicker than the store loses nothing: questions sent and texts typed before a chat is there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines
from rillet.app.chats.sessions import KEPT
from rillet.core.store import chats, drafts, messages
from rillet.core.store.drafts import NEW_CHAT, SavedDraft
from rillet.core.types import ChatMessage, FilePart
from support.chatting import PATIENCE, ask, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from sqlite3 import Connection

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

FILE = FilePart(b"attached", media_type="text/plain", name="notes.txt")


@pytest.fixture
def old_chat(services: Services) -> int:
    """A chat with one answered question and a draft."""

    def make(db: Connection) -> int:
        chat = chats.create(db, title="Old")
        asked = messages.add(db, chat, None, ChatMessage.user("a"))
        messages.add(db, chat, asked, ChatMessage.assistant("one"))
        drafts.save(db, chat, SavedDraft("half", (FILE,)))
        return chat

    return services.desk.write(make).get(30)


@pytest.fixture
def new_draft(services: Services) -> str:
    """The draft of a chat that does not exist yet."""
    services.desk.write(drafts.save, NEW_CHAT, SavedDraft("new")).get(30)
    return "new"


def kept_draft(services: Services, chat: int) -> SavedDraft:
    """The draft as it is once everything is written that was asked for before."""
    return services.desk.write(drafts.load, chat).get(30)


def kept_texts(services: Services, chat: int) -> list[str]:
    return [node.message.text for node in services.desk.write(messages.path, chat).get(30)]


def test_what_is_sent_before_the_chat_is_shown_is_asked_behind_it_and_the_rest_in_turn(
    window: MainWindow, services: Services, old_chat: int, qtbot: QtBot
) -> None:
    with FakeServer(answer("two"), answer("three")) as server:
        talk_to(services, server)
        window.sessions.open(old_chat)
        for text in ("b", "c"):
            ask(window, text)
        assert texts(window) == []
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "two", "c", "three"], timeout=PATIENCE)
        wait_for_end(window, qtbot)
    assert kept_texts(services, old_chat) == ["a", "one", "b", "two", "c", "three"]
    assert window.view.composer.text() == "half"


def test_what_is_sent_before_the_chat_is_shown_is_kept_when_the_program_ends_at_once(
    window: MainWindow, services: Services, old_chat: int
) -> None:
    window.sessions.open(old_chat)
    for text in ("b", "c"):
        ask(window, text)
    window.close()
    assert kept_texts(services, old_chat) == ["a", "one", "b"]
    assert kept_draft(services, old_chat) == SavedDraft("half\n\nc\n\n", (FILE,), 9)


def test_a_draft_that_was_not_shown_yet_is_still_there_when_the_program_ends(
    old_chat: int, new_draft: str, window: MainWindow, services: Services
) -> None:
    window.sessions.open(old_chat)
    window.close()
    assert kept_draft(services, old_chat).text == "half"
    assert kept_draft(services, NEW_CHAT).text == new_draft


def test_what_was_typed_before_the_draft_was_shown_stands_behind_it(
    window: MainWindow, services: Services, old_chat: int, qtbot: QtBot
) -> None:
    window.sessions.open(old_chat).view.composer.setText("more")
    qtbot.waitUntil(lambda: window.view.composer.text() == "half\n\nmore", timeout=PATIENCE)
    assert [each.name for each in window.view.composer.attachments()] == ["notes.txt"]


def test_a_draft_of_a_new_chat_waits_for_the_next_one_when_somebody_asks_before_it_is_shown(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.sessions.current.unsent.is_shown, timeout=PATIENCE)
    with FakeServer(answer("one")) as server:
        talk_to(services, server)
        ask(window, "first")
        wait_for_end(window, qtbot)
        services.desk.write(drafts.save, NEW_CHAT, SavedDraft("later"))
        window.newChat()
        ask(window, "second")
        qtbot.waitUntil(lambda: window.sessions.current.chat_id is not None, timeout=PATIENCE)
        window.newChat()
        qtbot.waitUntil(lambda: window.view.composer.text() == "later", timeout=PATIENCE)


def test_a_chat_stays_open_until_the_disk_has_its_draft(
    window: MainWindow, services: Services, old_chat: int, qtbot: QtBot
) -> None:
    async def make_chats() -> list[int]:
        return [await services.library.create() for _ in range(KEPT + 1)]

    making = coroutines.start(make_chats())
    qtbot.waitUntil(making.done, timeout=PATIENCE)
    session = window.sessions.open(old_chat)
    qtbot.waitUntil(lambda: session.unsent.is_shown, timeout=PATIENCE)
    disk_takes_it = threading.Event()
    services.desk.kept.write(lambda _: disk_takes_it.wait(60))
    try:
        session.view.composer.setText("half a thought")
        for chat_id in making.result():
            window.sessions.open(chat_id)
        again = window.sessions.open(old_chat)
        assert again is session
        assert again.view.composer.text() == "half a thought"
    finally:
        disk_takes_it.set()
    qtbot.waitUntil(lambda: session.unsent.is_kept, timeout=PATIENCE)
    for chat_id in making.result():
        window.sessions.open(chat_id)
    assert window.sessions.session_of(old_chat) is None
    assert kept_draft(services, old_chat).text == "half a thought"
