"""Scenes of chats, for ``app_scenes``: temporary ones, the archive, the trash, folders, marks, edits, what waits,
what is asked before a key is sent.
"""

from __future__ import annotations

import random
import string
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtTest import QTest

from bench.scenes_look import wait
from rillet.app import coroutines
from rillet.app.settings.dialog import SettingsDialog
from rillet.app.sidebar.hits import HIT
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage
from support.fake_server import FakeServer, answer, close, hold, sse_end, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from support.fake_server import Script

SAID = "The moon pulls at the water, and the earth turns under it: two hills of water, and so two tides a day."
TITLES = (
    ("Rename pictures by date", "The pictures are named."),
    ("A week in Lisbon", "Day one: Alfama, on foot."),
    ("Why two tides a day", SAID),
    ("Bread without kneading", "Time does the kneading."),
    ("日本語の敬語", "敬語には三つの種類があります。"),
    ("Insurance letter", "Dear Sir or Madam,"),
    ("Chords for beginners", "Start with G, C and D."),
)


def _make(db: Connection) -> list[int]:
    ids = []
    for title, said in TITLES:
        ids.append(chat := chats.create(db, title=title))
        asked = messages.add(db, chat, None, ChatMessage.user(f"{title}?"))
        messages.add(db, chat, asked, ChatMessage.assistant(said))
    return ids


def _have_chats(window: MainWindow, services: Services) -> list[int]:
    ids = services.desk.write(_make).get(10)
    coroutines.start(services.library.load())
    wait(300)
    return ids


def _talk(window: MainWindow, services: Services, question: str, script: Script) -> None:
    with FakeServer(script) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
        window.view.composer.setText(question)
        window.view.composer.send()
        wait(900)


def _temporary(window: MainWindow, services: Services) -> None:
    _have_chats(window, services)
    window.newTemporaryChat()
    _talk(window, services, "Is this rash anything to worry about?", answer("It does not sound like it."))


def _temporary_empty(window: MainWindow, services: Services) -> None:
    _have_chats(window, services)
    window.newTemporaryChat()


def _temporary_closed(window: MainWindow, services: Services) -> None:
    _temporary(window, services)
    window.closeChat(window.sessions.current)


def _archive(window: MainWindow, services: Services) -> None:
    ids = _have_chats(window, services)
    coroutines.start(services.library.archive(ids[2:5], archived=True))
    wait(200)
    window.sidebar.show_section("archive")
    window.sessions.open(ids[2])


def _archive_empty(window: MainWindow, services: Services) -> None:
    _have_chats(window, services)
    window.sidebar.show_section("archive")


def _trash(window: MainWindow, services: Services) -> None:
    ids = _have_chats(window, services)
    window.sidebar.chat_actions.trash(ids[4:])
    wait(200)
    window.sidebar.show_section("trash")
    window.sessions.open(ids[5])


def _folders(window: MainWindow, services: Services) -> None:
    ids = _have_chats(window, services)
    library = services.library

    async def file() -> None:
        home, work = await library.create_folder("Home"), await library.create_folder("Work")
        await library.create_folder("Later")
        await library.file([ids[3], ids[6]], home)
        await library.file([ids[5]], work)
        await library.pin([ids[1]], pinned=True)
        await library.mark_unread([ids[2]], unread=True)

    coroutines.start(file())
    wait(300)
    window.sessions.open(ids[3])


def _folder_named(window: MainWindow, services: Services) -> None:
    ids = _have_chats(window, services)
    window.sidebar.chat_actions.new_folder(ids[:2])


def _marked(window: MainWindow, services: Services) -> None:
    ids = _have_chats(window, services)
    window.sessions.open(ids[5])
    wait(200)
    view = window.sidebar.list
    view.setFocus()
    for each in ids[2:5]:
        row = window.sidebar._model.row_of(each)
        assert row is not None
        flag = QItemSelectionModel.SelectionFlag.Select
        view.selectionModel().select(view.model().index(row, 0), flag)


def _search(window: MainWindow, services: Services) -> None:
    ids = _have_chats(window, services)
    coroutines.start(services.library.archive(ids[2:3], archived=True))
    window.searchChats()
    QTest.keyClicks(window.sidebar.field, "the")


