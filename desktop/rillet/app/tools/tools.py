"""The tools of the program on the GUI thread: what is set up, what servers do, and every change of both.

Above: ``core/chat/workbench`` through ``qt/desk``, the settings. Below: the pages of the settings and the menu of the
composer. Knows no widget. Guarantees: a change is saved, then handed to the engine, in the order in which it was made;
nothing is handed over before somebody uses or looks at tools, so that who uses none pays nothing.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from rillet.app import coroutines
from rillet.app.tools.entries import accounts, addresses, apart, filled_in, guarded
from rillet.app.trouble_words import of_keys
from rillet.core.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from rillet.app.services import Services
    from rillet.core.chat.desk import Desk
    from rillet.core.chat.tool_state import ToolState
    from rillet.core.chat.workbench import Workbench
    from rillet.core.config.settings import ToolSetup
    from rillet.core.tools.policy.rules import Rule
    from rillet.core.tools.skills import SkillInventory

SIGN_IN: Final = "mcp-sign-in:"
"""What the accounts of sign-ins begin with in the key store."""
FOLDERS: Final = 8
"""Workspaces that are remembered."""


class Tools(QObject):
    """What there is of tools.

    Attributes:
        state: What the engine told last; None before it was asked (``look``).

    Signals:
        changed(): ``state`` is another one.
        setupChanged(): ``setup`` is another one.
        troubled(str): Something that was asked for cannot be done: a sentence.
    """

    changed = Signal()
    setupChanged = Signal()
    troubled = Signal(str)

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._services = services
        self.state: ToolState | None = None
        self._is_looking = False
        self._has_begun = False
        self._told: Mapping[str, str] = {}
        """The sign-ins that the engine told of last."""
        services.keys.changed.connect(self._give_secrets)

    @property
    def setup(self) -> ToolSetup:
        """What the person set up."""
        return self._services.settings.tools

    def begin(self) -> None:
        """Let the engine know what is set up, unless it does."""
        if not self._has_begun:
            self._hand_over()
            if self._addresses:
                self.look()  # (servers there may renew their tokens in any answer)

    def look(self) -> None:
        """Keep ``state`` up to date from now on."""
        self.begin()
        if not self._is_looking:
            self._is_looking = True
            coroutines.start(self._follow())

    def renew(self) -> None:
        """What is set up has become another one elsewhere."""
        if self._has_begun:
            self._hand_over()
        self.setupChanged.emit()

    # Servers

    def put_servers(self, entries: Mapping[str, Any], instead_of: str | None = None) -> None:
        """Add servers, or replace those of the same names; ``instead_of``: the old name of one that was renamed.

        Values of their variables and headers go into the key store of the system.
        """
        servers = {name: entry for name, entry in self.setup.servers.items() if name != instead_of or name in entries}
        for name, entry in entries.items():
            known = entry if instead_of is None else filled_in(instead_of, entry, self._services.keys.secret)
            servers[name], secrets = apart(name, known)
            for account, secret in secrets.items():
                self._services.keys.hold(account, secret)  # (a server may want it before the key store has answered)
            coroutines.start(self._keep(secrets))
        self._set_up(servers=servers)

    def remove_server(self, name: str) -> None:
        """Remove a server, and what was agreed to about it."""
        off = tuple(each for each in self.setup.off_of_servers if each[0] != name)
        before, urls = accounts(self.setup.servers), set(self._addresses)
        servers = {each: entry for each, entry in self.setup.servers.items() if each != name}
        self._set_up(servers=servers, off_of_servers=off)
        for account in before.keys() - accounts(servers).keys():
            coroutines.start(self._forget(before[account]))
        for url in urls - set(self._addresses):
            coroutines.start(self._forget(f"{SIGN_IN}{url}"))

    def enable_server(self, name: str, *, on: bool) -> None:
        """Switch a server on or off, as a whole."""
        entry = {key: value for key, value in self.setup.servers[name].items() if key not in ("enabled", "disabled")}
        self.put_servers({name: entry if on else {**entry, "disabled": True}})

    def switch_server_tool(self, server: str, tool: str, *, on: bool) -> None:
        """Offer a tool of a server, or do not, in all chats."""
        others = [each for each in self.setup.off_of_servers if each != (server, tool)]
        self._set_up(off_of_servers=tuple(others) if on else (*others, (server, tool)))

    def approve(self, digest: str) -> None:
        """The person agreed to what is asked under this digest."""
        self._do(lambda bench: bench.approve(digest))

    def start_server(self, name: str) -> None:
        """Start a server, or start it anew; one that nobody agreed to asks."""
        self._do(lambda bench: bench.start_server(name))

    def stop_server(self, name: str) -> None:
        """End a server until the person starts it."""
        self._do(lambda bench: bench.stop_server(name))

    def revoke_server(self, name: str) -> None:
        """Forget what was agreed to about a server, and end it."""
        self._do(lambda bench: bench.revoke_server(name))

    def sign_in(self, name: str) -> None:
        """Have a server say where to sign in."""
        self._do(lambda bench: bench.sign_in(name))

    def cancel_sign_in(self, name: str) -> None:
        """Nobody will sign in."""
        self._do(partial(_cancel_sign_in, name))

    async def server_log(self, name: str) -> tuple[str, ...]:
        """The last things that a server said."""
        return await self._services.desk.do(partial(_server_log, name))

    # Built-in tools, sets and folders

    def switch_tool(self, name: str, *, on: bool) -> None:
        """Offer a built-in tool, or do not, in all chats."""
        others = [each for each in self.setup.off if each != name]
        self._set_up(off=tuple(others) if on else (*others, name))

    def put_set(self, name: str, tools: frozenset[str]) -> None:
        """Give a name to tools that are switched together, in the place of an older set of this name."""
        self._set_up(sets={**self.setup.sets, name: tuple(sorted(tools))})

    def remove_set(self, name: str) -> None:
        """Forget a set; chats keep their tools."""
        self._set_up(sets={each: tools for each, tools in self.setup.sets.items() if each != name})

    def note_folder(self, folder: str) -> None:
        """A chat works in this folder now: offer it to others."""
        others = [each for each in self.setup.folders if each != folder]
        self._set_up(folders=(folder, *others)[:FOLDERS])

    # Skills

    def add_skill_folder(self, folder: str) -> None:
        """Look for skills in this folder, too."""
        if folder not in self.setup.skill_folders:
            self._set_up(skill_folders=(*self.setup.skill_folders, folder))

    def remove_skill_folder(self, folder: str) -> None:
        """Look for skills there no longer."""
        self._set_up(skill_folders=tuple(each for each in self.setup.skill_folders if each != folder))

    def switch_skill(self, name: str, *, on: bool) -> None:
        """Offer a skill, or do not."""
        others = [each for each in self.setup.skills_off if each != name]
        self._set_up(skills_off=tuple(others) if on else (*others, name))

    def trust(self, folder: str, *, trusted: bool) -> None:
        """Whether the skills that a workspace brings may be used."""
        others = [each for each in self.setup.trusted_folders if each != folder]
        self._set_up(trusted_folders=(*others, folder) if trusted else tuple(others))

    async def skills(self, workspace: str | None = None) -> SkillInventory:
        """Every skill of the folders, and of a workspace, and why others were skipped."""
        return await self._services.desk.do(lambda desk: desk.bench.skills(workspace))

    async def brought_skills(self, workspace: str) -> tuple[str, ...]:
        """The names of the skills that a workspace brings, trusted or not."""
        from rillet.core.chat.workbench import WORKSPACE_SKILLS

        found = await self.skills(workspace)
        own = tuple(str(Path(workspace, each)) for each in WORKSPACE_SKILLS)
        offered = (skill.name for skill in found.skills if str(skill.location).startswith(own))
        held = (each.name or each.where for each in found.skipped if each.reason == "untrusted-folder")
        return (*offered, *held)

    # Permissions

    def revoke_grants(self, ids: tuple[str, ...]) -> None:
        """Strike out grants."""
        self._do(partial(_revoke, ids))

    def add_rule(self, rule: Rule, *, allowed: bool, folder: str | None, expires_at: float | None) -> None:
        """Enter a rule; ``troubled`` says why it cannot be one."""
        self._do(partial(_add_rule, rule, allowed, folder, expires_at))

    # Chats

    def chat_title(self, chat_id: str) -> str:
        """How a chat is called; empty for one that is not in the list."""
        chat = self._services.library.chat(int(chat_id)) if chat_id.isdecimal() else None
        return "" if chat is None else chat.title

    async def holds_outside(self, chat_id: int, workspace: str | None) -> bool:
        """Whether a chat holds text from outside."""
        return await self._services.desk.do(lambda desk: desk.holds_outside(chat_id, workspace))

    # Inside

    def _set_up(self, **changes: object) -> None:
        setup = msgspec.structs.replace(self.setup, **changes)
        if setup != self.setup:
            self._services.change(tools=setup)
            self._hand_over()
            self.setupChanged.emit()

    def _hand_over(self) -> None:
        from rillet.core.chat.tool_state import ToolSettings

        self._has_begun = True
        setup = self.setup
        settings = ToolSettings(
            servers=guarded(setup.servers),
            skill_folders=setup.skill_folders,
            skills_off=frozenset(setup.skills_off),
            trusted_folders=frozenset(setup.trusted_folders),
            off=frozenset(setup.off),
            off_of_servers=frozenset(setup.off_of_servers),
            secrets=self._secrets,
            sign_ins=self._sign_ins,
        )
        self._do(lambda bench: bench.configure(settings))

    @property
    def _secrets(self) -> dict[str, str]:
        """What the entries of the servers refer to, as far as it is known."""
        keys = self._services.keys
        found = {name: keys.secret(account) for name, account in accounts(self.setup.servers).items()}
        return {name: secret for name, secret in found.items() if secret is not None}

    @property
    def _addresses(self) -> tuple[str, ...]:
        """Of the remote servers."""
        return addresses(self.setup.servers)

    @property
    def _sign_ins(self) -> dict[str, str]:
        """The sign-ins at remote servers that are kept, as far as they are known."""
        found = {url: self._services.keys.secret(f"{SIGN_IN}{url}") for url in self._addresses}
        return {url: text for url, text in found.items() if text is not None}

    def _keep_sign_ins(self, told: Mapping[str, str]) -> None:
        """Have the key store hold what servers use now, and nothing that is over."""
        keys, before = self._services.keys, self._told
        self._told = told
        fresh = {f"{SIGN_IN}{url}": text for url, text in told.items() if keys.secret(f"{SIGN_IN}{url}") != text}
        if fresh:
            coroutines.start(self._keep(fresh))
        for url in before.keys() - told.keys():
            coroutines.start(self._forget(f"{SIGN_IN}{url}"))

    @Slot()
    def _give_secrets(self) -> None:
        """The key store was opened, perhaps after servers were handed over that need something of it."""
        if self._has_begun and self.setup.servers:
            self._hand_over()

    async def _keep(self, secrets: Mapping[str, str]) -> None:
        keys = self._services.keys
        for account, secret in secrets.items():
            await keys.keep(account, secret)
        if secrets and keys.trouble is not None:
            self.troubled.emit(of_keys(keys.trouble))

    async def _forget(self, account: str) -> None:
        await self._services.keys.forget(account)

    def _do(self, work: Callable[[Workbench], Awaitable[None]]) -> None:
        self.begin()
        resource = self._services.desk.do(lambda desk: work(desk.bench))
        resource.except_(self._complain)

    def _complain(self, error: Exception) -> None:
        """What is no mistake of the program's is told; ``KeyError``: what was agreed to is asked no more."""
        if not isinstance(error, Cancelled | KeyError):
            self.troubled.emit(str(error))

    async def _follow(self) -> None:
        revision = -1
        while True:
            try:
                self.state = await self._services.desk.do(partial(_state_after, revision))
            except Cancelled:
                return
            revision = self.state.revision
            self._keep_sign_ins(self.state.sign_ins)
            self.changed.emit()


async def _state_after(revision: int, desk: Desk) -> ToolState:
    return await desk.bench.state_after(revision)


async def _server_log(name: str, desk: Desk) -> tuple[str, ...]:
    return desk.bench.server_log(name)


async def _cancel_sign_in(name: str, bench: Workbench) -> None:
    bench.cancel_sign_in(name)


async def _revoke(ids: tuple[str, ...], bench: Workbench) -> None:
    for each in ids:
        bench.grants.revoke(each)


async def _add_rule(rule: Rule, allowed: bool, folder: str | None, expires_at: float | None, bench: Workbench) -> None:
    enter = bench.allow if allowed else bench.deny
    enter(rule, folder=folder, expires_at=expires_at)
