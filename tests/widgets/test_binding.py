from __future__ import annotations

import base64
import threading
from typing import TYPE_CHECKING, Any

import pytest
import shiboken6
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.core.client import AsyncLlmClient
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, FilePart, ImagePart, ReasoningPart, TextPart, ToolCallPart
from rillet.core.wire.codecs import codec_for
from rillet.qt import Engine, LlmClient
from rillet.widgets import ChatView, bind
from rillet.widgets.binding import sendable
from rillet.widgets.composer import attachment_of
from support.fake_server import FakeServer, answer, hold, respond, sse_end, sse_text, stream
from support.views import text_on_screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
BASE = ChatRequest([ChatMessage.system("Be brief.")], model="m", temperature=0.5)


@pytest.fixture(autouse=True)
def engine(qapp: QApplication) -> Iterator[Engine]:
    engine = Engine.default()
    yield engine
    engine.shutdown()


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


def _client(server: FakeServer) -> LlmClient:
    provider = Provider("test", "openai", f"{server.url}/v1", network=NetworkProfile(proxy=None))
    return LlmClient.forProvider(provider, retry=RetryPolicy.none())


def _say(view: ChatView, text: str) -> None:
    view.composer.setText(text)
    QTest.keyClick(view.composer._field, Qt.Key.Key_Return)


def _sent(server: FakeServer) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in server.requests[-1].json["messages"]]


def _ended(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not view.composer.isBusy() and not any(handle.pending for handle in view.handles()))


def test_a_question_is_sent_with_what_came_before_and_the_answer_is_shown(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(answer("Hel", "lo")) as server:
        bind(view, _client(server), BASE)
        _say(view, "Hi")
        assert view.composer.isBusy()
        _ended(qtbot, view)
        assert text_on_screen(view.transcript) == "Hi\nHello"
        _say(view, "And?")
        _ended(qtbot, view)
        assert _sent(server) == [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "And?")]
        assert server.requests[-1].json["temperature"] == 0.5


def test_stop_keeps_the_text_and_the_next_question_goes_out_with_it(view: ChatView, qtbot: QtBot) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("One, "), gate, sse_end()), answer("ok")) as server:
        bind(view, _client(server), BASE)
        _say(view, "Count")
        qtbot.waitUntil(lambda: view.history()[-1].text == "One, ")
        view.composer._button.click()
        _ended(qtbot, view)
        assert server.wait_closed()
        assert view.handles()[-1].entry.foot.note == "Stopped by you"
        _say(view, "Go on")
        _ended(qtbot, view)
        assert _sent(server)[1:] == [("user", "Count"), ("assistant", "One, "), ("user", "Go on")]


