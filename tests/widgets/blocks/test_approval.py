from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit

from rillet.core.tools.policy.calls import LONGEST_COMMAND
from rillet.core.visible import is_hidden, visible
from rillet.widgets.blocks import approval
from rillet.widgets.blocks.approval import ApprovalCard, call_text
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.model import Entry
from rillet.widgets.transcript.tool import ApprovalAnswer, ApprovalRequest, Choice, ToolSection

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

CALL = '{"command":"ls"}'


def _section(request: ApprovalRequest) -> ToolSection:
    section = ToolSection(request.name, "call_1", request.arguments)
    section.set_status("waiting")
    section.request = request
    return section


def _card(qtbot: QtBot, request: ApprovalRequest, width: int = 720) -> ApprovalCard:
    card = ApprovalCard()
    qtbot.addWidget(card)
    theme = Theme.of(LIGHT)
    card.set_theme(theme)
    section = _section(request)
    card.resize(width, approval.height(section.approval, width, theme))
    card.bind(Entry("assistant", [section]), section.approval, None)
    card.show()
    card.activateWindow()
    qtbot.waitUntil(card.isActiveWindow)
    return card


def _answers(card: ApprovalCard) -> list[ApprovalAnswer]:
    got: list[ApprovalAnswer] = []
    card.answered.connect(lambda _entry, _section, answer: got.append(answer))
    return got


def test_what_runs_something_is_dead_at_first_and_no_is_not(qtbot: QtBot) -> None:
    request = ApprovalRequest("1", "bash", CALL)
    card = _card(qtbot, request)
    got = _answers(card)
    for choice in ("once", "chat", "always"):
        card.button(choice).click()
        assert not card.button(choice).isEnabled()
    QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert got == []
    card.button("no").click()
    assert got == [ApprovalAnswer(request, "no")]


@pytest.mark.parametrize("choice", ["once", "chat", "always", "no"])
def test_every_answer_is_one_click(qtbot: QtBot, choice: Choice) -> None:
    request = ApprovalRequest("1", "bash", CALL)
    card = _card(qtbot, request)
    got = _answers(card)
    qtbot.waitUntil(lambda: card.armed)
    card.button(choice).click()
    assert got == [ApprovalAnswer(request, choice)]


@pytest.mark.parametrize(
    ("key", "choice"),
    [(Qt.Key.Key_1, "once"), (Qt.Key.Key_2, "chat"), (Qt.Key.Key_3, "always")],
)
def test_every_answer_has_a_key(qtbot: QtBot, key: Qt.Key, choice: Choice) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    got = _answers(card)
    qtbot.waitUntil(lambda: card.armed)
    QTest.keyClick(card.button("no"), key, Qt.KeyboardModifier.ControlModifier)
    assert [answer.choice for answer in got] == [choice]


