from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.skill_file import Skill
from rillet.core.tools.skills import LoadedSkills, SkillInventory, Skills
from rillet.core.tools.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name != "posix", reason="makes links")


def make(folder: Path, name: str, description: str = "Does it.", body: str = "Do it.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "SKILL.md"
    file.write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n", encoding="utf-8")
    return file


def inventory(skills: Skills, **options: Any) -> SkillInventory:
    return asyncio.run(skills.inventory(**options))


def loaded(skills: Skills, **options: Any) -> LoadedSkills:
    return asyncio.run(skills.load(**options))


def disclosed(skills: LoadedSkills, name: str) -> ToolResult:
    assert skills.tool is not None
    return asyncio.run(skills.tool.run({"name": name}, ToolContext()))


def test_the_prompt_lists_what_is_described_sorted_by_name(tmp_path: Path) -> None:
    make(tmp_path / "1", "zip", "Packs.")
    make(tmp_path / "2", "pdf", "Reads\n  PDFs.")
    make(tmp_path / "3", "quiet", "''")
    prompt = loaded(Skills([tmp_path])).prompt
    assert prompt.endswith("\n\n## Available Skills\n- **pdf**: Reads PDFs.\n- **zip**: Packs.")
    assert "quiet" not in prompt


def test_without_skills_there_is_no_prompt_and_no_tool() -> None:
    nothing = loaded(Skills())
    assert (nothing.prompt, nothing.tool) == ("", None)


def test_a_skill_is_disclosed_in_the_shape_of_the_contract(tmp_path: Path) -> None:
    make(tmp_path / "my skills/pdf", "pdf", body="# PDF\n\nRead it.\n")
    (tmp_path / "my skills/pdf/scripts").mkdir()
    (tmp_path / "my skills/pdf/scripts/run.sh").write_text("")
    result = disclosed(loaded(Skills([tmp_path])), "pdf")
    folder = tmp_path / "my skills/pdf"
    assert not result.is_error
    assert result.output == "\n".join(
        (
            '<skill_content name="pdf">',
            "# Skill: pdf",
            "",
            "# PDF",
            "",
            "Read it.",
            "",
            f"Base directory for this skill: {folder.as_uri()}",
            "Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory.",
            "Note: file list is sampled.",
            "",
            "<skill_files>",
            f"<file>{folder / 'scripts' / 'run.sh'}</file>",
            "</skill_files>",
            "</skill_content>",
        )
    )


def test_a_skill_given_as_data_names_no_place_on_the_disk() -> None:
    skills = loaded(
        Skills(data=[Skill("a", "A.", "Do.", resources=("x.md", "y.md")), Skill("b", "B.", "Do.", base="db://b/")])
    )
    assert "Base directory for this skill: skill://a/\n" in disclosed(skills, "a").output
    assert "<file>x.md</file>\n<file>y.md</file>" in disclosed(skills, "a").output
    plain = disclosed(skills, "b").output
    assert "Base directory for this skill: db://b/\n" in plain
    assert "skill_files" not in plain
    assert "sampled" not in plain


@posix
def test_the_name_of_a_file_says_nothing_beyond_its_line(tmp_path: Path) -> None:
    make(tmp_path, "pdf")
    for name in ("a.txt", "b\nc.txt", "<skill_content name='x'>", "d\u202e.txt"):
        (tmp_path / name).write_text("")
    output = disclosed(loaded(Skills([tmp_path])), "pdf").output
    assert output.endswith(f"<skill_files>\n<file>{tmp_path / 'a.txt'}</file>\n</skill_files>\n</skill_content>")


def test_files_are_named_up_to_a_limit_or_not_at_all(tmp_path: Path) -> None:
    make(tmp_path, "pdf")
    for number in range(20):
        (tmp_path / f"{number}.txt").write_text("")
    assert disclosed(loaded(Skills([tmp_path])), "pdf").output.count("<file>") == 10
    assert disclosed(loaded(Skills([tmp_path], sample=3)), "pdf").output.count("<file>") == 3
    assert "skill_files" not in disclosed(loaded(Skills([tmp_path], sample=0)), "pdf").output


def read(skills: LoadedSkills, name: str, file: str) -> ToolResult:
    assert skills.tool is not None
    return asyncio.run(skills.tool.run({"name": name, "file": file}, ToolContext()))


def test_a_file_of_a_skill_is_read_wherever_the_skill_lies(tmp_path: Path) -> None:
    make(tmp_path / "pdf", "pdf")
    (tmp_path / "pdf/reference").mkdir()
    (tmp_path / "pdf/reference/forms.md").write_text("# Forms\n")
    skills = loaded(Skills([tmp_path]))
    assert "# Forms" in read(skills, "pdf", "reference/forms.md").output
    assert "# Forms" in read(skills, "pdf", str(tmp_path / "pdf/reference/forms.md")).output
    assert "forms.md" in read(skills, "pdf", "reference").output
    assert read(skills, "pdf", "reference/nothing.md").is_error


@posix
def test_a_skill_leads_to_no_file_that_is_not_its_own(tmp_path: Path) -> None:
    make(tmp_path / "pdf", "pdf")
    (tmp_path / "secret.txt").write_text("canary")
    (tmp_path / "pdf/link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "pdf/up").symlink_to(tmp_path)
    skills = loaded(Skills([tmp_path]))
    for file in ("../secret.txt", "link.txt", "up/secret.txt", str(tmp_path / "secret.txt"), "x/../../secret.txt", ""):
        result = read(skills, "pdf", file)
        assert result.is_error, file
        assert "canary" not in result.output


def test_a_skill_given_as_data_has_no_files_here() -> None:
    result = read(loaded(Skills(data=[Skill("a", "A.", "", resources=("x.md",))])), "a", "x.md")
    assert (result.output, result.is_error) == ("the files of a do not lie on this machine", True)


def test_an_unknown_skill_is_an_error_that_names_what_there_is() -> None:
    skills = loaded(Skills(data=[Skill("b", "B.", ""), Skill("a", "A.", "")]))
    assert disclosed(skills, "c") == ToolResult('Skill "c" not found. Available skills: a, b', is_error=True)


def test_what_is_loaded_is_what_was_listed(tmp_path: Path) -> None:
    file = make(tmp_path, "pdf", body="Before.")
    skills = loaded(Skills([tmp_path]))
    file.write_text("---\nname: pdf\n---\nAfter.")
    assert "Before." in disclosed(skills, "pdf").output


def test_a_skill_has_no_effects_and_is_not_trusted() -> None:
    tool = loaded(Skills(data=[Skill("a", "A.", "")])).tool
    assert tool is not None
    assert (tool.name, tool.source, tool.effects, tool.trusted_output) == ("skill", "skill", frozenset(), False)


def test_of_one_name_the_first_is_taken_folders_before_data_before_providers(tmp_path: Path) -> None:
    make(tmp_path / "one/x", "same", "First.")
    make(tmp_path / "two/x", "same", "Second.")
    skills = Skills(
        [tmp_path / "one", tmp_path / "two"],
        data=[Skill("Same", "Third.", "")],
        providers=[lambda: [Skill("same", "Fourth.", ""), Skill("other", "Other.", "")]],
    )
    found = inventory(skills)
    assert [(skill.name, skill.description) for skill in found.skills] == [("same", "First."), ("other", "Other.")]
    assert [skipped.reason for skipped in found.skipped] == ["duplicate-name"] * 3
    assert str(tmp_path / "one/x/SKILL.md") in found.skipped[0].detail


def test_every_skipped_skill_says_why(tmp_path: Path) -> None:
    make(tmp_path / "a", "good")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/SKILL.md").write_text("---\n{\n---\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/SKILL.md").write_bytes(b"---\nname: \xff\n---")
    found = inventory(Skills([tmp_path / "nowhere", tmp_path]))
    assert [skill.name for skill in found.skills] == ["good"]
    assert [(skipped.where, skipped.reason) for skipped in found.skipped] == [
        (str(tmp_path / "nowhere"), "unreadable"),
        (str(tmp_path / "b/SKILL.md"), "malformed-frontmatter"),
        (str(tmp_path / "c/SKILL.md"), "unreadable"),
    ]
    assert all(skipped.detail for skipped in found.skipped)


def test_only_what_is_allowed_is_offered_and_the_inventory_shows_all() -> None:
    skills = Skills(data=[Skill("a", "A.", ""), Skill("b", "B.", "")], allow={"b", "nowhere"})
    assert [skill.name for skill in inventory(skills).skills] == ["a", "b"]
    offered = loaded(skills)
    assert "**a**" not in offered.prompt
    assert disclosed(offered, "a").is_error
    assert not disclosed(offered, "b").is_error


async def later() -> list[Skill]:
    return [Skill("later", "Later.", "")]


def broken() -> list[Skill]:
    raise LookupError("no database")


def test_a_provider_that_fails_takes_nothing_from_the_others() -> None:
    found = inventory(Skills(providers=[broken, later]))
    assert [skill.name for skill in found.skills] == ["later"]
    [skipped] = found.skipped
    assert (skipped.where, skipped.reason, skipped.detail) == (
        "broken",
        "provider-failed",
        "LookupError: no database",
    )


def test_the_skills_of_a_folder_that_nobody_trusts_are_listed_and_not_offered(tmp_path: Path) -> None:
    make(tmp_path / "workspace/.skills/evil", "pdf", "Theirs.")
    make(tmp_path / "mine/pdf", "pdf", "Mine.")
    skills = Skills([tmp_path / "workspace/.skills", tmp_path / "mine"])
    found = inventory(skills, untrusted=[tmp_path / "workspace"])
    assert [skill.description for skill in found.skills] == ["Mine."]
    [skipped] = found.skipped
    assert (skipped.name, skipped.reason) == ("pdf", "untrusted-folder")
    assert [skill.description for skill in inventory(skills).skills] == ["Theirs."]


@posix
@pytest.mark.parametrize("place", ["workspace", "alias"])
@pytest.mark.parametrize("folder", ["mine", "workspace", "alias", "workspace/../alias/sub/.."])
def test_no_link_leads_around_trust(tmp_path: Path, folder: str, place: str) -> None:
    make(tmp_path / "workspace/evil", "evil")
    make(tmp_path / "outside/skill", "outside")
    (tmp_path / "workspace/sub").mkdir()
    (tmp_path / "workspace/out").symlink_to(tmp_path / "outside")
    (tmp_path / "alias").symlink_to("workspace")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/in").symlink_to("../alias/evil")
    (tmp_path / "mine/through").symlink_to(tmp_path / "alias/out")
    assert inventory(Skills([tmp_path / folder])).skipped == ()
    found = inventory(Skills([tmp_path / folder]), untrusted=[tmp_path / place])
    assert found.skills == ()
    assert {skipped.name for skipped in found.skipped} == {"evil", "outside"}


def test_a_place_beside_what_nobody_trusts_is_trusted(tmp_path: Path) -> None:
    make(tmp_path / "work-skills", "mine")
    (tmp_path / "work").mkdir()
    found = inventory(Skills([tmp_path / "work-skills"]), untrusted=[tmp_path / "work", tmp_path / "nowhere"])
    assert [skill.name for skill in found.skills] == ["mine"]


@posix
def test_no_keys_are_read_as_files_of_a_skill(tmp_path: Path) -> None:
    make(tmp_path / "pdf", "pdf")
    (tmp_path / "pdf/.env").write_text("KEY=canary")
    (tmp_path / "pdf/keys").mkdir()
    (tmp_path / "pdf/keys/a.pem").write_text("canary")
    (tmp_path / "pdf/notes.txt").symlink_to(".env")
    skills = loaded(Skills([tmp_path]))
    for file in (".env", "./keys/../.env", "keys/a.pem", "notes.txt"):
        result = read(skills, "pdf", file)
        assert result.is_error, file
        assert "canary" not in result.output
