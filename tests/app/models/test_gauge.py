"""How full the window of the model is: the gauge in the header, and the ledger that it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QTreeWidget, QTreeWidgetItem

from rillet.app.models.context_card import ContextCard
from rillet.app.models.gauge import ContextGauge
from rillet.app.window import MainWindow
from rillet.core.types import Model
from support.chatting import PATIENCE
from support.fake_server import FakeServer, answer, sse, sse_end, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme

QUESTION = "q" * 400
"""About 104 tokens."""


@pytest.fixture
def known(services: Services, monkeypatch: pytest.MonkeyPatch) -> list[Model]:
    """What is known about every model: the last of these."""
    known = [Model("m")]
    monkeypatch.setattr(services, "known_model", lambda *_: known[-1])
    return known


@pytest.fixture
def window(
    state: WindowState, services: Services, known: list[Model], theme: Theme, qtbot: QtBot
) -> Iterator[MainWindow]:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    yield window
    window.close()


def talk_to(window: MainWindow, services: Services, server: FakeServer) -> None:
    window.resize(1400, 800)  # (all of it is shown, in any font)
    window.sessions.current.picker.choose(services.enter_endpoint(f"{server.url}/v1", None, None), "m")


def ask(window: MainWindow, qtbot: QtBot, text: str = QUESTION) -> ContextGauge:
    """Have a question answered; the gauge, once it shows that."""
    gauge = gauge_of(window)
    window.view.composer.setText(text)
    window.view.composer.send()
    qtbot.waitUntil(lambda: not window.view.composer.isBusy() and not window.sessions.current.is_answering)
    with qtbot.waitSignal(gauge.weighed):
        gauge.refresh()
    return gauge


def gauge_of(window: MainWindow) -> ContextGauge:
    gauge = window.findChild(ContextGauge)
    assert gauge is not None
    return gauge


def opened(gauge: ContextGauge) -> tuple[ContextCard, QTreeWidget]:
    gauge.click()
    card = gauge.window().findChildren(ContextCard)[-1]
    turns = card.findChild(QTreeWidget)
    assert turns is not None
    return card, turns


def item(turns: QTreeWidget, at: int) -> QTreeWidgetItem:
    found = turns.topLevelItem(at)
    assert found is not None
    return found


def said(card: ContextCard) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if not label.isHidden())


def sent(server: FakeServer) -> list[str]:
    """The questions of the last request, by their first letter."""
    return [each["content"][0] for each in server.requests[-1].json["messages"] if each["role"] == "user"]


def test_nothing_is_shown_for_a_chat_in_which_nothing_was_said(window: MainWindow) -> None:
    assert not gauge_of(window).isVisible()


def test_the_share_of_a_known_window_is_shown_and_read_out(
    window: MainWindow, services: Services, known: list[Model], qtbot: QtBot
) -> None:
    known.append(Model("m", context_window=1000))
    with FakeServer(answer("a" * 400)) as server:
        talk_to(window, services, server)
        gauge = ask(window, qtbot)
    assert gauge.isVisible()
    assert gauge.text() == "≈ 208 / 1K tokens"
    assert gauge.accessibleName() == "About 208 of the model's 1,000 tokens are taken, 21%"
    window.newChat()
    assert not gauge.isVisible()


def test_of_an_unknown_window_only_the_size_is_told(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("a" * 4000)) as server:
        talk_to(window, services, server)
        gauge = ask(window, qtbot)
    qtbot.waitUntil(lambda: gauge.text() == "≈ 1.11K tokens")  # (what was weighed before may come first)
    card, _ = opened(gauge)
    assert "window is not known" in said(card)
    card.close()


def test_a_full_window_leaves_the_oldest_out_and_says_so(
    window: MainWindow, services: Services, known: list[Model], qtbot: QtBot
) -> None:
    known.append(Model("m", context_window=600))
    with FakeServer(*[answer("a" * 400)] * 3) as server:
        talk_to(window, services, server)
        for letter in "xyz":
            gauge = ask(window, qtbot, letter * 400)
        assert sent(server) == ["y", "z"]
    card, turns = opened(gauge)
    assert "left out" in item(turns, 0).text(0)
    assert "The window is full: 2 of the oldest" in said(card)
    card.close()


def test_a_pinned_question_stays_and_one_switched_off_goes(
    window: MainWindow, services: Services, known: list[Model], qtbot: QtBot
) -> None:
    with FakeServer(*[answer("a" * 400)] * 4) as server:
        talk_to(window, services, server)
        for letter in "wxy":
            gauge = ask(window, qtbot, letter * 400)
        card, turns = opened(gauge)
        turns.setCurrentItem(item(turns, 1))
        QTest.keyClick(turns, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: gauge.ledger is not None and gauge.ledger.turns[1].standing == "off")
        turns.setCurrentItem(item(turns, 0))
        card._pin.click()
        qtbot.waitUntil(lambda: gauge.ledger is not None and gauge.ledger.turns[0].is_pinned)
        assert card._pin.text() == "Unpin"
        QTest.keyClick(card, Qt.Key.Key_Escape)
        known.append(Model("m", context_window=780))
        ask(window, qtbot, "z" * 400)
        assert sent(server) == ["w", "z"]


def test_what_was_counted_and_spent_stands_under_the_answer_and_in_the_ledger(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    usage = {"prompt_tokens": 120, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}
    with FakeServer(
        stream(sse_text("Hello"), sse({"id": "c", "model": "m", "choices": [], "usage": usage}), sse_end())
    ) as server:
        talk_to(window, services, server)
        gauge = ask(window, qtbot)
        qtbot.waitUntil(lambda: gauge.spending is not None and gauge.spending.answers == 1)
    assert "64 cached" in window.view.handles()[-1].entry.foot.figures
    card, _ = opened(gauge)
    assert "The provider counted 120" in said(card)
    assert "120 tokens sent, 7 written, 64 from the cache, cost not known." in said(card)
    card.close()


def test_the_cost_of_an_answer_and_of_the_chat_is_told_where_prices_are_known(
    window: MainWindow, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {"prompt_tokens": 10_000, "completion_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 8000}}
    counted = stream(sse_text("Hello"), sse({"id": "c", "model": "of-ours", "choices": [], "usage": usage}), sse_end())
    with FakeServer(counted, counted) as server:
        services.environment = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": f"{server.url}/v1"}
        services.refresh()
        openai = next(each for each in services.providers if each.id == "openai")
        window.sessions.current.picker.choose(openai, "gpt-4o-mini")
        ask(window, qtbot)
        gauge = ask(window, qtbot)
        qtbot.waitUntil(lambda: gauge.spending is not None and gauge.spending.answers == 2)
    # 2,000 at $0.15, 8,000 at $0.075 and 1,000 at $0.60 a million
    assert "$0.0015" in window.view.handles()[-1].entry.foot.figures
    card, _ = opened(gauge)
    assert "20,000 tokens sent, 2,000 written, 16,000 from the cache, $0.003." in said(card)
    card.close()


def test_kinds_of_things_are_switched_off_and_on_again(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(*[answer("a")] * 3) as server:
        talk_to(window, services, server)
        window.sessions.current.settings.set(system_prompt="Be brief.", tools="all")
        gauge = ask(window, qtbot)
        assert server.requests[-1].json["messages"][0]["role"] == "system"
        assert server.requests[-1].json["tools"]
        card, _ = opened(gauge)
        boxes = {each.text(): each for each in card.findChildren(QCheckBox)}
        for name in ("System prompt", "Descriptions of tools"):
            assert boxes[name].isChecked()
            QTest.keyClick(boxes[name], Qt.Key.Key_Space)
        card.close()
        qtbot.waitUntil(lambda: window.sessions.current.settings.values.get("without") == ["system", "tools"])
        ask(window, qtbot)
        assert all(message["role"] != "system" for message in server.requests[-1].json["messages"])
        assert "tools" not in server.requests[-1].json
        card, _ = opened(gauge)
        for name in ("System prompt", "Descriptions of tools"):
            box = next(each for each in card.findChildren(QCheckBox) if each.text() == name)
            assert not box.isChecked()
            QTest.keyClick(box, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: "without" not in window.sessions.current.settings.values)
        card.close()
        ask(window, qtbot)
        assert server.requests[-1].json["messages"][0]["role"] == "system"


def test_the_last_question_cannot_be_switched_off(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("a")) as server:
        talk_to(window, services, server)
        gauge = ask(window, qtbot)
    card, turns = opened(gauge)
    QTest.keyClick(turns, Qt.Key.Key_Space)
    assert item(turns, 0).checkState(0) is Qt.CheckState.Checked
    assert "off" not in window.sessions.current.settings.values
    card.close()


def test_the_ledger_and_a_summary_are_reached_by_the_keyboard(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*[answer("a")] * 2, answer("Short.")) as server:
        talk_to(window, services, server)
        commands = {each.id: each for each in window.commands}
        assert not commands["context.show"].when()
        ask(window, qtbot)
        assert not commands["context.summarize"].when()
        ask(window, qtbot)
        QTest.keyClick(window, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        card = window.findChild(ContextCard)
        assert card is not None
        card.close()
        assert commands["context.summarize"].when()
        window.commands.run("context.summarize")
        gauge = gauge_of(window)
        qtbot.waitUntil(lambda: gauge.ledger is not None and gauge.ledger.summary is not None)


def test_only_whole_figures_are_shown_however_narrow_the_window_is(
    window: MainWindow, services: Services, known: list[Model], qtbot: QtBot
) -> None:
    known.append(Model("m", context_window=1000))
    window._side.hide()
    with FakeServer(answer("a" * 400)) as server:
        talk_to(window, services, server)
        gauge = ask(window, qtbot)
    shown = set()
    for width in (*range(400, 720, 10), 900, 1400, 480):
        window.resize(width, 400)
        qtbot.waitUntil(lambda: gauge.width() == gauge.sizeHint().width(), timeout=PATIENCE)
        assert window.width() == width
        assert gauge.geometry().right() < window._header.width()
        shown.add(gauge.text())
    assert shown == {"≈ 208 / 1K tokens", "21%"}
    for width in range(130, 400, 10):  # (as beside a list of chats that was opened in a narrow window)
        window._header.setFixedWidth(width)
        qtbot.waitUntil(lambda: gauge.width() == gauge.sizeHint().width(), timeout=PATIENCE)
        shown.add(gauge.text())
    assert shown == {"≈ 208 / 1K tokens", "21%", ""}
    assert gauge.accessibleName() == "About 208 of the model's 1,000 tokens are taken, 21%"


def test_of_an_unknown_window_the_number_stays_whole_where_there_is_little_room(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    window.resize(1000, 400)
    with FakeServer(answer("a" * 4000)) as server:
        talk_to(window, services, server)
        gauge = ask(window, qtbot)
    qtbot.waitUntil(lambda: gauge.text() == "≈ 1.11K tokens", timeout=PATIENCE)
    window.resize(400, 400)
    qtbot.waitUntil(lambda: gauge.text() == "≈ 1.11K", timeout=PATIENCE)
    assert gauge.accessibleName() == "About 1,108 tokens go along with the next question"