def test_enter_while_an_answer_is_written_sends_nothing(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(hold) as server:
        binding = bind(view, _client(server), BASE)
        _say(view, "first")
        _say(view, "second")
        assert view.composer.text() == "second"
        assert [message.text for message in view.history()] == ["first"]
        binding.close()
        _ended(qtbot, view)
        assert len(server.requests) <= 1


def test_trying_again_replaces_the_failed_answer(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(respond(401, {"error": {"message": "bad key"}}), answer("ok")) as server:
        bind(view, _client(server), BASE)
        _say(view, "Hi")
        _ended(qtbot, view)
        failed = view.handles()[-1]
        assert "key" in failed.entry.foot.error
        view.transcript.actionChosen.emit("retry", failed.entry)
        _ended(qtbot, view)
        assert text_on_screen(view.transcript) == "Hi\nok"
        assert _sent(server) == [("system", "Be brief."), ("user", "Hi")]
        assert failed not in view.handles()


def test_the_last_answer_can_be_asked_for_again(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(answer("one"), answer("two"), answer("three")) as server:
        binding = bind(view, _client(server), BASE)
        for question in ("Hi", "And?"):
            _say(view, question)
            _ended(qtbot, view)
        last = view.handles()[-1]
        view.transcript.actionChosen.emit("regenerate", last.entry)
        _ended(qtbot, view)
        assert [message.text for message in view.history()] == ["Hi", "one", "And?", "three"]
        assert _sent(server)[1:] == [("user", "Hi"), ("assistant", "one"), ("user", "And?")]
        binding.close()
        view.transcript.actionChosen.emit("regenerate", view.handles()[-1].entry)
        assert [message.text for message in view.history()] == ["Hi", "one", "And?", "three"]


def test_after_a_failure_without_text_the_next_question_is_one_turn_with_the_last(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(respond(500, {"error": {"message": "broken"}}), answer("ok")) as server:
        bind(view, _client(server), BASE)
        _say(view, "Hi")
        _ended(qtbot, view)
        _say(view, "Still there?")
        _ended(qtbot, view)
        assert _sent(server) == [("system", "Be brief."), ("user", "Hi\n\nStill there?")]


def test_attachments_go_out_with_their_question_and_again_after_a_failure(view: ChatView, qtbot: QtBot) -> None:
    failure = respond(500, {"error": {"message": "broken"}})
    with FakeServer(failure, answer("I see"), answer("ok")) as server:
        bind(view, _client(server), BASE)
        view.composer.attach(attachment_of(PNG, "red.png"))
        view.composer.attach(attachment_of(b"a,b", "table.csv"))
        _say(view, "Look")
        _ended(qtbot, view)
        _say(view, "Well?")
        _ended(qtbot, view)
        _say(view, "And now?")
        _ended(qtbot, view)
        turns = server.requests[-1].json["messages"][1:]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    wire = str(turns[0]["content"])
    assert all(wire.count(piece) == 1 for piece in ("Look", "Well?", "data:image/png;base64,", "table.csv", "a,b"))
    assert turns[2]["content"] == "And now?"


@pytest.mark.parametrize("style", ["openai", "openai-responses", "anthropic", "gemini", "ollama"])
def test_every_style_can_say_questions_of_attachments_that_became_one(style: str) -> None:
    image, table = ImagePart(PNG), FilePart(b"a,b", media_type="text/csv", name="table.csv")
    failed = [ChatMessage.user("", image), ChatMessage.user("Look"), ChatMessage.user("", table)]
    (message,) = sendable(failed)
    assert message == ChatMessage("user", (image, TextPart("Look"), table))
    body = str(codec_for(style).encode(ChatRequest([message]), "m", stream=True))
    assert all(piece in body for piece in ("Look", "a,b", base64.b64encode(PNG).decode()))


def test_closing_cancels_and_unties(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("One"), threading.Event()), answer("never")) as server:
        binding = bind(view, _client(server), BASE)
        _say(view, "Hi")
        qtbot.waitUntil(lambda: view.history()[-1].text == "One")
        binding.close()
        binding.close()
        assert server.wait_closed()
        _ended(qtbot, view)
        _say(view, "Anybody?")
        assert [message.text for message in view.history()] == ["Hi", "One"]
        assert len(server.requests) == 1


def test_a_view_can_be_bound_again_to_another_client(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(answer("one")) as first, FakeServer(answer("two")) as second:
        bind(view, _client(first), BASE).close()
        bind(view, _client(second), BASE)
        _say(view, "Hi")
        _ended(qtbot, view)
        assert text_on_screen(view.transcript) == "Hi\ntwo"
        assert first.requests == []


def test_a_view_that_is_bound_once_more_asks_the_new_client_only(view: ChatView, qtbot: QtBot) -> None:
    with FakeServer(answer("one")) as first, FakeServer(answer("two")) as second:
        bind(view, _client(first), BASE)
        bind(view, _client(second), BASE)
        _say(view, "Hi")
        _ended(qtbot, view)
        assert [message.text for message in view.history()] == ["Hi", "two"]
        assert first.requests == []


def test_what_cannot_stream_to_a_view_is_refused_at_once(view: ChatView) -> None:
    client: Any = AsyncLlmClient(Provider("p", "openai", "http://127.0.0.1:9/v1"))
    with pytest.raises(TypeError, match=r"cannot be an AsyncLlmClient: write LlmClient\."):
        bind(view, client)


def test_a_deleted_view_cancels_its_answer(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("One"), threading.Event())) as server:
        view = ChatView()
        view.show()
        bind(view, _client(server), BASE)
        _say(view, "Hi")
        qtbot.waitUntil(lambda: view.history()[-1].text == "One")
        view.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert not shiboken6.isValid(view)
        assert server.wait_closed()


def _call(id: str) -> ToolCallPart:
    return ToolCallPart(id, "tool", "{}")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], []),
        ([ChatMessage.user("a"), ChatMessage.assistant("b")], [ChatMessage.user("a"), ChatMessage.assistant("b")]),
        ([ChatMessage.user("a"), ChatMessage.user("b"), ChatMessage.user("c")], [ChatMessage.user("a\n\nb\n\nc")]),
        ([ChatMessage("assistant", (ReasoningPart("hm"),))], []),
        ([ChatMessage("assistant", (TextPart("x"), _call("1")))], [ChatMessage.assistant("x")]),
        ([ChatMessage("assistant", (_call("1"),))], []),
        (
            [ChatMessage("assistant", (_call("1"),)), ChatMessage.tool("1", "out")],
            [ChatMessage("assistant", (_call("1"),)), ChatMessage.tool("1", "out")],
        ),
    ],
)
def test_what_goes_out_is_legal(messages: list[ChatMessage], expected: list[ChatMessage]) -> None:
    assert sendable(messages) == expected
