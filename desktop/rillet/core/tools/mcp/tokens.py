"""Where the sign-ins at remote servers are kept. Values and a protocol; the keychain is the program's affair.

Above: nothing. Below: ``oauth``. Guarantee: the repr of no value shows a secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """What an authorization server gave us for one server."""

    server: str
    """The address of the MCP server, as the user entered it: the token is sent there and nowhere else."""
    issuer: str
    resource: str
    """What the token was asked for."""
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    auth_method: str = "none"
    """How the secret is used: "none", "client_secret_basic" or "client_secret_post"."""
    token_endpoint: str
    access_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    expires_at: float | None = None
    """Seconds since the epoch; None: not told."""
    scope: str | None = None

    def to_json(self) -> bytes:
        """Plain data, for a keychain."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, data: bytes) -> SignIn:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: it is something else.
        """
        return msgspec.json.decode(data, type=cls)


class TokenStore(Protocol):
    """Keeps sign-ins by the server they are for."""

    async def get(self, server: str) -> SignIn | None:
        """The one for this server."""

    async def put(self, sign_in: SignIn) -> None:
        """Keep it, in the place of any other for its server."""

    async def remove(self, server: str) -> None:
        """Forget it."""


class MemoryTokenStore:
    """Until the program ends."""

    def __init__(self) -> None:
        self._kept: dict[str, SignIn] = {}

    async def get(self, server: str) -> SignIn | None:
        """See ``TokenStore``."""
        return self._kept.get(server)

    async def put(self, sign_in: SignIn) -> None:
        """See ``TokenStore``."""
        self._kept[sign_in.server] = sign_in

    async def remove(self, server: str) -> None:
        """See ``TokenStore``."""
        self._kept.pop(server, None)
