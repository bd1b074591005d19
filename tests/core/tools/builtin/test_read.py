from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.builtin import read as module
from rillet.core.tools.workspace import Workspace
from support.workspaces import call

if TYPE_CHECKING:
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def numbered(first: int, last: int) -> list[str]:
    return [f"{number:>6}\tline {number}" for number in range(first, last + 1)]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "five.txt").write_text("".join(f"line {number}\n" for number in range(1, 6)))
    (tmp_path / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    ("window", "first", "last", "note"),
    [
        ({}, 1, 5, "(the end: line 5)"),
        ({"offset": 1}, 1, 5, "(the end: line 5)"),
        ({"offset": 0}, 1, 5, "(the end: line 5)"),
        ({"offset": 4}, 4, 5, "(the end: line 5)"),
        ({"offset": 2, "limit": 2}, 2, 3, "(more follows: read on with offset 4)"),
        ({"limit": 5}, 1, 5, "(the end: line 5)"),
        ({"offset": 2.0, "limit": 1.0}, 2, 2, "(more follows: read on with offset 3)"),
    ],
)
def test_a_window_of_lines_is_numbered_and_says_what_follows(
    workspace: Workspace, window: dict[str, Any], first: int, last: int, note: str
) -> None:
    assert call(workspace, "read", path="five.txt", **window).output.split("\n") == [*numbered(first, last), note]


def test_reading_on_as_told_gives_every_line_once(workspace: Workspace) -> None:
    shown: list[str] = []
    offset = 1
    while True:
        *lines, note = call(workspace, "read", path="long.txt", offset=offset).output.split("\n")
        shown += lines
        if "the end" in note:
            break
        offset = int(note.rpartition(" ")[2].rstrip(")"))
    assert shown == numbered(1, 5000)


def test_no_more_is_shown_than_a_model_can_take(tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_text(("x" * 1500 + "\n") * 1000)
    (tmp_path / "one.txt").write_text("y" * 3_000_000)
    wide = call(Workspace(tmp_path), "read", path="wide.txt").output
    assert len(wide) < module.MAX_CHARACTERS + 1000
    assert wide.endswith(f"(more follows: read on with offset {module.MAX_CHARACTERS // 1500 + 1})")
    one = call(Workspace(tmp_path), "read", path="one.txt").output
    assert one == f"     1\t{'y' * 2000}… (2998000 more characters)\n(the end: line 1)"


def test_an_offset_beyond_the_end_is_an_error_that_says_where_the_end_is(workspace: Workspace) -> None:
    result = call(workspace, "read", path="five.txt", offset=6)
    assert (result.output, result.is_error) == ("the file ends with line 5", True)


def test_an_empty_file_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert call(Workspace(tmp_path), "read", path="empty").output == "(the file is empty)"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xef\xbb\xbfa", "a"),
        ("ä€🦆".encode(), "ä€🦆"),
        ("ä€🦆".encode("utf-16"), "ä€🦆"),
        (b"a\r\n", "a"),
        (b"a\rb", "a\rb"),
        ("a\u2028b\x0cc".encode(), "a\u2028b\x0cc"),
    ],
)
def test_text_is_shown_as_it_is(tmp_path: Path, data: bytes, line: str) -> None:
    (tmp_path / "x").write_bytes(data)
    assert call(Workspace(tmp_path), "read", path="x").output == f"     1\t{line}\n(the end: line 1)"


def test_bytes_that_are_no_text_are_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\xfcb\n")
    assert call(Workspace(tmp_path), "read", path="x").output.endswith("(\ufffd stands for bytes that are no text)")


def test_a_binary_file_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\x7fELF\0\1\2")
    result = call(Workspace(tmp_path), "read", path="x")
    assert (result.output, result.is_error) == ("x is a binary file of 7 bytes", True)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0\0", "image/jpeg"),
        (b"GIF89a\0", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_a_picture_is_given_as_a_picture(tmp_path: Path, data: bytes, media_type: str) -> None:
    (tmp_path / "x.txt").write_bytes(data)
    result = call(Workspace(tmp_path), "read", path="x.txt")
    assert [(image.data, image.media_type) for image in result.images] == [(data, media_type)]


def test_a_picture_that_no_provider_takes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(PNG + b"\0" * module.MAX_IMAGE)
    assert call(Workspace(tmp_path), "read", path="x.png").output == "x.png is a picture of more than 5 MB"


def test_a_folder_lists_its_names_folders_marked(tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "src").mkdir()
    workspace = Workspace(tmp_path)
    assert call(workspace, "read", path=".").output == ".hidden\na\nb\nsrc/"
    assert call(workspace, "read", path=str(tmp_path)).output == ".hidden\na\nb\nsrc/"
    assert call(workspace, "read", path="src").output == "(the folder is empty)"


def test_a_large_folder_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ENTRIES", 3)
    for name in "abcde":
        (tmp_path / name).touch()
    assert call(Workspace(tmp_path), "read", path=".").output == "a\nb\nc\n(2 more names: look for some with glob)"


def test_names_that_would_break_the_list_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\nb").touch()
    assert call(Workspace(tmp_path), "read", path=".").output == "a\\nb"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("five.text", "there is no five.text; there is five.txt"),
        ("nothing/like/it", "there is no nothing"),
        ("five.txt/x", "five.txt is no folder"),
        ("nothing/../five.txt", "there is no folder nothing"),
    ],
)
def test_what_is_not_there_is_an_error_that_helps(workspace: Workspace, path: str, said: str) -> None:
    result = call(workspace, "read", path=path)
    assert (result.output, result.is_error) == (said, True)


def test_no_secret_is_offered_instead(tmp_path: Path) -> None:
    (tmp_path / ".netrc").touch()
    assert call(Workspace(tmp_path), "read", path=".netrx").output == "there is no .netrx"


def test_reading_stops_when_the_run_does(tmp_path: Path) -> None:
    from rillet.core.tools.tool import ToolContext

    (tmp_path / "x").write_text("x\n" * 100)
    asked = itertools.count()
    ctx = ToolContext(cancelled=lambda: next(asked) > 10)
    assert call(Workspace(tmp_path), "read", ctx, path="x").output == "stopped"


def test_wrong_arguments_are_told_to_the_model(workspace: Workspace) -> None:
    for arguments in ({}, {"path": 1}, {"path": ""}, {"path": "five.txt", "offset": "x"}, {"path": "x", "extra": 1}):
        assert call(workspace, "read", **arguments).is_error
