"""The window that shows what a file of a message says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPlainTextEdit

from rillet.core.types import FilePart
from rillet.qt import Engine
from rillet.widgets import FileViewer
from rillet.widgets.blocks.button import Button
from support.chatting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot


@pytest.fixture(autouse=True)
def engine(qapp: QApplication) -> Iterator[Engine]:
    engine = Engine.default()
    yield engine
    engine.shutdown()


def viewer_of(qtbot: QtBot, part: FilePart) -> FileViewer:
    viewer = FileViewer(part)
    viewer.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)  # qtbot closes it once more
    qtbot.addWidget(viewer)
    viewer.show()
    return viewer


def texts_of(viewer: FileViewer) -> list[str]:
    return [view.toPlainText() for view in viewer.findChildren(QPlainTextEdit)]


def facts_of(viewer: FileViewer) -> str:
    return viewer.findChildren(QLabel)[0].text()


def test_a_text_is_shown_as_it_is(qtbot: QtBot) -> None:
    viewer = viewer_of(qtbot, FilePart("<b>größe</b>".encode(), media_type="text/html", name="a.html"))
    assert texts_of(viewer) == ["<b>größe</b>"]
    assert viewer.windowTitle() == "a.html"
    assert facts_of(viewer) == "HTML · 14 bytes."


def test_of_a_document_the_text_is_shown_that_was_found_in_it(qtbot: QtBot) -> None:
    part = FilePart(b"%PDF-", media_type="application/pdf", name="a.pdf", text="The water stood high.")
    viewer = viewer_of(qtbot, part)
    assert texts_of(viewer) == ["The water stood high."]
    assert facts_of(viewer) == "PDF · 5 bytes. This is the text that was found in it."


def test_what_has_no_text_is_told_to_have_none(qtbot: QtBot) -> None:
    viewer = viewer_of(qtbot, FilePart(b"\x00\x01", media_type="audio/mpeg", name="a.mp3"))
    assert texts_of(viewer) == []
    assert facts_of(viewer) == "MP3 · 2 bytes. What is in it cannot be shown here."


def test_it_is_saved_byte_for_byte_where_one_says(qtbot: QtBot, tmp_path: Path) -> None:
    viewer = viewer_of(qtbot, FilePart(b"\r\n\x00\xff", media_type="text/plain", name="../../a.txt"))
    next(each for each in viewer.findChildren(Button) if each.text() == "Save as…").click()
    (dialog,) = viewer.findChildren(QFileDialog)
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("b.txt")
    dialog.accept()
    qtbot.waitUntil(lambda: facts_of(viewer) == "Saved as b.txt", timeout=PATIENCE)
    assert (tmp_path / "b.txt").read_bytes() == b"\r\n\x00\xff"
