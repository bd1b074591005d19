"""The tools of the program: built-in ones for the folder of a chat, MCP servers and skills for all, and one policy.

Above: ``tools``, ``store/grants``, ``plan``, ``tool_state``. Below: ``desk`` asks for the tools of each answer; the
settings show and change what is here, through ``desk``. Guarantees: nothing of a server starts before an answer wants
its tools, or the person says so, and the person agreed to exactly it; one that the person stopped stays so; a change of
one server disturbs no other; what was granted or agreed to is in the store when it counts; what cannot be read grants
nothing, and ``problems`` says so.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import ChainMap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rillet.core.chat.outside import holds_outside
from rillet.core.chat.selection import Selection
from rillet.core.chat.sign_ins import SignIns
from rillet.core.chat.tool_state import ToolSettings, ToolState, state_of
from rillet.core.store import grants
from rillet.core.store.temporary import is_temporary
from rillet.core.tools.mcp.config import RemoteServerConfig
from rillet.core.tools.mcp.consent import ConsentBook
from rillet.core.tools.mcp.server import State
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.names import legal_name
from rillet.core.tools.policy.grants import GrantBook
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.skills import TOOL_NAME as SKILL_TOOL
from rillet.core.tools.skills import Skills
from rillet.core.tools.toolkit import Toolkit
from rillet.core.tools.workspace import Workspace
from rillet.core.types.suspension import Answer

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from sqlite3 import Connection

    from rillet.core.chat.plan import Plan
    from rillet.core.store.messages import Node
    from rillet.core.store.store import Store
    from rillet.core.tools.policy.grants import Grant
    from rillet.core.tools.policy.rules import Rule
    from rillet.core.tools.skills import SkillInventory
    from rillet.core.tools.tool import Tool
    from rillet.core.types.suspension import Request

log = logging.getLogger("rillet.chat")

GRANTS: Final = "policy"
CONSENTS: Final = "mcp"
"""Under which names ``store/grants`` keeps the two books."""
WORKSPACE_SKILLS: Final = (".agents/skills", ".claude/skills")
"""Where a workspace keeps skills of its own. They are offered once the person trusts the folder."""
_PLAIN_NAME: Final = 40
"""Letters up to which the name of a server stands whole before those of its tools."""


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
        self._kept = consents.to_json()
        self._private = private
        self._revision = 0
        self._news = asyncio.Event()
        self._toolkits: dict[str | None, Toolkit] = {}
        self._stopped: set[str] = set()
        """Servers that the person ended."""
        self._signing_in: dict[str, tuple[Request, asyncio.Future[Answer]]] = {}
        self._saving: set[asyncio.Task[None]] = set()
        self._changing = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._secrets: dict[str, str] = {}
        self._sign_ins = SignIns(self._tell)
        around = Surroundings(environ=ChainMap(self._secrets, os.environ), tokens=self._sign_ins)
        self.servers = McpServers([], book=consents, surroundings=around, on_change=self._servers_changed)
        book.changed = self._grants_changed

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
            problems.append(f"what was agreed to about MCP servers cannot be read, so they are asked about: {error}")
        bench = cls(store, book, consents, private)
        bench.problems = problems
        await bench._forget_what_is_over()
        return bench

    # What an answer needs

    async def toolbox(self, plan: Plan) -> Selection | None:
        """The tools of an answer; None: it has none. Servers whose tools it wants are started.

        Raises:
            ValueError: the folder of the plan can be no workspace.
        """
        if plan.tools is not None and not plan.tools:
            return None
        async with self._changing:
            toolkit = self._toolkits.get(plan.workspace)
            if toolkit is None:
                toolkit = self._toolkit(plan.workspace, await self._skill_folders(plan.workspace))
                await toolkit.start()
                self._toolkits[plan.workspace] = toolkit
        await self.servers.start([name for name in self.servers.servers if self._may_start(name, plan.tools)])
        return Selection(toolkit, plan.tools, self._off(plan))

    def present(self, plan: Plan) -> Selection | None:
        """The tools of an answer, as far as they are there without anything being started; None: none are."""
        toolkit = self._toolkits.get(plan.workspace)
        has_none = plan.tools is not None and not plan.tools
        return None if toolkit is None or has_none else Selection(toolkit, plan.tools, self._off(plan))

    def holds_outside(self, line: Sequence[Node], workspace: str | None) -> bool:
        """Whether these messages hold text that came from outside, so that whatever acts is asked about."""
        known = self._toolkits.get(workspace) or self._toolkit(_usable(workspace), [])
        return holds_outside(line, known.find)

    # What the person sets up

    async def configure(self, settings: ToolSettings) -> None:
        """Change what is set up: servers that are gone or different are ended, the others go on.

        What was agreed to about a server that is gone is forgotten: one that takes its name later is asked about.
        """
        async with self._changing:
            previous, self.settings = self.settings, settings
            self._toolkits.clear()
            self._secrets.clear()
            self._secrets.update(settings.secrets)
            for name in previous.servers.keys() - settings.servers.keys():
                self._consents.revoke(name)
                self._stopped.discard(name)
            await self.servers.configure({"mcpServers": dict(settings.servers)}, settings.off_of_servers)
            configs = [each.config for each in self.servers.servers.values()]
            remote = [config.url for config in configs if isinstance(config, RemoteServerConfig)]
            self._sign_ins.recall(remote, settings.sign_ins)

    async def approve(self, digest: str) -> None:
        """The person agreed to start a server, or to what a tool of it says; nothing where that is not asked any more.

        It may have been agreed to in two places at once, or the server is another one by now.
        """
        if any(consent.digest == digest for consent in self.servers.asked):
            await self.servers.approve(digest)
            await self._keep_consents()

    async def revoke_server(self, name: str) -> None:
        """Forget what was agreed to about a server, and end it."""
        await self.servers.revoke(name)
        await self._keep_consents()
        self._tell()

    async def revoke_everything(self) -> None:
        """Forget all that was allowed, denied and agreed to, and end every server."""
        for grant in self.grants.grants():
            self.grants.revoke(grant.id)
        for name in self.servers.servers:
            await self.servers.revoke(name)
        self._consents.clear()
        await self.keep_everything()

    async def keep_everything(self) -> None:
        """Write all that was allowed and agreed to into a store that is another one now: no backup brings back more."""
        await self._forget_what_is_over()
        await self._keep(GRANTS, self.grants.to_json())
        await self._keep_consents()
        await asyncio.gather(*self._saving)
        self._tell()

    async def start_server(self, name: str) -> None:
        """Start a server, or start it anew; one that nobody agreed to asks instead. One that is gone is no error."""
        self._stopped.discard(name)
        if (server := self.servers.servers.get(name)) is not None:
            await server.restart()

    async def stop_server(self, name: str) -> None:
        """End a server until the person starts it again."""
        self._stopped.add(name)
        self.cancel_sign_in(name)
        if (server := self.servers.servers.get(name)) is not None:
            await server.stop()

    async def sign_in(self, name: str) -> None:
        """Start a server with somebody there who can sign in: where, stands in the state meanwhile."""
        server = self.servers.servers.get(name)
        if server is None:
            return
        self._stopped.discard(name)

        async def ask(request: Request) -> Answer:
            answer: asyncio.Future[Answer] = self._loop.create_future()
            self._signing_in[name] = (request, answer)
            self._tell()
            try:
                return await answer
            finally:
                self._signing_in.pop(name, None)
                self._tell()

        await server.sign_in(ask)

    def cancel_sign_in(self, name: str) -> None:
        """Nobody will sign in."""
        if (asked := self._signing_in.get(name)) is not None and not asked[1].done():
            asked[1].set_result(Answer(id=asked[0].id, ok=False))

    def allow(self, rule: Rule, *, folder: str | None = None, expires_at: float | None = None) -> None:
        """Let calls run that ``rule`` surely means.

        Raises:
            ValueError: the rule could never allow anything but its own words, or the folder is no workspace.
        """
        self._policy(folder).allow(rule, folder=self._root(folder), expires_at=expires_at)

    def deny(self, rule: Rule, *, folder: str | None = None, expires_at: float | None = None) -> None:
        """Never run calls that ``rule`` may mean.

        Raises:
            ValueError: the folder is no workspace.
        """
        self._policy(folder).deny(rule, folder=self._root(folder), expires_at=expires_at)

    # What there is

    @property
    def state(self) -> ToolState:
        """Everything, as it is now."""
        servers = self.servers
        signing_in = {name: request for name, (request, _) in self._signing_in.items()}
        return ToolState(
            revision=self._revision,
            servers=tuple(
                state_of(each, servers.inventory, servers.asked, signing_in.get(name))
                for name, each in servers.servers.items()
            ),
            problems=(*self.problems, *map(str, servers.problems)),
            grants=self.grants.grants(),
            agreements=self._consents.agreements,
            sign_ins=self._sign_ins.kept,
        )

    async def state_after(self, revision: int) -> ToolState:
        """The state as soon as it is a later one than that of ``revision``."""
        while self._revision <= revision:
            await self._news.wait()
        return self.state

    def server_log(self, name: str) -> tuple[str, ...]:
        """The last things that a server said, oldest first; nothing of one that is gone."""
        server = self.servers.servers.get(name)
        return () if server is None else server.log.lines

    async def skills(self, workspace: str | None = None) -> SkillInventory:
        """Every skill of the folders, and why others were skipped."""
        distrusted = () if workspace is None or workspace in self.settings.trusted_folders else (workspace,)
        return await Skills(await self._skill_folders(workspace)).inventory(distrusted)

    async def aclose(self) -> None:
        """End every server."""
        for name in list(self._signing_in):
            self.cancel_sign_in(name)
        await self.servers.aclose()
        await asyncio.gather(*self._saving)

    # Inside

    async def _forget_what_is_over(self) -> None:
        """Strike out what has expired, and what was agreed to in chats that are gone, for it quotes them."""
        self.grants.forget_expired(time.time())
        chats = {grant.chat for grant in self.grants.grants() if grant.chat is not None}
        if chats:
            alive = await self._store.read(_chat_ids)
            for chat in chats - alive:
                self.grants.forget_chat(chat)

    def _toolkit(self, folder: str | None, skill_folders: list[Path]) -> Toolkit:
        workspace = None if folder is None else Workspace(folder, private=(self._private,))
        return Toolkit(
            builtins=True,
            workspace=workspace,
            skills=Skills(skill_folders, deny=self.settings.skills_off),
            trusts_workspace=folder in self.settings.trusted_folders,
            mcp=_Shared(self),
            policy=Policy(workspace, self.grants),
        )

    async def _skill_folders(self, workspace: str | None) -> list[Path]:
        """The folders of all chats, and those that a workspace has."""
        own = [] if workspace is None else [Path(workspace, each) for each in WORKSPACE_SKILLS]
        there = await asyncio.to_thread(lambda: [each for each in own if each.is_dir()])
        return [*map(Path, self.settings.skill_folders), *there]

    def _off(self, plan: Plan) -> frozenset[str]:
        """The tools that an answer is not offered, whatever it wants."""
        return self.settings.off | ({SKILL_TOOL} if "skills" in plan.without else frozenset())

    def _may_start(self, name: str, tools: frozenset[str] | None) -> bool:
        """Whether an answer with these tools starts a server: never one that failed, or that the person stopped."""
        server = self.servers.servers[name]
        if name in self._stopped or server.state not in (State.STOPPED, State.NEEDS_CONSENT):
            return False
        start = legal_name(f"{name}_")
        return tools is None or len(name) > _PLAIN_NAME or any(each.startswith(start) for each in tools)

    def _policy(self, folder: str | None) -> Policy:
        return Policy(None if folder is None else Workspace(folder, private=(self._private,)), self.grants)

    def _root(self, folder: str | None) -> str | None:
        """A folder as calls name it."""
        return None if folder is None else str(Workspace(folder, private=(self._private,)).root)

    def _tell(self) -> None:
        self._revision += 1
        self._news.set()
        self._news = asyncio.Event()

    def _servers_changed(self) -> None:
        """The tools of a new server were accepted with it: then that is kept, too."""
        if self._consents.to_json() != self._kept:
            self._begin(self._keep_consents())
        self._tell()

    def _grants_changed(self) -> None:
        """A call may be judged, and with it a grant made, on any thread."""
        self._loop.call_soon_threadsafe(self._keep_grants)

    def _keep_grants(self) -> None:
        self._begin(self._keep(GRANTS, self.grants.to_json(_is_kept)))
        self._tell()

    async def _keep_consents(self) -> None:
        self._kept = self._consents.to_json()
        await self._keep(CONSENTS, self._kept)

    async def _keep(self, name: str, book: bytes) -> None:
        await self._store.write_durably(grants.keep, name, book.decode())

    def _begin(self, saving: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(saving)
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)


def _is_kept(grant: Grant) -> bool:
    """Whether a grant outlives the program: it quotes the call that it was given for, and with it the chat."""
    chats = (chat for chat in (grant.chat, grant.given_in) if chat is not None and chat.isdecimal())
    return not any(is_temporary(int(chat)) for chat in chats)


def _chat_ids(db: Connection) -> set[str]:
    return {str(id) for (id,) in db.execute("SELECT id FROM chats")}


def _usable(folder: str | None) -> str | None:
    """A folder, as long as it is there."""
    return folder if folder is not None and Path(folder).is_dir() else None


class _Shared:
    """The servers, for one toolkit of several: none of them ends those of the others."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._bench.servers.tools

    async def start(self) -> None:
        """The workbench does that, for each answer."""

    async def aclose(self) -> None:
        """The workbench does that."""
