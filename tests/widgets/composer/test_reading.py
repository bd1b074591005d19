"""Files are read while the person goes on, and what is sent waits for them."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from rillet import widgets
from rillet.core.attachments.problems import SENTENCES
from rillet.core.types import FilePart, ImagePart, TextPart
from rillet.widgets.composer import Draft, Limits, attachment_of, incoming
from rillet.widgets.composer.chip import Chip
from rillet.widgets.composer.preview import Preview
from rillet.widgets.image_viewer import ImageViewer
from rillet.widgets.paged_text import PART, PagedText
from support.office import pdf
from support.pictures import picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from rillet.core.attachments.progress import Tell
    from rillet.core.types import ChatMessage
    from rillet.widgets.composer import Attachment, Composer

PACKAGE = Path(widgets.__file__).parent
PATIENCE = 30_000


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Files are read only once this was called."""
    opened = threading.Event()
    read = incoming.read_source

    async def read_later(source: incoming.Source, name: str, kept: int, tell: Tell) -> Attachment:
        await asyncio.to_thread(opened.wait, 60)
        return await read(source, name, kept, tell)

    monkeypatch.setattr(incoming, "read_source", read_later)
    return opened.set


def _chips(composer: Composer) -> list[Chip]:
    return sorted((each for each in composer.findChildren(Chip) if not each.isHidden()), key=lambda chip: chip.x())


def _told(composer: Composer) -> list[str]:
    return [chip.accessibleName() for chip in _chips(composer)]


def _text_file(tmp_path: Path, name: str = "a.txt", text: str = "hello") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def test_a_file_is_there_at_once_and_read_after_that(
    composer: Composer, tmp_path: Path, gate: Callable[[], None], qtbot: QtBot
) -> None:
    composer.attachFiles([_text_file(tmp_path)])
    assert _told(composer) == ["File a.txt, Reading…"]
    assert composer.isReading()
    assert composer.attachments() == ()
    gate()
    qtbot.waitUntil(lambda: not composer.isReading(), timeout=PATIENCE)
    assert _told(composer) == ["File a.txt, 5 bytes · about 2 tokens"]
    assert composer.attachments() == (attachment_of(b"hello", "a.txt"),)


def test_what_is_sent_waits_for_what_is_being_read_and_says_so(
    composer: Composer, messages: list[ChatMessage], tmp_path: Path, gate: Callable[[], None], qtbot: QtBot
) -> None:
    composer.attachFiles([_text_file(tmp_path), _text_file(tmp_path, "b.txt")])
    QTest.keyClicks(composer._field, "Look")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert messages == []
    assert composer._notes.waiting.text() == "It will be sent once 2 files have been read…"
    assert composer._notes.waiting.isVisible()
    gate()
    qtbot.waitUntil(lambda: len(messages) == 1, timeout=PATIENCE)
    assert messages[0].parts == (
        TextPart("Look"),
        FilePart(b"hello", media_type="text/plain", name="a.txt"),
        FilePart(b"hello", media_type="text/plain", name="b.txt"),
    )
    assert not composer._notes.waiting.isVisible()
    assert (composer.text(), composer.attachments()) == ("", ())


def test_whoever_goes_on_writing_does_not_send_yet(
    composer: Composer, messages: list[ChatMessage], tmp_path: Path, gate: Callable[[], None], qtbot: QtBot
) -> None:
    composer.attachFiles([_text_file(tmp_path)])
    QTest.keyClicks(composer._field, "Look")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    QTest.keyClicks(composer._field, " here")
    assert not composer._notes.waiting.isVisible()
    gate()
    qtbot.waitUntil(lambda: not composer.isReading(), timeout=PATIENCE)
    assert messages == []
    assert composer.text() == "Look here"


def test_taking_away_what_is_waited_for_sends_the_rest(
    composer: Composer, messages: list[ChatMessage], tmp_path: Path, gate: Callable[[], None]
) -> None:
    composer.setText("Look")
    composer.attachFiles([_text_file(tmp_path)])
    composer.send()
    composer.removeAttachment(0)
    assert [message.text for message in messages] == ["Look"]


