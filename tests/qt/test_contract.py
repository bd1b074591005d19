"""The guarantees of the listener contract, in order; each test fails without the one it names.

The eighth, about waiting, is in ``test_contract_waiting``.
"""

from __future__ import annotations

import gc
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from qt.conftest import REQUEST, client_of, wait_for
from rillet.core.errors import Cancelled, NetworkError
from rillet.qt import AsyncResource, Engine, LlmClient, StreamingListener, StreamSignals
from support.engines import wait_until_idle
from support.fake_server import (
    ClientGone,
    FakeServer,
    answer,
    close,
    hold,
    respond,
    sse_end,
    sse_reasoning,
    sse_text,
    sse_tool_call,
    sse_usage,
    stream,
)
from support.recorder import Recorder

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.core.types import ChatResponse


# 1. On the GUI thread; each delta exactly one call; onError once, before the resource fails, with the same object.


def test_1_each_delta_is_one_call_in_order_on_the_gui_thread(qtbot: QtBot) -> None:
    texts = [f"{number} " for number in range(20_000)]
    with FakeServer(
        stream(sse_text(*texts[:19_000]), *(sse_text(text) for text in texts[19_000:]), sse_end())
    ) as server:
        recorder = Recorder()
        wait_for(qtbot, client_of(server).chatStream(REQUEST, recorder))
    assert recorder.texts == texts
    assert recorder.threads == {threading.get_ident()}


def test_1_callbacks_run_on_the_gui_thread(qtbot: QtBot) -> None:
    threads: list[int] = []
    with FakeServer(answer("Hello"), respond(401)) as server:
        client = client_of(server)
        for _ in range(2):
            resource = client.chatStream(REQUEST, Recorder())
            resource.onResult(lambda _value, _error: threads.append(threading.get_ident()))
            registrar = threading.Thread(
                target=resource.onResult, args=(lambda _value, _error: threads.append(threading.get_ident()),)
            )
            registrar.start()
            registrar.join()
            wait_for(qtbot, resource)
        qtbot.waitUntil(lambda: len(threads) == 4)
    assert set(threads) == {threading.get_ident()}


def test_1_an_error_is_told_once_before_the_resource_fails_with_the_same_object(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a", "b"), close)) as server:
        recorder = Recorder()
        resource: AsyncResource[ChatResponse]
        done_when_told: list[bool] = []

        class Listener(Recorder):
            def onError(self, error: Exception) -> None:
                done_when_told.append(resource.isDone())
                super().onError(error)

        recorder = Listener()
        resource = client_of(server).chatStream(REQUEST, recorder)
        wait_for(qtbot, resource)
        with pytest.raises(NetworkError) as caught:
            resource.get()
    assert recorder.methods == ["content", "content", "error"]
    assert recorder.calls[-1][1] == (caught.value,)
    assert done_when_told == [False]
    assert caught.value.partial is not None
    assert caught.value.partial.text == "ab"


# 2. The response only through the resource, after the last delta, exactly once.


def test_2_the_response_comes_once_after_the_last_delta(qtbot: QtBot) -> None:
    events: list[str] = []

    class Listener(StreamingListener):
        def onContentDelta(self, textDelta: str) -> None:
            events.append(textDelta)

    with FakeServer(stream(sse_text(*"abc"), sse_usage(3, 4), sse_end())) as server:
        resource = client_of(server).chatStream(REQUEST, Listener())
        resource.ready(lambda response: events.append(f"ready {response.text}"))
        resource.except_(lambda error: events.append(f"failed {error}"))
        qtbot.waitUntil(lambda: any(event.startswith("ready") for event in events))
        qtbot.wait(1)
    assert events == ["a", "b", "c", "ready abc"]
    assert resource.isReady()
    response = resource.get()
    assert response.finish_reason == "stop"
    assert response.usage is not None
    assert response.usage.total_tokens == 7
    assert not response.incomplete


# 3. Silence after cancel; Cancelled, queued, with everything received.


def test_3_no_listener_method_is_called_after_cancel_returned(qtbot: QtBot) -> None:
    resource: AsyncResource[ChatResponse]

    class Listener(Recorder):
        def onContentDelta(self, textDelta: str) -> None:
            super().onContentDelta(textDelta)
            if len(self.calls) == 3:
                assert_later.append(resource.cancel())

    assert_later: list[bool] = []
    outcomes: list[Any] = []
    with FakeServer(stream(sse_text(*"abcdefgh"), hold)) as server:
        recorder = Listener()
        resource = client_of(server).chatStream(REQUEST, recorder)
        resource.ready(outcomes.append).except_(outcomes.append)
        wait_for(qtbot, resource)
        assert server.wait_closed()
        qtbot.waitUntil(lambda: bool(outcomes))
    assert assert_later == [True]
    assert recorder.texts == ["a", "b", "c"]
    assert "error" not in recorder.methods
    (error,) = outcomes
    assert isinstance(error, Cancelled)
    assert error.partial is not None
    assert error.partial.text == "abcdefgh"
    assert error.partial.incomplete
    assert resource.isCancelled()
    assert not resource.cancel()


def test_3_a_cancel_between_the_end_and_its_delivery_is_still_a_cancel(qtbot: QtBot) -> None:
    resource: AsyncResource[ChatResponse]
    release = threading.Event()

    class Listener(Recorder):
        def onContentDelta(self, textDelta: str) -> None:
            super().onContentDelta(textDelta)
            if len(self.calls) == 1:
                release.set()
                wait_until_idle(Engine.default())
                resource.cancel()

    with FakeServer(stream(sse_text("a"), release, sse_text("b"), sse_end())) as server:
        recorder = Listener()
        resource = client_of(server).chatStream(REQUEST, recorder)
        wait_for(qtbot, resource)
        with pytest.raises(Cancelled) as caught:
            resource.get()
    assert recorder.texts == ["a"]
    assert caught.value.partial is not None
    assert caught.value.partial.text == "ab"


# 4. A host that raises stops nothing.


def test_4_what_a_listener_raises_is_reported_once_per_method_and_stops_nothing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda _kind, error, _trace: reported.append(error))

    class Listener(Recorder):
        def onContentDelta(self, textDelta: str) -> None:
            super().onContentDelta(textDelta)
            raise ValueError(textDelta)

        def onReasoningDelta(self, textDelta: str) -> None:
            raise KeyError(textDelta)

    with FakeServer(stream(sse_reasoning("r", "s"), sse_text(*"abc"), sse_end())) as server:
        recorder = Listener()
        resource = client_of(server).chatStream(REQUEST, recorder)
        resource.ready(lambda _: 1 / 0)
        after: list[str] = []
        resource.ready(lambda response: after.append(response.text))
        qtbot.waitUntil(lambda: bool(after))
    assert recorder.texts == ["a", "b", "c"]
    assert [type(error) for error in reported] == [KeyError, ValueError, ZeroDivisionError]


