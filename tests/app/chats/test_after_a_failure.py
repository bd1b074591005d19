"""A question that was refused is no turn: whatever is done next, every provider gets a conversation that it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from support.answers import Answer, base_path, error_body, frames, media_type
from support.chatting import ask, button, texts, wait_for_end
from support.fake_server import FakeServer, respond, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from support.fake_server import Request, Script

STYLES = ("openai", "openai-responses", "anthropic", "gemini", "ollama")


def overloaded(style: str) -> Script:
    """A refusal that is not worth waiting for."""
    return respond(529, error_body(style, 529, "overloaded"), {"Retry-After": "86400"})


def said(style: str, text: str) -> Script:
    return stream(
        *(frame.data for frame in frames(style, Answer((text,)))), headers={"Content-Type": media_type(style)}
    )


def turns(request: Request) -> list[tuple[str, str]]:
    """Who says what in a request of any style."""
    body: dict[str, Any] = request.json
    messages = next(body[name] for name in ("messages", "input", "contents") if name in body)
    return [(message["role"], _text(message.get("content", message.get("parts")))) for message in messages]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@pytest.mark.parametrize("style", STYLES)
def test_after_a_refusal_every_next_request_is_one_that_the_provider_takes(
    style: str, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    model = "model" if style == "gemini" else "assistant"
    scripts = [said(style, "one"), overloaded(style), overloaded(style), overloaded(style), said(style, "two")]
    with FakeServer(*scripts, said(style, "three")) as server:
        services.choose(services.enter_endpoint(server.url + base_path(style), "key", "m", style=style))
        for text in ("a", "b", "c"):  # answered; refused; sent after the refusal, and refused
            ask(window, text)
            wait_for_end(window, qtbot)
        window.view.messageActionRequested.emit("edit", window.view.handles()[-2])
        field = window.view.composer.focusProxy()
        assert field is not None
        qtbot.waitUntil(field.hasFocus)
        QTest.keyClicks(field, "!")
        QTest.keyClick(field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: len(server.requests) == 4)
        wait_for_end(window, qtbot)
        button(window, "Try again").click()
        qtbot.waitUntil(lambda: texts(window)[-1] == "two")
        wait_for_end(window, qtbot)
        ask(window, "d")
        qtbot.waitUntil(lambda: texts(window)[-1] == "three")
        wait_for_end(window, qtbot)
        sent = [turns(request) for request in server.requests]
    for each in sent:
        roles = [role for role, _ in each if role not in ("system", "developer")]
        assert roles == ["user", model] * (len(roles) // 2) + ["user"], sent
        assert all(text for _, text in each)
    assert sent[4] == sent[3]
    assert len(sent) == 6
