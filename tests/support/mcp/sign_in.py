"""A server that wants a sign-in, the authorization server behind it, and a user with a browser."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from rillet.core.types.suspension import Answer
from support.fake_server import FakeServer
from support.mcp.web import web

if TYPE_CHECKING:
    from types import TracebackType

    from rillet.core.types.suspension import Request
    from support.fake_server import Exchange


class SignInServer:
    """MCP server and authorization server at one address, which does what the attributes say.

    Attributes:
        tokens: What is accepted now.
        metadata: Overrides of the authorization server's metadata.
        resource: Overrides of the resource's metadata.
        token_answer: Overrides of what the token endpoint answers.
        callback: Overrides of what the browser brings back.
        registers: Whether programs may register themselves.
        asked: What was asked of the token endpoint.
    """

    def __init__(self) -> None:
        self.tokens: set[str] = set()
        self.metadata: dict[str, Any] = {}
        self.resource: dict[str, Any] = {}
        self.token_answer: dict[str, Any] = {}
        self.token_status = 200
        self.callback: dict[str, str | None] = {}
        self.challenge: str | None = None
        self.registers = True
        self.has_resource_metadata = True
        self.asked: list[dict[str, str]] = []
        self.registered: list[Any] = []
        self.pages: list[dict[str, str]] = []
        self._challenges: dict[str, str] = {}
        self._mcp = web()
        self._server = FakeServer(self._script)
        self.url = self._server.url

    def __enter__(self) -> SignInServer:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def requests(self) -> list[Any]:
        """Everything that was asked."""
        return self._server.requests

    async def browse(self, request: Request) -> Answer:
        """A user who signs in."""
        assert request.kind == "authorization"
        assert request.url is not None
        await asyncio.to_thread(self.visit, request.url)
        return Answer(id=request.id, ok=True)

    def visit(self, page: str) -> None:
        """What a browser does at the sign-in page."""
        fields = {name: values[0] for name, values in parse_qs(urlsplit(page).query).items()}
        self.pages.append(fields)
        code = f"code-{len(self.pages)}"
        self._challenges[code] = fields["code_challenge"]
        back = {"code": code, "state": fields["state"]} | self.callback
        query = urlencode({name: value for name, value in back.items() if value is not None})
        with urllib.request.urlopen(f"{fields['redirect_uri']}?{query}", timeout=10) as answer:
            answer.read()

    def _script(self, exchange: Exchange) -> None:
        path = exchange.request.path.partition("?")[0]
        if path == "/mcp":
            self._serve(exchange)
        elif path.startswith("/.well-known/oauth-protected-resource") and self.has_resource_metadata:
            exchange.respond(200, {"resource": f"{self.url}/mcp", "authorization_servers": [self.url]} | self.resource)
        elif path == "/.well-known/oauth-authorization-server":
            exchange.respond(200, self._own_metadata())
        elif path == "/register" and self.registers:
            self.registered.append(exchange.request.json)
            exchange.respond(201, {"client_id": f"client-{len(self.registered)}"})
        elif path == "/token":
            self._give_token(exchange)
        else:
            exchange.respond(404)

    def _serve(self, exchange: Exchange) -> None:
        token = exchange.request.headers.get("authorization", "").removeprefix("Bearer ")
        if token in self.tokens:
            self._mcp(exchange)
            return
        challenge = f'Bearer resource_metadata="{self.url}/.well-known/oauth-protected-resource/mcp"'
        if not self.has_resource_metadata:
            challenge = "Bearer"
        exchange.respond(401, b"", {"WWW-Authenticate": self.challenge or challenge})

    def _own_metadata(self) -> dict[str, Any]:
        own = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "code_challenge_methods_supported": ["S256"],
        }
        if self.registers:
            own["registration_endpoint"] = f"{self.url}/register"
        return own | self.metadata

    def _give_token(self, exchange: Exchange) -> None:
        form = {name: values[0] for name, values in parse_qs(exchange.request.body.decode()).items()}
        form["authorization"] = exchange.request.headers.get("authorization", "")
        self.asked.append(form)
        if form["grant_type"] == "authorization_code":
            digest = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
            if self._challenges.pop(form["code"], None) != digest.decode().rstrip("="):
                exchange.respond(400, {"error": "invalid_grant"})
                return
        if self.token_status != 200:
            exchange.respond(self.token_status, {"error": "invalid_grant"})
            return
        token = f"token-{len(self.asked)}"
        self.tokens.add(token)
        given = {"access_token": token, "token_type": "Bearer", "refresh_token": f"refresh-{len(self.asked)}"}
        exchange.respond(200, given | self.token_answer)