# 5. A resource always ends. Dropping cancels nothing; close, a destroyed parent or listener, and shutdown do.


def test_5_dropping_client_and_resource_cancels_nothing(qtbot: QtBot) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("a"), gate, sse_text("b"), sse_end())) as server:
        recorder = Recorder()
        client_of(server).chatStream(REQUEST, recorder)
        gc.collect()
        qtbot.waitUntil(lambda: recorder.texts == ["a"])
        gate.set()
        qtbot.waitUntil(lambda: recorder.texts == ["a", "b"])


def test_5_close_cancels_and_a_later_request_works(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a"), hold), answer("again")) as server:
        client = client_of(server)
        recorder = Recorder()
        resource = client.chatStream(REQUEST, recorder)
        qtbot.waitUntil(lambda: recorder.texts == ["a"])
        client.close()
        assert resource.isCancelled()
        wait_for(qtbot, resource)
        assert server.wait_closed()
        assert client.chat(REQUEST).get(30).text == "again"


def test_5_a_destroyed_parent_cancels(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a"), hold)) as server:
        parent = QObject()
        client = LlmClient.forProvider(client_of(server).provider, parent=parent)
        recorder = Recorder()
        resource = client.chatStream(REQUEST, recorder)
        qtbot.waitUntil(lambda: recorder.texts == ["a"])
        parent.deleteLater()
        wait_for(qtbot, resource)
        assert resource.isCancelled()
        assert server.wait_closed()


def test_5_a_destroyed_listener_cancels(qtbot: QtBot) -> None:
    class Window(QWidget, Recorder):
        def __init__(self, parent: QObject) -> None:
            QWidget.__init__(self)
            Recorder.__init__(self)
            self.setObjectName("listener")

    with FakeServer(stream(sse_text("a"), hold)) as server:
        listener = Window(QObject())
        resource = client_of(server).chatStream(REQUEST, listener)
        qtbot.waitUntil(lambda: listener.texts == ["a"])
        listener.deleteLater()
        wait_for(qtbot, resource)
        assert resource.isCancelled()
        assert server.wait_closed()


def test_5_shutdown_ends_fifty_live_streams_and_a_call_during_the_last_callbacks_raises(
    qtbot: QtBot, engine: Engine
) -> None:
    errors: list[Exception] = []
    refused: list[Exception] = []
    with FakeServer(stream(sse_text("a"), hold)) as server:
        client = client_of(server)
        recorders = [Recorder() for _ in range(50)]
        resources = [client.chatStream(REQUEST, recorder) for recorder in recorders]

        def ask_again(error: Exception) -> None:
            errors.append(error)
            try:
                client.chat(REQUEST)
            except RuntimeError as refusal:
                refused.append(refusal)

        for resource in resources:
            resource.except_(ask_again)
        qtbot.waitUntil(lambda: all(recorder.texts == ["a"] for recorder in recorders))
        engine.shutdown()
        assert all(resource.isDone() and resource.isCancelled() for resource in resources)
        assert len(errors) == len(refused) == 50
        assert all(isinstance(error, Cancelled) for error in errors)
        assert server.wait_closed()


def test_5_a_call_after_a_shutdown_starts_a_fresh_thread(qtbot: QtBot, engine: Engine) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        client = client_of(server)
        first = client.chatStream(REQUEST, Recorder())
        wait_for(qtbot, first)
        engine.shutdown()
        assert client.chatStream(REQUEST, Recorder()).get(30).text == "two"


# 6. Tool arguments as sent.


def test_6_tool_fragments_come_as_sent_with_index_from_zero_and_the_name_first(qtbot: QtBot) -> None:
    body = (
        sse_tool_call(3, "", id="c1", name="weather")
        + sse_tool_call(3, '{"city":')
        + sse_tool_call(3, ' "Oslo"}')
        + sse_tool_call(7, "{}", id="c2", name="time")
    )
    with FakeServer(stream(body, sse_end("tool_calls"))) as server:
        recorder = Recorder()
        resource = client_of(server).chatStream(REQUEST, recorder)
        wait_for(qtbot, resource)
    calls = [arguments for method, arguments in recorder.calls if method == "tool"]
    assert [arguments[0] for arguments in calls] == [0] * (len(calls) - 1) + [1]
    assert calls[0][1:3] == ("c1", "weather")
    assert all(arguments[1:3] == (None, None) for arguments in calls[1:-1])
    assert "".join(arguments[3] for arguments in calls[:-1]) == '{"city": "Oslo"}'
    assert calls[-1] == (1, "c2", "time", "{}")
    weather, time = resource.get().tool_calls
    assert weather.parsed == {"city": "Oslo"}
    assert time.name == "time"


# 7. Nothing of the host is released on the engine thread.


def test_7_listener_callbacks_client_and_policy_are_released_on_the_gui_thread(qtbot: QtBot, engine: Engine) -> None:
    from rillet.core.net.retry import RetryPolicy

    released: list[int] = []

    class Mine:
        def __del__(self) -> None:
            released.append(threading.get_ident())

        def decide(self, *_: object) -> None:
            """A policy's callback."""

        def done(self, *_: object) -> None:
            """A resource's callback."""

    class Listener(Recorder):
        def __init__(self) -> None:
            super().__init__()
            self.mine = Mine()

    gate = threading.Event()
    with FakeServer(stream(sse_text("a"), gate, sse_text("b"), sse_end())) as server:
        provider = client_of(server).provider
        policy = RetryPolicy(on_error=Mine().decide)
        client = LlmClient.forProvider(provider, retry=policy)
        listener = Listener()
        seen = listener.calls
        resource = client.chatStream(REQUEST, listener).onResult(Mine().done)
        del policy, listener, client
        qtbot.waitUntil(lambda: bool(seen))
        gate.set()
        wait_for(qtbot, resource)
        del resource
        qtbot.waitUntil(lambda: len(released) == 3)
    assert set(released) == {threading.get_ident()}


@pytest.mark.parametrize("make", [Recorder, StreamSignals])
def test_7_nothing_is_kept_after_the_end(make: type[StreamingListener], qtbot: QtBot) -> None:
    with FakeServer(answer("a")) as server:
        listener = make()
        client = client_of(server)
        gone: list[weakref.ref[Any]] = [weakref.ref(listener), weakref.ref(client)]
        resource = client.chatStream(REQUEST, listener)
        del listener, client
        wait_for(qtbot, resource)
        qtbot.waitUntil(lambda: all(reference() is None for reference in gone))


# 9. A slow listener does not cost memory without bound.


def test_9_the_socket_is_not_read_while_eight_megabytes_wait(qtbot: QtBot) -> None:
    piece = sse_text("x" * 64_000)
    sent = 0
    blocked = threading.Event()

    def flood(exchange: Any) -> None:
        nonlocal sent
        exchange.head()
        exchange._socket.settimeout(0.3)
        for _ in range(1000):
            try:
                exchange.chunk(piece)
            except ClientGone:
                break
            sent += len(piece)
        blocked.set()
        exchange.close()

    first = threading.Event()

    class Listener(Recorder):
        def onContentDelta(self, textDelta: str) -> None:
            super().onContentDelta(textDelta)
            if not first.is_set():
                first.set()
                blocked.wait(30)

    with FakeServer(flood) as server:
        recorder = Listener()
        resource = client_of(server).chatStream(REQUEST, recorder)
        qtbot.waitUntil(first.is_set)
        wait_for(qtbot, resource)
    assert len(piece) * 1000 > sent >= 8 << 20
    assert sent < 32 << 20


# Construction


def test_a_client_made_on_another_thread_is_refused(qtbot: QtBot) -> None:
    errors: list[Exception] = []

    def make() -> None:
        try:
            LlmClient.localOpenAiCompatible("http://127.0.0.1:9", None, "m")
        except RuntimeError as error:
            errors.append(error)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert "GUI thread" in str(errors[0])
