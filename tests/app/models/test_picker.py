"""The model picker's menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QMenu, QMessageBox

from rillet.app import coroutines
from rillet.app.models.picker import ModelPicker
from rillet.app.services import Choice
from rillet.core.providers.builtin import entry
from support.fake_server import FakeServer, respond

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def picker(services: Services, theme: Theme, qtbot: QtBot) -> ModelPicker:
    picker = ModelPicker(theme)
    qtbot.addWidget(picker)
    picker.serve(services)
    return picker


def entries(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def submenu(menu: QMenu, title: str) -> QMenu:
    action = next(action for action in menu.actions() if action.text() == title)
    found = action.menu()
    assert isinstance(found, QMenu)
    return found


def test_it_shows_the_chosen_model_and_says_honestly_what_it_is(picker: ModelPicker) -> None:
    assert picker.text() == "SmolLM2 135M (built in)"
    assert "often wrong" in picker.toolTip()


def test_it_lists_everybody_and_how_to_get_more(
    picker: ModelPicker, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coroutines, "start", lambda coroutine: coroutine.close())
    picker.fill()
    assert entries(picker.menu()) == [
        "SmolLM2 135M (built in)",
        "OpenAI",
        "OpenAI (Responses)",
        "More providers",
        "Add an address…",
    ]
    assert "Mistral: set MISTRAL_API_KEY" in entries(submenu(picker.menu(), "More providers"))


def test_live_models_are_loaded_and_one_can_be_chosen(picker: ModelPicker, services: Services, qtbot: QtBot) -> None:
    listing = {"object": "list", "data": [{"id": "alpha"}, {"id": "beta"}]}
    with FakeServer(respond(200, listing)) as server:
        provider = services.enter_endpoint(f"{server.url}/v1", None, None)
        picker.fill()
        assert "Loading models…" in entries(submenu(picker.menu(), provider.label))
        qtbot.waitUntil(lambda: "beta" in entries(submenu(picker.menu(), provider.label)))
    menu = submenu(picker.menu(), provider.label)
    assert entries(menu) == ["alpha", "beta", "Other model…"]
    menu.actions()[1].trigger()
    assert services.choice == Choice(provider, "beta")
    assert picker.text() == "beta"


def test_a_server_that_runs_here_joins_the_open_menu(
    picker: ModelPicker,
    services: Services,
    found_servers: list[Provider],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QMenu, "isVisible", lambda _: True)
    with FakeServer(respond(200, {"models": [{"name": "llama3", "model": "llama3"}]})) as server:
        found_servers.append(entry("ollama").provider(base_url=server.url))
        picker.menu().aboutToShow.emit()
        assert "Ollama" not in entries(picker.menu())
        qtbot.waitUntil(lambda: "Ollama" in entries(picker.menu()))
        qtbot.waitUntil(lambda: "llama3" in entries(submenu(picker.menu(), "Ollama")))
        qtbot.waitUntil(lambda: "ollama" not in picker._loading)


def test_a_list_that_cannot_be_loaded_says_why_and_is_tried_again(
    picker: ModelPicker, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(respond(401, {"error": {"message": "no"}}), respond(200, {"data": [{"id": "alpha"}]})) as server:
        provider = services.enter_endpoint(f"{server.url}/v1", "k", None)
        picker.fill()
        qtbot.waitUntil(lambda: provider.id in picker._problems)
        picker.fill()
        (note,) = [each for each in submenu(picker.menu(), provider.label).actions() if "could not" in each.text()]
        assert "key" in note.toolTip()
        qtbot.waitUntil(lambda: provider.id in picker._models)


def test_without_the_built_in_model_the_menu_says_so(
    picker: ModelPicker, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coroutines, "start", lambda coroutine: coroutine.close())
    monkeypatch.setattr(type(services.local_server), "missing", property(lambda _: "its engine is not installed"))
    picker.fill()
    assert entries(picker.menu())[0] == "Built-in model: not installed…"


def test_an_entry_without_a_key_says_how_to_set_one(picker: ModelPicker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coroutines, "start", lambda coroutine: coroutine.close())
    picker.fill()
    more = submenu(picker.menu(), "More providers")
    next(action for action in more.actions() if action.text().startswith("Mistral:")).trigger()
    box = picker.findChild(QMessageBox)
    assert box is not None
    assert box.text() == "Mistral needs a key."
    assert "MISTRAL_API_KEY" in box.informativeText()
    box.close()


def test_a_list_that_arrives_leaves_the_highlight_where_it_is(
    picker: ModelPicker, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(respond(200, {"data": [{"id": "alpha"}]})) as server:
        provider = services.enter_endpoint(f"{server.url}/v1", "k", None)
        picker.fill()
        last = picker.menu().actions()[-1]
        picker.menu().setActiveAction(last)
        qtbot.waitUntil(lambda: "alpha" in entries(submenu(picker.menu(), provider.label)))
        assert picker.menu().activeAction() is last


def test_menus_of_earlier_openings_are_gone(picker: ModelPicker, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coroutines, "start", lambda coroutine: coroutine.close())
    picker.fill()
    count = len(picker.menu().findChildren(QMenu))
    picker.fill()
    qtbot.waitUntil(lambda: len(picker.menu().findChildren(QMenu)) == count)
