"""Attachments in the composer: pasted, dropped, seen, removed, undone, sent."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QImageWriter,
    QInputMethodEvent,
    QKeySequence,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from rillet.core.types import ChatMessage, FilePart, ImagePart, TextPart
from rillet.widgets.composer import Draft, Limits, attachment_of
from rillet.widgets.composer.chip import Chip
from support.drags import drag_enter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.widgets.composer import Attachment, Composer

NOTES = attachment_of(b"notes", "notes.txt")
TODO = attachment_of(b"todo", "todo.txt")
PATIENCE = 30_000
COPY = Qt.DropAction.CopyAction


def _names(composer: Composer) -> list[str]:
    return [each.name for each in composer.attachments()]


def _paste(composer: Composer, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    QTest.keySequence(composer._field, QKeySequence(QKeySequence.StandardKey.Paste))


def _undo(composer: Composer) -> None:
    QTest.keyClick(composer._field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def _redo(composer: Composer) -> None:
    QTest.keySequence(composer._field, QKeySequence(QKeySequence.StandardKey.Redo))


def _state(composer: Composer) -> tuple[str, list[str]]:
    return composer.text(), _names(composer)


def _chips(composer: Composer) -> list[Chip]:
    chips = [chip for chip in composer.findChildren(Chip) if not chip.isHidden()]
    return sorted(chips, key=lambda chip: chip.x())


def _urls(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def _image() -> Attachment:
    image = QImage(64, 32, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return attachment_of(bytes(buffer.data().data()), "red.png")


def test_text_and_attachments_go_out_in_one_message(composer: Composer, messages: list[ChatMessage]) -> None:
    image = _image()
    composer.attach(NOTES)
    composer.attach(image)
    composer.setText(" Look ")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert messages == [ChatMessage("user", (TextPart("Look"), NOTES.part, image.part))]
    assert isinstance(messages[0].parts[2], ImagePart)
    assert _state(composer) == ("", [])


def test_attachments_alone_can_be_sent(composer: Composer, messages: list[ChatMessage]) -> None:
    assert not composer._button.isEnabled()
    composer.attach(NOTES)
    assert composer._button.isEnabled()
    composer._button.click()
    assert messages == [ChatMessage("user", (NOTES.part,))]


def test_a_long_paste_becomes_a_file_and_undo_takes_it_away(composer: Composer) -> None:
    QTest.keyClicks(composer._field, "before")
    _paste(composer, "x" * 60_000)
    assert _state(composer) == ("before", ["Pasted text.txt"])
    _undo(composer)
    assert _state(composer) == ("before", [])
    _redo(composer)
    assert composer.attachments()[0].part == FilePart(b"x" * 60_000, media_type="text/plain", name="Pasted text.txt")


def test_two_long_pastes_have_two_names(composer: Composer) -> None:
    _paste(composer, "x" * 60_000)
    _paste(composer, "y" * 60_000)
    assert _names(composer) == ["Pasted text.txt", "Pasted text 2.txt"]
    second = composer.attachments()[1].part
    assert isinstance(second, FilePart)
    assert second.name == "Pasted text 2.txt"


def test_undo_and_redo_walk_through_text_and_attachments_in_order(composer: Composer) -> None:
    states = [_state(composer)]
    steps: list[Callable[[], object]] = [
        partial(QTest.keyClicks, composer._field, "one"),
        partial(composer.attach, NOTES),
        partial(QTest.keyClicks, composer._field, "two"),
        partial(composer.attach, TODO),
        partial(composer.removeAttachment, 0),
        partial(QTest.keyClicks, composer._field, "three"),
    ]
    for step in steps:
        step()
        states.append(_state(composer))
    assert states[-1] == ("onetwothree", ["todo.txt"])
    for state in reversed(states[:-1]):
        _undo(composer)
        assert _state(composer) == state
    for state in states[1:]:
        _redo(composer)
        assert _state(composer) == state


def test_one_undo_brings_back_all_that_was_sent(composer: Composer, messages: list[ChatMessage]) -> None:
    composer.attach(NOTES)
    QTest.keyClicks(composer._field, "precious")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert len(messages) == 1
    _undo(composer)
    assert _state(composer) == ("precious", ["notes.txt"])
    _redo(composer)
    assert _state(composer) == ("", [])


def test_typing_after_an_undo_leaves_only_what_was_typed_to_redo(composer: Composer) -> None:
    composer.attach(NOTES)
    _undo(composer)
    QTest.keyClicks(composer._field, "x")
    _redo(composer)
    assert _state(composer) == ("x", [])
    _undo(composer)
    _redo(composer)
    assert _state(composer) == ("x", [])


def test_attaching_after_an_undo_leaves_nothing_to_redo(composer: Composer) -> None:
    composer.attach(NOTES)
    _undo(composer)
    composer.attach(TODO)
    _redo(composer)
    assert _names(composer) == ["todo.txt"]


def test_backspace_deletes_a_selection_that_begins_the_text(composer: Composer) -> None:
    composer.attach(NOTES)
    QTest.keyClicks(composer._field, "ab")
    QTest.keyClick(composer._field, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(composer._field, Qt.Key.Key_Backspace)
    assert _state(composer) == ("", ["notes.txt"])
    assert composer._field.hasFocus()


def test_backspace_while_composing_stays_in_the_text(composer: Composer) -> None:
    composer.attach(NOTES)
    QApplication.sendEvent(composer._field, QInputMethodEvent("に", []))
    QTest.keyClick(composer._field, Qt.Key.Key_Backspace)
    assert composer._field.hasFocus()


def test_the_menu_undoes_attachments_too(composer: Composer) -> None:
    composer.attach(NOTES)
    menu = composer._field._menu()
    undo = next(action for action in menu.actions() if action.objectName() == "edit-undo")
    undo.trigger()
    assert _names(composer) == []
    menu.deleteLater()


def test_files_are_dropped_on_the_field_and_on_the_frame(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    for number, target in enumerate((composer._field.viewport(), composer)):
        path = tmp_path / f"{number}.txt"
        path.write_text("x")
        data = _urls(path)
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(target, drag_enter(COPY, data, buttons, keys))
        assert composer._dropping
        QApplication.sendEvent(composer, QDropEvent(QPointF(5, 5), COPY, data, buttons, keys))
        assert not composer._dropping
    qtbot.waitUntil(lambda: _names(composer) == ["0.txt", "1.txt"], timeout=PATIENCE)


def test_a_drag_that_leaves_leaves_no_trace(composer: Composer, tmp_path: Path) -> None:
    data = _urls(tmp_path)
    event = drag_enter(COPY, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(composer, event)
    assert composer._dropping
    QApplication.sendEvent(composer, QDragLeaveEvent())
    assert not composer._dropping


def test_text_that_is_dragged_belongs_to_the_field(composer: Composer) -> None:
    data = QMimeData()
    data.setText("dragged")
    event = drag_enter(COPY, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(composer._field.viewport(), event)
    assert event.isAccepted()
    assert not composer._dropping


def test_what_does_not_fit_is_refused_in_words_that_go_away(composer: Composer) -> None:
    refusals: list[str] = []
    composer.attachmentRefused.connect(refusals.append)
    composer.setAttachmentLimits(Limits(each=3))
    assert not composer.attach(NOTES)
    assert refusals == ["notes.txt has 5 bytes: at most 3 bytes can be attached."]
    shown = [label.text() for label in composer.findChildren(QLabel) if label.isVisible()]
    assert shown == refusals
    QTest.keyClicks(composer._field, "x")
    assert not any(label.isVisible() for label in composer.findChildren(QLabel))


def test_a_chip_says_what_it_is_and_its_cross_removes_it(composer: Composer) -> None:
    image = _image()
    composer.attach(NOTES)
    composer.attach(image)
    names = [chip.accessibleName() for chip in _chips(composer)]
    assert names == [
        "File notes.txt, 5 bytes · about 2 tokens",
        f"Image red.png, {len(image.data)} bytes · about 2 tokens",
    ]
    _chips(composer)[0]._cross.click()
    assert _names(composer) == ["red.png"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_the_keyboard_goes_from_the_text_to_the_chips_and_back(composer: Composer, key: Qt.Key) -> None:
    composer.attach(NOTES)
    composer.attach(TODO)
    QTest.keyClick(composer._field, Qt.Key.Key_Backspace)
    assert _focused() is _chips(composer)[1]
    QTest.keyClick(_focused(), Qt.Key.Key_Left)
    assert _focused() is _chips(composer)[0]
    QTest.keyClick(_focused(), key)
    assert _names(composer) == ["todo.txt"]
    assert _focused() is _chips(composer)[0]
    QTest.keyClick(_focused(), key)
    assert _names(composer) == []
    assert composer._field.hasFocus()


def test_escape_and_the_right_end_lead_back_to_the_text(composer: Composer) -> None:
    composer.attach(NOTES)
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Right):
        QTest.keyClick(composer._field, Qt.Key.Key_Backspace)
        QTest.keyClick(_focused(), key)
        assert composer._field.hasFocus()
    assert _names(composer) == ["notes.txt"]


def test_a_broken_image_is_shown_as_a_file_would_be(composer: Composer) -> None:
    composer.attach(attachment_of(b"\x89PNG\r\n\x1a\nbroken", "broken.png"))
    assert not composer.grab().isNull()
    thumbnail = _chips(composer)[0]._thumbnail
    assert thumbnail is not None
    assert thumbnail.pixmap.isNull()


def test_many_chips_scroll_instead_of_widening_the_composer(composer: Composer) -> None:
    least = composer.minimumSizeHint().width()
    for number in range(12):
        composer.attach(attachment_of(b"x", f"a file with a long name {number}.txt"))
    assert composer.minimumSizeHint().width() <= max(least, 300)
    QApplication.processEvents()
    _chips(composer)[-1].setFocus()
    assert composer.rect().contains(_chips(composer)[-1].mapTo(composer, QPoint(0, 0)))


def test_chips_count_against_the_height_limit(composer: Composer) -> None:
    composer.setHeightLimit(220)
    composer.setText("x\n" * 100)
    composer.attach(NOTES)
    QApplication.processEvents()
    assert 180 <= composer.sizeHint().height() <= 220


def test_a_draft_comes_back_as_it_was_left(composer: Composer) -> None:
    composer.setText("half a 😀 thought")
    composer.attach(NOTES)
    cursor = composer._field.textCursor()
    cursor.setPosition(6)
    composer._field.setTextCursor(cursor)
    draft = composer.draft()
    composer.setDraft(Draft())
    assert _state(composer) == ("", [])
    composer.setDraft(draft)
    assert composer.draft() == draft == Draft("half a 😀 thought", (NOTES,), 6)


def test_undo_does_not_lead_into_the_draft_of_another_chat(composer: Composer) -> None:
    composer.attach(NOTES)
    composer.removeAttachment(0)
    composer.setText("secret")
    composer.setDraft(Draft("other"))
    QTest.keyClicks(composer._field, "s")
    for _ in range(3):
        _undo(composer)
        assert _state(composer) == ("other", [])


def test_a_host_hears_of_every_change_of_the_draft(composer: Composer) -> None:
    drafts: list[Draft] = []
    composer.draftChanged.connect(lambda: drafts.append(composer.draft()))
    QTest.keyClicks(composer._field, "ab")
    composer.attach(NOTES)
    assert [(draft.text, len(draft.attachments)) for draft in drafts] == [("a", 0), ("ab", 0), ("ab", 1)]


def test_an_empty_draft_is_not_worth_keeping() -> None:
    assert not Draft()
    assert Draft("x")
    assert Draft(items=(NOTES,))


def test_the_estimate_is_shown_for_long_texts_only_and_counts_files(composer: Composer) -> None:
    composer.setText("word " * 100)
    assert not composer._notes.count.isVisible()
    composer.setText("word " * 1000)
    assert composer._notes.count.isVisible()
    assert composer._notes.count.text() == "about 1,200 tokens"
    composer.attach(attachment_of(b"word " * 10_000, "long.txt"))
    assert composer._notes.count.text() == "about 14k tokens"


def _focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget
