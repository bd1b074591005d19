"""The model and the parameters of a chat, set through the window as a person would, and what is sent then."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit

from rillet.app.models.parameters import ParametersCard
from rillet.app.models.parameters_button import ParametersButton
from rillet.core.types import Model
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

Kind = TypeVar("Kind", QLineEdit, QPlainTextEdit, QComboBox)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(*[answer("Hello")] * 4) as server:
        yield server


def ask(window: MainWindow, qtbot: QtBot) -> None:
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, "Hi")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.view.composer.isBusy() and window.sessions.current.chat_id is not None)


def choose(window: MainWindow, services: Services, server: FakeServer, model: str) -> None:
    window.sessions.current.picker.choose(services.enter_endpoint(f"{server.url}/v1", None, None), model)


def card_of(window: MainWindow) -> ParametersCard:
    """The parameters of the chat that is shown, opened."""
    button = window.view.findChild(ParametersButton)
    assert button is not None
    button.click()
    return window.findChildren(ParametersCard)[-1]


def field(card: ParametersCard, kind: type[Kind], name: str) -> Kind:
    return next(each for each in card.findChildren(kind) if each.accessibleName() == name)


def complaints(card: ParametersCard) -> list[str]:
    return [each.text() for each in card._complaints.values() if not each.isHidden()]


def test_parameters_are_sent_with_the_next_question(
    window: MainWindow, services: Services, server: FakeServer, qtbot: QtBot
) -> None:
    choose(window, services, server, "m")
    card = card_of(window)
    QTest.keyClicks(field(card, QPlainTextEdit, "System prompt"), "Be brief.")
    QTest.keyClicks(field(card, QLineEdit, "Temperature"), "0.2")
    QTest.keyClicks(field(card, QLineEdit, "Longest answer"), "99")
    QTest.keyClicks(field(card, QPlainTextEdit, "Stop sequences"), "END")
    QTest.keyClick(card.card, Qt.Key.Key_Escape)
    assert not card.isVisible()
    ask(window, qtbot)
    sent = server.requests[-1].json
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    assert sent["temperature"] == 0.2
    assert 99 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    assert sent["stop"] in ("END", ["END"])


def test_a_chat_keeps_its_model_and_parameters_and_a_new_one_takes_the_model_only(
    window: MainWindow, services: Services, server: FakeServer, qtbot: QtBot
) -> None:
    choose(window, services, server, "first")
    QTest.keyClicks(field(card_of(window), QLineEdit, "Temperature"), "1")
    window.findChildren(ParametersCard)[-1].close()
    ask(window, qtbot)
    first = window.sessions.current.chat_id
    assert first is not None
    window.newChat()
    assert window.sessions.current.picker.text() == "first"
    choose(window, services, server, "second")
    ask(window, qtbot)
    assert "temperature" not in server.requests[-1].json
    window.sessions.open(first)
    assert window.sessions.current.picker.text() == "first"
    ask(window, qtbot)
    qtbot.waitUntil(lambda: len(server.requests) == 3)
    assert [(each.json["model"], each.json.get("temperature")) for each in server.requests] == [
        ("first", 1.0),
        ("second", None),
        ("first", 1.0),
    ]


def test_a_value_that_means_nothing_says_why_and_changes_nothing(window: MainWindow, qtbot: QtBot) -> None:
    settings = window.sessions.current.settings
    card = card_of(window)
    line = field(card, QLineEdit, "Temperature")
    line.setText("0.5")
    qtbot.waitUntil(lambda: settings.values.get("temperature") == 0.5)
    line.setText("hot")
    qtbot.waitUntil(lambda: complaints(card) == ["A number from 0 to 2."])
    assert settings.values["temperature"] == 0.5
    line.clear()
    qtbot.waitUntil(lambda: "temperature" not in settings.values)
    assert complaints(card) == []
    card.close()


def test_a_schema_is_asked_for_only_where_one_is_wanted(window: MainWindow, qtbot: QtBot) -> None:
    settings = window.sessions.current.settings
    card = card_of(window)
    form, schema = field(card, QComboBox, "Form of the answer"), field(card, QPlainTextEdit, "Schema")
    assert not schema.isVisible()
    form.setCurrentIndex(1)
    assert settings.values["schema"] == "json"
    form.setCurrentIndex(2)
    assert schema.isVisible()
    schema.setPlainText('{"type": "object"')
    qtbot.waitUntil(lambda: any("Not JSON yet" in each for each in complaints(card)))
    schema.setPlainText('{"type": "object"}')
    qtbot.waitUntil(lambda: settings.values.get("schema") == {"type": "object"})
    form.setCurrentIndex(0)
    assert "schema" not in settings.values
    card.close()


def test_the_button_says_how_much_is_set_and_reset_takes_it_back(window: MainWindow, qtbot: QtBot) -> None:
    button = window.view.findChild(ParametersButton)
    assert button is not None
    window.sessions.current.settings.set(temperature=0.5, system_prompt="Be brief.")
    assert button.text() == "2"
    assert button.accessibleName() == "Parameters of this chat: 2 set"
    card = card_of(window)
    assert field(card, QLineEdit, "Temperature").text() == "0.5"
    card.reset()
    assert button.text() == ""
    card.close()


def test_what_a_model_cannot_do_is_not_asked_of_it(
    window: MainWindow, services: Services, server: FakeServer, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [Model("m", reasoning=False, output_limit=4096)]
    monkeypatch.setattr(services, "known_model", lambda *_: known[-1])
    choose(window, services, server, "m")
    window.sessions.current.settings.set(reasoning="high")
    card = card_of(window)
    assert not field(card, QComboBox, "Thinking").isEnabled()
    assert field(card, QLineEdit, "Longest answer").placeholderText() == "Up to 4.1K"
    card.close()
    ask(window, qtbot)
    known.append(Model("m", reasoning=True))
    ask(window, qtbot)
    qtbot.waitUntil(lambda: len(server.requests) == 2)
    assert [each.json.get("reasoning_effort") for each in server.requests] == [None, "high"]


def test_thinking_and_the_form_of_the_answer_are_sent(
    window: MainWindow, services: Services, server: FakeServer, qtbot: QtBot
) -> None:
    choose(window, services, server, "m")
    card = card_of(window)
    thinking, form = field(card, QComboBox, "Thinking"), field(card, QComboBox, "Form of the answer")
    QTest.keyClick(thinking, Qt.Key.Key_End)
    QTest.keyClick(form, Qt.Key.Key_End)
    schema = field(card, QPlainTextEdit, "Schema")
    assert schema.isVisible()
    schema.insertPlainText('{"type": "object", "properties": {"title": {"type": "string"}}}')
    QTest.keyClick(card.card, Qt.Key.Key_Escape)
    ask(window, qtbot)
    sent = server.requests[-1].json
    assert sent["reasoning_effort"] == "high"
    assert sent["response_format"]["json_schema"]["schema"]["properties"] == {"title": {"type": "string"}}
