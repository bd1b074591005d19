"""A folder shows what is in it, says what speaks against each, and is read as one text that never leaves it."""

from __future__ import annotations

import asyncio
import os
import subprocess
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from rillet.core.attachments.caps import Caps
from rillet.core.attachments.folder import REASONS, Entry, FolderChoice
from rillet.core.attachments.folder_scan import scan
from rillet.core.attachments.problems import Unreadable
from rillet.core.attachments.reading import read_folder
from rillet.core.tools.warden import descendants
from rillet.core.types import FilePart
from rillet.core.wire.attachments import FOLDER_TYPE, file_text
from support.office import docx, paragraph, pdf

if TYPE_CHECKING:
    from pathlib import Path


def _make(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode() if isinstance(content, str) else content)


async def _scan(root: Path) -> list[Entry]:
    return [entry async for batch in scan(str(root)) for entry in batch]


async def _reasons(root: Path) -> dict[str, str]:
    return {entry.path: entry.why for entry in await _scan(root)}


async def test_everything_is_listed_with_what_speaks_against_it(tmp_path: Path) -> None:
    _make(
        tmp_path,
        {
            ".gitignore": "*.log\nbuild/\n!keep.log\n",
            "README.md": "# Hi",
            "src/a.py": "print()",
            "src/.gitignore": "local.py",
            "src/local.py": "x",
            "a.log": "x",
            "keep.log": "x",
            "build/out.js": "x",
            ".env": "KEY=1",
            "id_rsa": "x",
            "server.pem": "x",
            "node_modules/x/index.js": "x",
            ".git/HEAD": "x",
            "logo.png": b"\x89PNG\r\n\x1a\n",
            "picture": b"\xff\xd8\xff",
            "program": b"\x7fELF\0\0",
            "big.txt": b"x" * 1_000_001,
            "letter.pdf": pdf("x"),
            "empty": b"",
            "Makefile": "all:",
        },
    )
    assert await _reasons(tmp_path) == {
        ".env": "secret",
        ".git": "git",
        ".gitignore": "",
        "Makefile": "",
        "README.md": "",
        "a.log": "ignored",
        "big.txt": "large",
        "build": "ignored",
        "empty": "",
        "id_rsa": "secret",
        "keep.log": "",
        "letter.pdf": "",
        "logo.png": "image",
        "node_modules": "packages",
        "picture": "image",
        "program": "binary",
        "server.pem": "secret",
        "src": "",
        "src/.gitignore": "",
        "src/a.py": "",
        "src/local.py": "ignored",
    }


async def test_parents_come_before_what_is_in_them_and_files_before_folders(tmp_path: Path) -> None:
    _make(tmp_path, {"b/z": "1", "b/a/y": "1", "c": "1", "A": "1"})
    assert [entry.path for entry in await _scan(tmp_path)] == ["A", "c", "b", "b/z", "b/a", "b/a/y"]


def test_it_ignores_what_git_ignores(tmp_path: Path) -> None:
    _make(
        tmp_path,
        {
            ".gitignore": "*.tmp\n/only-here\ndocs/*.html\n**/deep\n!important.tmp\n# note\n\\#odd\ntrail \n",
            "docs/.gitignore": "!*.html\nx?.txt\n",
            **dict.fromkeys(("a.tmp", "important.tmp", "only-here", "in/only-here", "docs/a.html", "#odd"), "x"),
            **dict.fromkeys(("docs/x1.txt", "docs/x10.txt", "in/docs/b.html", "q/deep/file", "trail", "z.txt"), "x"),
        },
    )
    try:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, timeout=60)
    except OSError:
        pytest.skip("git is not installed")
    found = asyncio.run(_scan(tmp_path))
    asked = "\n".join(entry.path for entry in found if entry.path != ".git")
    said = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        cwd=tmp_path,
        input=asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert {entry.path for entry in found if entry.why == "ignored"} == set(said.stdout.splitlines())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
async def test_nothing_outside_is_seen_and_nothing_special_is_opened(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    _make(outside, {"secret.txt": "x"})
    _make(root, {"a.txt": "x", "in/b.txt": "x"})
    (root / "out").symlink_to(outside)
    (root / "file").symlink_to(outside / "secret.txt")
    (root / "in" / "loop").symlink_to(root)
    (root / "self").symlink_to("self")
    os.mkfifo(root / "pipe")
    assert await _reasons(root) == {
        "a.txt": "",
        "file": "link",
        "in": "",
        "in/b.txt": "",
        "in/loop": "link",
        "out": "link",
        "pipe": "special",
        "self": "link",
    }


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
async def test_names_that_are_no_text_are_not_offered(tmp_path: Path) -> None:
    os.close(os.open(os.fsencode(tmp_path) + b"/a\xff.txt", os.O_CREAT))
    (entry,) = await _scan(tmp_path)
    assert (entry.path, entry.why, entry.can_be_taken) == ("a?.txt", "name", False)


async def test_a_folder_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="gone cannot be read: No such file"):
        await _scan(tmp_path / "gone")
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unreadable, match="file cannot be read"):
        await _scan(tmp_path / "file")


