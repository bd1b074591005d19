"""The tools of the program: built-in ones for the folder of a chat, MCP servers and skills for all, and one policy.

Above: ``tools``, ``store/grants``, ``plan``. Below: ``desk`` asks for the tools of each answer; the settings show and
change what is here, through ``desk``. Guarantees: nothing of a server starts before an answer wants its tools and the
person agreed to it; what was granted or agreed to is in the store when it counts; what cannot be read grants nothing,
and ``problems`` says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rillet.core.store import grants
from rillet.core.tools.mcp.consent import ConsentBook
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.policy.grants import GrantBook
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.toolkit import Toolkit
from rillet.core.tools.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.chat.plan import Plan
    from rillet.core.store.store import Store
    from rillet.core.tools.tool import Tool, ToolContext, ToolResult
    from rillet.core.types import ToolSpec

log = logging.getLogger("rillet.chat")

GRANTS: Final = "policy"
CONSENTS: Final = "mcp"
"""Under which names ``store/grants`` keeps the two books."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What the person set up; JSON values, as the settings file holds them."""

    servers: Mapping[str, Any] = field(default_factory=dict)
    """MCP servers, as ``mcp/config`` reads them."""
    skill_folders: tuple[str, ...] = ()
    trusted_folders: frozenset[str] = frozenset()
    """Workspaces whose own skills may be used."""
    off: frozenset[str] = frozenset()
    """Names of tools that are never offered."""
    off_of_servers: frozenset[tuple[str, str]] = frozenset()
    """The same of servers: their names, and their own names for the tools."""


class Workbench:
    """Made by ``open``; belongs to one event loop.

    Attributes:
        settings: What holds; ``configure`` changes it.
        servers: The MCP servers.
        grants: What was allowed or denied for longer than once.
        problems: What the person should be told, as sentences.
    """

    def __init__(self, store: Store, book: GrantBook, consents: ConsentBook, private: Path) -> None:
        self.settings = ToolSettings()
        self.grants = book
        self.problems: list[str] = []
        self._store = store
        self._consents = consents
        self._private = private
        self._on_change: Callable[[], None] = lambda: None
        self._toolkits: dict[str | None, Toolkit] = {}
        self._saving: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self.servers = self._servers()
        book.changed = self._save_grants

    @classmethod
    async def open(cls, store: Store, private: Path) -> Workbench:
        """Read the books. ``private`` is the program's own folder, which no tool may open."""
        kept = await store.read(grants.load)
        problems = []
        try:
            book = GrantBook.from_json(kept[GRANTS].encode()) if GRANTS in kept else GrantBook()
        except ValueError as error:
            book = GrantBook()
            problems.append(str(error))
        try:
            consents = ConsentBook.from_json(kept[CONSENTS].encode()) if CONSENTS in kept else ConsentBook()
        except ValueError as error:
            consents = ConsentBook()
            problems.append(str(error))
        bench = cls(store, book, consents, private)
        bench.problems = problems
        return bench

    def watch(self, on_change: Callable[[], None]) -> None:
        """Have ``on_change`` called whenever a server, its tools, or what is asked about them changes."""
        self._on_change = on_change

    async def configure(self, settings: ToolSettings) -> None:
        """Change what is set up: servers that are gone or different are ended."""
        previous, self.settings = self.settings, settings
        self._toolkits.clear()
        if settings.servers != previous.servers or settings.off_of_servers != previous.off_of_servers:
            await self.servers.aclose()
            self.servers = self._servers()
        self._on_change()

    async def approve(self, digest: str) -> None:
        """The person agreed to start a server, or to what a tool of it says.

        Raises:
            KeyError: nothing with that digest is asked.
        """
        await self.servers.approve(digest)
        await self._keep_consents()

    async def revoke_server(self, name: str) -> None:
        """Forget what was agreed to about a server, and end it."""
        await self.servers.revoke(name)
        await self._keep_consents()

    async def toolbox(self, plan: Plan) -> Selection | None:
        """The tools of an answer; None: it has none.

        Raises:
            ValueError: the folder of the plan can be no workspace.
        """
        if plan.tools is not None and not plan.tools:
            return None
        toolkit = self._toolkits.get(plan.workspace)
        if toolkit is None:
            toolkit = self._toolkits[plan.workspace] = self._toolkit(plan.workspace)
            await toolkit.start()
        return Selection(toolkit, plan.tools, self.settings.off)

    async def aclose(self) -> None:
        """End every server."""
        await self.servers.aclose()
        await asyncio.gather(*self._saving)

    def _toolkit(self, folder: str | None) -> Toolkit:
        workspace = None if folder is None else Workspace(folder, private=(self._private,))
        return Toolkit(
            builtins=True,
            workspace=workspace,
            skills=[Path(each) for each in self.settings.skill_folders],
            trusts_workspace=folder in self.settings.trusted_folders,
            mcp=_Shared(self),
            policy=Policy(workspace, self.grants),
        )

    def _servers(self) -> McpServers:
        return McpServers.from_config(
            dict(self.settings.servers),
            book=self._consents,
            surroundings=Surroundings(),
            off=self.settings.off_of_servers,
            on_change=self._changed,
        )

    def _changed(self) -> None:
        self._on_change()

    def _save_grants(self) -> None:
        """A call may be judged, and with it a grant made, on any thread."""
        self._loop.call_soon_threadsafe(self._begin_saving)

    def _begin_saving(self) -> None:
        task = self._loop.create_task(self._keep(GRANTS, self.grants.to_json().decode()))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)

    async def _keep_consents(self) -> None:
        await self._keep(CONSENTS, self._consents.to_json().decode())

    async def _keep(self, name: str, book: str) -> None:
        await self._store.write_durably(grants.keep, name, book)


class Selection:
    """The tools of one answer, out of a toolkit (a ``Toolbox`` of the agent)."""

    def __init__(self, toolkit: Toolkit, wanted: frozenset[str] | None, off: frozenset[str]) -> None:
        self._toolkit = toolkit
        self._wanted = wanted
        self._off = off

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told."""
        return tuple(spec for spec in self._toolkit.specs if self._offers(spec.name))

    @property
    def skills_prompt(self) -> str:
        """What the system prompt says of skills, if they can be loaded."""
        return self._toolkit.skills_prompt if self._offers("skill") else ""

    def find(self, name: str) -> Tool | None:
        """The tool of that name, if it is offered."""
        return self._toolkit.find(name) if self._offers(name) else None

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run a tool, if it is offered and may."""
        if not self._offers(name):
            from rillet.core.tools.tool import ToolResult

            return ToolResult(f"the tool {name} is switched off in this chat", is_error=True)
        return await self._toolkit.call(name, args, ctx)

    def _offers(self, name: str) -> bool:
        return name not in self._off and (self._wanted is None or name in self._wanted)


class _Shared:
    """The servers, for one toolkit of several: none of them ends those of the others."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._bench.servers.tools

    async def start(self) -> None:
        await self._bench.servers.start()

    async def aclose(self) -> None:
        """The workbench does that."""
