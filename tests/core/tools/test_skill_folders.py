from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools import skill_folders
from rillet.core.tools.skill_file import SkillError
from rillet.core.tools.skill_folders import FILE_NAME, LARGEST_FILE, find_skill_files, read_skill_file, sample_files

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name != "posix", reason="makes links and pipes")


def make(folder: Path, text: str = "---\nname: x\n---\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE_NAME
    file.write_text(text, encoding="utf-8")
    return file


def test_skills_are_found_at_every_depth_in_order(tmp_path: Path) -> None:
    files = [make(tmp_path / name) for name in ("a", "a/inner/deep", "b", "c/d")]
    make(tmp_path / "node_modules/x")
    make(tmp_path / ".git/x")
    (tmp_path / "b/skill.txt").write_text("no skill")
    assert find_skill_files(tmp_path) == (files, True)


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        find_skill_files(tmp_path / "nowhere")


@posix
def test_links_are_followed_and_circles_end(tmp_path: Path) -> None:
    make(tmp_path / "elsewhere/tool")
    skills = tmp_path / "skills"
    make(skills / "own")
    (skills / "linked").symlink_to(tmp_path / "elsewhere")
    (skills / "own/back").symlink_to(skills)
    (skills / "self").symlink_to(skills / "self")
    (skills / "twice").symlink_to(tmp_path / "elsewhere")
    found, complete = find_skill_files(skills)
    assert [str(file.relative_to(skills)) for file in found] == ["linked/tool/SKILL.md", "own/SKILL.md"]
    assert complete


def test_a_walk_that_is_too_long_ends_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        make(tmp_path / f"s{number}")
    monkeypatch.setattr(skill_folders, "MOST_FOLDERS", 5)
    found, complete = find_skill_files(tmp_path)
    assert (len(found), complete) == (4, False)
    monkeypatch.setattr(skill_folders, "MOST_SKILLS", 3)
    found, complete = find_skill_files(tmp_path)
    assert (len(found), complete) == (3, False)


def test_a_file_is_read_with_its_place(tmp_path: Path) -> None:
    file = make(tmp_path, "---\nname: pdf\ndescription: Reads.\n---\nGo.")
    skill = read_skill_file(file)
    assert (skill.name, skill.content, skill.location) == ("pdf", "Go.", file)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"---\nname: x\n---\n" + b"y" * LARGEST_FILE, "too-large"), (b"---\nname: \xff\n---\n", "unreadable")],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / FILE_NAME).write_bytes(data)
    with pytest.raises(SkillError) as caught:
        read_skill_file(tmp_path / FILE_NAME)
    assert caught.value.reason == reason


@posix
def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE_NAME)
    with pytest.raises(SkillError, match="no regular file"):
        read_skill_file(tmp_path / FILE_NAME)
    with pytest.raises(SkillError, match="No such file"):
        read_skill_file(tmp_path / "nowhere")


def test_files_beside_a_skill_are_sampled(tmp_path: Path) -> None:
    make(tmp_path)
    for name in ("scripts/run.sh", "a.txt", "scripts/deep/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert [file.name for file in sample_files(tmp_path, 10)] == ["a.txt", "run.sh", "x.py"]
    assert [file.name for file in sample_files(tmp_path, 2)] == ["a.txt", "run.sh"]
