from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QAccessible

from rillet.core.types import ChatMessage, FilePart
from rillet.widgets import ChatView
from rillet.widgets.blocks.file_chip import FileChip, file_name, file_size

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9949, "9.9 kB"),
        (123_456, "123 kB"),
        (999_600, "1.0 MB"),
        (5_000_000, "5.0 MB"),
        (12_345_678_901, "12 GB"),
    ],
)
def test_sizes_are_told_as_file_managers_do(size: int, text: str) -> None:
    assert file_size(size) == text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\b.txt", "b.txt"),
        ("two\nlines.txt", "two lines.txt"),
        ("gpj\u202eexe.", "gpj⟨U+202E⟩exe."),
        (None, "File"),
        ("", "File"),
    ],
)
def test_a_name_is_one_line_in_which_nothing_hides(name: str | None, shown: str) -> None:
    assert file_name(FilePart(b"", media_type="text/plain", name=name)) == shown


@pytest.mark.parametrize(
    ("name", "media_type", "told"),
    [
        ("report.pdf", "application/pdf", "File report.pdf, PDF · 4 bytes"),
        ("notes", "text/plain", "File notes, PLAIN · 4 bytes"),
        (None, "", "File File, FILE · 4 bytes"),
        (".bashrc", "text/x-sh;charset=utf-8", "File .bashrc, X-SH · 4 bytes"),
    ],
)
def test_a_file_is_told_to_a_screen_reader(qtbot: QtBot, name: str | None, media_type: str, told: str) -> None:
    view = ChatView()
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    view.addMessage(ChatMessage.user("Look", FilePart(b"1234", media_type=media_type, name=name)))
    chip = next(chip for chip in view.findChildren(FileChip) if chip.isVisible())
    assert chip.accessibleName() == told
    assert QAccessible.queryAccessibleInterface(chip).role() is QAccessible.Role.Button
    assert chip.width() <= 320
    parent = chip.parentWidget()
    assert parent is not None
    assert parent.rect().contains(chip.geometry())
