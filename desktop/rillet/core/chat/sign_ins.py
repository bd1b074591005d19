"""The sign-ins at remote MCP servers, as long as the program runs; whoever keeps them longer is told of every change.

Above: ``tools/mcp/tokens``. Below: ``workbench`` gives it to the servers. Guarantee: what is told of a sign-in is never
older than what servers use.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rillet.core.tools.mcp.tokens import SignIn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

log = logging.getLogger("rillet.chat")


class SignIns:
    """A ``TokenStore``. ``on_change`` is called after every change that a server made."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._kept: dict[str, SignIn] = {}

    @property
    def kept(self) -> dict[str, str]:
        """All of them by the addresses of their servers, as JSON text, which is secret."""
        return {server: sign_in.to_json().decode() for server, sign_in in self._kept.items()}

    def recall(self, servers: Collection[str], kept: Mapping[str, str]) -> None:
        """These servers are left. Bring back what was kept of them, where there is nothing newer and it can be read."""
        self._kept = {server: sign_in for server, sign_in in self._kept.items() if server in servers}
        for server, text in kept.items():
            if server in servers and server not in self._kept:
                try:
                    self._kept[server] = SignIn.from_json(text.encode())
                except ValueError:
                    log.warning("a kept sign-in cannot be read; its server will ask for another")

    async def get(self, server: str) -> SignIn | None:
        """See ``TokenStore``."""
        return self._kept.get(server)

    async def put(self, sign_in: SignIn) -> None:
        """See ``TokenStore``."""
        self._kept[sign_in.server] = sign_in
        self._on_change()

    async def remove(self, server: str) -> None:
        """See ``TokenStore``."""
        if self._kept.pop(server, None) is not None:
            self._on_change()
