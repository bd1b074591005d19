"""A chat outgrows the window: what is said in it and above the field, what is sent, and the ways back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QPlainTextEdit

from rillet.app.chats.summary_dialog import SummaryDialog
from rillet.app.models.context_card import ContextCard
from rillet.app.models.overflow_form import OverflowForm
from rillet.app.models.popover import ModelPopover
from rillet.app.settings.fields import ChoiceBox
from rillet.app.toast import Toast
from rillet.core.store import ledger
from rillet.core.types import FilePart
from rillet.widgets.composer.attachment import Attachment
from rillet.widgets.composer.draft import Draft
from support.chatting import PATIENCE, button, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer, hold, respond, sse, sse_end, sse_text, stream
from support.long_chats import (
    TOO_LONG,
    asked,
    gauge_of,
    has_no_mark,
    hold_so_much,
    kept,
    mark,
    opened,
    press,
    said,
    send,
    talk,
)  # fmt: skip

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def test_a_line_says_where_the_models_view_begins_and_all_can_be_sent_again(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abcdefg")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        has_no_mark(window, qtbot)
        hold_so_much(window, qtbot, 800)
        line = mark(window, qtbot, "no longer sent")
        [handle] = [each for each in window.view.handles() if each.entry.mark is not None]
        assert handle.message is not None
        assert handle.message.text[0] == "a"
        press(line, "Send them again")
        has_no_mark(window, qtbot)
        talk(window, qtbot, "w")
        assert asked(server) == ["t", "u", "v", "w"]
        assert texts(window)[0] == "t" * 400
        toast = window.findChild(Toast)
        assert toast is not None
        toast.undo()
        qtbot.waitUntil(lambda: "rule" not in session.settings.values, timeout=PATIENCE)
        talk(window, qtbot, "x")
        assert asked(server) == ["v", "w", "x"]
        mark(window, qtbot, "no longer sent")
        assert len(texts(window)) == 10


def test_the_oldest_are_summarized_where_one_sees_it_the_summary_can_be_changed_and_undone(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    usage = {"prompt_tokens": 700, "completion_tokens": 9}
    summary = stream(sse_text("S one."), sse({"id": "c", "model": "m", "choices": [], "usage": usage}), sse_end())
    with FakeServer(*map(said, "abc"), summary, *map(said, "defg")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot)
        card = opened(window, qtbot)
        rule = next(each for each in card.findChildren(ChoiceBox))
        rule.setCurrentText("Summarize the oldest")
        card.close()
        qtbot.waitUntil(lambda: session.settings.values.get("rule") == "summarize", timeout=PATIENCE)
        talk(window, qtbot, "w")
        assert len(server.requests) == 5
        assert "User: tttt" in server.requests[3].json["messages"][0]["content"]
        assert asked(server) == ["S S one.ww", "w"] or asked(server)[-1] == "w"
        line = mark(window, qtbot, "Summarized: 2 questions above")
        assert "S one." in line.accessibleName()
        assert session.chat_id is not None
        spending = services.desk.read(ledger.spent, session.chat_id)
        qtbot.waitUntil(spending.isDone, timeout=PATIENCE)
        assert spending.get().prompt_tokens == 700
        press(line, "Show and edit…")
        dialog = window.findChild(SummaryDialog)
        assert dialog is not None
        field = dialog.findChild(QPlainTextEdit)
        assert field is not None
        field.selectAll()
        QTest.keyClicks(field, "S changed.")
        buttons = dialog.findChild(QDialogButtonBox)
        assert buttons is not None
        buttons.button(QDialogButtonBox.StandardButton.Save).click()
        qtbot.waitUntil(lambda: kept(session, services, qtbot)[0].text == "S changed.", timeout=PATIENCE)
        talk(window, qtbot, "x")
        assert any("S S changed" in each for each in asked(server))
        press(mark(window, qtbot, "Summarized"), "Undo")
        has_no_mark(window, qtbot)
        qtbot.waitUntil(lambda: session.settings.values.get("rule") == "keep", timeout=PATIENCE)
        talk(window, qtbot, "y")
        assert asked(server) == ["t", "u", "v", "w", "x", "y"]
        [withdrawn] = kept(session, services, qtbot)
        assert (withdrawn.is_withdrawn, withdrawn.original) == (True, "S one.")


def test_a_summary_is_there_after_the_chat_was_closed_and_in_a_fork_but_not_in_another_version(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abc"), answer("S one."), *map(said, "defg")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, rule="summarize")
        talk(window, qtbot, "w")
        mark(window, qtbot, "Summarized")
        chat = session.chat_id
        assert chat is not None
        window.sessions.close(chat)
        window.sessions.open(chat)
        mark(window, qtbot, "Summarized")
        session = window.sessions.current
        with qtbot.waitSignal(session.forked, timeout=PATIENCE):
            session.act("fork", window.view.handles()[-1])
        qtbot.waitUntil(lambda: window.sessions.current.chat_id not in (None, chat), timeout=PATIENCE)
        mark(window, qtbot, "Summarized")
        talk(window, qtbot, "x")
        assert "S S one." in asked(server)[0]
        window.sessions.open(chat)
        mark(window, qtbot, "Summarized")
        session = window.sessions.current
        session.act("edit", window.view.handles()[0])
        window.view.composer.setText("u" * 400)
        window.view.composer.send()
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: not session.is_answering, timeout=PATIENCE)
        has_no_mark(window, qtbot)
        assert asked(server) == ["u"]
        session.act("previous", window.view.handles()[0])
        qtbot.waitUntil(lambda: texts(window)[0][0] == "t", timeout=PATIENCE)
        mark(window, qtbot, "Summarized")


def test_stop_while_summarizing_and_a_summary_that_fails_keep_the_question_and_offer_a_way_on(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    failing = respond(401, {"error": {"message": "no such key"}})
    with FakeServer(*map(said, "abc"), stream(hold), failing, said("d")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        hold_so_much(window, qtbot, rule="summarize")
        send(window, "w" * 400)
        qtbot.waitUntil(
            lambda: "summarizes the oldest questions (2)" in window.view.handles()[-1].entry.foot.status,
            timeout=PATIENCE,
        )
        qtbot.waitUntil(lambda: len(server.requests) == 4, timeout=PATIENCE)
        window.stop()
        wait_for_end(window, qtbot)
        assert window.view.handles()[-1].entry.foot.note == "Stopped by you"
        qtbot.waitUntil(lambda: not session.is_answering, timeout=PATIENCE)
        button(window, "Try again").click()
        qtbot.waitUntil(
            lambda: "could not be summarized" in session._notice.text or "Go on without" in session._notice.text,
            timeout=PATIENCE,
        )
        qtbot.waitUntil(lambda: "refused the key" in window.view.handles()[-1].entry.foot.error, timeout=PATIENCE)
        button(window, "Leave out the oldest").click()
        qtbot.waitUntil(lambda: texts(window)[-1] == "d" * 400, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        assert asked(server) == ["u", "v", "w"]
        assert kept(session, services, qtbot) == []
        assert texts(window)[-2] == "w" * 400


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("way", ["Leave out the oldest", "Summarize the oldest"])
def test_a_chat_that_a_provider_refuses_as_too_long_goes_on_with_less_of_it(
    way: str, reopened: bool, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    after = [answer("S one."), said("d")] if way.startswith("Summarize") else [said("d")]
    with FakeServer(*map(said, "abc"), TOO_LONG, *after) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuvw")
        if reopened:
            chat = session.chat_id
            assert chat is not None
            window.sessions.close(chat)
            session = window.sessions.open(chat)
        qtbot.waitUntil(lambda: "refused this chat as too long" in session._notice.text, timeout=PATIENCE)
        qtbot.waitUntil(lambda: session.horizon.ledger is not None, timeout=PATIENCE)
        button(window, way).click()
        qtbot.waitUntil(lambda: texts(window)[-1] == "d" * 400, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        assert len(asked(server)) < 5
        assert asked(server)[-1] == "w"
        assert (asked(server)[0][0] == "S") is way.startswith("Summarize")
        mark(window, qtbot, "Summarized" if way.startswith("Summarize") else "no longer sent")
        assert session._notice.text == ""


def test_what_a_question_will_bring_about_is_said_before_it_is_sent(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abc")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        notice = session._notice
        assert notice.isHidden()
        hold_so_much(window, qtbot)
        window.view.composer.setText("q" * 1200)
        qtbot.waitUntil(lambda: "2 more of the oldest questions are no longer sent" in notice.text, timeout=PATIENCE)
        session.settings.set(rule="summarize")
        qtbot.waitUntil(lambda: "m summarizes the oldest questions (3)" in notice.text, timeout=PATIENCE)
        window.view.composer.setText("")
        qtbot.waitUntil(notice.isHidden, timeout=PATIENCE)
        hold_so_much(window, qtbot, 700, rule="keep")
        qtbot.waitUntil(lambda: "about to outgrow the model: about 624 of 700" in notice.text, timeout=PATIENCE)
        hold_so_much(window, qtbot, rule=None)
        window.view.composer.setText("q" * 4000)
        qtbot.waitUntil(lambda: "This is too long for the model" in notice.text, timeout=PATIENCE)
        button(window, "What is sent").click()
        card = window.findChild(ContextCard)
        assert card is not None
        card.close()
        attached = Attachment(FilePart(b"f" * 1200, media_type="text/plain", name="f.txt"), "f.txt")
        window.view.composer.setDraft(Draft("Read", (attached,)))
        qtbot.waitUntil(lambda: "2 more of the oldest questions are no longer sent" in notice.text, timeout=PATIENCE)


def test_the_oldest_are_summarized_by_hand_by_a_model_of_ones_choice_and_questions_wait_for_it(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.environment = {}
    services.refresh()
    lists = [respond(200, {"data": [{"id": "m"}, {"id": "small"}]})]
    with FakeServer(*map(said, "abc"), *lists, stream(hold), answer("S by hand."), said("d")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        card = opened(window, qtbot)
        form = card.findChild(OverflowForm)
        assert form is not None
        form._who.click()
        popover = window.findChild(ModelPopover)
        assert popover is not None
        search = popover.findChild(QLineEdit)
        assert search is not None
        qtbot.waitUntil(lambda: len(server.requests) == 4, timeout=PATIENCE)
        QTest.keyClicks(search, "small")
        qtbot.waitUntil(lambda: getattr(popover._list.highlighted, "model", None) == "small", timeout=PATIENCE)
        QTest.keyClick(search, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: form._who.text() == "small", timeout=PATIENCE)
        assert session.picker.choice.model in (None, "m")
        card._now.click()
        qtbot.waitUntil(lambda: "small summarizes the oldest questions" in session._notice.text, timeout=PATIENCE)
        qtbot.waitUntil(lambda: len(server.requests) == 5, timeout=PATIENCE)
        button(window, "Stop").click()
        qtbot.waitUntil(lambda: not session.horizon.is_summarizing, timeout=PATIENCE)
        assert kept(session, services, qtbot) == []
        card = opened(window, qtbot)
        card._now.click()
        send(window, "w" * 400)
        wait_for_end(window, qtbot)
        assert server.requests[5].json["model"] == "small"
        assert server.requests[6].json["model"] == "m"
        assert "S S by hand" in asked(server)[0]
        mark(window, qtbot, "Summarized")


def test_a_window_that_nobody_knows_can_be_entered(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(*map(said, "abc")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        card = opened(window, qtbot)
        form = card.findChild(OverflowForm)
        assert form is not None
        assert form._window.placeholderText() == "Not known"
        QTest.keyClicks(form._window, "800\r")
        qtbot.waitUntil(lambda: "are taken, 52%" in gauge_of(window).accessibleName(), timeout=PATIENCE)
        mark(window, qtbot, "no longer sent")
        form._window.clear()
        QTest.keyClick(form._window, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: "window" not in session.settings.values, timeout=PATIENCE)
        has_no_mark(window, qtbot)


def test_a_chat_out_of_sight_is_summarized_while_another_one_answers(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(*map(said, "abc"), stream(sse_text("S on"), hold), said("z")) as server:
        talk_to(services, server)
        session = talk(window, qtbot, "tuv")
        chat = session.chat_id
        assert chat is not None
        hold_so_much(window, qtbot, rule="summarize")
        send(window, "w" * 400)
        qtbot.waitUntil(lambda: len(server.requests) == 4, timeout=PATIENCE)
        window.newChat()
        send(window, "other")
        qtbot.waitUntil(lambda: texts(window)[-1] == "z" * 400, timeout=PATIENCE)
        assert asked(server) == ["o"]
        assert session.is_answering
        window.sessions.open(chat)
        window.stop()
        wait_for_end(window, qtbot)
        assert texts(window)[-1] == "w" * 400
