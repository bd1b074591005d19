"""What the window remembers, where it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QByteArray

from rillet.app.window_state import WindowState

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "new" / "window.ini")
    state.geometry = QByteArray(b"somewhere")
    state.choice_label = "gpt-x"
    again = WindowState(tmp_path / "new" / "window.ini")
    assert (again.geometry, again.choice_label) == (QByteArray(b"somewhere"), "gpt-x")


def test_where_nothing_can_be_written_the_window_opens_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    state = WindowState(tmp_path / "file" / "window.ini")
    state.choice_label = "gpt-x"
    assert (tmp_path / "file").read_bytes() == b"kept"


def test_a_damaged_file_is_a_first_start(tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_bytes(b"\xff\x00[General\ngeometry=@ByteArray(")
    state = WindowState(tmp_path / "window.ini")
    assert (state.geometry, state.choice_label) == (QByteArray(), "")


def test_the_open_chats_come_back_in_their_order(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "window.ini")
    assert state.open_chats == ()
    state.open_chats = (3, 12, 7)
    state.geometry = QByteArray(b"written with it")
    assert WindowState(tmp_path / "window.ini").open_chats == (3, 12, 7)


@pytest.mark.parametrize("damage", ["1 x 3", "-1", "²", "1,2"])
def test_what_is_no_list_of_chats_opens_none(damage: str, tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text(f"[General]\nchats={damage}\n", encoding="utf-8")
    assert WindowState(tmp_path / "window.ini").open_chats == ()
