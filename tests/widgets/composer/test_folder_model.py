"""The tree of a folder: boxes, sums, and as quick for many files as for few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from rillet.core.attachments.folder import REASONS, Entry
from rillet.widgets.composer.folder_model import FolderModel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

CHECKED, PARTLY, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Unchecked
CHECK = Qt.ItemDataRole.CheckStateRole
ENTRIES = (
    Entry("README.md", 10),
    Entry(".env", 5, why="secret"),
    Entry(".git", is_folder=True, why="git"),
    Entry("src", is_folder=True),
    Entry("src/a.py", 100),
    Entry("src/b.py", 200),
    Entry("src/logo.png", 7, why="image"),
    Entry("src/in", is_folder=True),
    Entry("src/in/c.py", 1000),
    Entry("src/in/c.log", 50, why="ignored"),
    Entry("tests", is_folder=True),
    Entry("tests/d.py", 3),
)


@pytest.fixture
def model(qapp: QApplication) -> FolderModel:
    made = FolderModel()
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined]  # kept as long as the model
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    for each in ENTRIES[:5], ENTRIES[5:6], ENTRIES[6:]:  # batches end anywhere
        made.add(each)
    return made


def _at(model: FolderModel, path: str) -> QModelIndex:
    index = QModelIndex()
    for name in path.split("/"):
        rows = [model.index(row, 0, index) for row in range(model.rowCount(index))]
        index = next(each for each in rows if each.data() == name)
    return index


def _state(model: FolderModel, path: str) -> Qt.CheckState:
    return Qt.CheckState(_at(model, path).data(CHECK))


def test_what_nothing_speaks_against_is_ticked(model: FolderModel) -> None:
    assert model.chosen() == ("README.md", "src/a.py", "src/b.py", "src/in/c.py", "tests/d.py")
    assert (model.found, model.ticked, model.size) == (8, 5, 1313)
    assert _state(model, "src/in") is PARTLY  # one of its files could be chosen and is not
    assert _state(model, "tests") is CHECKED
    assert _state(model, ".git") is UNCHECKED


def test_a_folder_is_ticked_with_all_that_nothing_speaks_against(model: FolderModel) -> None:
    assert model.setData(_at(model, "src"), UNCHECKED, CHECK)
    assert model.chosen() == ("README.md", "tests/d.py")
    assert _state(model, "src/in") is UNCHECKED
    assert model.setData(_at(model, "src"), CHECKED, CHECK)
    assert model.chosen() == ("README.md", "src/a.py", "src/b.py", "src/in/c.py", "tests/d.py")


def test_what_speaks_against_a_file_can_be_overruled_by_hand_only(model: FolderModel) -> None:
    model.setData(_at(model, ".env"), CHECKED, CHECK)
    model.setData(_at(model, "src/in/c.log"), CHECKED, CHECK)
    model.setData(_at(model, "src/logo.png"), CHECKED, CHECK)
    assert ".env" in model.chosen()
    assert "src/in/c.log" in model.chosen()
    assert "src/logo.png" not in model.chosen()
    assert _state(model, "src/in") is CHECKED


def test_what_can_never_be_chosen_is_grey(model: FolderModel) -> None:
    for path, enabled in (("src", True), (".env", True), ("src/logo.png", False), (".git", False)):
        assert bool(model.flags(_at(model, path)) & Qt.ItemFlag.ItemIsEnabled) is enabled


def test_each_says_how_large_it_is_and_what_speaks_against_it(model: FolderModel) -> None:
    def said(path: str) -> str:
        index = _at(model, path)
        return str(index.siblingAtColumn(1).data())

    assert said("src/a.py") == "100 bytes"
    assert said(".env") == "5 bytes · may hold keys or passwords"
    assert said(".git") == "the history of git"
    assert said("src") == ""
    assert all(model.reason(why) == words for why, words in REASONS.items())
    assert _at(model, ".env").data(Qt.ItemDataRole.AccessibleTextRole) == ".env, 5 bytes · may hold keys or passwords"


def test_boxes_above_and_below_are_told_of_a_change(model: FolderModel) -> None:
    told: set[str] = set()

    def hear(first: QModelIndex, last: QModelIndex) -> None:
        for row in range(first.row(), last.row() + 1):
            told.add(str(model.index(row, 0, first.parent()).data()))

    model.dataChanged.connect(hear)
    model.setData(_at(model, "src/in"), UNCHECKED, CHECK)
    assert told == {"src", "in", "c.py", "c.log"}
