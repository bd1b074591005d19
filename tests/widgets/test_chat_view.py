from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import shiboken6
from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from rillet.core.errors import AuthError, Cancelled, NetworkError
from rillet.core.types import ChatMessage, ChatResponse, ReasoningPart, TextPart
from rillet.widgets import ChatView, MessageHandle
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.blocks.footer import FooterBlock
from rillet.widgets.blocks.frame import MessageFrame
from rillet.widgets.blocks.pulse import Pulse
from rillet.widgets.theme.palette import Theme, apply, palette
from rillet.widgets.theme.tokens import DARK, LIGHT
from support.views import ANSWER, text_on_screen, text_views

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


def _drawn(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not any(handle.pending for handle in view.handles()))


def _footer(view: ChatView, handle: MessageHandle) -> FooterBlock:
    block = view.transcript._stage.blocks[handle.entry.footer]
    assert isinstance(block, FooterBlock)
    return block


def _retry_buttons(view: ChatView) -> list[Button]:
    return [button for button in view.findChildren(Button) if button.text() == "Try again" and button.isVisible()]


def test_what_is_typed_is_asked_for_and_not_shown_by_itself(view: ChatView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.sendRequested) as asked:
        QTest.keyClicks(view.composer._field, "Hello")
        QTest.keyClick(view.composer._field, Qt.Key.Key_Return)
    assert asked.args == [ChatMessage.user("Hello")]
    assert view.history() == []