def _editing(window: MainWindow, services: Services) -> None:
    _talk(window, services, "How do tides work?", answer(SAID))
    window.view.messageActionRequested.emit("edit", window.view.handles()[0])


def _continue(window: MainWindow, services: Services) -> None:
    _talk(window, services, "How do tides work?", stream(sse_text(SAID[:60]), close))


def _waiting(window: MainWindow, services: Services) -> None:
    with FakeServer(stream(sse_text(SAID[:60]), hold)) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
        for question in ("How do tides work?", "And why two of them?", "What of lakes?"):
            window.view.composer.setText(question)
            window.view.composer.send()
            wait(200)
        wait(400)
        window.stop()
        wait(200)


def _versions(window: MainWindow, services: Services) -> None:
    _talk(window, services, "How do tides work?", stream(sse_text("The sun."), sse_end()))
    with FakeServer(answer(SAID)) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
        window.sessions.current.picker.choose(services.choice.provider, "example-model")
        window.sessions.current.regenerate(window.view.handles()[-1])
        wait(900)


def _titles_page(window: MainWindow, services: Services) -> QWidget | None:
    services.change(titles="model")
    window.openSettings("chats")
    return window.findChild(SettingsDialog)


def _again_with(window: MainWindow, services: Services) -> None:
    _talk(window, services, "How do tides work?", answer(SAID))
    window.view.messageActionRequested.emit("regenerate-with", window.view.handles()[-1])


def _several(window: MainWindow, services: Services) -> None:
    """One chat is read while two others are answered; a fourth has something new, a fifth is pinned."""
    ids = _have_chats(window, services)

    async def mark() -> None:
        await services.library.pin(ids[4:5], pinned=True)
        await services.library.mark_unread(ids[5:6], unread=True)

    coroutines.start(mark())
    server = FakeServer(*[stream(sse_text(SAID[:60]), hold)] * 2).__enter__()  # until the program ends
    services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
    for each in ids[:2]:
        window.sessions.open(each)
        wait(300)
        window.view.composer.setText("And then?")
        window.view.composer.send()
        wait(400)
    window.sessions.open(ids[2])


def _deleted(window: MainWindow, services: Services) -> None:
    _talk(window, services, "How do tides work?", answer(SAID))
    window.view.messageActionRequested.emit("delete", window.view.handles()[-1])


def _secret(window: MainWindow, services: Services) -> None:
    _talk(window, services, "How do tides work?", answer(SAID))
    made = "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=48))
    window.view.composer.setText(f"Why does the server refuse this?\n\ncurl -H 'x-api-key: sk-ant-api03-{made}' …")
    window.view.composer.send()


def _secrets_narrow(window: MainWindow, services: Services) -> None:
    window.resize(560, 700)
    draw = random.Random(1).choices
    one, two = ("".join(draw(string.ascii_letters + string.digits, k=36)) for _ in range(2))
    window.view.composer.setText(f"GITHUB_TOKEN=ghp_{one}\nGROQ_API_KEY=gsk_{two}")
    window.view.composer.send()


def _found(window: MainWindow, services: Services) -> None:
    _search(window, services)
    wait(400)
    hits = window.sidebar.list.model()
    places = (hits.index(row, 0) for row in range(hits.rowCount()))
    window.sidebar.list.chosen.emit(next(place for place in places if place.data(HIT).message_id is not None))


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    "chats-temporary": _temporary,
    "chats-temporary-closed": _temporary_closed,
    "chats-temporary-empty": _temporary_empty,
    "chats-archive": _archive,
    "chats-archive-empty": _archive_empty,
    "chats-trash": _trash,
    "chats-folders": _folders,
    "chats-folder-named": _folder_named,
    "chats-marked": _marked,
    "chats-search": _search,
    "chats-editing": _editing,
    "chats-continue": _continue,
    "chats-waiting": _waiting,
    "chats-versions": _versions,
    "chats-again-with": _again_with,
    "chats-titles-page": _titles_page,
    "chats-several": _several,
    "chats-deleted": _deleted,
    "chats-found": _found,
    "chats-secret": _secret,
    "chats-secrets-narrow": _secrets_narrow,
}
