"""What all chats do that outgrow the window: chosen in the settings, followed at once, and told from what one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.app.models.overflow_form import OverflowForm
from rillet.app.models.parameters import ParametersCard
from rillet.app.models.parameters_button import ParametersButton
from rillet.app.models.popover import ModelPopover
from rillet.app.settings.chats import ChatsPage
from rillet.app.settings.fields import ChoiceBox
from rillet.app.toast import Toast
from rillet.core.config.paths import paths
from rillet.core.config.settings import ModelName, SettingsFile
from support.chatting import PATIENCE, button, talk_to, wait_for_end
from support.fake_server import FakeServer, answer, respond
from support.long_chats import (
    TOO_LONG,
    asked,
    has_no_mark,
    hold_so_much,
    kept,
    mark,
    opened,
    press,
    said,
    talk,
)  # fmt: skip

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def box(place: QWidget) -> ChoiceBox:
    """Where the rule is chosen, in the settings or in the ledger of a chat."""
    return next(each for each in place.findChildren(ChoiceBox) if each.accessibleName() == "When the window is full")


def settings_page(window: MainWindow) -> ChatsPage:
    """The page of the settings, open."""
    window.openSettings("chats")
    page = window.findChild(ChatsPage)
    assert page is not None
    return page


def choose_for_all(window: MainWindow, words: str) -> None:
    """Choose a rule in the settings, by the keyboard, and leave them."""
    page = settings_page(window)
    rule = box(page)
    QTest.keyClick(rule, Qt.Key.Key_Home)
    for _ in range(rule.findText(words)):
        QTest.keyClick(rule, Qt.Key.Key_Down)
    assert rule.currentText() == words
    page.window().close()


def form_of(window: MainWindow, qtbot: QtBot) -> OverflowForm:
    form = opened(window, qtbot).findChild(OverflowForm)
    assert form is not None
    return form


def test_an_open_chat_follows_what_is_chosen_for_all_at_once_and_with_its_next_question(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abc"), answer("S one."), *map(said, "de")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, 700)
        mark(window, qtbot, "no longer sent")
        choose_for_all(window, "Send everything, and warn me")
        has_no_mark(window, qtbot)
        qtbot.waitUntil(lambda: "about to outgrow the model" in session._notice.text, timeout=PATIENCE)
        choose_for_all(window, "Summarize the oldest")
        qtbot.waitUntil(lambda: "about to outgrow" not in session._notice.text, timeout=PATIENCE)
        hold_so_much(window, qtbot)
        window.view.composer.setText("w" * 400)
        qtbot.waitUntil(lambda: "m summarizes the oldest questions" in session._notice.text, timeout=PATIENCE)
        window.view.composer.send()
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: not session.is_answering, timeout=PATIENCE)
        assert "S S one." in asked(server)[0]
        assert "rule" not in session.settings.values
    services.keeper.close()
    assert SettingsFile(paths().settings).load().overflow == "summarize"


def test_a_question_that_is_sent_right_after_the_choice_follows_it(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abcd")) as server:
        talk_to(services, server)
        talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, 800)
        services.change(overflow="keep")
        talk(window, qtbot, "w")
        assert asked(server) == ["t", "u", "v", "w"]


def test_what_a_chat_does_itself_stays_and_is_told_from_what_all_do(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abc")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, 800)
        form = form_of(window, qtbot)
        assert box(form).currentText() == "Default (leave out)"
        box(form).setCurrentText("Leave out the oldest")
        qtbot.waitUntil(lambda: session.settings.values.get("rule") == "trim", timeout=PATIENCE)
        services.change(overflow="keep")
        form.refresh()
        assert box(form).currentText() == "Leave out the oldest"
        assert box(form).itemText(0) == "Default (warn me)"
        mark(window, qtbot, "no longer sent")
        box(form).setCurrentIndex(0)
        has_no_mark(window, qtbot)
        assert "rule" not in session.settings.values


def test_to_leave_out_the_oldest_of_one_chat_holds_although_all_summarize(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.change(overflow="summarize")
    with FakeServer(*map(said, "abc"), TOO_LONG, said("d")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuvw")
        qtbot.waitUntil(lambda: "refused this chat as too long" in session._notice.text, timeout=PATIENCE)
        qtbot.waitUntil(lambda: session.horizon.ledger is not None, timeout=PATIENCE)
        button(window, "Leave out the oldest").click()
        qtbot.waitUntil(lambda: len(server.requests) == 5, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        assert asked(server)[-1] == "w"
        assert len(asked(server)) < 4
        assert session.settings.values["rule"] == "trim"
        assert kept(session, services, qtbot) == []


def test_a_summary_that_is_undone_is_not_made_again_although_all_summarize(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.change(overflow="summarize")
    with FakeServer(*map(said, "abc"), answer("S one."), *map(said, "de")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot)
        talk(window, qtbot, "w")
        press(mark(window, qtbot, "Summarized"), "Undo")
        has_no_mark(window, qtbot)
        qtbot.waitUntil(lambda: session.settings.values.get("rule") == "keep", timeout=PATIENCE)
        talk(window, qtbot, "x")
        assert asked(server) == ["t", "u", "v", "w", "x"]
        toast = window.findChild(Toast)
        assert toast is not None
        toast.undo()
        mark(window, qtbot, "Summarized")
        assert "rule" not in session.settings.values


def test_who_summarizes_is_chosen_for_all_and_a_chat_can_have_it_otherwise(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.environment = {}
    services.refresh()
    models = respond(200, {"data": [{"id": "m"}, {"id": "small"}]})
    scripts = [*map(said, "abc"), answer("S small."), said("d"), answer("S by m."), said("e")]
    with FakeServer(models, *scripts) as server:
        talk_to(services, server)
        page = settings_page(window)
        assert page._summarizer.who.text() == "Whoever answers"
        QTest.mouseClick(page._summarizer.who, Qt.MouseButton.LeftButton)
        popover = page.window().findChild(ModelPopover)
        assert popover is not None
        search = popover.findChild(QLineEdit)
        assert search is not None
        qtbot.waitUntil(lambda: len(server.requests) == 1, timeout=PATIENCE)
        QTest.keyClicks(search, "small")
        qtbot.waitUntil(lambda: getattr(popover._list.highlighted, "model", None) == "small", timeout=PATIENCE)
        QTest.keyClick(search, Qt.Key.Key_Return)
        assert page._summarizer.who.text() == "small"
        assert services.settings.summary_model == ModelName(services.choice.provider.id, "small")
        services.change(overflow="summarize")
        page.window().close()
        session = talk(window, qtbot, "tuv")
        form = form_of(window, qtbot)
        assert (form._who.text(), form._other.text()) == ("Default (small)", "Let whoever answers do it")
        hold_so_much(window, qtbot)
        talk(window, qtbot, "w")
        assert [request.json["model"] for request in server.requests[4:]] == ["small", "m"]
        QTest.mouseClick(form._other, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: form._who.text() == "Whoever answers (m)", timeout=PATIENCE)
        talk(window, qtbot, "x")
        assert server.requests[6].json["model"] == "m"
        QTest.mouseClick(form._other, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: form._who.text() == "Default (small)", timeout=PATIENCE)
        assert "summarizer" not in session.settings.values
        page._summarizer.nobody.click()
        assert services.settings.summary_model is None


def test_a_persona_brings_what_its_chats_do_and_one_without_lets_them_do_as_all(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abc")) as server:
        talk_to(services, server)
        settings = window.sessions.current.settings
        settings.set(rule="keep", summarizer={})
        parameters = window.view.findChild(ParametersButton)
        assert parameters is not None
        parameters.click()
        card = window.findChildren(ParametersCard)[-1]
        card.savePersona("Careful")
        card._persona.setCurrentText("None")
        card.close()
        assert "rule" not in settings.values
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, 800)
        mark(window, qtbot, "no longer sent")
        parameters = session.parameters
        parameters.click()
        card = window.findChildren(ParametersCard)[-1]
        card._persona.setCurrentText("Careful")
        has_no_mark(window, qtbot)
        assert (session.settings.values["rule"], session.settings.values["summarizer"]) == ("keep", {})
        card._persona.setCurrentText("None")
        mark(window, qtbot, "no longer sent")
        card.close()


def test_with_all_settings_as_at_first_the_oldest_are_left_out(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.change(overflow="keep", summary_model=ModelName("p", "small"))
    with FakeServer(*map(said, "abc")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, 800)
        has_no_mark(window, qtbot)
        with qtbot.waitSignal(services.overflowChanged, timeout=PATIENCE):
            services.reset()
        qtbot.waitUntil(
            lambda: session.horizon.ledger is not None and session.horizon.ledger.rule == "trim", timeout=PATIENCE
        )
        assert services.settings.summary_model is None