def test_deltas_become_text_on_the_screen_and_history_at_once(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Why?"))
    handle = view.beginAssistantStream()
    assert view.composer.isBusy()
    for delta in ("Because ", "*so*", " it is."):
        handle.onContentDelta(delta)
    assert view.history() == [ChatMessage.user("Why?"), ChatMessage.assistant("Because *so* it is.")]
    handle.finish()
    _drawn(qtbot, view)
    assert text_on_screen(view.transcript) == "Why?\nBecause so it is."
    assert not view.composer.isBusy()


def test_a_burst_is_shown_over_several_frames_and_nothing_is_missing(view: ChatView, qtbot: QtBot) -> None:
    text = "A sentence of the burst, which is one of many.\n\n" * 1000
    handle = view.beginAssistantStream()
    left = []
    advance = handle.advance

    def counting() -> bool:
        more = advance()
        left.append(len(text) - len(handle.entry.source))
        return more

    handle.advance = counting  # type: ignore[method-assign]
    for at in range(0, len(text), 10):
        handle.onContentDelta(text[at : at + 10])
    handle.finish()
    _drawn(qtbot, view)
    assert len(left) >= len(text) // 1500
    assert left == sorted(left, reverse=True)
    assert handle.entry.source == text


def test_a_hidden_view_takes_a_burst_at_once(view: ChatView, qtbot: QtBot) -> None:
    view.hide()
    handle = view.beginAssistantStream()
    handle.appendText(ANSWER * 50)
    assert not handle.advance()
    assert handle.entry.sections[0].text == ANSWER * 50


def test_reasoning_stands_under_a_fold_that_tells_its_time(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onReasoningDelta("Let me see.")
    _drawn(qtbot, view)
    fold = view.findChild(FoldBlock)
    assert fold is not None
    assert fold.text() == "Thinking…"
    handle.onContentDelta("Yes.")
    _drawn(qtbot, view)
    assert fold.text() == "Thought for 1 s"
    assert text_on_screen(view.transcript) == "Yes."
    handle.finish()
    assert view.history() == [ChatMessage("assistant", (ReasoningPart("Let me see."), TextPart("Yes.")))]


def test_a_status_shows_beside_a_pulse_until_text_comes(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    footer = _footer(view, handle)
    pulse = footer.findChild(Pulse)
    assert pulse is not None
    assert pulse.isVisible()
    assert pulse.moving
    handle.setStatus("starting the built-in model…")
    assert [label.text() for label in footer.findChildren(QLabel) if label.isVisible()] == [
        "starting the built-in model…"
    ]
    handle.appendText("Hello")
    _drawn(qtbot, view)
    assert not [label for label in footer.findChildren(QLabel) if label.isVisible()]
    assert not pulse.isVisible()
    assert not pulse.moving


def test_an_error_stands_under_the_kept_text_with_a_way_to_try_again(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Why?"))
    handle = view.beginAssistantStream()
    handle.appendText("Because")
    error = AuthError("no such key", provider="OpenAI")
    handle.onError(error)
    handle.fail(NetworkError("another"))
    _drawn(qtbot, view)
    footer = _footer(view, handle)
    assert footer._card.sentence.toPlainText() == error.user_message
    assert text_on_screen(view.transcript) == "Why?\nBecause"
    assert view.history()[-1] == ChatMessage.assistant("Because")
    assert not view.composer.isBusy()
    (button,) = _retry_buttons(view)
    with qtbot.waitSignal(view.retryRequested) as asked:
        button.click()
    assert asked.args == [handle]


def test_an_error_with_a_long_word_is_shown_whole(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.fail("https://" + "a" * 300)
    _drawn(qtbot, view)
    footer = _footer(view, handle)
    error = footer._card.sentence
    assert error.height() >= error.document().size().height()
    assert error.document().size().width() <= error.width()
    assert footer.height() >= error.geometry().bottom()


@pytest.mark.parametrize("width", [900, 400])
def test_an_error_and_its_button_have_room_side_by_side_or_one_below_the_other(
    view: ChatView, qtbot: QtBot, width: int
) -> None:
    view.resize(width, 500)
    handle = view.beginAssistantStream()
    handle.fail("The connection to the provider failed: it broke off in the middle of the answer. Try again.")
    _drawn(qtbot, view)
    footer = _footer(view, handle)
    (button,) = _retry_buttons(view)
    assert not footer._card.sentence.geometry().intersects(button.geometry())
    assert footer.rect().contains(button.geometry())
    assert footer._card.sentence.width() >= 280


def test_one_types_wherever_the_focus_is(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Hello"))
    view.transcript.setFocus()
    QTest.keyClick(view.transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert view.transcript.hasFocus()
    QTest.keyClicks(view.transcript, "h")
    field = view.composer.focusProxy()
    assert field is not None and field.hasFocus()
    assert view.composer.text() == "h"
    view.transcript.setFocus()
    QApplication.clipboard().setText("ave")
    QTest.keyClick(view.transcript, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert view.composer.text() == "have"


def test_the_keyboard_goes_from_the_composer_to_a_message_and_back(view: ChatView, qtbot: QtBot) -> None:
    view.addMessages([ChatMessage.user("Hello"), ChatMessage.assistant("Hi")])
    field = view.composer.focusProxy()
    assert field is not None
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    message = QApplication.focusWidget()
    assert isinstance(message, MessageFrame)
    QTest.keyClicks(message, "x")
    assert field.hasFocus() and view.composer.text() == "x"


@pytest.mark.parametrize(
    ("reason", "ringed"), [(Qt.FocusReason.TabFocusReason, True), (Qt.FocusReason.MouseFocusReason, False)]
)
def test_the_keyboard_sees_that_it_is_in_the_conversation(view: ChatView, reason: Qt.FocusReason, ringed: bool) -> None:
    view.setTheme(Theme.of(LIGHT))
    view.addMessage(ChatMessage.user("Hello"))
    view.transcript.setFocus(reason)
    corner = view.transcript.grab().toImage().pixelColor(1, 1)
    assert (corner == QColor(LIGHT.accent)) is ringed
    view.composer.setFocus()
    assert view.transcript.grab().toImage().pixelColor(1, 1) != QColor(LIGHT.accent)


def test_trying_again_is_offered_only_at_the_end(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.fail("broken")
    _drawn(qtbot, view)
    assert len(_retry_buttons(view)) == 1
    view.addMessage(ChatMessage.user("Never mind."))
    assert _retry_buttons(view) == []
    assert _footer(view, handle)._card.sentence.toPlainText() == "broken"


def test_stopping_says_so_and_keeps_what_had_arrived(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.appendText("One, two")
    partial = ChatResponse(ChatMessage.assistant("One, two, three"), incomplete=True)
    handle.fail(Cancelled(partial=partial))
    _drawn(qtbot, view)
    assert view.history() == [ChatMessage.assistant("One, two, three")]
    assert text_on_screen(view.transcript) == "One, two, three"
    assert handle.entry.foot.note == "Stopped by you"
    assert handle.entry.foot.error == ""


@pytest.mark.parametrize(
    ("reason", "words"),
    [("stop", ""), ("length", "length limit"), ("content_filter", "filter"), ("tool_calls", "tool"), (None, "")],
)
def test_an_unusual_end_is_told(view: ChatView, qtbot: QtBot, reason: str | None, words: str) -> None:
    handle = view.beginAssistantStream()
    handle.appendText("Text")
    message = ChatMessage.assistant("Text")
    handle.finish(ChatResponse(message, finish_reason=reason))  # type: ignore[arg-type]
    _drawn(qtbot, view)
    assert words in handle.entry.foot.note
    assert bool(words) == bool(handle.entry.foot.note)
    assert view.history() == [message]


def test_a_refusal_is_shown_as_what_the_model_said(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.finish(
        ChatResponse(ChatMessage("assistant", ()), finish_reason="refusal", refusal="I can't help with that.")
    )
    _drawn(qtbot, view)
    assert text_on_screen(view.transcript) == "I can't help with that."
    assert "declined" in handle.entry.foot.note
    assert view.history() == [ChatMessage.assistant("I can't help with that.")]


def test_an_empty_answer_is_no_blank_space(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.finish(ChatResponse(ChatMessage("assistant", ()), finish_reason="stop"))
    _drawn(qtbot, view)
    assert handle.entry.foot.note == "The model sent an empty answer"
    assert len(_retry_buttons(view)) == 1
    assert view.history() == []


def test_a_repetition_is_told(view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.onRetry(2, 3.2, NetworkError("gone"))
    assert handle.entry.foot.status == "Trying again in 3 s (attempt 2)"


def test_the_response_is_what_history_keeps(view: ChatView) -> None:
    handle = view.beginAssistantStream()
    handle.appendText("Text")
    signed = ChatMessage("assistant", (TextPart("Text", provider_metadata={"signature": "s"}),))
    handle.finish(ChatResponse(signed, finish_reason="stop"))
    assert view.history() == [signed]
    assert view.history()[0].parts[0].provider_metadata == {"signature": "s"}


def test_a_closed_message_takes_nothing_more(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.appendText("Text")
    handle.finish()
    handle.appendText(" more")
    handle.setStatus("late")
    _drawn(qtbot, view)
    assert text_on_screen(view.transcript) == "Text"
    assert view.addMessage(ChatMessage.user("x")).isOpen() is False


def test_messages_that_are_not_for_people_are_kept_but_not_shown(view: ChatView) -> None:
    messages = [ChatMessage.system("Be brief."), ChatMessage.user("Hi"), ChatMessage.tool("id", "output")]
    for message in messages:
        view.addMessage(message)
    assert view.history() == messages
    assert text_on_screen(view.transcript) == "Hi"


def test_clearing_forgets_everything_and_silences_open_handles(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Why?"))
    handle = view.beginAssistantStream()
    handle.appendText("Because")
    view.clear()
    handle.appendText("more")
    handle.fail("broken")
    assert view.history() == []
    assert not view.composer.isBusy()
    assert view.welcome.isVisible()
    view.addMessage(ChatMessage.user("Again?"))
    assert text_on_screen(view.transcript) == "Again?"


def test_removing_an_answer_that_streams_asks_for_it_to_be_stopped(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Why?"))
    view.beginAssistantStream()
    with qtbot.waitSignal(view.stopRequested):
        view.clear()
    with qtbot.assertNotEmitted(view.stopRequested):
        view.addMessage(ChatMessage.user("Why?"))
        view.clear()


def test_a_long_conversation_is_added_with_one_layout(view: ChatView, monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[None] = []
    place = view.transcript.place
    monkeypatch.setattr(view.transcript, "place", lambda: placed.append(place()))
    messages = [ChatMessage.user(f"Question {i}") for i in range(500)]
    handles = view.addMessages(messages)
    assert view.history() == messages
    assert [handle.message for handle in handles] == messages
    assert len(placed) <= 3  # added, given a size, shown
    assert text_on_screen(view.transcript).endswith("Question 499")


def test_removing_takes_away_a_message_and_all_behind_it(view: ChatView) -> None:
    view.addMessage(ChatMessage.system("Be brief."))
    view.addMessage(ChatMessage.user("one"))
    second = view.addMessage(ChatMessage.assistant("two"))
    view.addMessage(ChatMessage.user("three"))
    view.removeFrom(second)
    assert [message.text for message in view.history()] == ["Be brief.", "one"]
    assert text_on_screen(view.transcript) == "one"
    with pytest.raises(ValueError, match="not in list"):
        view.removeFrom(second)


def test_an_empty_chat_offers_prompts_that_fill_the_composer_and_send_nothing(view: ChatView, qtbot: QtBot) -> None:
    sent: list[object] = []
    view.sendRequested.connect(sent.append)
    prompt = view.welcome.prompts()[0]
    button = next(button for button in view.welcome.findChildren(Button) if button.text() == prompt)
    button.click()
    assert view.composer.text() == prompt
    assert sent == []
    view.addMessage(ChatMessage.user("Hi"))
    assert not view.welcome.isVisible()


def test_a_view_that_is_deleted_in_mid_stream_takes_deltas_in_silence(qtbot: QtBot) -> None:
    view = ChatView()
    view.show()
    handle = view.beginAssistantStream()
    handle.appendText("Text")
    view.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not shiboken6.isValid(view)
    handle.appendText(" more")
    handle.onReasoningDelta("hm")
    handle.setStatus("waiting")
    handle.onRetry(2, 1.0, NetworkError("gone"))
    handle.fail("broken")
    QApplication.processEvents()
    assert handle.message == ChatMessage("assistant", (TextPart("Text more"), ReasoningPart("hm")))


def test_an_answer_that_failed_at_once_is_shown_again_with_its_reason(view: ChatView) -> None:
    _, failed, _, last = view.addMessages(
        [ChatMessage.user("Why?"), ChatMessage("assistant", ()), ChatMessage.user("Why?"), ChatMessage("assistant", ())]
    )
    failed.setEnding(error="The key was refused.")
    last.setEnding(error="The key was refused again.", retry=True)
    assert [each.entry.index for each in view.handles()] == [0, 1, 2, 3]
    assert last.entry.foot.error == "The key was refused again."
    assert last.entry.foot.retry
    view.removeFrom(failed)
    assert [message.text for message in view.history()] == ["Why?"]


def test_the_look_follows_the_application(view: ChatView, qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.palette(), app.styleSheet(), app.font()
    view.addMessage(ChatMessage.user("Why?"))
    view.addMessage(ChatMessage.assistant(ANSWER))
    try:
        for tokens in (DARK, LIGHT):
            apply(app, tokens)
            qtbot.waitUntil(partial(_writes_in, view, tokens.text.lower()))
            image = view.grab().toImage()
            assert image.pixelColor(3, 3).name() == tokens.window.lower()
    finally:
        app.setPalette(before[0])
        app.setStyleSheet(before[1])
        app.setFont(before[2])


def _writes_in(view: ChatView, colour: str) -> bool:
    start = text_views(view.transcript, "text")[0].document().begin().begin().fragment()
    return start.charFormat().foreground().color().name() == colour


def test_a_view_that_is_hidden_takes_the_look_when_it_is_shown(view: ChatView, qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.palette(), app.styleSheet(), app.font()
    view.addMessage(ChatMessage.assistant(ANSWER))
    try:
        apply(app, LIGHT)
        qtbot.waitUntil(partial(_writes_in, view, LIGHT.text.lower()))
        view.hide()
        apply(app, DARK)
        qtbot.waitUntil(lambda: view._outdated)
        assert _writes_in(view, LIGHT.text.lower()), "nobody sees it, and it takes time"
        view.show()
        assert _writes_in(view, DARK.text.lower())
    finally:
        app.setPalette(before[0])
        app.setStyleSheet(before[1])
        app.setFont(before[2])


@pytest.mark.parametrize("sheet", ["", "QToolTip { color: red; }"])
def test_a_theme_that_was_set_stays(sheet: str, view: ChatView) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.palette(), app.styleSheet()
    app.setStyleSheet(sheet)
    view.setTheme(Theme.of(DARK))
    view.addMessage(ChatMessage.user("Why?"))
    try:
        app.setPalette(palette(LIGHT))
        QApplication.processEvents()
        image = view.grab().toImage()
        corners = {image.pixelColor(3, y).name() for y in (3, image.height() - 3)}
        assert corners == {DARK.window.lower()}
        assert view.composer._field.palette().color(QPalette.ColorRole.Text).name() == DARK.text.lower()
    finally:
        app.setPalette(before[0])
        app.setStyleSheet(before[1])


def test_the_composer_takes_at_most_two_fifths_of_the_height(view: ChatView, qtbot: QtBot) -> None:
    view.composer.setText("line\n" * 200)
    QApplication.processEvents()
    assert 0.3 * view.height() < view.composer.height() <= 0.4 * view.height()
    view.resize(800, 400)
    QApplication.processEvents()
    assert view.composer.height() <= 160


HOSTILE = """\
<script>alert(1)</script><img src="file:///etc/passwd"> ![x](file:///etc/passwd) ![y](https://example.org/track.png)

[click](javascript:alert) [file](file:///etc/passwd) [data](data:text/html,x) [ok](https://example.org/)

\u2028 \ud800 \x00 \ufdd0 \ufdd1 \u2029 \r end
"""


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_hostile_text_is_only_text(view: ChatView, qtbot: QtBot, role: str) -> None:
    followed: list[QUrl] = []
    view.linkActivated.connect(followed.append)
    message = ChatMessage.user(HOSTILE) if role == "user" else ChatMessage.assistant(HOSTILE)
    view.addMessage(message)
    view.grab()
    text = text_on_screen(view.transcript)
    assert "<script>" in text
    assert "end" in text
    for shown in text_views(view.transcript):
        for address in ("file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "", "#top", "relative"):
            shown.anchorClicked.emit(QUrl(address))
        assert shown.source().isEmpty()
        assert shown.toPlainText() in text
    assert followed == []
    text_views(view.transcript)[0].anchorClicked.emit(QUrl("HTTPS://example.org/"))
    assert followed == [QUrl("https://example.org/")]
