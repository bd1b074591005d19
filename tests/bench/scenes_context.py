"""Scenes of a chat that outgrows the window, for ``app_scenes``: the lines, the bar above the field, the ledger."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bench.scenes_look import wait
from rillet.app.chats.plans import window_for
from rillet.app.chats.summary_dialog import SummaryDialog
from rillet.app.models.gauge import ContextGauge
from rillet.core.config.settings import ModelName
from support.fake_server import FakeServer, answer, hold, respond, sse, sse_end, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

QUESTIONS = ("How do tides work?", "And why are there two a day?", "What of lakes?", "Which ones are the highest?")
SAID = "The moon pulls at the water, and the earth turns under it. " * 12
SUMMARY = (
    "The user asks how tides work. Explained so far: the moon pulls at the water while the earth turns under it, which "
    "makes two bulges and so two tides a day; the sun adds to it at full and new moon."
)
WINDOW = 1000
"""Tokens: three of the questions and their answers fit."""
_open = ExitStack()
atexit.register(_open.close)


def _talk(window: MainWindow, services: Services, server: FakeServer, tokens: int | None, **settings: object) -> None:
    provider = services.enter_endpoint(f"{server.url}/v1", None, None)
    session = window.sessions.current
    session.picker.choose(provider, "example-model")
    own = None if tokens is None else window_for(session.picker.choice, tokens)
    session.settings.set(window=own, **settings)
    for question in QUESTIONS:
        _ask(window, question)


def _ask(window: MainWindow, question: str) -> None:
    window.view.composer.setText(question)
    window.view.composer.send()
    wait(700)


def _show_line(window: MainWindow) -> None:
    """Scroll to where the model's view begins."""
    ledger = window.sessions.current.horizon.ledger
    assert ledger is not None
    hidden = ledger.standing("left out", "summarized")
    window.view.showMessage(window.view.handles()[2 * len(hidden) - 1])
    bar = window.view.transcript.verticalScrollBar()
    bar.setValue(bar.value() + 120)


def _trimmed(window: MainWindow, services: Services) -> None:
    with FakeServer(*[answer(SAID)] * len(QUESTIONS)) as server:
        _talk(window, services, server, WINDOW)
    _show_line(window)


def _prospect(window: MainWindow, services: Services) -> None:
    with FakeServer(*[answer(SAID)] * len(QUESTIONS)) as server:
        _talk(window, services, server, WINDOW)
    window.view.composer.setText("Here is what I have read about it so far. " * 20)


def _warned(window: MainWindow, services: Services) -> None:
    with FakeServer(*[answer(SAID)] * len(QUESTIONS)) as server:
        _talk(window, services, server, 900, rule="keep")


def _summarizing(window: MainWindow, services: Services) -> None:
    server = _open.enter_context(FakeServer(*[answer(SAID)] * len(QUESTIONS), stream(hold)))
    _talk(window, services, server, None)
    session = window.sessions.current
    session.settings.set(window=window_for(session.picker.choice, WINDOW), rule="summarize")
    _ask(window, "Do they slow down the earth?")


def _summarized(window: MainWindow, services: Services) -> None:
    with FakeServer(*[answer(SAID)] * len(QUESTIONS), answer(SUMMARY), answer(SUMMARY), answer(SAID)) as server:
        _talk(window, services, server, None)
        session = window.sessions.current
        session.settings.set(window=window_for(session.picker.choice, WINDOW), rule="summarize")
        _ask(window, "Do they slow down the earth?")
        wait(600)
    _show_line(window)


def _summary(window: MainWindow, services: Services) -> QWidget | None:
    _summarized(window, services)
    window.sessions.current.horizon.act("edit-summary")
    wait(200)
    return window.findChild(SummaryDialog)


def _ledger(window: MainWindow, services: Services) -> None:
    _summarized(window, services)
    gauge = window.findChild(ContextGauge)
    assert gauge is not None
    gauge.click()


def _default(window: MainWindow, services: Services) -> None:
    """The ledger of a chat that does as all do, which is said at length."""
    _trimmed(window, services)
    summarizer = ModelName(services.choice.provider.id, "llama-3.3-70b-instruct-turbo-long-context-free")
    services.change(overflow="keep", summary_model=summarizer)
    wait(300)
    gauge = window.findChild(ContextGauge)
    assert gauge is not None
    gauge.click()


def _spent(window: MainWindow, services: Services) -> None:
    usage = {"prompt_tokens": 2310, "completion_tokens": 187, "prompt_tokens_details": {"cached_tokens": 1920}}
    counted = stream(sse_text(SAID), sse({"id": "c", "model": "gpt-4o-mini", "choices": [], "usage": usage}), sse_end())
    with FakeServer(*[counted] * 2) as server:
        services.environment = {"OPENAI_API_KEY": "sk-example", "OPENAI_BASE_URL": f"{server.url}/v1"}
        services.refresh()
        openai = next(each for each in services.providers if each.id == "openai")
        window.sessions.current.picker.choose(openai, "gpt-4o-mini")
        for question in QUESTIONS[:2]:
            _ask(window, question)
    wait(400)
    gauge = window.findChild(ContextGauge)
    assert gauge is not None
    gauge.click()


def _refused(window: MainWindow, services: Services) -> None:
    said = {
        "error": {"message": "This model's maximum context length is 1200 tokens.", "code": "context_length_exceeded"}
    }
    with FakeServer(*[answer(SAID)] * len(QUESTIONS), respond(400, said)) as server:
        _talk(window, services, server, None)
        _ask(window, "Do they slow down the earth?")


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    "context-trimmed": _trimmed,
    "context-prospect": _prospect,
    "context-warned": _warned,
    "context-summarizing": _summarizing,
    "context-summarized": _summarized,
    "context-summary": _summary,
    "context-ledger": _ledger,
    "context-default": _default,
    "context-spent": _spent,
    "context-refused": _refused,
}
