"""One MCP server: what it is doing, why it is not, and one task that starts, owns and ends it.

Knows its configuration and its session; no other server, no names of ours. Above: ``consent``, ``session``, the
transports (imported by the first start, with the SDK). Below: ``servers`` holds all of them. Guarantees: nothing starts
that was not approved; a server that fails fails alone, with a sentence that says why, and nobody waits for it longer
than its limits; the task that enters a session is the one that leaves it (modelcontextprotocol/python-sdk#577); after
``stop`` nothing of it runs.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import time
from collections import deque
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.mcp.consent import server_consent
from rillet.core.tools.mcp.failure import ServerFailure, SessionLost, SignInNeeded
from rillet.core.tools.mcp.listing import Listing
from rillet.core.tools.mcp.log_ring import LogRing
from rillet.core.tools.mcp.patience import Patience
from rillet.core.tools.tool import ToolResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.core.tools.mcp.config import ServerConfig
    from rillet.core.tools.mcp.consent import ConsentBook
    from rillet.core.tools.mcp.listing import PromptInfo, ResourceInfo
    from rillet.core.tools.mcp.session import Session
    from rillet.core.tools.mcp.surroundings import Surroundings
    from rillet.core.tools.tool import ToolContext
    from rillet.core.types import ChatMessage
    from rillet.core.types.suspension import Answer, Request

log = logging.getLogger("rillet.mcp")

RESTARTS: Final = 2
RESTART_WINDOW: Final = 60.0
"""A call starts a server anew that has ended, at most ``RESTARTS`` times in so many seconds."""
RELIST_PAUSE: Final = 1.0
"""Seconds between two lists of a server that says again and again that its tools have changed."""


class State(StrEnum):
    """What a server is doing."""

    STOPPED = "stopped"
    DISABLED = "disabled"
    NEEDS_CONSENT = "needs consent"
    STARTING = "starting"
    NEEDS_SIGN_IN = "needs sign-in"
    READY = "ready"
    FAILED = "failed"


class McpServer:
    """One server. Belongs to one event loop.

    Attributes:
        config: What it is.
        state: What it does now; ``on_change`` is called after every change of it, and of ``listing``.
        reason: Why it does not run, for people; empty when it does.
        listing: The tools of the last list that came.
        log: What it said.
    """

    def __init__(
        self,
        config: ServerConfig,
        book: ConsentBook,
        surroundings: Surroundings,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.config = config
        self.state = State.STOPPED if config.enabled else State.DISABLED
        self.reason = ""
        self.listing = Listing()
        self.log = LogRing()
        self._book = book
        self._surroundings = surroundings
        self._on_change = on_change
        self._owner: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        self._relist = asyncio.Event()
        self._session: Session | None = None
        self._has_listed = False
        self._challenge = ""
        self._restarts: deque[float] = deque(maxlen=RESTARTS)

    def __repr__(self) -> str:
        return f"<McpServer {self.config.name}: {self.state}{self.reason and f' ({self.reason})'}>"

    async def start(self) -> None:
        """Start it, if it may, and wait until that is settled one way or the other. Never raises for the server."""
        if self.state is State.DISABLED:
            return
        if self._owner is not None and self._owner.cancelling():
            await asyncio.wait([self._owner])
        consent = server_consent(self.config, self._book)
        if not self._book.is_approved(consent):
            self._book.ask(consent)
            self._become(State.NEEDS_CONSENT, "it has not been approved")
            return
        if self._owner is None or self._owner.done():
            self._settled.clear()
            self._relist.clear()
            self._become(State.STARTING)
            self._owner = asyncio.create_task(self._own())
        await self._settled.wait()

    async def stop(self) -> None:
        """End it, and wait until nothing of it is left; that goes on if the caller is cancelled."""
        owner = self._owner
        if owner is not None and not owner.done():
            owner.cancel()
            await asyncio.wait([owner])
        if self.state is not State.DISABLED:
            self._become(State.STOPPED)

    async def restart(self) -> None:
        """End it and start it anew."""
        await self.stop()
        await self.start()

    async def sign_in(self, ask: Callable[[Request], Awaitable[Answer]]) -> None:
        """Start it anew, with somebody there who can sign in."""
        self._surroundings = replace(self._surroundings, ask=ask)
        await self.restart()

    def refuse(self, why: str) -> None:
        """It is never started."""
        self._become(State.DISABLED, why)

    async def call(self, tool: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run a tool by the server's own name; a failure is an error result."""
        try:
            session = await self._ready()
            try:
                return await session.call(tool, args, ctx)
            except SessionLost:  # then the call was not looked at: a new session may have it
                await self._end()
                session = await self._ready()
                return await session.call(tool, args, ctx)
            except SignInNeeded:
                await self._end()  # so that whoever gets the result finds the state that explains it
                raise
        except ServerFailure as failure:
            said = self.log.without_secrets(str(failure))
            return ToolResult(f"the MCP server {self.config.name} failed: {said}", is_error=True)

    async def resources(self) -> tuple[ResourceInfo, ...]:
        """What can be read there.

        Raises:
            ServerFailure: it does not run, or does not say.
        """
        return await (await self._ready()).resources()

    async def read(self, uri: str) -> ToolResult:
        """Read one of its resources.

        Raises:
            ServerFailure: it does not run, or cannot.
        """
        return await (await self._ready()).read(uri)

    async def prompts(self) -> tuple[PromptInfo, ...]:
        """What it offers to fill in.

        Raises:
            ServerFailure: it does not run, or does not say.
        """
        return await (await self._ready()).prompts()

    async def prompt(self, name: str, arguments: dict[str, str]) -> tuple[ChatMessage, ...]:
        """One of its prompts, filled in.

        Raises:
            ServerFailure: it does not run, or cannot.
        """
        return await (await self._ready()).prompt(name, arguments)

    async def _ready(self) -> Session:
        """The session; of a server that ended, a new one, unless it keeps ending."""
        if self._session is None and self.can_restart:
            self._restarts.append(time.monotonic())
            await self.start()
        elif self.state is State.STARTING:
            await self._settled.wait()
        if self._session is None:
            raise ServerFailure(f"it is not running, {self.state}" + (f": {self.reason}" if self.reason else ""))
        return self._session

    @property
    def is_offering(self) -> bool:
        """Whether calls of its tools make sense: it runs, it is being started anew, or a call would start it."""
        return self._has_listed and (self.state in (State.READY, State.STARTING) or self.can_restart)

    @property
    def can_restart(self) -> bool:
        """Whether a call would start it anew: it has run, it ended by itself, and not too often."""
        now = time.monotonic()
        is_spent = len(self._restarts) == RESTARTS and now - self._restarts[0] < RESTART_WINDOW
        return self.state is State.FAILED and self._has_listed and not is_spent

    async def _own(self) -> None:
        """From the start to the end, in one task; ``stop`` cancels it."""
        try:
            async with AsyncExitStack() as stack:
                session = await self._connect(stack)
                self.listing = await session.tools()
                self._has_listed = True
                self._session = session
                self._become(State.READY)
                self._settled.set()
                await self._follow(session)
        except asyncio.CancelledError:
            self._become(State.STOPPED)
        except SignInNeeded as failure:
            self._challenge = failure.challenge
            self._become(State.NEEDS_SIGN_IN, str(failure))
        except ServerFailure as failure:
            self._become(State.FAILED, str(failure))
        except Exception as error:  # a boundary: a server must not take the program along
            log.exception("the MCP server %s failed", self.config.name)
            self._become(State.FAILED, f"{type(error).__name__}: {error}")
        finally:
            self._session = None
            self._settled.set()

    async def _end(self) -> None:
        """Wait until a session that is over was left."""
        if self._owner is not None:
            await asyncio.wait([self._owner])

    async def _connect(self, stack: AsyncExitStack) -> Session:
        # Brings the SDK: most of a second that only a server should cost, and not the loop.
        await asyncio.to_thread(importlib.import_module, "rillet.core.tools.mcp.connect")
        from rillet.core.tools.mcp.connect import connect

        challenge, self._challenge = self._challenge, ""
        patience = Patience(self.config.start_timeout)
        try:
            async with patience:
                return await connect(
                    self.config,
                    self._surroundings,
                    stack,
                    log=self.log,
                    patience=patience,
                    challenge=challenge,
                    on_tools_changed=self._relist.set,
                )
        except TimeoutError:
            if not patience.is_over:
                raise
            words = f" ({self.log.last_words})" if self.log.last_words else ""
            raise ServerFailure(f"it was not ready within {self.config.start_timeout:g} s{words}") from None

    async def _follow(self, session: Session) -> None:
        """Keep the list as it is, until the connection is lost."""
        while not session.lost.is_set():
            changed = asyncio.ensure_future(self._relist.wait())
            lost = asyncio.ensure_future(session.lost.wait())
            try:
                await asyncio.wait([changed, lost], return_when=asyncio.FIRST_COMPLETED)
            finally:
                changed.cancel()
                lost.cancel()
            if self._relist.is_set() and not session.lost.is_set():
                self._relist.clear()
                await self._list_again(session)
        raise session.reason or ServerFailure("the connection was lost")

    async def _list_again(self, session: Session) -> None:
        try:
            self.listing = await session.tools()
        except ServerFailure as failure:
            self.log.note(f"its tools changed, and the new list did not come: {failure}")
            return
        self._on_change()
        with suppress(TimeoutError):
            await asyncio.wait_for(session.lost.wait(), RELIST_PAUSE)

    def _become(self, state: State, reason: str = "") -> None:
        reason = self.log.without_secrets(reason)
        if (state, reason) == (self.state, self.reason):
            return
        self.state, self.reason = state, reason
        if state is State.FAILED:
            self.log.note(f"{state}: {reason}")
        self._on_change()
