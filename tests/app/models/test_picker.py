"""Choosing a model: the list over the composer, by keyboard and mouse, and what a chat remembers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QWidget

from rillet.app.chats.chat_settings import ChatSettings
from rillet.app.models.offer_list import ROW, OfferList
from rillet.app.models.offers import Heading
from rillet.app.models.picker import ModelPicker
from rillet.app.models.popover import HIGHEST, LEAST
from rillet.app.services import Choice
from rillet.core.providers.builtin import entry
from rillet.core.types import Model, Prices
from support.chatting import ask, wait_for_end
from support.fake_server import FakeServer, answer, respond

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.models.popover import ModelPopover
    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme

LISTING = {"object": "list", "data": [{"id": "alpha"}, {"id": "beta"}, {"id": "beta-mini"}]}
SMALL = "SmolLM2 135M (built in)"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(*[respond(200, LISTING)] * 4) as server:
        yield server


@pytest.fixture
def provider(services: Services, server: FakeServer) -> Provider:
    """A server with three models; the providers of the machine are not asked."""
    services.environment = {}
    services.refresh()
    return services.enter_endpoint(f"{server.url}/v1", None, None)


@pytest.fixture
def picker(services: Services, theme: Theme, qtbot: QtBot) -> Iterator[ModelPicker]:
    window = QWidget()
    window.resize(600, 700)
    picker = ModelPicker(services, ChatSettings(services.library, None), theme, window)
    picker.move(20, 640)
    qtbot.addWidget(window)
    window.show()
    yield picker
    window.close()


def opened(picker: ModelPicker, qtbot: QtBot) -> ModelPopover:
    """The list, once all has been loaded."""
    picker.click()
    popover = picker._popover
    assert popover is not None
    catalogue = picker._services.catalogue
    qtbot.waitUntil(lambda: not catalogue._loading and not catalogue._is_looking)
    return popover


def field(popover: ModelPopover) -> QLineEdit:
    found = popover.findChild(QLineEdit)
    assert found is not None
    return found


def listed(popover: ModelPopover) -> list[str]:
    """What the rows say, headings in brackets."""
    model = popover._list.offers
    rows = [model.index(at).data(ROW) for at in range(model.rowCount())]
    return [f"[{row.text}]" if isinstance(row, Heading) else row.text for row in rows]


def press(popover: ModelPopover, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(field(popover), key, modifier)


def test_it_shows_the_chosen_model_and_says_honestly_what_it_is(picker: ModelPicker) -> None:
    assert picker.text() == SMALL
    assert picker.accessibleName() == f"Model: {SMALL}"
    assert "often wrong" in picker.toolTip()


def test_a_model_is_found_and_chosen_without_the_mouse(
    picker: ModelPicker, provider: Provider, services: Services, qtbot: QtBot
) -> None:
    popover = opened(picker, qtbot)
    assert listed(popover) == ["[SmolLM2 135M (built in)]", SMALL, f"[{provider.label}]", "alpha", "beta", "beta-mini"]
    QTest.keyClicks(field(popover), "beta")
    press(popover, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert picker.choice == services.choice == Choice(provider, "beta-mini")
    assert picker.text() == "beta-mini"
    assert not popover.isVisible()


def test_the_arrows_pass_over_headings_and_stop_at_the_ends(
    picker: ModelPicker, provider: Provider, qtbot: QtBot
) -> None:
    popover = opened(picker, qtbot)
    press(popover, Qt.Key.Key_Up)
    assert popover._list.highlighted is not None and popover._list.highlighted.text == SMALL
    press(popover, Qt.Key.Key_Down)
    assert popover._list.highlighted.text == "alpha"
    press(popover, *[Qt.Key.Key_Down] * 9)
    assert popover._list.highlighted.text == "beta-mini"


def test_a_name_that_nobody_lists_can_be_typed(picker: ModelPicker, provider: Provider, qtbot: QtBot) -> None:
    popover = opened(picker, qtbot)
    QTest.keyClicks(field(popover), "zeta")
    assert listed(popover) == [f"[Not listed, at {provider.label}]", "zeta"]
    press(popover, Qt.Key.Key_Return)
    assert picker.choice == Choice(provider, "zeta")


def test_a_favourite_stands_first_until_it_is_none_any_more(
    picker: ModelPicker, provider: Provider, services: Services, qtbot: QtBot
) -> None:
    popover = opened(picker, qtbot)
    QTest.keyClicks(field(popover), "beta-mini")
    press(popover, Qt.Key.Key_D, modifier=Qt.KeyboardModifier.ControlModifier)
    field(popover).clear()
    assert listed(popover)[:2] == ["[Favourites]", "beta-mini"]
    assert "favourite" in popover._list.offers.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    shown = popover._list
    row = shown.visualRect(shown.offers.index(1))
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(row.right() - 16, row.center().y()))
    assert "[Favourites]" not in listed(popover)
    assert services.settings.favourite_models == ()
    assert popover.isVisible()
    popover.close()


def test_what_was_used_last_is_near(picker: ModelPicker, provider: Provider, qtbot: QtBot) -> None:
    for name in ("alpha", "beta"):
        picker.choose(provider, name)
    popover = opened(picker, qtbot)
    assert listed(popover)[:3] == ["[Used last]", "beta", "alpha"]
    popover.close()


def test_a_row_tells_what_is_known_of_a_model(
    picker: ModelPicker, provider: Provider, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = Prices(input=2.5, output=10.0)
    known = Model("known", vision=True, tools=True, context_window=128_000, prices=prices)
    monkeypatch.setattr(services, "known_model", lambda *_: known)
    picker.choose(provider, "known")
    popover = opened(picker, qtbot)
    assert popover._list.offers.index(1).data(ROW).detail == "images · tools · 128K · $2.5 / $10"
    popover.close()


def test_a_server_that_runs_here_joins_the_open_list(
    picker: ModelPicker, provider: Provider, found_servers: list[Provider], qtbot: QtBot
) -> None:
    with FakeServer(respond(200, {"models": [{"name": "llama3", "model": "llama3"}]})) as ollama:
        popover = opened(picker, qtbot)
        press(popover, *[Qt.Key.Key_Down] * 2)
        found_servers.append(entry("ollama").provider(base_url=ollama.url))
        picker._services.catalogue.refresh()
        qtbot.waitUntil(lambda: "llama3" in listed(popover))
    assert popover._list.highlighted is not None and popover._list.highlighted.text == "beta"
    popover.close()


def test_a_list_that_cannot_be_loaded_says_why_and_is_tried_again(
    picker: ModelPicker, services: Services, qtbot: QtBot
) -> None:
    services.environment = {}
    with FakeServer(respond(401, {"error": {"message": "no"}}), respond(200, LISTING)) as server:
        services.enter_endpoint(f"{server.url}/v1", "k", None)
        popover = opened(picker, qtbot)
        assert "key" in listed(popover)[-1]
        popover.close()
        popover = opened(picker, qtbot)
        assert listed(popover)[-1] == "beta-mini"
        popover.close()


def test_the_ways_to_more_leave_the_list(picker: ModelPicker, provider: Provider, qtbot: QtBot) -> None:
    popover = opened(picker, qtbot)
    button = next(each for each in popover.findChildren(QToolButton) if each.text() == "Providers…")
    with qtbot.waitSignal(picker.settingsRequested) as asked:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked.args == ["providers"]
    assert not popover.isVisible()


def test_escape_closes_the_list_and_chooses_nothing(picker: ModelPicker, provider: Provider, qtbot: QtBot) -> None:
    popover = opened(picker, qtbot)
    press(popover, Qt.Key.Key_Down, Qt.Key.Key_Escape)
    assert not popover.isVisible()
    assert picker.text() == SMALL
    qtbot.waitUntil(lambda: picker.window().findChild(OfferList) is None)


def test_a_short_list_opens_as_a_small_card(picker: ModelPicker, services: Services, qtbot: QtBot) -> None:
    services.environment = {}
    services.refresh()
    assert opened(picker, qtbot).card.height() == LEAST


def test_a_list_that_is_on_its_way_has_the_room_it_may_need(
    picker: ModelPicker, provider: Provider, qtbot: QtBot
) -> None:
    assert opened(picker, qtbot).card.height() == HIGHEST


def test_a_press_beside_the_list_closes_it(picker: ModelPicker, provider: Provider, qtbot: QtBot) -> None:
    popover = opened(picker, qtbot)
    QTest.mouseClick(popover, Qt.MouseButton.LeftButton, pos=QPoint(590, 690))
    assert not popover.isVisible()


def test_tab_stays_within_the_list(picker: ModelPicker, provider: Provider, qtbot: QtBot) -> None:
    popover = opened(picker, qtbot)
    seen = []
    for _ in range(3):
        focus = QApplication.focusWidget()
        assert focus is not None
        seen.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert seen[0] is QApplication.focusWidget() is field(popover)
    assert [each.text() for each in seen[1:] if isinstance(each, QToolButton)] == ["Add an address…", "Providers…"]
    popover.close()


def test_without_the_built_in_model_the_list_does_not_offer_it(
    picker: ModelPicker, provider: Provider, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(services.local_server), "missing", property(lambda _: "its engine is not installed"))
    popover = opened(picker, qtbot)
    assert SMALL not in listed(popover)
    popover.close()


def test_in_the_window_a_model_is_searched_by_what_it_can_do_starred_and_asked(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    listing = {"data": [{"id": "gpt-4o"}, {"id": "gpt-3.5-turbo"}]}
    with FakeServer(respond(200, listing), respond(200, listing), answer("Hello")) as server:
        services.environment = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": f"{server.url}/v1"}
        services.refresh()
        qtbot.waitUntil(window.isActiveWindow)
        QTest.mouseClick(window.sessions.current.picker, Qt.MouseButton.LeftButton)
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        shown = window.findChild(OfferList)
        assert shown is not None
        QTest.keyClicks(field, "images 4o")
        qtbot.waitUntil(lambda: shown.highlighted is not None and shown.highlighted.model == "gpt-4o")
        assert shown.highlighted is not None
        assert "$2.5 / $10" in shown.highlighted.detail
        QTest.keyClick(field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: shown.highlighted is not None and shown.highlighted.is_favourite)
        QTest.keyClick(field, Qt.Key.Key_Return)
        ask(window, "Hi")
        wait_for_end(window, qtbot)
        assert server.requests[-1].json["model"] == "gpt-4o"
        QTest.mouseClick(window.sessions.current.picker, Qt.MouseButton.LeftButton)
        again = window.findChildren(OfferList)[-1]
        rows = [again.offers.index(at).data(ROW) for at in range(again.offers.rowCount())]
        assert (rows[0].text, rows[1].text) == ("Favourites", "gpt-4o")
