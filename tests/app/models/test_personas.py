"""Personas: taken from a chat, used for another, written on a page of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QInputDialog, QLineEdit, QPlainTextEdit

from rillet.app.models.parameters import ParametersCard
from rillet.app.models.parameters_button import ParametersButton
from rillet.app.models.personas import describe
from rillet.app.models.personas_page import PersonasPage
from rillet.core.config.paths import paths
from rillet.core.config.settings import Persona, Prompt, SettingsFile
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.widgets.theme.palette import Theme

EDITOR = Persona("Editor", {"system_prompt": "Keep the voice.", "temperature": 0.3, "tools": ["read"]})


@pytest.fixture
def page(services: Services, theme: Theme, qtbot: QtBot) -> PersonasPage:
    services.change(personas=(EDITOR,))
    page = PersonasPage(services, theme)
    qtbot.addWidget(page)
    page.show()
    return page


def card_of(window: MainWindow) -> ParametersCard:
    button = window.view.findChild(ParametersButton)
    assert button is not None
    button.click()
    return window.findChildren(ParametersCard)[-1]


def box(card: ParametersCard) -> QComboBox:
    return next(each for each in card.findChildren(QComboBox) if each.accessibleName() == "Persona")


def test_what_a_chat_sets_becomes_a_persona_of_the_next_one(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("Well")) as server:
        provider = services.enter_endpoint(f"{server.url}/v1", None, None)
        session = window.sessions.current
        session.picker.choose(provider, "m")
        session.settings.set(system_prompt="Be brief.", temperature=0.5, workspace="/home")
        card = card_of(window)
        card.askForName()
        dialog = window.findChild(QInputDialog)
        assert dialog is not None
        dialog.setTextValue("Short")
        dialog.accept()
        card.close()
        parts = {"system_prompt": "Be brief.", "temperature": 0.5, "provider": provider.id, "model": "m"}
        assert services.settings.personas == (Persona("Short", parts),)
        session.settings.set(system_prompt=None, temperature=None)
        services.choose(services.providers[0])
        card = card_of(window)
        box(card).setCurrentText("None")
        box(card).setCurrentText("Short")
        card.close()
        window.view.composer.setText("Hi")
        window.view.composer.send()
        qtbot.waitUntil(lambda: bool(server.requests) and not session.is_answering)
        sent = server.requests[0].json
    assert (sent["model"], sent["temperature"], sent["messages"][0]["content"]) == ("m", 0.5, "Be brief.")


def test_nothing_of_the_persona_before_is_left_over(window: MainWindow, services: Services) -> None:
    services.change(personas=(EDITOR, Persona("Plain", {"max_tokens": 9})))
    settings = window.sessions.current.settings
    settings.set(workspace="/home")
    card = card_of(window)
    box(card).setCurrentText("Editor")
    assert settings.values == {**EDITOR.settings, "persona": "Editor", "workspace": "/home"}
    box(card).setCurrentText("Plain")
    assert settings.values == {"max_tokens": 9, "persona": "Plain", "workspace": "/home"}
    box(card).setCurrentText("None")
    assert settings.values == {"workspace": "/home"}
    card.close()


def test_a_name_that_is_taken_changes_that_persona(window: MainWindow, services: Services) -> None:
    services.change(personas=(EDITOR,))
    window.sessions.current.settings.set(temperature=1.0)
    card = card_of(window)
    card.savePersona("Editor")
    assert services.settings.personas == (Persona("Editor", {"temperature": 1.0}),)
    assert box(card).currentText() == "Editor"
    card.savePersona("  ")
    assert len(services.settings.personas) == 1
    card.close()


def test_reset_leaves_the_tools(window: MainWindow, services: Services) -> None:
    services.change(personas=(EDITOR,))
    card = card_of(window)
    box(card).setCurrentText("Editor")
    card.reset()
    assert window.sessions.current.settings.values == {"tools": ["read"]}
    assert box(card).currentText() == "None"
    card.close()


def test_a_persona_is_renamed_and_its_prompt_written_on_the_page(page: PersonasPage, services: Services) -> None:
    name, text = page.findChild(QLineEdit), page.findChild(QPlainTextEdit)
    assert name is not None and text is not None
    assert (name.text(), text.toPlainText()) == ("Editor", "Keep the voice.")
    assert page._about.text() == "Also sets: 1 tool, temperature 0.3"
    name.selectAll()
    QTest.keyClicks(name, "Copy editor")
    text.setPlainText("Mind the commas.")
    edited = (Persona("Copy editor", {**EDITOR.settings, "system_prompt": "Mind the commas."}),)
    assert services.settings.personas == edited
    services.keeper.close()
    assert SettingsFile(paths().settings).load().personas == edited


def test_a_persona_is_made_duplicated_and_deleted(page: PersonasPage, services: Services) -> None:
    page._new.click()
    page._list.setCurrentRow(0)
    page._copy.click()
    assert services.settings.personas == (EDITOR, Persona("Persona"), Persona("Editor-2", EDITOR.settings))
    page._list.setCurrentRow(1)
    page._delete.click()
    assert [persona.name for persona in services.settings.personas] == ["Editor", "Editor-2"]
    assert not page._list.item(0).icon().isNull()


def test_a_persona_says_what_it_sets() -> None:
    everything = {
        "model": "m",
        "tools": "all",
        "temperature": 1.0,
        "reasoning": "low",
        "max_tokens": 9,
        "stop": ["x"],
        "schema": "json",
        "rule": "summarize",
        "summarizer": {"provider": "p", "model": "small"},
    }
    assert describe(Persona("a", everything)) == (
        "model m, all tools, temperature 1.0, thinking low, answers up to 9 tokens, stop sequences, answers in JSON, "
        "summarizes the oldest when the window is full, summaries by small"
    )
    assert describe(Persona("a", {"summarizer": {}})) == "summaries by whoever answers"
    assert describe(Persona("a", {"system_prompt": "x"})) == ""


def test_a_persona_and_a_prompt_are_found_in_the_palette(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    services.change(personas=(EDITOR,))
    services.set_prompts((Prompt("shorter", "Say it in fewer words:"),))
    settings = window.sessions.current.settings

    def choose(typed: str) -> None:
        window.openPalette()
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, Qt.Key.Key_Return)

    choose("answer as editor")
    qtbot.waitUntil(lambda: settings.values.get("persona") == "Editor")
    assert settings.values["system_prompt"] == "Keep the voice."
    window.view.composer.setText("The moon is the earth's satellite.")
    choose("prompt shorter")
    written = "Say it in fewer words:\n\nThe moon is the earth's satellite."
    qtbot.waitUntil(lambda: window.view.composer.text() == written)
    choose("without a persona")
    qtbot.waitUntil(lambda: "persona" not in settings.values)