def test_what_cannot_be_read_says_why_and_is_not_sent_behind_ones_back(
    composer: Composer, messages: list[ChatMessage], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7 broken")
    composer.setText("Look")
    composer.attachFiles([str(tmp_path / "a.pdf")])
    qtbot.waitUntil(lambda: not composer.isReading(), timeout=PATIENCE)
    assert _told(composer) == [
        "File a.pdf, a.pdf is damaged. Open it in its own program, save it again, and attach that."
    ]
    composer.send()
    assert messages == []
    assert "a.pdf is damaged." in composer._notes.notice.text()
    assert composer._notes.notice.text().endswith("Remove it to send the rest.")
    (tmp_path / "a.pdf").write_bytes(pdf("repaired"))
    _chips(composer)[0]._retry.click()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    assert _chips(composer)[0]._retry.isHidden()
    composer.send()
    assert len(messages) == 1


def test_what_is_waited_for_and_fails_is_not_sent(
    composer: Composer, messages: list[ChatMessage], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "a.zip").write_bytes(b"7z\xbc\xaf\x27\x1c")
    composer.setText("Look")
    composer.attachFiles([str(tmp_path / "a.zip")])
    composer.send()
    qtbot.waitUntil(composer._notes.notice.isVisible, timeout=PATIENCE)
    assert "is an archive. Unpack it" in composer._notes.notice.text()
    assert messages == []
    assert not composer._notes.waiting.isVisible()


def test_undo_reads_again_what_was_taken_away_while_it_was_read(
    composer: Composer, tmp_path: Path, gate: Callable[[], None], qtbot: QtBot
) -> None:
    composer.attachFiles([_text_file(tmp_path)])
    composer.removeAttachment(0)
    assert not composer.isReading()
    QTest.keyClick(composer._field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.isReading()
    gate()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)


def test_what_is_being_read_belongs_to_its_draft(
    composer: Composer, tmp_path: Path, gate: Callable[[], None], qtbot: QtBot
) -> None:
    composer.attachFiles([_text_file(tmp_path)])
    draft = composer.draft()
    assert draft
    assert draft.attachments == ()
    composer.setDraft(Draft("an earlier question"))
    assert not composer.isReading()
    composer.setDraft(draft)
    gate()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)


def test_names_stay_apart_while_they_are_read(
    composer: Composer, tmp_path: Path, gate: Callable[[], None], qtbot: QtBot
) -> None:
    (tmp_path / "b").mkdir()
    composer.attachFiles([_text_file(tmp_path), _text_file(tmp_path / "b")])
    gate()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 2, timeout=PATIENCE)
    assert [each.name for each in composer.attachments()] == ["a.txt", "a 2.txt"]
    assert [each.part.name for each in composer.attachments() if isinstance(each.part, FilePart)] == [
        "a.txt",
        "a 2.txt",
    ]


