"""A small internet: a name server that says what a test wants, and sockets that lead every address to a local port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpcore

from rillet.core.net.errors import ConnectError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.public_routes import Guard, PublicRoutes
from rillet.core.net.sockets import Sockets
from support.web_addresses import ANSWERS, PUBLIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from httpcore import SOCKET_OPTION


class Internet(httpcore.AsyncNetworkBackend):
    """Where everybody is at ``port`` of this machine.

    Args:
        port: Who answers all connections; None: nobody.
        answers: What the name server says, per name the answers to the first question, the second …; who is not in it
            is at ``PUBLIC``.
        unreachable: Addresses that refuse connections.

    Attributes:
        asked: The names that were looked up, in order.
        connected: The addresses and ports that were connected to, in order.
    """

    def __init__(
        self,
        port: int | None,
        answers: Mapping[str, Sequence[Sequence[str]]] | None = None,
        *,
        unreachable: Iterable[str] = (),
        profile: NetworkProfile | None = None,
    ) -> None:
        self._port = port
        self._answers = {name: list(rounds) for name, rounds in (answers or {}).items()}
        self._unreachable = frozenset(unreachable)
        self._sockets = Sockets()
        self.asked: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.guard = Guard(self._resolve)
        self.profile = profile or NetworkProfile(proxy=None)

    def routes(self) -> PublicRoutes:
        """Ways out into it."""
        return PublicRoutes(self.profile, self.guard, self)

    async def _resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host.replace(".", "").isdigit() or ":" in host:
            return [host]
        if rounds := self._answers.get(host):
            return list(rounds.pop(0) if len(rounds) > 1 else rounds[0])
        if host == "unknown.example.com":
            raise ConnectError(f"no such host: {host}")
        return ANSWERS.get(host, PUBLIC)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """See httpcore."""
        self.connected.append((host, port))
        if host in self._unreachable or self._port is None:
            raise httpcore.ConnectError("refused")
        return await self._sockets.connect_tcp("127.0.0.1", self._port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """See httpcore."""
        await self._sockets.sleep(seconds)
