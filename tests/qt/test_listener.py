"""The listener's face, and the same as Qt signals."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from qt.conftest import REQUEST
from rillet.core.errors import NetworkError
from rillet.qt import LlmClient, StreamingListener, StreamSignals
from support.fake_server import (
    FakeServer,
    answer,
    close,
    sse_end,
    sse_reasoning,
    sse_text,
    sse_tool_call,
    sse_usage,
    stream,
)
from support.recorder import Recorder
from support.spliced import call, message_start, message_stop, provider_of, text

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

METHODS = {
    "onContentDelta": ["textDelta"],
    "onReasoningDelta": ["textDelta"],
    "onToolCallDelta": ["index", "id", "name", "argumentsFragment"],
    "onUsage": ["usage"],
    "onRetry": ["attempt", "delaySeconds", "error"],
    "onRestart": [],
    "onError": ["error"],
}


def test_the_methods_are_those_of_the_contract_and_do_nothing() -> None:
    listener = StreamingListener.Adapter()
    assert StreamingListener.Adapter is StreamingListener
    for name, parameters in METHODS.items():
        method = getattr(listener, name)
        assert list(inspect.signature(method).parameters) == parameters
        assert method(*parameters) is None


def test_signals_say_what_the_methods_say(qtbot: QtBot) -> None:
    signals = StreamSignals()
    seen: list[tuple[Any, ...]] = []
    signals.contentDelta.connect(lambda text: seen.append(("content", text)))
    signals.reasoningDelta.connect(lambda text: seen.append(("reasoning", text)))
    signals.toolCallDelta.connect(lambda *call: seen.append(("tool", *call)))
    signals.usage.connect(lambda usage: seen.append(("usage", usage.total_tokens)))
    signals.finished.connect(lambda response: seen.append(("finished", response.text)))
    signals.failed.connect(lambda error: seen.append(("failed", error)))
    body = sse_reasoning("hm") + sse_text("a") + sse_tool_call(0, "{}", id="c", name="t") + sse_usage(1, 2)
    with FakeServer(stream(body, sse_end())) as server:
        client = LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m")
        resource = signals.watch(client.chatStream(REQUEST, signals))
        qtbot.waitUntil(lambda: seen[-1:] == [("finished", "a")])
    assert resource.isReady()
    assert seen[:2] == [("reasoning", "hm"), ("content", "a")]
    assert ("tool", 0, "c", "t", "{}") in seen
    assert ("usage", 3) in seen


SPLICED = (
    message_start("first") + text("old") + call("c1", "read", '{"a": 1}'),
    message_start("second") + text("new") + call("c2", "write", '{"b": 2}') + message_stop(),
)


def test_an_answer_that_begins_anew_says_so_between_the_two(qtbot: QtBot) -> None:
    recorder = Recorder()
    with FakeServer(stream(*SPLICED)) as server:
        resource = LlmClient.forProvider(provider_of(server)).chatStream(REQUEST, recorder)
        qtbot.waitUntil(resource.isDone)
    told = [method for method in recorder.methods if method != "usage"]
    assert told == ["content", "tool", "tool", "restart", "content", "tool", "tool"]
    assert recorder.texts == ["old", "new"]
    assert [arguments[0] for method, arguments in recorder.calls if method == "tool"] == [0, 0, 1, 1]
    response = resource.get()
    assert response.text == "new"
    assert [call.name for call in response.tool_calls] == ["write"]


def test_an_answer_that_begins_anew_is_a_signal(qtbot: QtBot) -> None:
    signals = StreamSignals()
    seen: list[str] = []
    signals.contentDelta.connect(seen.append)
    signals.restarted.connect(lambda: seen.append("restarted"))
    with FakeServer(stream(*SPLICED)) as server:
        resource = LlmClient.forProvider(provider_of(server)).chatStream(REQUEST, signals)
        qtbot.waitUntil(resource.isDone)
    assert seen == ["old", "restarted", "new"]


def test_a_failure_is_told_as_error_and_as_failed(qtbot: QtBot) -> None:
    signals = StreamSignals()
    seen: list[tuple[str, Exception]] = []
    signals.error.connect(lambda error: seen.append(("error", error)))
    signals.failed.connect(lambda error: seen.append(("failed", error)))
    with FakeServer(stream(sse_text("a"), close)) as server:
        client = LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m")
        signals.watch(client.chatStream(REQUEST, signals))
        qtbot.waitUntil(lambda: len(seen) == 2)
    assert [kind for kind, _ in seen] == ["error", "failed"]
    assert seen[0][1] is seen[1][1]
    assert isinstance(seen[0][1], NetworkError)


def test_a_destroyed_signals_object_cancels_its_stream(qtbot: QtBot) -> None:
    with FakeServer(answer(*"abc")) as server:
        signals = StreamSignals()
        client = LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m")
        resource = client.chatStream(REQUEST, signals)
        signals.deleteLater()
        qtbot.waitUntil(resource.isDone)
