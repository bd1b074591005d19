"""The background thread: cancel in every phase, several engines, start and stop."""

from __future__ import annotations

import asyncio
import errno
import threading
import weakref
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject

from qt.conftest import REQUEST
from rillet.core.errors import Cancelled
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.qt import Engine, LlmClient
from support.engines import Probe, on_engine, wait_until_idle
from support.fake_server import FakeServer, answer, close, hold, respond, sse_end, sse_text, stream, unanswered_port
from support.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from rillet.qt.engine import Outbox, Worker


def provider_at(url: str) -> Provider:
    return Provider("test", "openai", f"{url}/v1", default_model="m", network=NetworkProfile(proxy=None))


def assert_cancel_ends_it(qtbot: QtBot, client: LlmClient, recorder: Recorder, *, when: Callable[[], bool]) -> None:
    """Start a stream, cancel it once ``when()`` holds, and see it end in silence."""
    resource = client.chatStream(REQUEST, recorder)
    qtbot.waitUntil(when)
    calls = len(recorder.calls)
    assert resource.cancel()
    assert not resource.cancel()
    qtbot.waitUntil(resource.isDone)
    with pytest.raises(Cancelled):
        resource.get()
    assert len(recorder.calls) == calls


def test_cancel_before_the_connection_is_made(qtbot: QtBot, engine: Engine) -> None:
    with unanswered_port() as port:
        client = LlmClient.forProvider(provider_at(f"http://127.0.0.1:{port}"))
        started = threading.Event()
        engine.start(Probe(), on_engine(started.set))
        assert_cancel_ends_it(qtbot, client, Recorder(), when=started.is_set)


def test_cancel_before_the_task_has_begun(qtbot: QtBot) -> None:
    with FakeServer(answer("a")) as server:
        resource = LlmClient.forProvider(provider_at(server.url)).chatStream(REQUEST, Recorder())
        assert resource.cancel()
        with pytest.raises(Cancelled) as caught:
            resource.get(30)
        assert caught.value.partial is not None
        assert caught.value.partial.text == ""


def test_cancel_before_the_headers(qtbot: QtBot) -> None:
    with FakeServer(hold) as server:
        client = LlmClient.forProvider(provider_at(server.url))
        assert_cancel_ends_it(qtbot, client, Recorder(), when=server.wait_requests)
        assert server.wait_closed()


