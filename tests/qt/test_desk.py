"""What is kept is reached from the GUI thread, and answers get into it whether anybody looks or not."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest

from rillet.core.chat.plan import Plan
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, messages
from rillet.core.store.store import Opening
from rillet.core.store.trouble import DiskTrouble, Missing
from rillet.core.types import ChatMessage
from rillet.qt import Engine
from rillet.qt.desk import ChatListener, DeskClient
from support.fake_server import FakeServer, hold, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.core.store.messages import Node, Status


class Watching(ChatListener):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.text = ""
        self.placed: list[int] = []
        self.settled: list[tuple[int, str]] = []
        self.threads: set[int] = set()

    def onText(self, textDelta: str) -> None:
        self.threads.add(threading.get_ident())
        self.text += textDelta

    def onPlaced(self, messageId: int, parentId: int | None, role: str) -> None:
        self.placed.append(messageId)

    def onSettled(self, messageId: int, status: Status) -> None:
        self.settled.append((messageId, status))


def plan_for(server: FakeServer) -> Plan:
    network = NetworkProfile(proxy=None)
    return Plan(provider=Provider("p", "openai", f"{server.url}/v1", default_model="m", network=network))


def asked(desk: DeskClient) -> int:
    chat = desk.write(chats.create).get(30)
    desk.writeDurably(messages.add, chat, None, ChatMessage.user("Q")).get(30)
    return chat


def line_of(desk: DeskClient, chat: int) -> list[Node]:
    return desk.read(messages.path, chat).get(30)


def test_operations_follow_each_other_in_the_order_of_the_calls(qtbot: QtBot, tmp_path: Path) -> None:
    desk = DeskClient(tmp_path / "rillet.db")
    chat = desk.write(chats.create).get(30)
    renamed = [desk.write(chats.rename, chat, f"{number}") for number in range(20)]
    found = desk.read(chats.get, chat)
    for resource in renamed:
        resource.get(30)
    assert found.get(10).id == chat
    assert desk.read(chats.get, chat).get(30).title == "19"
    with pytest.raises(Missing):
        desk.read(chats.get, 99).get(30)


def test_opening_tells_what_it_found(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "rillet.db"
    path.write_bytes(b"no database " * 500)
    desk = DeskClient(path)
    with qtbot.waitSignal(desk.opened) as opened:
        desk.open()
    assert opened.args[0].set_aside is not None


def test_a_store_that_cannot_be_opened_is_told_and_opened_once_the_disk_allows_it(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rillet.qt.desk.RETRY_SECONDS", 0.05)
    folder = tmp_path / "folder"
    folder.write_text("in the way")
    desk = DeskClient(folder / "rillet.db")
    with qtbot.waitSignal(desk.troubled) as troubled:
        opening = desk.open()
    assert isinstance(troubled.args[0], DiskTrouble)
    created = desk.write(chats.create, title="Asked for meanwhile")
    desk.temporary.write(chats.create, title="Kept nowhere")
    assert desk.unwritten == 1
    told: list[object] = []
    desk.troubled.connect(told.append)
    folder.unlink()
    assert opening.get(10) == Opening()
    created.get(10)
    qtbot.waitUntil(lambda: told[-1:] == [None])
    assert [each.title for each in desk.read(chats.overview).get(30)] == ["Asked for meanwhile"]
    assert desk.unwritten == 0
    desk.close()


def test_a_store_that_could_never_be_opened_is_given_up_with_the_program(qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.write_text("in the way")
    desk = DeskClient(folder / "rillet.db")
    with qtbot.waitSignal(desk.troubled):
        desk.open()
    created = desk.write(chats.create)
    Engine.default().shutdown()
    qtbot.waitUntil(created.isDone)
    assert not created.isReady()
    assert desk.unwritten == 0


def test_an_answer_gets_into_the_store_and_is_told_on_the_gui_thread(qtbot: QtBot, tmp_path: Path) -> None:
    with FakeServer(stream(sse_text("Hel"), sse_text("lo"), sse_end())) as server:
        desk = DeskClient(tmp_path / "rillet.db")
        chat = asked(desk)
        listener = Watching()
        answered = desk.answer(chat, plan_for(server), listener).get(30)
    assert listener.text == "Hello"
    assert listener.threads == {threading.get_ident()}
    assert listener.placed == [answered.head]
    assert listener.settled == [(answered.head, "whole")]
    assert line_of(desk, chat)[-1].message.text == "Hello"


def test_an_answer_that_is_stopped_keeps_what_it_had(qtbot: QtBot, tmp_path: Path) -> None:
    with FakeServer(stream(sse_text("Half"), hold)) as server:
        desk = DeskClient(tmp_path / "rillet.db")
        chat = asked(desk)
        listener = Watching()
        resource = desk.answer(chat, plan_for(server), listener)
        qtbot.waitUntil(lambda: listener.text == "Half")
        assert resource.cancel()
        qtbot.waitUntil(resource.isDone)
        assert server.wait_closed()
    node = line_of(desk, chat)[-1]
    assert (node.message.text, node.status) == ("Half", "cancelled")


def test_quitting_in_the_middle_of_an_answer_keeps_what_it_had(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "rillet.db"
    with FakeServer(stream(sse_text("Half"), hold)) as server:
        desk = DeskClient(path)
        chat = asked(desk)
        listener = Watching()
        desk.answer(chat, plan_for(server), listener)
        qtbot.waitUntil(lambda: listener.text == "Half")
        Engine.default().shutdown()
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT parts, status FROM messages ORDER BY id").fetchall()
    db.close()
    assert rows[-1] == ('[{"type":"text","text":"Half"}]', "cancelled")
    assert not (tmp_path / "rillet.db-wal").exists()


def test_an_operation_that_gives_nothing_has_succeeded(qtbot: QtBot, tmp_path: Path) -> None:
    desk = DeskClient(tmp_path / "rillet.db")
    chat = asked(desk)
    resource = desk.write(messages.rewind, chat, None)
    qtbot.waitUntil(resource.isDone)
    assert resource.isReady()
    assert line_of(desk, chat) == []


@pytest.mark.parametrize("end", ["close", "shutdown", "both"])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_change_that_was_asked_for_takes_place_however_soon_the_end_comes(
    *, is_open: bool, end: str, qtbot: QtBot, tmp_path: Path
) -> None:
    desk = DeskClient(tmp_path / "rillet.db")
    if is_open:
        desk.open().get(30)
    changes = [desk.write(chats.create, title=f"{number}") for number in range(20)]
    for change in changes:
        assert not change.cancel()
    if end != "shutdown":
        desk.close()
    if end != "close":
        Engine.default().shutdown()
    else:
        for change in changes:
            change.get(10)
    again = DeskClient(tmp_path / "rillet.db")
    assert {chat.title for chat in again.read(chats.overview).get(10)} == {f"{number}" for number in range(20)}
