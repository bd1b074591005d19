"""Scenes of models, for ``app_scenes``: the picker, the parameters, the gauge with its ledger, and prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtTest import QTest

from bench.scenes_look import wait
from rillet.app.models.gauge import ContextGauge
from rillet.app.models.parameters_button import ParametersButton
from rillet.app.models.prompt_form import PromptForm
from rillet.app.settings.dialog import SettingsDialog
from rillet.core.config.settings import ModelName, Persona, Prompt
from support.fake_server import FakeServer, answer, respond

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

MODELS = ("gpt-5.2", "gpt-4o", "gpt-4o-mini", "o4-mini", "a-model-nobody-knows")
QUESTIONS = ("How do tides work?", "And why are there two a day?", "What of lakes?", "Which ones are the highest?")
PROMPTS = (
    Prompt("translate", "Translate into {{language}}, in a {{tone}} tone:"),
    Prompt("proofread", "Correct this, and list what you changed:"),
    Prompt("shorter", "Say it in fewer words:"),
)

PERSONAS = (
    Persona("Editor", {"system_prompt": "You are a careful editor. Keep the author's voice.", "temperature": 0.4}),
    Persona("Reviewer", {"system_prompt": "Look for mistakes first, then for style.", "tools": ["read", "grep"]}),
    Persona("Cook", {"system_prompt": "Answer with recipes for two."}),
)


def _picker(window: MainWindow, services: Services) -> None:
    with FakeServer(*[respond(200, {"data": [{"id": name} for name in MODELS]})] * 3) as server:
        services.environment = {"OPENAI_API_KEY": "sk-example", "OPENAI_BASE_URL": f"{server.url}/v1"}
        services.refresh()
        openai = next(each for each in services.providers if each.id == "openai")
        picker = window.sessions.current.picker
        picker.choose(openai, "gpt-4o-mini")
        services.catalogue.set_favourite(ModelName(openai.id, "gpt-4o"), favourite=True)
        picker.click()
        wait(600)


def _parameters(window: MainWindow, services: Services) -> None:
    services.change(personas=PERSONAS)
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    window.sessions.current.settings.set(
        system_prompt="You are a careful editor. Keep the author's voice.",
        temperature=0.4,
        schema=schema,
        persona="Editor",
    )
    button = window.view.findChild(ParametersButton)
    assert button is not None
    button.click()


def _gauge(window: MainWindow, services: Services) -> None:
    said = "The moon pulls at the water, and the earth turns under it. " * 24
    with FakeServer(*[answer(said)] * len(QUESTIONS)) as server:
        provider = services.enter_endpoint(f"{server.url}/v1", None, None)
        window.sessions.current.picker.choose(provider, "example-model")
        for question in QUESTIONS:
            window.view.composer.setText(question)
            window.view.composer.send()
            wait(600)
    gauge = window.findChild(ContextGauge)
    assert gauge is not None and gauge.ledger is not None
    first, second, *_ = gauge.ledger.turns
    window.sessions.current.settings.set(pinned=[first.id], off=[second.id])
    wait(300)
    gauge.click()


def _slash(window: MainWindow, services: Services) -> None:
    services.set_prompts(PROMPTS)
    window.activateWindow()
    wait(200)
    field = window.view.composer.focusProxy()
    assert field is not None
    field.setFocus()
    QTest.keyClicks(field, "/")


def _prompt_form(window: MainWindow, services: Services) -> QWidget | None:
    _slash(window, services)
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, "tr\r")
    return window.findChild(PromptForm)


def _prompts_page(window: MainWindow, services: Services) -> QWidget | None:
    services.set_prompts(PROMPTS)
    window.openSettings("prompts")
    return window.findChild(SettingsDialog)


def _personas_page(window: MainWindow, services: Services) -> QWidget | None:
    services.change(personas=PERSONAS)
    window.openSettings("personas")
    return window.findChild(SettingsDialog)


def _no_prompts(window: MainWindow, services: Services) -> QWidget | None:
    window.openSettings("prompts")
    return window.findChild(SettingsDialog)


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    "models-picker": _picker,
    "models-parameters": _parameters,
    "models-context": _gauge,
    "personas-page": _personas_page,
    "prompts-slash": _slash,
    "prompts-form": _prompt_form,
    "prompts-page": _prompts_page,
    "prompts-none": _no_prompts,
}
