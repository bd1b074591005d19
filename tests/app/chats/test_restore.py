"""The chats that were open come back with the next start, with what was written in them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines
from rillet.app.services import Services
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage
from support.chatting import PATIENCE
from support.fake_server import FakeServer, answer, respond

if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from pytestqt.qtbot import QtBot

    from rillet.core.config.settings import SettingsFile
    from rillet.widgets.theme.palette import Theme


@contextmanager
def started(
    settings_file: SettingsFile, theme: Theme, qtbot: QtBot, *, meanwhile: str = "", newly: bool = False
) -> Iterator[MainWindow]:
    """The program, once the list of chats is there; ``meanwhile`` was written before that, or a new chat wanted."""
    services = Services(settings_file, environment={})
    window = MainWindow(WindowState(paths().window), theme)
    window.view.composer.setText(meanwhile)
    window.serve(services)
    window.show()
    if newly:
        window.newChat()
    begun: list[bool] = []

    async def begin() -> None:
        await services.library.load()
        await window.restore()
        begun.append(True)

    coroutines.start(begin())
    qtbot.waitUntil(lambda: bool(begun))
    yield window
    window.close()
    services.close()
    window.deleteLater()


@pytest.fixture
def three(services: Services, qtbot: QtBot) -> tuple[int, ...]:
    """Chats with one question each."""
    made: list[tuple[int, ...]] = []

    def make(db: Connection) -> tuple[int, ...]:
        ids = tuple(chats.create(db) for _ in range(3))
        for each in ids:
            messages.add(db, each, None, ChatMessage.user(f"question {each}"))
        return ids

    writing = services.desk.write(make)
    writing.ready(made.append)
    qtbot.waitUntil(lambda: bool(made))
    return made[0]


def shows(window: MainWindow, chat_id: int) -> bool:
    return [message.text for message in window.view.history()] == [f"question {chat_id}"]


def test_whoever_wants_a_new_chat_before_the_others_are_there_keeps_it(
    three: tuple[int, ...], settings_file: SettingsFile, theme: Theme, qtbot: QtBot
) -> None:
    with started(settings_file, theme, qtbot) as window:
        window.sessions.open(three[0])
        qtbot.waitUntil(lambda: shows(window, three[0]))
    with started(settings_file, theme, qtbot, newly=True) as window:
        assert window.sessions.current.chat_id is None
        assert window.sessions.session_of(three[0]) is not None


def test_the_chats_that_were_open_come_back_with_their_drafts_and_the_last_one_is_shown(
    three: tuple[int, ...], settings_file: SettingsFile, theme: Theme, qtbot: QtBot
) -> None:
    first, second, third = three
    with started(settings_file, theme, qtbot) as window:
        for each in (third, first, second):
            session = window.sessions.open(each)
            qtbot.waitUntil(lambda each=each: shows(window, each))  # type: ignore[misc]
            session.view.composer.setText(f"draft {each}")
    with started(settings_file, theme, qtbot) as window:
        assert window.sessions.open_chats[-1] == second
        assert [each for each in window.sessions.open_chats if each] == [third, first, second]
        for each in (second, third):
            window.sessions.open(each)
            qtbot.waitUntil(lambda each=each: shows(window, each))  # type: ignore[misc]
            qtbot.waitUntil(
                lambda each=each: window.view.composer.text() == f"draft {each}",  # type: ignore[misc]
                timeout=PATIENCE,
            )


def test_an_empty_chat_that_was_shown_is_shown_again(
    three: tuple[int, ...], settings_file: SettingsFile, theme: Theme, qtbot: QtBot
) -> None:
    with started(settings_file, theme, qtbot) as window:
        window.sessions.open(three[0])
        window.newChat()
        window.view.composer.setText("to be asked")
    with started(settings_file, theme, qtbot) as window:
        qtbot.waitUntil(lambda: window.view.composer.text() == "to be asked")
        assert window.sessions.current.chat_id is None


def test_whoever_has_begun_to_write_is_left_there(
    three: tuple[int, ...], settings_file: SettingsFile, theme: Theme, qtbot: QtBot
) -> None:
    with started(settings_file, theme, qtbot) as window:
        window.sessions.open(three[0])
    with started(settings_file, theme, qtbot, meanwhile="quick") as window:
        assert window.sessions.current.chat_id is None
        assert window.view.composer.text() == "quick"
        assert window.sessions.session_of(three[0]) is not None


def test_a_chat_that_was_deleted_since_does_not_come_back(
    three: tuple[int, ...], settings_file: SettingsFile, theme: Theme, qtbot: QtBot
) -> None:
    WindowState(paths().window).open_chats = (three[0] + 1000,)
    with started(settings_file, theme, qtbot) as window:
        assert window.sessions.current.chat_id is None


def test_a_chat_whose_answer_failed_at_once_says_so_again_and_can_be_retried(
    settings_file: SettingsFile, theme: Theme, qtbot: QtBot
) -> None:
    refused = respond(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
    with FakeServer(refused, answer("Better.")) as server:
        with started(settings_file, theme, qtbot) as window:
            services = window._services
            assert services is not None
            services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
            window.view.composer.setText("Why?")
            window.view.composer.send()
            qtbot.waitUntil(lambda: "key" in last_error(window))
        with started(settings_file, theme, qtbot) as window:
            qtbot.waitUntil(lambda: "key" in last_error(window))
            handle = window.view.handles()[-1]
            assert handle.entry.foot.retry
            window.view.retryRequested.emit(handle)
            qtbot.waitUntil(lambda: window.view.history()[-1].text == "Better.")


def last_error(window: MainWindow) -> str:
    handles = window.view.handles()
    return handles[-1].entry.foot.error if handles else ""
