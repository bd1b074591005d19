"""Signing in at a remote server: OAuth 2.1 with PKCE, in the user's own browser, which we never open.

Above: ``oauth_metadata``, ``oauth_fetch``, ``redirect``, ``tokens``. Below: ``door`` asks for tokens. Follows the MCP
specification (basic/authorization) with RFC 7591 (registration), 7636 (PKCE), 8252 (loopback redirect), 8707
(``resource``) and 9207 (``iss``). Guarantees: without S256 nobody signs in; a token is asked for one resource and goes
to it only; the answer of one authorization server is never given to another; the page is shown by the host as a
``Request`` of the kind "authorization"; no message quotes a token, a code or a verifier.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from rillet.core.tools.mcp import oauth_metadata as metadata
from rillet.core.tools.mcp.failure import ServerFailure, SignInNeeded
from rillet.core.tools.mcp.oauth_fetch import Fetcher
from rillet.core.tools.mcp.redirect import Redirect
from rillet.core.tools.mcp.tokens import SignIn
from rillet.core.types.suspension import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from rillet.core.net.profile import NetworkProfile
    from rillet.core.tools.mcp.config import RemoteServerConfig
    from rillet.core.tools.mcp.patience import Patience
    from rillet.core.tools.mcp.tokens import TokenStore
    from rillet.core.types.suspension import Answer

SIGN_IN_LIMIT: Final = 600.0
"""Seconds that somebody may take to sign in."""
EARLY: Final = 60.0
"""Seconds before its end from which on a token is renewed."""


class OAuth:
    """The tokens for one server (``door.Authorizer``)."""

    def __init__(
        self,
        config: RemoteServerConfig,
        network: NetworkProfile,
        store: TokenStore,
        ask: Callable[[Request], Awaitable[Answer]] | None,
        *,
        patience: Patience,
        challenge: str = "",
    ) -> None:
        self._config = config
        self._network = network
        self._store = store
        self._ask = ask
        self._patience = patience
        self._challenge = challenge
        """What the server wanted when it refused a call, where the token that is kept does not do."""
        self._lock = asyncio.Lock()

    async def token(self) -> str | None:
        """The token to send; renewed when it is about to end."""
        async with self._lock:
            kept = await self._kept()
            if self._ask is not None and self._challenge:
                challenge, self._challenge = self._challenge, ""
                return (await self._signed_in(metadata.challenge_parameters(challenge), self._ask)).access_token
            if kept is None:
                return None
            if kept.expires_at is not None and kept.expires_at - EARLY < time.time():
                with suppress(ServerFailure):  # the old one may still do; if not, the server says so
                    kept = await self._refreshed(kept) or kept
            return kept.access_token

    async def renew(self, challenge: str, refused: str | None) -> str:
        """A token in the place of one that was refused. Somebody may be asked to sign in while the server starts.

        Raises:
            SignInNeeded: somebody has to sign in, and there is nobody to ask.
            ServerFailure: it was not given.
        """
        async with self._lock:
            kept = await self._kept()
            if kept is not None and kept.access_token != refused:
                return kept.access_token  # somebody was faster
            parameters = metadata.challenge_parameters(challenge)
            if kept is not None and parameters.get("error") != "insufficient_scope":
                renewed = await self._refreshed(kept)
                if renewed is not None:
                    return renewed.access_token
            if self._ask is None or not self._patience.is_running:  # in the middle of a call nobody expects a browser
                raise SignInNeeded(challenge)
            return (await self._signed_in(parameters, self._ask)).access_token

    async def _kept(self) -> SignIn | None:
        """The sign-in for exactly this server, whatever the store gives."""
        kept = await self._store.get(self._config.url)
        is_ours = kept is not None and kept.server == self._config.url and metadata.covers(kept.resource, kept.server)
        return kept if is_ours else None

    async def _refreshed(self, kept: SignIn) -> SignIn | None:
        """A new token for the old; None, and the old is forgotten, when that is over."""
        if kept.refresh_token is None:
            return None
        form = {"grant_type": "refresh_token", "refresh_token": kept.refresh_token, "resource": kept.resource}
        async with Fetcher(self._config.url, self._network) as fetcher:
            status, document = await _ask_for_token(fetcher, kept, form)
        if 400 <= status < 500:
            await self._store.remove(self._config.url)
            return None
        renewed = _with_token(kept, status, document)
        await self._store.put(renewed)
        return renewed

    async def _signed_in(self, challenge: Mapping[str, str], ask: Callable[[Request], Awaitable[Answer]]) -> SignIn:
        with self._patience.pause():
            async with Fetcher(self._config.url, self._network) as fetcher:
                signed_in = await self._sign_in(fetcher, challenge, ask)
        await self._store.put(signed_in)
        return signed_in

    async def _sign_in(
        self, fetcher: Fetcher, challenge: Mapping[str, str], ask: Callable[[Request], Awaitable[Answer]]
    ) -> SignIn:
        resource = await self._resource(fetcher, challenge)
        server = await self._authorization_server(fetcher, resource)
        scope = challenge.get("scope") or self._config.scope or " ".join(resource.scopes) or None
        async with Redirect() as redirect:
            client = await self._client(fetcher, server, resource.resource, redirect.address)
            verifier = secrets.token_urlsafe(64)
            page = _page(server, client, scope, redirect, verifier)
            code = await self._code(server, page, redirect, ask)
            form = {
                "grant_type": "authorization_code",
                "code": code,
                "code_verifier": verifier,
                "redirect_uri": redirect.address,
                "resource": client.resource,
            }
            status, document = await _ask_for_token(fetcher, client, form)
        return _with_token(replace(client, scope=scope), status, document)

    async def _resource(self, fetcher: Fetcher, challenge: Mapping[str, str]) -> metadata.ProtectedResource:
        """What the server says about signing in; the oldest say nothing, and do it at their own address."""
        metadata.checked(self._config.url, "the server itself", self._config.url)
        for url in metadata.resource_documents(self._config.url, challenge):
            document = await fetcher.get(url)
            if document is not None:
                return metadata.protected_resource(document, self._config.url)
        return metadata.ProtectedResource(self._config.url, (metadata.root(self._config.url),), is_assumed=True)

    async def _authorization_server(
        self, fetcher: Fetcher, resource: metadata.ProtectedResource
    ) -> metadata.AuthorizationServer:
        issuer = resource.authorization_servers[0]
        wanted = self._config.issuer
        if wanted is not None and wanted.rstrip("/") != issuer.rstrip("/"):
            raise ServerFailure(f"it wants a sign-in at {issuer}, not at {wanted} as its entry says")
        for url in metadata.issuer_documents(issuer, self._config.url):
            document = await fetcher.get(url)
            if document is not None:
                return metadata.authorization_server(document, issuer, self._config.url, is_assumed=resource.is_assumed)
        raise ServerFailure(f"the authorization server {urlsplit(issuer).hostname} does not say how to sign in")

    async def _client(
        self, fetcher: Fetcher, server: metadata.AuthorizationServer, resource: str, redirect: str
    ) -> SignIn:
        """Who we are at the authorization server: as configured, or registered just now for this redirect."""
        identity, secret, method = self._config.client_id, self._config.client_secret, None
        if identity is None:
            if server.registration_endpoint is None:
                raise ServerFailure("programs cannot register themselves there: write oauth.clientId in its entry")
            identity, secret, method = await _registered(fetcher, server.registration_endpoint, redirect)
        if method is None:
            offers_basic = "client_secret_basic" in server.auth_methods
            method = "none" if secret is None else "client_secret_basic" if offers_basic else "client_secret_post"
        return SignIn(
            server=self._config.url,
            issuer=server.issuer,
            resource=resource,
            client_id=identity,
            client_secret=secret,
            auth_method=method,
            token_endpoint=server.token_endpoint,
            access_token="",
        )

    async def _code(
        self,
        server: metadata.AuthorizationServer,
        page: str,
        redirect: Redirect,
        ask: Callable[[Request], Awaitable[Answer]],
    ) -> str:
        """Have the user sign in, and take what the browser brings back."""
        host = urlsplit(page).hostname
        request = Request(
            id=f"mcp-sign-in-{secrets.token_hex(8)}",
            kind="authorization",
            prompt=f"The server {self._config.name} wants you to sign in at {host}.",
            url=page,
            data={"server": self._config.name, "issuer": server.issuer},
            expires_at=time.time() + SIGN_IN_LIMIT,
        )
        asking = asyncio.ensure_future(ask(request))
        coming = asyncio.ensure_future(redirect.answer())
        try:
            async with asyncio.timeout(SIGN_IN_LIMIT):
                await asyncio.wait([asking, coming], return_when=asyncio.FIRST_COMPLETED)
                if asking.done() and not coming.done() and not _is_yes(asking):
                    raise ServerFailure("nobody signed in")
                fields = await coming
        except TimeoutError:
            raise ServerFailure("nobody signed in") from None
        finally:
            asking.cancel()
            coming.cancel()
        issuer = fields.get("iss")
        if issuer != server.issuer and (issuer is not None or server.names_itself):
            raise ServerFailure("the sign-in was answered by somebody else than was asked")
        if not fields.get("code"):
            raise ServerFailure(f"signing in failed: {_word(fields.get('error'))}")
        return fields["code"]


def _is_yes(asking: asyncio.Future[Answer]) -> bool:
    return not asking.cancelled() and asking.exception() is None and asking.result().ok


async def _registered(fetcher: Fetcher, endpoint: str, redirect: str) -> tuple[str, str | None, str | None]:
    """Register: identity, secret, and how to use it."""
    wanted = {
        "client_name": "Rillet",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    status, document = await fetcher.post_json(endpoint, wanted)
    identity = document.get("client_id") if isinstance(document, dict) else None
    if status not in (200, 201) or not isinstance(identity, str) or not identity:
        raise ServerFailure(f"registering there failed (HTTP {status})")
    secret, method = document.get("client_secret"), document.get("token_endpoint_auth_method")
    known = method if method in ("none", "client_secret_basic", "client_secret_post") else None
    return identity, secret if isinstance(secret, str) else None, known


def _page(
    server: metadata.AuthorizationServer, client: SignIn, scope: str | None, redirect: Redirect, verifier: str
) -> str:
    """The address to sign in at. What the server put into its query stays, but for what is ours to say."""
    challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    ours = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": redirect.address,
        "state": redirect.state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": client.resource,
    }
    if scope is not None:
        ours["scope"] = scope
    parts = urlsplit(server.authorization_endpoint)
    theirs = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in ours]
    return urlunsplit(parts._replace(query=urlencode([*theirs, *ours.items()])))


async def _ask_for_token(fetcher: Fetcher, client: SignIn, form: Mapping[str, str]) -> tuple[int, Any]:
    sent = dict(form)
    basic = None
    if client.auth_method == "client_secret_basic" and client.client_secret is not None:
        basic = (client.client_id, client.client_secret)
    else:
        sent["client_id"] = client.client_id
        if client.auth_method == "client_secret_post" and client.client_secret is not None:
            sent["client_secret"] = client.client_secret
    return await fetcher.post_form(client.token_endpoint, sent, basic)


def _with_token(client: SignIn, status: int, document: Any) -> SignIn:
    """The sign-in with the token that was given."""
    fields = document if isinstance(document, dict) else {}
    token, kind = fields.get("access_token"), fields.get("token_type")
    if status != 200 or not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token:
        raise ServerFailure(f"no token was given: {_word(fields.get('error')) or f'HTTP {status}'}")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise ServerFailure("a token was given of a kind that is not known here")
    seconds, refresh = fields.get("expires_in"), fields.get("refresh_token")
    return replace(
        client,
        access_token=token,
        refresh_token=refresh if isinstance(refresh, str) and refresh else client.refresh_token,
        expires_at=None if not isinstance(seconds, int | float) else time.time() + seconds,
    )


def _word(error: object) -> str:
    """An error code of OAuth (RFC 6749, section 5.2): letters and underscores, or it is none."""
    is_code = isinstance(error, str) and len(error) <= 60 and error.isascii() and error.replace("_", "").isalnum()
    return str(error) if is_code else ""
