"""Every test gets an engine of its own, and leaves none behind."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.types import ChatMessage, ChatRequest
from rillet.qt import Engine, LlmClient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtCore import QCoreApplication
    from pytestqt.qtbot import QtBot

    from rillet.qt import AsyncResource
    from support.fake_server import FakeServer

REQUEST = ChatRequest([ChatMessage.user("Hi")], model="m")


@pytest.fixture(autouse=True)
def engine(qapp: QCoreApplication) -> Iterator[Engine]:
    """The shared engine, shut down afterwards; a thread that stays is an error."""
    engine = Engine.default()
    yield engine
    engine.shutdown()
    assert not [thread for thread in threading.enumerate() if thread.name == "rillet-engine"]


def client_of(server: FakeServer) -> LlmClient:
    return LlmClient.localOpenAiCompatible(f"{server.url}/v1", "key", "m")


def wait_for(qtbot: QtBot, resource: AsyncResource[Any]) -> None:
    qtbot.waitUntil(resource.isDone)