def test_cancel_between_the_bytes_of_one_event(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a") + b'data: {"cho', hold)) as server:
        client, recorder = LlmClient.forProvider(provider_at(server.url)), Recorder()
        assert_cancel_ends_it(qtbot, client, recorder, when=lambda: recorder.texts == ["a"])
        assert server.wait_closed()


def test_cancel_while_waiting_to_try_again(qtbot: QtBot) -> None:
    with FakeServer(respond(503, {"error": {"message": "busy"}}, {"Retry-After": "50"})) as server:
        client, recorder = LlmClient.forProvider(provider_at(server.url)), Recorder()
        assert_cancel_ends_it(qtbot, client, recorder, when=lambda: recorder.methods == ["retry"])
        assert len(server.requests) == 1


def test_cancel_after_the_end_changes_nothing(qtbot: QtBot) -> None:
    with FakeServer(answer("a")) as server:
        resource = LlmClient.forProvider(provider_at(server.url)).chatStream(REQUEST, Recorder())
        assert resource.get(30).text == "a"
        assert not resource.cancel()
        assert not resource.isCancelled()
        assert resource.get().text == "a"


def test_cancel_from_another_thread(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a"), hold)) as server:
        recorder = Recorder()
        resource = LlmClient.forProvider(provider_at(server.url)).chatStream(REQUEST, recorder)
        qtbot.waitUntil(lambda: recorder.texts == ["a"])
        cancelled: list[bool] = []
        threads = [threading.Thread(target=lambda: cancelled.append(resource.cancel())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(cancelled) == [False] * 7 + [True]
        qtbot.waitUntil(resource.isDone)
        assert server.wait_closed()


def test_two_engines_live_side_by_side_and_stop_apart(qtbot: QtBot) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("a"), gate, sse_text("b"), sse_end())) as server:
        engines = [Engine(), Engine()]
        recorders = [Recorder(), Recorder()]
        resources = [
            LlmClient.forProvider(provider_at(server.url), engine=engine).chatStream(REQUEST, recorder)
            for engine, recorder in zip(engines, recorders, strict=True)
        ]
        qtbot.waitUntil(lambda: all(recorder.texts == ["a"] for recorder in recorders))
        names = [thread.name for thread in threading.enumerate()]
        assert names.count("rillet-engine") == 2
        engines[0].shutdown()
        assert resources[0].isCancelled()
        gate.set()
        assert resources[1].get(30).text == "ab"
        engines[1].shutdown()


def test_an_engine_ends_with_its_parent(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a"), hold)) as server:
        parent = QObject()
        engine = Engine(parent)
        recorder = Recorder()
        resource = LlmClient.forProvider(provider_at(server.url), engine=engine).chatStream(REQUEST, recorder)
        qtbot.waitUntil(lambda: recorder.texts == ["a"])
        parent.deleteLater()
        qtbot.waitUntil(resource.isDone)
        assert resource.isCancelled()
        assert server.wait_closed()


def test_shutdown_delivers_a_finished_answer_that_was_still_queued(qtbot: QtBot, engine: Engine) -> None:
    with FakeServer(stream(sse_text(*"abc"), sse_end(), close)) as server:
        client, recorder = LlmClient.forProvider(provider_at(server.url)), Recorder()
        resource = client.chatStream(REQUEST, recorder)
        texts: list[str] = []
        resource.ready(lambda response: texts.append(response.text))
        assert server.wait_closed()
        wait_until_idle(engine)
        engine.shutdown()
    assert recorder.texts == ["a", "b", "c"]
    assert texts == ["abc"]


def test_shutdown_without_a_thread_does_nothing(engine: Engine) -> None:
    engine.shutdown()
    engine.shutdown()


def test_the_default_engine_is_one(engine: Engine) -> None:
    assert Engine.default() is engine
    assert engine.is_gui_thread()
    assert not engine.is_engine_thread()


def test_a_hundred_streams_at_once_all_end(qtbot: QtBot) -> None:
    with FakeServer(answer(*"abcdefghij")) as server:
        client = LlmClient.forProvider(provider_at(server.url))
        recorders = [Recorder() for _ in range(100)]
        resources = [client.chatStream(REQUEST, recorder) for recorder in recorders]
        qtbot.waitUntil(lambda: all(resource.isDone() for resource in resources))
    assert all(recorder.texts == list("abcdefghij") for recorder in recorders)


def test_get_on_the_engine_thread_is_refused(qtbot: QtBot, engine: Engine) -> None:
    with FakeServer(stream(sse_text("a"), hold)) as server:
        resource = LlmClient.forProvider(provider_at(server.url)).chatStream(REQUEST, Recorder())
        probe = Probe()
        engine.start(probe, on_engine(resource.get))
        qtbot.waitUntil(lambda: probe.outcome is not None)
        resource.cancel()
    assert isinstance(probe.outcome.error, RuntimeError)
    assert "engine thread" in str(probe.outcome.error)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_code_of_the_host_that_wants_to_exit_stops_its_own_request_only(
    kind: type[BaseException], qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    def leave(*_: object) -> bool:
        raise kind

    gate = threading.Event()
    with FakeServer(stream(sse_text("a"), gate, sse_end()), respond(503)) as server:
        recorder = Recorder()
        other = LlmClient.forProvider(provider_at(server.url)).chatStream(REQUEST, recorder)
        qtbot.waitUntil(lambda: recorder.texts == ["a"])
        leaving = LlmClient.forProvider(provider_at(server.url), retry=RetryPolicy(on_error=leave))
        with pytest.raises(RuntimeError, match=kind.__name__):
            leaving.chat(REQUEST).get(10)
        gate.set()
        assert other.get(10).text == "a"
    assert "a request failed" in caplog.text


def test_a_thread_that_cannot_open_its_loop_fails_the_request_and_the_next_tries_again(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_descriptor_left() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with FakeServer(answer("a")) as server:
        client, recorder = LlmClient.forProvider(provider_at(server.url)), Recorder()
        with monkeypatch.context() as patch:
            patch.setattr("rillet.qt.engine._plain_loop", no_descriptor_left)
            with pytest.raises(OSError, match="Too many open files"):
                client.chatStream(REQUEST, recorder).get(30)
        assert recorder.methods == ["error"]
        assert client.chatStream(REQUEST, recorder).get(30).text == "a"
    assert "a request failed" in caplog.text


def test_a_dropped_engine_waits_for_no_garbage_collection(qtbot: QtBot) -> None:
    """A cycle with a QObject in it may be collected on any thread, while Qt delivers to it on this one: a crash."""
    with FakeServer(answer("a")) as server:
        engine = Engine()
        gone: list[weakref.ref[QObject]] = [weakref.ref(engine._registry), weakref.ref(engine._registry._mailbox)]
        client = LlmClient.forProvider(provider_at(server.url), engine=engine)
        assert client.chatStream(REQUEST, Recorder()).get(30).text == "a"
        del client, engine
        qtbot.waitUntil(lambda: all(reference() is None for reference in gone))


def test_what_a_job_saves_in_its_last_moments_finds_what_lives_on_the_thread(qtbot: QtBot) -> None:
    order: list[str] = []

    class House:
        async def aclose(self) -> None:
            order.append("house closed")

    async def work(worker: Worker, _outbox: Outbox) -> None:
        worker.belongings[1] = House()
        order.append("at work")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            order.append("saved")

    engine = Engine.default()
    engine.start(Probe(), work)
    qtbot.waitUntil(lambda: bool(order))
    engine.shutdown()
    assert order == ["at work", "saved", "house closed"]
