"""An answer that its provider begins anew: what is shown is what the response holds, and the rest stands aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt

from rillet.core.errors import NetworkError
from rillet.core.types import ChatMessage, ChatResponse, TextPart, ToolCallPart, Usage
from rillet.qt import Engine, LlmClient
from rillet.widgets import ChatView, bind
from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.blocks.tool_card import ToolCard
from support.fake_server import FakeServer, stream
from support.spliced import call, message_start, message_stop, provider_of, text, thought
from support.views import text_on_screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

ASIDE = "Set aside: the provider began again"


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    return made


@pytest.fixture
def engine(view: ChatView) -> Iterator[Engine]:
    engine = Engine.default()
    yield engine
    engine.shutdown()


def _drawn(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not any(handle.pending for handle in view.handles()))


def _folds(view: ChatView) -> list[str]:
    """What the folds in sight say, from top to bottom."""
    shown = [block for block in view.transcript._stage.blocks.values() if isinstance(block, FoldBlock)]
    return [fold.text() for fold in sorted(shown, key=lambda fold: fold.mapTo(view, fold.rect().topLeft()).y())]


def _open(view: ChatView, title: str) -> None:
    folds = [block for block in view.transcript._stage.blocks.values() if isinstance(block, FoldBlock)]
    next(fold for fold in folds if fold.text() == title).click()


def _cards(view: ChatView) -> int:
    return sum(isinstance(block, ToolCard) for block in view.transcript._stage.blocks.values())


def test_a_chat_shows_of_a_spliced_answer_what_the_response_holds(qtbot: QtBot, view: ChatView, engine: Engine) -> None:
    first = message_start("a") + thought("Hm.") + text("The old *answer*.") + call("c1", "read", '{"path": "x"}')
    second = message_start("b") + text("The new **answer**.") + message_stop()
    with FakeServer(stream(first, second)) as server:
        bind(view, LlmClient.forProvider(provider_of(server), engine=engine))
        view.sendRequested.emit(ChatMessage.user("Why?"))
        qtbot.waitUntil(lambda: not view.composer.isBusy())
        _drawn(qtbot, view)
    assert text_on_screen(view.transcript) == "Why?\nThe new answer."
    assert _folds(view) == [ASIDE]
    assert _cards(view) == 0
    assert view.history()[-1].text == "The new **answer**."
    assert view.history()[-1].reasoning == ""
    assert view.handles()[-1].entry.source == "The new **answer**."
    _open(view, ASIDE)
    assert text_on_screen(view.transcript).splitlines()[1:4] == ["Hm.", "The old answer.", "read {"]


def test_nothing_that_waits_to_be_drawn_comes_after_the_restart(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("old " * 20_000)
    handle.onToolCallDelta(0, "c1", "read", "{}")
    handle.onRestart()
    handle.onContentDelta("new")
    handle.finish()
    _drawn(qtbot, view)
    assert text_on_screen(view.transcript) == "new"
    assert _cards(view) == 0
    assert handle.messages == [ChatMessage.assistant("new")]


def test_the_calls_of_the_second_attempt_are_counted_on(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "old", "read", '{"path')
    stale = handle.toolCall("old")
    handle.onRestart()
    handle.onToolCallDelta(1, "new", "write", '{"a": ')
    handle.onToolCallDelta(1, None, None, "1}")
    handle.onToolCallDelta(2, "more", "list", "{}")
    stale.finish("of no use")
    parts = (ToolCallPart("new", "write", '{"a": 1}'), ToolCallPart("more", "list", "{}"))
    handle.finish(ChatResponse(ChatMessage("assistant", parts), finish_reason="tool_calls"))
    _drawn(qtbot, view)
    assert handle.messages == [ChatMessage("assistant", parts)]
    assert _cards(view) == 2
    with pytest.raises(KeyError):
        handle.toolCall(0)
    assert handle.toolCall(1).name == "write"


def test_what_came_before_the_tools_answered_stays(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("I look.")
    handle.onToolCallDelta(0, "c1", "read", "{}")
    handle.onContentDelta("And then")
    handle.toolCall("c1").finish("42", seconds=0.1)
    handle.onContentDelta(" I say: 41")
    _drawn(qtbot, view)
    handle.onRestart()
    handle.onContentDelta("It is 42.")
    handle.finish()
    _drawn(qtbot, view)
    assert [section.text for section in handle.entry.sections] == ["I look.", "", "And then", " I say: 41", "It is 42."]
    assert [message.role for message in handle.messages] == ["assistant", "tool", "assistant"]
    assert handle.messages[-1] == ChatMessage.assistant("It is 42.")


def test_every_attempt_that_was_given_up_stands_aside(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    for attempt in ("first", "second"):
        handle.onContentDelta(attempt)
        _drawn(qtbot, view)
        handle.onRestart()
    handle.onContentDelta("third")
    handle.finish()
    _drawn(qtbot, view)
    assert _folds(view) == [ASIDE, ASIDE]
    assert text_on_screen(view.transcript) == "third"
    assert handle.message == ChatMessage.assistant("third")


def test_an_answer_that_begins_anew_waits_for_its_first_word(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("old")
    _drawn(qtbot, view)
    waiting = [handle.entry.waiting]
    handle.onRestart()
    waiting.append(handle.entry.waiting)
    assert waiting == [False, True]
    assert handle.message is None


def test_a_restart_before_anything_was_said_shows_nothing(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onRestart()
    handle.onContentDelta("new")
    handle.finish()
    handle.onRestart()
    _drawn(qtbot, view)
    assert _folds(view) == []
    assert handle.message == ChatMessage.assistant("new")


def test_what_was_counted_for_the_first_attempt_is_not_told_of_the_second(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("old")
    handle.onUsage(Usage(prompt_tokens=3, completion_tokens=400))
    handle.onRestart()
    handle.onContentDelta("new")
    handle.finish()
    _drawn(qtbot, view)
    assert handle.entry.foot.figures == ""


def test_a_failure_of_the_second_attempt_keeps_what_it_had(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("old")
    handle.onRestart()
    handle.onContentDelta("ne")
    partial = ChatResponse(ChatMessage("assistant", (TextPart("new"),)), incomplete=True)
    handle.fail(NetworkError("gone", partial=partial))
    _drawn(qtbot, view)
    assert text_on_screen(view.transcript).startswith("new")
    assert handle.message == ChatMessage.assistant("new")


def test_a_hidden_view_sets_aside_as_well(qtbot: QtBot, view: ChatView) -> None:
    view.hide()
    handle = view.beginAssistantStream()
    handle.onContentDelta("old")
    _drawn(qtbot, view)
    handle.onRestart()
    handle.onContentDelta("new")
    handle.finish()
    _drawn(qtbot, view)
    view.show()
    assert text_on_screen(view.transcript) == "new"
    assert _folds(view) == [ASIDE]


def test_a_selection_in_what_is_set_aside_ends(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("old words")
    _drawn(qtbot, view)
    view.transcript.reading.selector.select_all()
    handle.onRestart()
    assert view.transcript.reading.selector.selection is None


def test_a_screen_reader_hears_that_the_answer_begins_again(qtbot: QtBot, view: ChatView) -> None:
    said: list[str] = []
    handle = view.beginAssistantStream()
    narrator = view._conversation.narrator
    narrator.listens = lambda: True
    narrator.said.connect(said.append)
    handle.onContentDelta("The old sentence. And half of")
    handle.onRestart()
    handle.onContentDelta("The new one.")
    handle.finish()
    _drawn(qtbot, view)
    assert " ".join(said) == "The old sentence. The answer begins again. The new one."


def test_a_fold_that_is_open_closes_over_what_is_set_aside(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onReasoningDelta("Let me see.")
    _drawn(qtbot, view)
    fold = next(block for block in view.transcript._stage.blocks.values() if isinstance(block, FoldBlock))
    fold.setFocus(Qt.FocusReason.TabFocusReason)
    fold.click()
    handle.onRestart()
    handle.onReasoningDelta("Once more.")
    handle.finish()
    _drawn(qtbot, view)
    assert _folds(view) == [ASIDE, "Thought for 1 s"]
    assert text_on_screen(view.transcript) == ""


def test_a_card_of_the_second_attempt_does_not_wait_for_text_that_was_set_aside(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("old " * 5000)
    handle.onRestart()
    handle.onContentDelta("new")
    handle.onToolCallDelta(0, "call", "read", "{}")
    _drawn(qtbot, view)
    assert _cards(view) == 1


def test_text_that_stays_is_complete(qtbot: QtBot, view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call", "read", "{}")
    handle.onContentDelta("Meanwhile:\n\n-")
    _drawn(qtbot, view)
    handle.toolCall("call").finish("done", seconds=0.1)
    handle.onReasoningDelta("Hm.")
    handle.onRestart()
    kept = handle.entry.sections[1]
    assert (kept.text, kept.growing) == ("Meanwhile:\n\n-", False)
    assert kept.tiles()[-1].text.endswith("-")
