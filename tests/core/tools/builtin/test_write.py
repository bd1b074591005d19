from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.workspace import Workspace
from support.workspaces import call

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_file_is_created_with_the_folders_on_the_way(tmp_path: Path) -> None:
    result = call(Workspace(tmp_path), "write", path="new/deep/x.txt", content="one\ntwo\n")
    assert result.output == "created new/deep/x.txt: 2 lines"
    assert (tmp_path / "new" / "deep" / "x.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("content", ["", "no end", "a\r\nb\r\n", "\ufeffmark\n", "🦆\u2028\n", "\n\n\n"])
def test_a_new_file_is_exactly_what_was_given(tmp_path: Path, content: str) -> None:
    assert not call(Workspace(tmp_path), "write", path="x", content=content).is_error
    assert (tmp_path / "x").read_bytes() == content.encode()


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"a\n", "x", b"x\n"),
        (b"a", "x", b"x"),
    ],
)
def test_a_file_that_is_replaced_keeps_its_style(tmp_path: Path, old: bytes, content: str, new: bytes) -> None:
    (tmp_path / "x").write_bytes(old)
    assert call(Workspace(tmp_path), "write", path="x", content=content).output == "replaced x: 1 line".replace(
        "1 line", "2 lines" if content.count("\n") == 2 else "1 line"
    )
    assert (tmp_path / "x").read_bytes() == new


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\0", "x: the file is binary"),
        (b"\xff\xfe\x00\x01", "x: the file is UTF-16, which cannot be changed here"),
        (b"caf\xe9", "x: the file is not UTF-8: byte 0xe9 in line 1"),
    ],
)
def test_what_is_no_utf_8_is_not_replaced(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "x").write_bytes(data)
    result = call(Workspace(tmp_path), "write", path="x", content="x")
    assert (result.output, result.is_error) == (said, True)
    assert (tmp_path / "x").read_bytes() == data


def test_half_a_character_is_not_written(tmp_path: Path) -> None:
    assert call(Workspace(tmp_path), "write", path="x", content="\ud83d").is_error
    assert list(tmp_path.iterdir()) == []
