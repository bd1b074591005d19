"""Which tools a chat is offered, as the person switches them: one by one, by server, by set, all.

Pure. Above: ``core/chat/tool_state``. Below: ``popover`` shows it, and keeps ``value`` with the chat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rillet.app.tools.words import BUILTIN, SKILL
from rillet.core.tools.mcp.offer import Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.chat.tool_state import ToolState
    from rillet.core.config.settings import ToolSetup

Share: TypeAlias = Literal["none", "some", "all"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice among tools.

    Attributes:
        names: The tools; None: all there are, also those that come later.
    """

    names: frozenset[str] | None = frozenset()

    @classmethod
    def of(cls, value: Any) -> Chosen:
        """As a chat keeps it: "all", names, or nothing."""
        return cls(None if value == "all" else frozenset(map(str, value or ())))

    @property
    def value(self) -> str | list[str] | None:
        """What the chat keeps; None: nothing."""
        return "all" if self.names is None else sorted(self.names) or None

    def has(self, name: str) -> bool:
        """Whether a tool is among them."""
        return self.names is None or name in self.names

    def share(self, names: Iterable[str]) -> Share:
        """How many of these tools are among them."""
        wanted = frozenset(names)
        if self.names is None or (wanted and wanted <= self.names):
            return "all"
        return "some" if wanted & self.names else "none"

    def switched(self, names: Iterable[str], known: Iterable[str], *, on: bool) -> Chosen:
        """The choice with these tools added or taken out. ``known``: what "all" means just now."""
        now = frozenset(known) if self.names is None else self.names
        return Chosen(now | frozenset(names) if on else now - frozenset(names))


def known_tools(setup: ToolSetup, state: ToolState | None) -> tuple[str, ...]:
    """The names of all tools that are not switched off for every chat."""
    ours = [name for name in (*BUILTIN, SKILL) if name not in setup.off]
    servers = () if state is None else state.servers
    theirs = [tool.name for server in servers for tool in server.tools if tool.standing is Standing.OFFERED]
    return (*ours, *theirs)
