"""Skills: which there are, what the system prompt says of them, and the one tool that loads them.

Above: ``skill_file``, ``skill_folders``, ``builtin/read``. Below: ``toolkit``. Progressive disclosure: the system
prompt names each skill in a line, the tool ``skill`` gives its instructions when they are wanted, those name the files
beside them, and the same tool reads such a file, since most skills lie outside of the workspace. The shape of what the
tool gives is that of the public contract (toolnexus, section 3); ``file`` is ours.

Guarantees: every skill that was found is offered, or skipped for a reason that is told; one source that fails takes
nothing from the others. What lies in a folder that nobody trusts is listed and never offered. No link leads from the
files of a skill to others, and none that may hold keys is read. What a skill says is a stranger's text, so that reading
it makes a conversation untrusted.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rillet.core.tools.files.guards import is_sensitive
from rillet.core.tools.files.paths import FileError, show
from rillet.core.tools.skill_file import Skill, SkillError, SkipReason
from rillet.core.tools.skill_folders import find_skill_files, read_skill_file, sample_files, way_to
from rillet.core.tools.tool import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    import os

    from rillet.core.tools.workspace import Workspace

log = logging.getLogger("rillet.tools")

SkillProvider: TypeAlias = Callable[[], Iterable[Skill] | Awaitable[Iterable[Skill]]]

TOOL_NAME: Final = "skill"
SAMPLE: Final = 10
"""Files of a skill that are named."""
PATIENCE: Final = 30.0
"""Seconds for one provider."""

_INTRODUCTION = """\
The following skills hold instructions for particular kinds of tasks. When a task matches the description of one,
load it with the tool "skill" before you begin."""
_DESCRIPTION = """\
Loads one of the skills that the system prompt lists: instructions for a particular kind of task, with the paths of \
the files that belong to them. Use it as soon as a task matches the description of a skill. With "file" it reads one \
of those files instead."""
_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The name of the skill, as it is listed."},
        "file": {"type": "string", "description": "A file of the skill, relative to its base directory."},
    },
    "required": ["name"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class SkippedSkill:
    """What was found and is not offered."""

    where: str
    """Path of the file or folder, or the name of what was given as data."""
    reason: SkipReason
    detail: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class SkillInventory:
    """Everything that the sources hold, before an allow-list chooses."""

    skills: tuple[Skill, ...]
    skipped: tuple[SkippedSkill, ...]


class Skills:
    """Where skills come from. Of two with one name the first is taken: folders, then data, then providers.

    ``allow``: the names of those that are offered; None: all. ``deny``: those that are not. ``sample``: how many of a
    skill's files are named when it is loaded. Providers are asked each time that skills are loaded; they may be
    coroutine functions.
    """

    def __init__(
        self,
        folders: Iterable[str | os.PathLike[str]] = (),
        *,
        data: Iterable[Skill] = (),
        providers: Iterable[SkillProvider] = (),
        allow: Collection[str] | None = None,
        deny: Collection[str] = (),
        sample: int = SAMPLE,
    ) -> None:
        self._folders = tuple(map(Path, folders))
        self._data = tuple(data)
        self._providers = tuple(providers)
        self._allow = allow
        self._deny = frozenset(deny)
        self._sample = sample

    async def inventory(self, untrusted: Iterable[str | os.PathLike[str]] = ()) -> SkillInventory:
        """Look at every source. Nothing is offered by that, and nothing stays open.

        ``untrusted``: folders whose skills are listed as skipped, wherever links lead in or out of them.
        """
        collected = _Collected()
        places = tuple(map(Path, untrusted))
        for folder in self._folders:
            await asyncio.to_thread(_read_folder, folder, places, collected)
        for skill in self._data:
            collected.add(skill, skill.name)
        for provider in self._providers:
            await _ask(provider, collected)
        return SkillInventory(tuple(collected.skills.values()), tuple(collected.skipped))

    async def load(self, untrusted: Iterable[str | os.PathLike[str]] = ()) -> LoadedSkills:
        """Look at every source, and offer what may be offered."""
        inventory = await self.inventory(untrusted)
        for skipped in inventory.skipped:
            log.warning("skill skipped (%s): %s: %s", skipped.reason, skipped.where, skipped.detail)
        skills = tuple(skill for skill in inventory.skills if skill.name not in self._deny)
        if self._allow is not None:
            skills = tuple(skill for skill in skills if skill.name in self._allow)
            if unknown := set(self._allow) - {skill.name for skill in skills}:
                log.warning("no skill is called %s", ", ".join(sorted(unknown)))
        return LoadedSkills(skills, inventory.skipped, self._sample)


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skills that are offered."""

    skills: tuple[Skill, ...]
    skipped: tuple[SkippedSkill, ...] = ()
    sample: int = SAMPLE

    @property
    def prompt(self) -> str:
        """For the system prompt: what there is, sorted by name; empty when nothing is described."""
        described = sorted((skill.name, skill.description) for skill in self.skills if skill.description)
        if not described:
            return ""
        lines = [f"- **{name}**: {description}" for name, description in described]
        return "\n".join((_INTRODUCTION, "", "## Available Skills", *lines))

    @property
    def tool(self) -> Tool | None:
        """The tool that loads a skill; None when there are none."""
        if not self.skills:
            return None
        by_name = {skill.name: skill for skill in self.skills}

        async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
            skill = by_name.get(args["name"])
            if skill is None:
                available = ", ".join(sorted(by_name))
                return ToolResult(f'Skill "{args["name"]}" not found. Available skills: {available}', is_error=True)
            if (file := args.get("file")) is not None:
                return await _read_file(skill, file, ctx)
            return await asyncio.to_thread(_disclosed, skill, self.sample)

        return Tool(TOOL_NAME, _DESCRIPTION, _SCHEMA, execute, source="skill")


