"""Answers are read out while they are written, in few and whole announcements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QAccessible

from rillet.widgets import ChatView
from rillet.widgets.narrator import Narrator

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a screen reader was given to say."""
    heard: list[str] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: heard.append(event.message()))
    return heard


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.show()
    return made


def _drawn(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not any(handle.pending for handle in view.handles()))


def test_the_first_sentence_is_said_at_once_and_the_others_together(qtbot: QtBot) -> None:
    narrator = Narrator(listens=lambda: True)
    heard: list[str] = []
    narrator.said.connect(heard.append)
    voice = narrator.voice()
    voice.hear("One sentence. And ")
    assert heard == ["One sentence."]
    voice.hear("a second. Then a third. More ")
    assert heard == ["One sentence."]
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert heard[1] == "And a second. Then a third."
    voice.end()
    assert heard[2] == "More"


def test_a_thousand_sentences_in_a_burst_are_two_announcements(qtbot: QtBot) -> None:
    narrator = Narrator(listens=lambda: True)
    heard: list[str] = []
    narrator.said.connect(heard.append)
    voice = narrator.voice()
    for number in range(1000):
        voice.hear(f"This is sentence {number}. ")
    voice.end()
    assert len(heard) == 2
    assert " ".join(heard).split(". ")[-1] == "This is sentence 999."


def test_two_answers_at_once_do_not_break_into_each_other_s_sentences() -> None:
    narrator = Narrator(listens=lambda: True)
    heard: list[str] = []
    narrator.said.connect(heard.append)
    one, other = narrator.voice(), narrator.voice()
    one.hear("The first ")
    other.hear("The second ")
    one.hear("answer")
    other.hear("answer")
    one.end()
    other.end()
    assert heard == ["The first answer", "The second answer"]


def test_what_is_not_read_out_is_counted() -> None:
    narrator = Narrator(listens=lambda: True)
    heard: list[str] = []
    narrator.said.connect(heard.append)
    voice = narrator.voice()
    voice.hear("```python\na\nb\n```\n\n```\nx\n```\n\n| a |\n|-|\n| 1 |\n\n~~~" + "y" * 500 + "\n~~~\n")
    voice.end()
    assert " ".join(heard) == (
        "python code block, 2 lines. Code block, 1 line. Table, 1 row. " + "y" * 24 + " code block, 0 lines."
    )


def test_nothing_is_read_out_where_nobody_listens() -> None:
    narrator = Narrator(listens=lambda: False)
    heard: list[str] = []
    narrator.said.connect(heard.append)
    voice = narrator.voice()
    voice.hear("One sentence. And another. ")
    voice.end()
    assert heard == []


def test_a_view_announces_the_answer_and_its_end(view: ChatView, qtbot: QtBot, said: list[str]) -> None:
    handle = view.beginAssistantStream()
    handle.onReasoningDelta("Hidden thoughts. They stay so. ")
    for delta in ("The *answer* ", "is 42. ", "It really ", "is"):
        handle.onContentDelta(delta)
    handle.finish()
    qtbot.waitUntil(lambda: not handle.pending)
    assert said == ["The answer is 42.", "It really is", "Answer finished"]


def test_announcements_can_be_switched_off_and_on_again(view: ChatView, qtbot: QtBot, said: list[str]) -> None:
    view.setAnnouncements(False)
    handle = view.beginAssistantStream()
    handle.onContentDelta("Not said.\n\n")
    view.setAnnouncements(True)
    handle.onContentDelta("This is said.\n\n")
    view.setAnnouncements(False)
    handle.onContentDelta("No more.\n\n")
    handle.fail("It broke.")
    qtbot.waitUntil(lambda: not handle.pending)
    assert said == ["This is said.", "It broke."]


def test_a_screen_reader_is_told_how_an_answer_ended(view: ChatView, qtbot: QtBot, said: list[str]) -> None:
    view.beginAssistantStream().finish(note="cut")
    view.beginAssistantStream().fail("broken")
    handle = view.beginAssistantStream()
    handle.appendText("Text")
    handle.finish()
    _drawn(qtbot, view)
    assert said == ["cut", "broken", "Text", "Answer finished"]


def test_when_a_screen_reader_hears_of_the_end_all_of_the_answer_can_be_read(view: ChatView, qtbot: QtBot) -> None:
    answer = "A *long* one. " * 400
    read: list[tuple[str, str]] = []

    def listen(sentence: str) -> None:
        frame = view.transcript._stage.frames[view.handles()[-1].entry]
        read.append((sentence, frame.accessibleDescription()))

    handle = view.beginAssistantStream()
    view._conversation.said.connect(listen)
    handle.appendText(answer)
    handle.finish()
    _drawn(qtbot, view)
    assert read == [("Answer finished", answer)]


def test_an_answer_that_is_being_written_is_described_when_the_keyboard_comes_to_it(
    view: ChatView, qtbot: QtBot
) -> None:
    handle = view.beginAssistantStream()
    handle.appendText("So far")
    _drawn(qtbot, view)
    view.transcript.focus_entry(1)
    assert view.transcript._stage.frames[handle.entry].accessibleDescription() == "So far"
