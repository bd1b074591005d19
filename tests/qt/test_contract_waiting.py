"""Guarantee 8 of the listener contract: ``get()``; what awaits is tried in whole programs (``test_hosts``)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEventLoop

from qt.conftest import REQUEST, client_of, wait_for
from rillet.core.errors import AuthError
from support.fake_server import (
    FakeServer,
    answer,
    respond,
    sse_end,
    sse_text,
    stream,
)
from support.recorder import Recorder

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.core.types import ChatResponse
    from rillet.qt import AsyncResource


def test_8_get_delivers_what_is_pending_and_nests(qtbot: QtBot) -> None:
    inner: list[str] = []

    class Listener(Recorder):
        def onContentDelta(self, textDelta: str) -> None:
            super().onContentDelta(textDelta)
            if textDelta == "a":
                inner.append(client.chat(REQUEST).get(30).text)

    with FakeServer(stream(sse_text(*"abc"), sse_end()), respond(200, {"choices": [_choice("inner")]})) as server:
        client = client_of(server)
        recorder = Listener()
        assert client.chatStream(REQUEST, recorder).get(30).text == "abc"
    assert inner == ["inner"]
    assert recorder.texts == ["a", "b", "c"]


def test_8_an_outer_get_returns_after_the_inner_one(qtbot: QtBot) -> None:
    order: list[str] = []
    with FakeServer(answer("outer"), answer("inner")) as server:
        client = client_of(server)
        outer = client.chatStream(REQUEST, Recorder())

        def start_inner(_: object) -> None:
            order.append(client.chatStream(REQUEST, Recorder()).get(30).text)

        outer.ready(start_inner)
        order.append(outer.get(10).text)
        qtbot.waitUntil(lambda: len(order) == 2)
    assert sorted(order) == ["inner", "outer"]


def test_8_get_inside_on_error_returns(qtbot: QtBot) -> None:
    caught: list[Exception] = []
    resource: AsyncResource[ChatResponse]

    class Listener(Recorder):
        def onError(self, error: Exception) -> None:
            try:
                resource.get(30)
            except AuthError as same:
                caught.extend((error, same))

    with FakeServer(respond(401, {"error": {"message": "no"}})) as server:
        resource = client_of(server).chatStream(REQUEST, Listener())
        qtbot.waitUntil(lambda: bool(caught))
    assert caught[0] is caught[1]


def test_8_a_timeout_leaves_the_stream_running(qtbot: QtBot) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("a"), gate, sse_end())) as server:
        resource = client_of(server).chatStream(REQUEST, Recorder())
        with pytest.raises(TimeoutError):
            resource.get(0.05)
        assert not resource.isDone()
        gate.set()
        assert resource.get(30).text == "a"


def test_8_get_on_another_thread_waits_without_turning_events(qtbot: QtBot) -> None:
    results: list[str] = []
    with FakeServer(answer("a")) as server:
        resource = client_of(server).chatStream(REQUEST, Recorder())
        waiter = threading.Thread(target=lambda: results.append(resource.get(30).text))
        waiter.start()
        qtbot.waitUntil(lambda: bool(results))
        waiter.join()
    assert results == ["a"]


def test_8_a_modal_dialog_in_a_listener_does_not_hold_up_the_rest(qtbot: QtBot) -> None:
    loop = QEventLoop()

    class Listener(Recorder):
        def onContentDelta(self, textDelta: str) -> None:
            super().onContentDelta(textDelta)
            if textDelta == "a":
                loop.exec()

    with FakeServer(stream(sse_text(*"abc"), sse_end())) as server:
        recorder = Listener()
        resource = client_of(server).chatStream(REQUEST, recorder)
        resource.onResult(lambda _value, _error: loop.quit())
        wait_for(qtbot, resource)
    assert recorder.texts == ["a", "b", "c"]


def _choice(text: str) -> dict[str, Any]:
    return {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