class _Collected:
    """Skills by name, the first of each."""

    def __init__(self) -> None:
        self.skills: dict[str, Skill] = {}
        self.skipped: list[SkippedSkill] = []
        self._taken: dict[str, str] = {}

    def add(self, skill: Skill, where: str) -> None:
        if other := self._taken.get(skill.name.casefold()):
            self.skip(where, "duplicate-name", f"{other} has that name already", skill.name)
            return
        self._taken[skill.name.casefold()] = where
        self.skills[skill.name] = skill

    def skip(self, where: str, reason: SkipReason, detail: str, name: str | None = None) -> None:
        self.skipped.append(SkippedSkill(where, reason, detail, name))


def _read_folder(folder: Path, untrusted: tuple[Path, ...], collected: _Collected) -> None:
    distrusted = {identity for each in untrusted if (identity := _identity(each)) is not None}
    try:
        found = find_skill_files(folder)
    except OSError as error:
        collected.skip(str(folder), "unreadable", error.strerror or type(error).__name__)
        return
    for file in found.files:
        try:
            skill = read_skill_file(file)
        except SkillError as error:
            collected.skip(str(file), error.reason, str(error))
            continue
        if distrusted and any(_identity(place) in distrusted for place in way_to(file)):
            collected.skip(str(file), "untrusted-folder", "the folder that it lies in is not trusted", skill.name)
        else:
            collected.add(skill, str(file))
    if not found.is_complete:
        collected.skip(str(folder), "too-many", "there is more in this folder than is looked at")


def _identity(place: Path) -> tuple[int, int] | None:
    """What the system knows it by, however it is spelled; None when there is nothing."""
    try:
        status = place.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


async def _ask(provider: SkillProvider, collected: _Collected) -> None:
    name = getattr(provider, "__qualname__", type(provider).__name__)
    try:
        async with asyncio.timeout(PATIENCE):
            given = await asyncio.to_thread(provider)
            skills = tuple(await given if inspect.isawaitable(given) else given)
    except Exception as error:  # a boundary: code of hosts
        log.debug("the provider %s", name, exc_info=error)
        collected.skip(name, "provider-failed", f"{type(error).__name__}: {error}")
        return
    for skill in skills:
        collected.add(skill, f"{name}: {skill.name}")


def _is_plain(path: str) -> bool:
    """Whether a path cannot be taken for more than one line, or for the markup around it."""
    return path.isprintable() and not {"<", ">"} & set(path)


async def _read_file(skill: Skill, file: str, ctx: ToolContext) -> ToolResult:
    """A file of a skill, as the tool ``read`` would give it if the skill's folder were the workspace.

    Nobody is asked about it, so that what may hold keys, about which ``read`` asks, is not given at all.
    """
    from rillet.core.tools.builtin.read import read_tool  # only who reads pays for it
    from rillet.core.tools.workspace import Workspace

    if skill.location is None:
        return ToolResult(f"the files of {skill.name} do not lie on this machine", is_error=True)
    folder = await asyncio.to_thread(Workspace, skill.location.parent)
    if await asyncio.to_thread(_may_hold_keys, folder, file):
        return ToolResult(
            f"{show(file)} may hold keys or passwords: it is not read as a file of a skill", is_error=True
        )
    return await read_tool(folder).run({"path": file}, ctx)


def _may_hold_keys(folder: Workspace, file: str) -> bool:
    """Whether a path leads to what may hold keys; not where it leads nowhere, which who reads it says better."""
    try:
        with folder.locate(file) as location:
            return any(map(is_sensitive, location.path.split("/")))
    except FileError:
        return False


def _disclosed(skill: Skill, sample: int) -> ToolResult:
    if skill.location is not None:
        folder = skill.location.parent
        base = folder.as_uri()
        files = [name for file in sample_files(folder, sample) if _is_plain(name := str(file))]
    else:
        base = skill.base or f"skill://{skill.name}/"
        files = list(skill.resources[:sample])
    lines = [
        f'<skill_content name="{skill.name}">',
        f"# Skill: {skill.name}",
        "",
        skill.content.strip(),
        "",
        f"Base directory for this skill: {base}",
        "Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory.",
    ]
    if sample and (files or skill.location is not None):
        listed = (f"<file>{file}</file>" for file in files)
        lines += ["Note: file list is sampled.", "", "<skill_files>", "\n".join(listed), "</skill_files>"]
    lines.append("</skill_content>")
    return ToolResult("\n".join(lines), metadata={"name": skill.name, "base": base})
