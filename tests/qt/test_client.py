"""Whom a client talks to, and how often it looks what has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from qt.conftest import REQUEST, client_of, wait_for
from rillet.core.client import AsyncLlmClient
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest
from rillet.qt import AgentClient, LlmClient
from support.fake_server import FakeServer, hold, sse, sse_end, sse_text, stream
from support.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize(
    ("make", "style", "base_url", "label"),
    [
        (LlmClient.openai, "openai", "https://api.openai.com/v1", "OpenAI"),
        (LlmClient.anthropic, "anthropic", "https://api.anthropic.com/v1", "Anthropic"),
        (LlmClient.gemini, "gemini", "https://generativelanguage.googleapis.com/v1beta", "Google Gemini"),
    ],
)
def test_a_provider_with_a_name_needs_no_more_than_a_key(
    make: Callable[[str], LlmClient], style: str, base_url: str, label: str
) -> None:
    provider = make("canary").provider
    assert (provider.style, provider.base_url, provider.label) == (style, base_url, label)
    assert provider.api_key == "canary"
    assert "canary" not in repr(provider)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda client, wrong: client.chat("Hi"), r"cannot be a str: write ChatRequest\("),
        (lambda client, wrong: client.chatStream([], Recorder()), "cannot be a list"),
        (lambda client, wrong: client.chatStream(REQUEST, None), "the listener cannot be None"),
        (lambda client, wrong: client.chatStream(REQUEST, Recorder), "the class Recorder itself"),
        (lambda client, wrong: client.embed(["text"]), r"write EmbeddingRequest\("),
        (lambda client, wrong: LlmClient.forProvider("openai"), r"write Provider\("),  # type: ignore[arg-type]
        (lambda client, wrong: AgentClient(client).stream("go", None, Recorder()), "cannot be a Recorder"),  # type: ignore[arg-type]
        (lambda client, wrong: AgentClient(AsyncLlmClient(client.provider)), "client cannot be an AsyncLlmClient"),  # type: ignore[arg-type]
        (lambda client, wrong: AgentClient(client).run("go", [wrong]), r"write Toolkit\("),  # type: ignore[arg-type]
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_in_the_line_that_gives_it(
    qtbot: QtBot, ask: Callable[[Any, Any], object], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        ask(LlmClient.localOpenAiCompatible("http://127.0.0.1:9/v1"), print)


def test_a_call_of_gemini_reaches_the_listener_once_and_whole(qtbot: QtBot) -> None:
    call = {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}
    chunks = (
        {"candidates": [{"content": {"parts": [{"text": "I look. "}]}}]},
        {"candidates": [{"content": {"parts": [call, call]}, "finishReason": "STOP"}]},
    )
    with FakeServer(stream(*map(sse, chunks))) as server:
        recorder = Recorder()
        client = LlmClient.forProvider(Provider("fake", "gemini", f"{server.url}/v1beta", "key", "m"))
        resource = client.chatStream(ChatRequest([ChatMessage.user("Hi")]), recorder)
        qtbot.waitUntil(resource.isDone)
    assert recorder.calls == [
        ("content", ("I look. ",)),
        ("tool", (0, None, "weather", '{"city": "Oslo"}')),
        ("tool", (1, None, "weather", '{"city": "Oslo"}')),
    ]
    first, second = resource.get().tool_calls
    assert first.id
    assert first.id != second.id


def test_a_patient_listener_gets_the_first_piece_at_once_and_can_cancel_while_it_waits(qtbot: QtBot) -> None:
    recorder = Recorder()
    recorder.patience = 3600.0
    with FakeServer(stream(sse_text("first"), sse_text("second"), hold)) as server:
        resource = client_of(server).chatStream(REQUEST, recorder)
        qtbot.waitUntil(lambda: bool(recorder.calls))
        assert resource.cancel()
        wait_for(qtbot, resource)
    assert recorder.texts[0] == "first"


def test_a_patient_listener_is_still_told_every_delta_by_itself(qtbot: QtBot) -> None:
    texts = [f"{number} " for number in range(200)]
    recorder = Recorder()
    recorder.patience = 0.001
    with FakeServer(stream(*map(sse_text, texts), sse_end())) as server:
        wait_for(qtbot, client_of(server).chatStream(REQUEST, recorder))
    assert recorder.texts == texts
