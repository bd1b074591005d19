"""One skill, and how the text of a ``SKILL.md`` becomes one.

Pure. Above: ``yaml_text``. Below: ``skill_folders`` reads files, ``skills`` offers what they hold. The format is that
of https://agentskills.io/specification: front matter in YAML, then instructions in Markdown. Guarantee: what a skill
says about itself decides nothing: the tools that it lists are told to people, and permitted by nobody.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rillet.core.visible import is_hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

SkipReason: TypeAlias = Literal[
    "missing-name",
    "bad-name",
    "malformed-frontmatter",
    "duplicate-name",
    "unreadable",
    "too-large",
    "too-many",
    "untrusted-folder",
    "provider-failed",
]

LONGEST_NAME: Final = 64
LONGEST_DESCRIPTION: Final = 1024
"""Characters, as the specification says; longer descriptions are cut, for every one costs in every request."""
_NAME = re.compile(r"[^\s<>\"&](?:[^\n<>\"&]*[^\s<>\"&])?")
_FENCED = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)(.*)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?")


class SkillError(ValueError):
    """A skill that cannot be used, and the kind of reason."""

    def __init__(self, reason: SkipReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: SkipReason = reason


@dataclass(frozen=True, slots=True)
class Skill:
    """Instructions for some kind of task. Without a description it can be loaded, and is not listed.

    Raises:
        SkillError: the name is none.
    """

    name: str
    description: str
    content: str = field(repr=False)
    _: KW_ONLY
    location: Path | None = None
    """Its ``SKILL.md``; None for one that the host gave as data."""
    base: str | None = None
    """What relative paths in a skill given as data are relative to; None: "skill://name/"."""
    resources: tuple[str, ...] = ()
    """The files of a skill given as data, by names that mean something to the host's tools."""
    tools: tuple[str, ...] = ()
    """What it says that it will use (``allowed-tools``). No permission."""

    def __post_init__(self) -> None:
        name = self.name
        if len(name) > LONGEST_NAME or not _NAME.fullmatch(name) or any(map(is_hidden, name)):
            raise SkillError("bad-name", f"{name[:LONGEST_NAME]!r} is no name for a skill")
        object.__setattr__(self, "description", _one_line(self.description)[:LONGEST_DESCRIPTION])


def parse_skill(text: str, location: Path | None = None) -> Skill:
    """The skill of a ``SKILL.md``.

    Raises:
        SkillError: it has no name, or front matter that nobody can read.
    """
    fenced = _FENCED.match(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    if fenced is None:
        raise SkillError("missing-name", "there is no front matter between two lines of ---")
    fields = _fields(fenced[1])
    name = _scalar(fields.get("name"))
    if not name:
        raise SkillError("missing-name", "the front matter has no name")
    tools = fields.get("allowed-tools")
    return Skill(
        name,
        _scalar(fields.get("description")),
        fenced[2].strip(),
        location=location,
        tools=tuple(map(_scalar, tools)) if isinstance(tools, list) else tuple(_scalar(tools).split()),
    )


def _fields(text: str) -> Mapping[str, Any]:
    """The front matter, also where its author forgot the quotes around a text with ": " in it.

    Most of those that are broken are broken so, and clients drop them in silence (mattpocock/skills#908).
    """
    from rillet.core.tools.yaml_text import read_yaml  # brings a parser, which only a skill on the disk needs

    try:
        fields: Any = read_yaml(text)
    except ValueError as error:
        fields = _entries(text)
        if "name" not in fields:
            raise SkillError("malformed-frontmatter", str(error)) from None
    if not isinstance(fields, dict):
        raise SkillError("malformed-frontmatter", "the front matter is no list of fields")
    return fields


def _entries(text: str) -> dict[str, str]:
    """Fields by their lines alone: a name at the margin, and everything up to the next one."""
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in text.split("\n"):
        if entry := _ENTRY.fullmatch(line.rstrip()):
            lines = found[entry[1]] = [entry[2] or ""]
        elif lines is not None and line[:1].isspace():
            lines.append(line)
    return {name: _unquoted(" ".join(said).strip()) for name, said in found.items()}


def _unquoted(text: str) -> str:
    text = re.sub(r"\A[|>][-+]?\s+", "", text)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _scalar(value: Any) -> str:
    """A value as its author wrote it; nothing for a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _one_line(text: str) -> str:
    """On one line of a list, and without characters that nobody sees: this stands in the system prompt."""
    return "".join(character for character in " ".join(text.split()) if not is_hidden(character))
