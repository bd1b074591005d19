"""From a configuration to a session: which transport, which environment, which headers.

Everything below here needs the SDK, so ``server`` imports this module, and only this one, when a server starts. Above:
``session``, ``stdio``, ``http``, ``sse``, ``oauth``. Guarantee: a server gets the variables that its entry declares
beside the minimal environment, and no other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rillet.core.tools.environment import environment
from rillet.core.tools.mcp.config import LocalServerConfig, RemoteServerConfig, expand
from rillet.core.tools.mcp.door import Door
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.tools.mcp.http import HttpLink
from rillet.core.tools.mcp.oauth import OAuth
from rillet.core.tools.mcp.session import Session
from rillet.core.tools.mcp.sse import SseLink
from rillet.core.tools.mcp.stdio import StdioLink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AsyncExitStack

    from rillet.core.tools.mcp.config import ServerConfig
    from rillet.core.tools.mcp.link import Link
    from rillet.core.tools.mcp.log_ring import LogRing
    from rillet.core.tools.mcp.patience import Patience
    from rillet.core.tools.mcp.surroundings import Surroundings


async def connect(
    config: ServerConfig,
    surroundings: Surroundings,
    stack: AsyncExitStack,
    *,
    log: LogRing,
    patience: Patience,
    challenge: str = "",
    on_tools_changed: Callable[[], None],
) -> Session:
    """Enter a session in ``stack``. ``challenge``: what a server wanted that refused a call for want of a sign-in.

    Raises:
        ServerFailure: the server cannot be used as its entry says.
    """

    async def enter(link: Link) -> Session:
        return await stack.enter_async_context(
            Session(config, link, log, workspace=surroundings.workspace, on_tools_changed=on_tools_changed)
        )

    def door() -> Door:
        assert isinstance(config, RemoteServerConfig)
        return _door(config, log, surroundings, patience, challenge)

    if isinstance(config, LocalServerConfig):
        return await enter(await _program(config, log, surroundings))
    if config.sse:
        return await enter(SseLink(door(), log))
    link = HttpLink(door(), log)
    try:
        return await enter(link)
    except ServerFailure as failure:
        if not link.is_older:
            raise
        try:
            return await enter(SseLink(door(), log))
        except ServerFailure:
            raise failure from None  # what the address says to the transport of today tells more


async def _program(config: LocalServerConfig, log: LogRing, surroundings: Surroundings) -> StdioLink:
    declared = _filled_in(config.env, log, surroundings)
    env = {**await environment(), **declared}
    return StdioLink(config.command, env, config.cwd, log)


def _door(
    config: RemoteServerConfig, log: LogRing, surroundings: Surroundings, patience: Patience, challenge: str
) -> Door:
    headers = _filled_in(config.headers, log, surroundings)
    # How long a server may be silent is for calls to say; a stream that is only listened to may be so for days.
    network = replace(surroundings.network, first_event_timeout=None, idle_timeout=None, total_timeout=None)
    authorizer = OAuth(config, network, surroundings.tokens, surroundings.ask, patience=patience, challenge=challenge)
    return Door(config.url, headers, network, authorizer)


def _filled_in(values: Sequence[tuple[str, str]], log: LogRing, surroundings: Surroundings) -> dict[str, str]:
    try:
        filled = expand(values, surroundings.environ)
    except ValueError as error:
        raise ServerFailure(str(error)) from None
    log.keep_secret(filled.values())
    return filled
