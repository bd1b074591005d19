from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.workspace import Workspace
from support.workspaces import call

if TYPE_CHECKING:
    from pathlib import Path

CODE = "def a():\n    return 1\n\n\ndef b():\n    return 1\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"one two", "one", "1", b"1 two"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "b\n", "x\ny\n", b"a\r\nx\ny\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "x", b"x\r\n"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        (b"no end", "end", "END", b"no END"),
        ("ü🦆".encode(), "🦆", "", "ü".encode()),
        (b"a.b.c", ".b.", "+", b"a+c"),
        (b"\\1 \\g<0>", "\\1", "\\2", b"\\2 \\g<0>"),
        (b"a\nb\n", "a\n", "", b"b\n"),
    ],
)
def test_the_text_is_replaced_and_every_other_byte_kept(
    tmp_path: Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    (tmp_path / "x").write_bytes(before)
    result = call(Workspace(tmp_path), "edit", path="x", oldString=old, newString=new)
    assert result.output == "replaced 1 occurrence in x"
    assert (tmp_path / "x").read_bytes() == after


def test_all_occurrences_are_replaced_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a a\r\na\na")
    result = call(Workspace(tmp_path), "edit", path="x", oldString="a", newString="b", replaceAll=True)
    assert result.output == "replaced 4 occurrences in x"
    assert (tmp_path / "x").read_bytes() == b"b b\r\nb\nb"


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("return 1", "oldString is in x 2 times, in lines 2, 6: give more of the text around it, or set replaceAll"),
        ("def a():\n  return 1", "oldString is not in x: it differs only in white space: line 2 is '    return 1'"),
        ("     1\tdef a():\n     2\t    return 1", "leave out the line numbers that read puts before each line"),
        ("def a():\n    return 2", "it begins at line 1, but where it has '    return 2', line 2 is '    return 1'"),
        ("def aa():", "the nearest to its first line is line 1: 'def a():'"),
        ("something else", "nothing in the file resembles its first line"),
        ("", "oldString is empty: say what to replace, or use write for the whole file"),
        ("new", "oldString and newString are the same"),
    ],
)
def test_what_cannot_be_replaced_is_explained(tmp_path: Path, old: str, said: str) -> None:
    (tmp_path / "x").write_text(CODE)
    result = call(Workspace(tmp_path), "edit", path="x", oldString=old, newString="new")
    assert result.is_error
    assert said in result.output
    assert (tmp_path / "x").read_text() == CODE


def test_where_there_is_no_file_write_is_what_to_use(tmp_path: Path) -> None:
    result = call(Workspace(tmp_path), "edit", path="x", oldString="a", newString="b")
    assert (result.output, result.is_error) == ("there is no x: create it with write", True)


def test_of_many_places_only_some_are_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a\n" * 50)
    output = call(Workspace(tmp_path), "edit", path="x", oldString="a", newString="b").output
    assert "50 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10…:" in output
