"""What a server offers: its tools, and the resources and prompts that a person may choose.

Values. Above: ``definition``. Below: ``session`` makes them, ``server`` and the host read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rillet.core.tools.mcp.definition import Definition
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    import mcp_types as protocol

MOST_LISTED: Final = 512
LARGEST_LIST: Final = 500_000
"""Characters. Models that could read that many have better things to read."""


@dataclass(slots=True)
class Listing:
    """The tools of one list: each name once."""

    tools: dict[str, Definition] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Why a tool of that name is not among them."""
    size: int = 0
    """Characters that a model is told of all tools together."""

    @property
    def is_full(self) -> bool:
        """Whether no more of it is read."""
        return len(self.tools) + len(self.refused) >= MOST_LISTED

    def add(self, tool: Definition) -> None:
        """One more. A name that comes twice is refused: calls of it could mean either."""
        self.size += tool.size
        if tool.name in self.tools or tool.name in self.refused:
            self.refuse(tool.name, "its server lists that name twice")
        elif self.size > LARGEST_LIST:
            self.refuse(tool.name, f"all tools of its server together say more than {LARGEST_LIST:,} characters")
        else:
            self.tools[tool.name] = tool

    def refuse(self, name: str, why: str) -> None:
        """Not this one."""
        self.tools.pop(name, None)
        self.refused[mend(name)[:200]] = why


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceInfo:
    """Something to read at a server."""

    uri: str
    name: str
    description: str = ""
    media_type: str | None = None
    size: int | None = None
    """Bytes."""

    @classmethod
    def of(cls, resource: protocol.Resource) -> ResourceInfo:
        """From the SDK's value."""
        return cls(
            uri=mend(resource.uri),
            name=mend(resource.title or resource.name),
            description=mend(resource.description or ""),
            media_type=resource.mime_type,
            size=resource.size,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInfo:
    """A prompt that a server offers to fill in."""

    name: str
    title: str
    description: str = ""
    arguments: tuple[tuple[str, str, bool], ...] = ()
    """Name, description, and whether it has to be given."""

    @classmethod
    def of(cls, prompt: protocol.Prompt) -> PromptInfo:
        """From the SDK's value."""
        return cls(
            name=prompt.name,
            title=mend(prompt.title or prompt.name),
            description=mend(prompt.description or ""),
            arguments=tuple(
                (each.name, mend(each.description or ""), bool(each.required)) for each in prompt.arguments or ()
            ),
        )
