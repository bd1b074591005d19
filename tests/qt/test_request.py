"""What a request keeps of the host, where it lets go of it, and what it hands out."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject

from qt.conftest import REQUEST
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest
from rillet.qt import Engine, LlmClient, StreamingListener
from support.fake_server import FakeServer, Script, answer, close, hold, refused_port, respond, sse_text, stream
from support.recorder import Recorder

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.core.errors import LlmError


def client_at(port: int) -> LlmClient:
    network = NetworkProfile(proxy=None)
    return LlmClient.forProvider(Provider("test", "openai", f"http://127.0.0.1:{port}/v1", "key", "m", network=network))


@pytest.mark.parametrize(
    "script",
    [answer("a"), respond(401), stream(sse_text("a"), close)],
    ids=["finished", "refused", "broken"],
)
@pytest.mark.parametrize("cancel", [False, True])
def test_what_was_asked_is_released_on_the_gui_thread(script: Script, cancel: bool, qtbot: QtBot) -> None:
    released: list[int] = []

    class Extra(dict[str, Any]):
        def __del__(self) -> None:
            released.append(threading.get_ident())

    with FakeServer(script) as server:
        client = client_at(server.port)
        for _ in range(20):
            request = ChatRequest([ChatMessage.user("Hi")], extra_body=Extra(a=1))
            resource = client.chatStream(request, Recorder())
            del request
            if cancel:
                resource.cancel()
            qtbot.waitUntil(resource.isDone)
    qtbot.waitUntil(lambda: len(released) == 20)
    assert set(released) == {threading.get_ident()}


def test_a_refused_request_keeps_nothing(qtbot: QtBot, engine: Engine) -> None:
    class Window(QObject, StreamingListener):
        """A listener that Qt may destroy on one thread only."""

    refused: list[weakref.ref[Window]] = []

    def ask_again(_error: Exception) -> None:
        window = Window()
        refused.append(weakref.ref(window))
        with pytest.raises(RuntimeError):
            client.chatStream(REQUEST, window)

    with FakeServer(hold) as server:
        client = client_at(server.port)
        client.chatStream(REQUEST, Recorder()).except_(ask_again)
        engine.shutdown()
    assert [window() for window in refused] == [None]


def test_the_error_before_a_repetition_holds_no_frames_of_the_engine_thread(qtbot: QtBot) -> None:
    errors: list[LlmError] = []

    class Listener(StreamingListener):
        def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
            errors.append(error)
            resource.cancel()

    resource = client_at(refused_port()).chatStream(REQUEST, Listener())
    qtbot.waitUntil(resource.isDone)
    (error,) = errors
    chain: BaseException | None = error
    while chain is not None:
        assert chain.__traceback__ is None
        chain = chain.__cause__ or chain.__context__