async def test_looking_can_be_ended_at_any_time(tmp_path: Path) -> None:
    _make(tmp_path, {f"{n // 100}/{n}.txt": "x" for n in range(5000)})
    before = descendants(os.getpid())
    async with aclosing(scan(str(tmp_path))) as batches:
        async for _ in batches:
            break
    assert not descendants(os.getpid()) - before
    looking = asyncio.create_task(_scan(tmp_path))
    while not descendants(os.getpid()) - before:
        assert not looking.done()
        await asyncio.sleep(0.005)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    assert not descendants(os.getpid()) - before


def test_every_reason_has_its_words() -> None:
    assert Entry("a", why="secret").can_be_taken
    assert not Entry("a", why="binary").can_be_taken
    assert not Entry("a", is_folder=True).can_be_taken
    assert {"git", "packages", "binary", "name"} < set(REASONS)


async def test_chosen_files_become_one_text_with_each_under_its_path(tmp_path: Path) -> None:
    _make(
        tmp_path,
        {
            "src/a.py": "print('</file>')",
            "notes.txt": "größe".encode("latin-1"),
            "letter.pdf": pdf("Dear Sir"),
            "minutes.docx": docx(paragraph("Agreed.")),
            "empty.txt": b"",
            "not chosen.txt": "x",
        },
    )
    paths = ("notes.txt", "letter.pdf", "minutes.docx", "empty.txt", "src/a.py")
    contents = await read_folder(FolderChoice(str(tmp_path), paths), "project")
    part = contents.part()
    assert isinstance(part, FilePart)
    assert (part.media_type, part.name) == (FOLDER_TYPE, "project")
    text = part.data.decode()
    begin, end = text.index("<file", text.index("empty")), text.rindex("</file")
    assert text[: text.index('<file name="src/a.py"')] == (
        '<file name="notes.txt">\ngröße\n</file>\n'
        '<file name="letter.pdf">\n[page 1 of 1]\nDear Sir\n\n\n</file>\n'
        '<file name="minutes.docx">\nAgreed.\n\n\n</file>\n'
        '<file name="empty.txt">\n\n</file>\n'
    )
    assert begin < end
    sent = file_text(part)
    assert sent is not None
    assert sent.startswith('<folder name="project" id="')


async def test_a_file_that_cannot_be_read_costs_that_file(tmp_path: Path) -> None:
    _make(tmp_path, {"a.pdf": b"%PDF-", "b.txt": "x", "c.bin": b"\x7fELF\0\0"})
    contents = await read_folder(FolderChoice(str(tmp_path), ("a.pdf", "gone.txt", "c.bin", "b.txt")), "project")
    assert contents.text is not None
    lines = contents.text.splitlines()
    assert lines[1].startswith("(not read: it is damaged.")
    assert lines[4] == "(not read: No such file or directory)"
    assert lines[7].startswith("(not read: it is of a kind that no model reads.")
    assert lines[10] == "x"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no links here")
async def test_what_was_swapped_for_a_link_since_it_was_listed_is_not_read(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    _make(outside, {"secret.txt": "canary"})
    root.mkdir()
    (root / "file.txt").symlink_to(outside / "secret.txt")
    (root / "in").symlink_to(outside)
    choice = FolderChoice(str(root), ("file.txt", "in/secret.txt", "../outside/secret.txt"))
    contents = await read_folder(choice, "project")
    assert contents.text is not None
    assert contents.text.count("(not read: ") == 3
    assert "canary" not in contents.text


async def test_a_folder_is_cut_at_the_cap_and_says_so(tmp_path: Path) -> None:
    _make(tmp_path, {f"{n}.txt": "x" * 1000 for n in range(10)})
    paths = tuple(f"{n}.txt" for n in range(10))
    contents = await read_folder(FolderChoice(str(tmp_path), paths), "project", Caps(text=2500))
    assert contents.text is not None
    assert contents.text.endswith("[… it is longer than what is read of one file: the rest was left out …]\n")
    assert len(contents.text) < 2700