def test_what_was_read_and_does_not_fit_says_so(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    composer.setAttachmentLimits(Limits(each=3))
    composer.attachFiles([_text_file(tmp_path)])
    qtbot.waitUntil(lambda: not composer.isReading(), timeout=PATIENCE)
    assert composer.attachments() == ()
    assert _told(composer) == ["File a.txt, a.txt has 5 bytes: at most 3 bytes can be attached."]


def test_one_too_many_is_refused_at_once(composer: Composer, tmp_path: Path, gate: Callable[[], None]) -> None:
    composer.setAttachmentLimits(Limits(count=1))
    composer.attachFiles([_text_file(tmp_path), _text_file(tmp_path, "b.txt")])
    assert [chip.item.name for chip in _chips(composer)] == ["a.txt"]
    assert composer._notes.notice.text() == "b.txt is one too many: at most 1 attachments go with a message."


def test_a_folder_among_files_does_not_keep_the_files_out(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    composer.attachFiles([str(tmp_path), _text_file(tmp_path)])
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1 and not composer.isReading(), timeout=PATIENCE)
    assert [chip.item.name for chip in _chips(composer)] == ["a.txt"]


def test_a_large_image_that_is_pasted_is_made_smaller(composer: Composer, qtbot: QtBot) -> None:
    source = QMimeData()
    source.setImageData(picture_of(5000, 4000))
    QGuiApplication.clipboard().setMimeData(source)
    composer._field.paste()
    assert composer.isReading()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    part = composer.attachments()[0].part
    assert isinstance(part, ImagePart)
    assert picture_size(part) < 5000 * 4000 / 4


def test_a_pdf_can_be_sent_as_text_or_as_a_file_where_the_model_takes_it(
    composer: Composer, messages: list[ChatMessage], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("Dear Sir"))
    composer.attachFiles([str(tmp_path / "a.pdf")])
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    (chip,) = _chips(composer)
    assert chip._form.isHidden()  # nobody has said that the model takes files
    assert composer.attachments()[0].goes_as_text(False)
    composer.setModelAbilities(takesFiles=True)
    assert chip._form.text() == "as file"
    menu = chip.menu(forms_only=True)
    assert [action.isChecked() for action in menu.actions()[:2]] == [True, False]
    menu.actions()[1].trigger()
    menu.deleteLater()
    (chip,) = _chips(composer)
    assert chip._form.text() == "as text"
    QTest.keyClick(composer._field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert _chips(composer)[0]._form.text() == "as file"
    QTest.keyClick(composer._field, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    composer.send()
    (part,) = messages[0].parts
    assert isinstance(part, FilePart)
    assert part.as_text
    assert part.text is not None
    assert "Dear Sir" in part.text


def test_a_long_pdf_goes_as_text_unless_somebody_chooses_otherwise(
    composer: Composer, tmp_path: Path, qtbot: QtBot
) -> None:
    composer.setModelAbilities(takesFiles=True)
    (tmp_path / "long.pdf").write_bytes(pdf(*["\n".join(["many words on a line"] * 50)] * 150))
    composer.attachFiles([str(tmp_path / "long.pdf")])
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    assert composer.attachments()[0].goes_as_text(True)
    assert _chips(composer)[0]._form.text() == "as text"


def test_a_scan_is_of_use_only_to_a_model_that_takes_files(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf("", ""))
    composer.attachFiles([str(tmp_path / "scan.pdf")])
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    (chip,) = _chips(composer)
    assert "this model does not take PDF files" in chip.problem
    composer.setModelAbilities(takesFiles=True)
    assert chip.problem == ""


def test_a_click_shows_what_will_be_sent_and_nothing_else(composer: Composer) -> None:
    composer.attach(attachment_of("größe ".encode() * 10_000, "a.txt"))
    QTest.mouseClick(_chips(composer)[0], Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(20, 20))
    (preview,) = composer.window().findChildren(Preview)
    (view,) = preview.findChildren(QPlainTextEdit)
    shown = [view.toPlainText()]
    (pages,) = preview.findChildren(PagedText)
    while pages._on.isEnabled():
        pages._on.click()
        shown.append(view.toPlainText())
    assert len(shown) == pages.parts == -(-len("".join(shown)) // PART)
    assert "".join(shown) == '<file name="a.txt">\n' + "größe " * 10_000 + "\n</file>"
    pages._back.click()
    assert view.toPlainText() == shown[-2]
    preview.accept()


def test_enter_on_a_chip_shows_an_image_large(composer: Composer) -> None:
    composer.attach(attachment_of(picture(30, 20), "a.png"))
    QTest.keyClick(composer._field, Qt.Key.Key_Backspace)
    focused = QApplication.focusWidget()
    assert isinstance(focused, Chip)
    QTest.keyClick(focused, Qt.Key.Key_Return)
    (viewer,) = composer.window().findChildren(ImageViewer)
    viewer.close()


def test_a_drop_of_files_that_are_elsewhere_is_text(composer: Composer) -> None:
    source = QMimeData()
    source.setUrls([QUrl("https://example.com/a.pdf")])
    source.setText("https://example.com/a.pdf")
    composer._take(source)
    assert composer.text() == "https://example.com/a.pdf"
    assert not composer.isReading()


def picture_of(width: int, height: int) -> object:
    from PySide6.QtGui import QImage

    return QImage.fromData(picture(width, height))


def picture_size(part: ImagePart) -> int:
    from PySide6.QtGui import QImage

    image = QImage.fromData(part.data or b"")
    return image.width() * image.height()


def test_every_reason_can_be_said_in_another_language() -> None:
    source = (PACKAGE / "composer" / "incoming.py").read_text(encoding="utf-8")
    told = "".join(re.sub(r'"\s+"', "", source).split())
    for words in SENTENCES.values():
        assert "".join(f'"Unreadable","{words}"'.split()) in told


def test_a_chip_says_that_only_a_part_is_sent(composer: Composer) -> None:
    composer.attach(attachment_of("beginning\n[… the rest was left out …]\n".encode(), "long.log"))
    assert _told(composer)[0].startswith("File long.log, a part: ")


def test_an_image_that_the_model_does_not_look_at_is_marked_and_can_still_be_sent(
    composer: Composer, messages: list[ChatMessage]
) -> None:
    composer.attach(attachment_of(picture(30, 20), "a.png"))
    assert _chips(composer)[0].problem == ""
    composer.setModelAbilities(takesFiles=False, sees=False)
    assert _chips(composer)[0].problem.startswith("This model does not look at images.")
    composer.send()
    assert len(messages) == 1