def test_escape_is_no(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    got = _answers(card)
    QTest.keyClick(card.button("no"), Qt.Key.Key_Escape)
    assert [answer.choice for answer in got] == ["no"]


def test_a_card_that_shows_another_question_is_guarded_again(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    qtbot.waitUntil(lambda: card.armed)
    section = _section(ApprovalRequest("2", "bash", '{"command":"rm -rf /"}'))
    card.bind(Entry("assistant", [section]), section.approval, None)
    assert [card.armed] == [False]
    qtbot.waitUntil(lambda: card.armed)


def test_a_card_that_was_out_of_sight_is_guarded_again(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    qtbot.waitUntil(lambda: card.armed)
    card.hide()
    card.show()
    assert [card.armed] == [False]


def test_the_safe_answer_has_the_focus(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    assert QApplication.focusWidget() is card.button("no")


def test_nobody_loses_the_focus_in_the_middle_of_a_sentence(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    card.hide()
    field = QPlainTextEdit("Half a sent")
    qtbot.addWidget(field)
    field.show()
    field.activateWindow()
    qtbot.waitUntil(field.isActiveWindow)
    field.setFocus()
    assert QApplication.focusWidget() is field
    card.setParent(field)
    card.show()
    assert QApplication.focusWidget() is field


def test_the_call_is_shown_whole_and_nothing_of_it_is_hidden() -> None:
    arguments = json.dumps({"command": "rm -rf ~ \u202e#\u200b\x1b[8m\u2066", "path": "a\tb"}, ensure_ascii=False)
    shown = call_text(ApprovalRequest("1", "ba\u202esh", arguments))
    assert not any(is_hidden(character) for character in shown)
    assert "U+202E" in shown.splitlines()[0]
    for code in ("U+202E", "U+200B", "U+2066"):
        assert code in shown.split("\n", 1)[1]


@pytest.mark.parametrize(
    ("hidden", "seen"),
    [
        *((character, f"⟨U+{ord(character):04X}⟩") for character in "\u202e\u2066\u200b\xad\ufeff\x1b"),
        ("\n" * 200, "⟨U+000A×199⟩\n"),
        ("x" * 20_000, "x" * 20_000),
        ("<b>", "<b>"),
    ],
)
def test_what_would_be_overlooked_in_a_command_is_seen(qtbot: QtBot, hidden: str, seen: str) -> None:
    command = f"ls {hidden}; rm x"
    request = ApprovalRequest("1", "bash", json.dumps({"command": command}), shown=visible(command))
    card = _card(qtbot, request)
    assert card._call.toPlainText() == f"ls {seen}; rm x"
    assert not any(is_hidden(character) for character in card._call.toPlainText())


def test_what_is_too_long_to_be_shown_is_counted() -> None:
    arguments = json.dumps({"content": "x" * 500_000})
    shown = call_text(ApprovalRequest("1", "write", arguments))
    assert shown.endswith(f"… and {len(arguments) - approval.SHOWN:,} more characters that are not shown here")


def test_no_command_that_is_asked_about_is_too_long_to_be_shown() -> None:
    request = ApprovalRequest("r", "bash", "{}", shown=LONGEST_COMMAND * "x")
    assert approval.call_text(request) == request.shown


def test_a_question_is_a_group_with_a_name_for_a_screen_reader(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL))
    interface = QAccessible.queryAccessibleInterface(card)
    assert interface.role() is QAccessible.Role.Grouping
    assert interface.text(QAccessible.Text.Name) == "Run the tool bash?"
    names = {card.button(choice).accessibleName() for choice in ("no", "once", "chat", "always")}
    assert names == {"No, Esc", "Once, Ctrl+1", "For this chat, Ctrl+2", "Always for exactly this, Ctrl+3"}


def test_html_in_a_question_is_text(qtbot: QtBot) -> None:
    request = ApprovalRequest("1", "<b>bash</b>", '{"command":"<img src=x>"}', prompt="<h1>Yes?</h1>")
    card = _card(qtbot, request)
    assert card._prompt.text() == "<h1>Yes?</h1>"
    assert card._prompt.textFormat() is Qt.TextFormat.PlainText
    assert "<img src=x>" in card._call.toPlainText()


@pytest.mark.parametrize("width", [720, 372, 250])
@pytest.mark.parametrize("lines", [1, 5, 500])
def test_everything_has_its_place_in_the_card(qtbot: QtBot, width: int, lines: int) -> None:
    value = "a value that is long enough to be broken in a narrow window"
    arguments = json.dumps({f"name {i}": value for i in range(lines)})
    card = _card(qtbot, ApprovalRequest("1", "bash", arguments), width)
    buttons = [card.button(choice) for choice in ("no", "once", "chat", "always")]
    parts = [card._prompt, card._call, *buttons]
    for part in parts:
        assert card.rect().contains(part.geometry())
    for above, part in pairwise(parts):
        assert not above.geometry().intersects(part.geometry())
    bar = card._call.verticalScrollBar()
    assert (bar.maximum() > 0) == (card._call.height() == approval._HIGHEST)


def test_only_what_is_offered_can_be_answered(qtbot: QtBot) -> None:
    card = _card(qtbot, ApprovalRequest("1", "bash", CALL, choices=("once", "folder")))
    qtbot.waitUntil(lambda: card.armed)
    got = _answers(card)
    shown: list[Choice] = ["no", "once", "chat", "folder", "always"]
    assert [choice for choice in shown if card.button(choice).isVisible()] == ["no", "once", "folder"]
    QTest.keyClick(card, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(card, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert got == []
    QTest.keyClick(card, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert [answer.choice for answer in got] == ["folder"]


def test_what_would_change_stands_above_the_exact_call_and_what_to_know_above_both(qtbot: QtBot) -> None:
    diff = "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n"
    request = ApprovalRequest("1", "edit", '{"path":"a"}', diff=diff, notes=("It is not confined.",))
    card = _card(qtbot, request)
    text = call_text(request)
    assert text.startswith(diff)
    assert text.endswith('edit {\n  "path": "a"\n}')
    assert "It is not confined." in [label.text() for label in card.findChildren(QLabel)]


def test_a_command_is_shown_as_it_would_run() -> None:
    request = ApprovalRequest("1", "bash", '{"command":"ls -l"}', shown="ls -l")
    assert call_text(request) == "ls -l"
