"""A folder is dropped, looked through, chosen from, and attached as one thing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem

from rillet.core.tools.warden import descendants
from rillet.core.types import FilePart
from rillet.core.wire.attachments import FOLDER_TYPE
from rillet.widgets.composer.chip import Chip
from rillet.widgets.composer.folder_dialog import FolderDialog
from support.drags import drag_enter

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.core.types import ChatMessage
    from rillet.widgets.composer import Composer

PATIENCE = 30_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, content in {
        "README.md": "# Hi",
        ".env": "KEY=1",
        "src/a.py": "print(1)",
        "src/b.py": "print(2)",
        "node_modules/x.js": "x",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def _dialog(composer: Composer, qtbot: QtBot) -> FolderDialog:
    def found() -> list[FolderDialog]:
        return [each for each in composer.window().findChildren(FolderDialog) if each.isVisible()]

    qtbot.waitUntil(lambda: len(found()) == 1, timeout=PATIENCE)
    (dialog,) = found()
    qtbot.waitUntil(lambda: not dialog.is_looking, timeout=PATIENCE)
    return dialog


def _click_box(dialog: FolderDialog, *names: str) -> None:
    """Click the box before a file, as a person does."""
    tree, model = dialog.tree, dialog.model
    tree.expandAll()
    index = model.index(-1, 0)
    for name in names:
        rows = [model.index(row, 0, index) for row in range(model.rowCount(index))]
        index = next(each for each in rows if each.data() == name)
    option = QStyleOptionViewItem()
    tree.initViewItemOption(option)
    option.rect = tree.visualRect(index)
    option.features |= QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box = tree.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, tree)
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, box.center())


def test_a_folder_that_is_dropped_is_shown_before_anything_of_it_is_attached(
    composer: Composer, messages: list[ChatMessage], root: Path, qtbot: QtBot
) -> None:
    from PySide6.QtCore import QMimeData

    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(root))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(composer, drag_enter(copy, data, left, none))
    QApplication.sendEvent(composer, QDropEvent(QPointF(5, 5), copy, data, left, none))
    dialog = _dialog(composer, qtbot)
    assert composer.attachments() == ()
    assert dialog._sums.text() == "3 of 4 files will be sent: 20 bytes, about 5 tokens (an estimate)"
    _click_box(dialog, "src", "b.py")
    assert dialog._sums.text().startswith("2 of 4 files will be sent: 12 bytes")
    _click_box(dialog, ".env")
    assert dialog._sums.text().startswith("3 of 4 files")
    _click_box(dialog, ".env")
    dialog._attach.click()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    (chip,) = [each for each in composer.findChildren(Chip) if not each.isHidden()]
    assert chip.accessibleName().startswith("File project (2 files), ")
    composer.send()
    (part,) = messages[0].parts
    assert isinstance(part, FilePart)
    assert part.media_type == FOLDER_TYPE
    assert part.data.decode() == ('<file name="README.md">\n# Hi\n</file>\n<file name="src/a.py">\nprint(1)\n</file>\n')


def test_cancelling_attaches_nothing_and_ends_the_search(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    for number in range(3000):
        (tmp_path / f"{number // 50}").mkdir(exist_ok=True)
        (tmp_path / f"{number // 50}" / f"{number}.txt").write_text("x")
    before = descendants(os.getpid())
    composer.attachFolder(str(tmp_path))
    dialog = composer.window().findChild(FolderDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: bool(descendants(os.getpid()) - before) or not dialog.is_looking, timeout=PATIENCE)
    dialog._cancel.click()
    qtbot.waitUntil(lambda: not descendants(os.getpid()) - before, timeout=PATIENCE)
    assert composer.attachments() == ()
    assert not composer.isReading()


def test_nothing_chosen_and_too_much_cannot_be_attached(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_bytes(b"x" * 999_999)
    composer.attachFolder(str(tmp_path))
    dialog = _dialog(composer, qtbot)
    assert not dialog._attach.isEnabled()
    assert dialog._note.text() == "At most 4 MB go with one attachment: choose fewer."
    _click_box(dialog, "0.txt")
    assert dialog._attach.isEnabled()
    assert dialog._note.text() == ""
    for number in range(1, 5):
        _click_box(dialog, f"{number}.txt")
    assert not dialog._attach.isEnabled()
    dialog.reject()


def test_a_folder_that_is_gone_says_so(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    composer.attachFolder(str(tmp_path / "gone"))
    dialog = _dialog(composer, qtbot)
    assert dialog._note.text().startswith("gone cannot be read: No such file")
    assert not dialog._attach.isEnabled()
    dialog.reject()


def test_the_button_offers_files_and_folders(composer: Composer) -> None:
    menu = composer._chooser.menu()
    assert [action.text() for action in menu.actions()] == ["Attach &files…", "Attach f&older…"]
    menu.deleteLater()


def test_the_preview_of_a_folder_is_what_is_sent(composer: Composer, root: Path, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QPlainTextEdit

    from rillet.widgets.composer.preview import Preview

    composer.attachFolder(str(root))
    _dialog(composer, qtbot)._attach.click()
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    (chip,) = [each for each in composer.findChildren(Chip) if not each.isHidden()]
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(60, 20))
    (preview,) = composer.window().findChildren(Preview)
    shown = preview.findChildren(QPlainTextEdit)[0].toPlainText()
    assert shown.startswith('<folder name="project (3 files)" id="')
    assert '<file name="src/b.py">\nprint(2)\n</file>' in shown
    preview.accept()
