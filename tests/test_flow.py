"""One answer from the socket to the pixels. Step through it in a debugger to see the whole house, in reading order.

The server sends a recorded answer: a heading, text with emphasis, a list, code, counts, the end. At each station the
test looks at what has become of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor

from rillet.core.types import ChatMessage, ChatRequest, Finished, TextDelta, UsageDelta
from rillet.core.wire.codecs import codec_for
from rillet.core.wire.fold import fold
from rillet.core.wire.sse import SseDecoder
from rillet.qt import Engine, LlmClient
from rillet.widgets import ChatView, bind
from rillet.widgets.theme import palette
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.segmenter import Segmenter
from support.fake_server import FakeServer, sse_end, sse_text, sse_usage, stream
from support.recorder import Recorder

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

ANSWER = "# Streams\n\nA *rillet* is a **small** stream.\n\n- clear\n- quick\n\n```python\nprint('ripple')\n```\n"
PIECES = [ANSWER[start : start + 7] for start in range(0, len(ANSWER), 7)]
BODY = sse_text(*PIECES) + sse_usage(12, 34) + sse_end()


def test_bytes_become_events() -> None:
    events = SseDecoder().feed(BODY)
    assert len(events) == len(PIECES) + 3
    assert events[-1].data == "[DONE]"


def test_events_become_deltas_and_deltas_an_answer() -> None:
    decoder = codec_for("openai").decoder()
    deltas = [*decoder.feed(BODY), *decoder.finish()]
    assert decoder.failure is None
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == PIECES
    assert any(isinstance(delta, UsageDelta) for delta in deltas)
    assert isinstance(deltas[-1], Finished)
    response = fold(deltas)
    assert response.text == ANSWER
    assert response.usage is not None
    assert response.usage.total_tokens == 46


def test_deltas_cross_to_the_gui_thread(qtbot: QtBot) -> None:
    with FakeServer(stream(BODY)) as server:
        recorder = Recorder()
        client = LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m")
        response = client.chatStream(ChatRequest([ChatMessage.user("?")]), recorder).get(30)
    Engine.default().shutdown()
    assert recorder.texts == PIECES
    assert response.text == ANSWER


def test_text_becomes_segments() -> None:
    segmenter = Segmenter()
    for piece in PIECES:
        segmenter.feed(piece)
    segmenter.finish()
    assert [segment.kind for segment in segmenter.segments] == ["text", "code"]
    assert "print" in ANSWER[segmenter.segments[1].start : segmenter.segments[1].end]


def test_an_answer_typed_for_is_painted(qtbot: QtBot, qapp: QApplication) -> None:
    palette.apply(qapp, LIGHT)
    view = ChatView()
    qtbot.addWidget(view)
    view.resize(760, 640)
    with FakeServer(stream(BODY)) as server:
        bind(view, LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m"), ChatRequest(()))
        view.show()
        view.composer.setText("What is a rillet?")
        view.composer.send()
        qtbot.waitUntil(lambda: not view.composer.isBusy() and not any(each.pending for each in view.handles()))
        assert server.requests[0].json["messages"] == [{"role": "user", "content": "What is a rillet?"}]
    Engine.default().shutdown()
    assert [message.text for message in view.history()] == ["What is a rillet?", ANSWER]
    image = view.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}
    assert QColor(LIGHT.bubble).name() in colours
    assert QColor(LIGHT.code).name() in colours
    assert QColor(LIGHT.text).name() in colours
