"""The built-in model uses a tool in the window: it reads a file of the folder, and answers with what stands in it.

A model this small has to be shown what calls look like; three examples in the chat do.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rillet.app import coroutines
from rillet.core.providers.local_model import local_provider
from rillet.core.providers.local_server import LocalServer
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage, ToolCallPart
from support.tool_hands import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

TEMPLATE = Path(__file__).parents[2] / "support" / "tools.jinja"
DEGREES = {"Rome": 28, "Oslo": 9, "Madrid": 31}
PARIS = 17
LONG = 120_000
"""Milliseconds for a model on a busy machine."""


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = LocalServer(template=TEMPLATE.read_text(encoding="utf-8"))
    if not server.is_available:
        pytest.skip(f"NOT TESTED: A REAL MODEL USES A TOOL IN THE WINDOW: {server.missing}")
    yield server
    server.stop()


def worked_examples() -> Iterator[ChatMessage]:
    for number, (city, degrees) in enumerate(DEGREES.items()):
        call = ToolCallPart(f"c{number}", "read", f'{{"path": "{city}.txt"}}')
        yield ChatMessage.user(f"What is the weather in {city}? Read {city}.txt")
        yield ChatMessage.assistant("", call)
        yield ChatMessage.tool(call.id, f"1\t{degrees} degrees")
        yield ChatMessage.assistant(f"It is {degrees} degrees in {city}.")


def _begin(db: Any, folder: str) -> int:
    settings = {"tools": ["read"], "workspace": folder, "temperature": 0.0, "max_tokens": 60}
    chat = chats.create(db, title="Weather", settings=settings)
    parent = None
    for message in worked_examples():
        parent = messages.add(db, chat, parent, message)
    return chat


def test_the_built_in_model_reads_a_file_and_answers_with_it(
    window: MainWindow, services: Services, server: LocalServer, folder: Path, qtbot: QtBot
) -> None:
    (folder / "Paris.txt").write_text(f"{PARIS} degrees\n")
    services.choose(local_provider(server))
    chat = services.desk.write(_begin, str(folder)).get(30)
    coroutines.start(services.library.refresh(chat))
    qtbot.waitUntil(lambda: services.library.chat(chat) is not None)
    window.sessions.open(chat)
    qtbot.waitUntil(lambda: len(window.view.history()) >= len(DEGREES) * 2)
    assert window.sessions.current.tools.text() == "1 tool"
    ask(window, "What is the weather in Paris? Read Paris.txt")
    qtbot.waitUntil(window.view.composer.isBusy)
    qtbot.waitUntil(lambda: not window.view.composer.isBusy(), timeout=LONG)
    text = window.view.history()[-1].text
    assert re.search(rf"\b{PARIS}\b", text), text
    line = services.desk.read(messages.path, chat).get(30)
    assert [node.message.role for node in line[-4:]] == ["user", "assistant", "tool", "assistant"]
