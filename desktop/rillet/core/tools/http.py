"""An HTTP endpoint as a tool: the request is written from the arguments, the body of the answer is the result.

Above: ``http_request``, ``core/net`` (the only place that knows httpx). Below: ``toolkit``; ``openapi`` makes many at
once. The endpoint is the host's choice, so it may lie at a private address; what comes back is a stranger's text.

Guarantees: what ``${NAME}`` in a header stood for is in no result and no log, even where the server sends it back. No
redirect leads to another origin. The answer is read up to a limit, and for no longer than the timeout.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit

from rillet.core.errors import LlmError, NetworkError
from rillet.core.net.profile import NetworkProfile
from rillet.core.tools.http_request import Body, Endpoint, Outgoing, Parameter, address, placeholders, redirected, write
from rillet.core.tools.tool import Effect, Tool, ToolContext, ToolResult
from rillet.core.types import ImagePart
from rillet.core.wire.redact import hide

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import httpx

    from rillet.core.net.transport import Answer

ResultMode: TypeAlias = Literal["text", "json", "status+text"]

TIMEOUT: Final = 30.0
LIMIT: Final = 512 * 1024
"""Bytes of an answer that are read: more than most models can."""
REDIRECTS: Final = 5
DEFAULT_NETWORK: Final = NetworkProfile()
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_CHARSET = re.compile(r"charset=\"?([\w.:-]+)", re.IGNORECASE)


def http_tool(
    name: str,
    description: str,
    url: str,
    input_schema: Mapping[str, Any],
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    query: Iterable[str] = (),
    body: Body = "json",
    result: ResultMode = "text",
    timeout: float = TIMEOUT,
    limit: int = LIMIT,
    effects: frozenset[Effect] | None = None,
    network: NetworkProfile = DEFAULT_NETWORK,
    environ: Mapping[str, str] = os.environ,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Tool:
    """A tool that sends a request.

    ``{name}`` in ``url`` stands for an argument, escaped; those in ``query`` go into the query, all others into the
    body (GET and HEAD: into the query). ``${NAME}`` in a header stands for a variable of the environment, read at each
    call. An answer other than 2xx is an error, "HTTP 404: …". ``limit``: bytes; ``timeout``: seconds for the whole.
    ``effects``: NETWORK, and WRITE unless it is a GET or HEAD, if not said otherwise. ``transport`` takes the place of
    the network.

    Raises:
        ValueError: the name or the address is none, or the address asks for an argument that the schema does not have.
    """
    properties = input_schema.get("properties", {})
    if missing := [each for each in placeholders(url) if each not in properties]:
        raise ValueError(f"the address asks for {', '.join(missing)}, which the schema does not have")
    endpoint = Endpoint(
        method=method,
        url=url,
        parameters=tuple(Parameter(each, "query", each) for each in query),
        headers=dict(headers or {}),
        body=body,
    )
    sender = Sender(network, timeout=timeout, limit=limit, result=result, environ=environ, transport=transport)
    return endpoint_tool(name, description, input_schema, endpoint, sender, effects=effects)


def endpoint_tool(
    name: str,
    description: str,
    input_schema: Mapping[str, Any],
    endpoint: Endpoint,
    sender: Sender,
    *,
    effects: frozenset[Effect] | None = None,
) -> Tool:
    """A tool that sends to this endpoint.

    Raises:
        ValueError: the name is none.
    """
    if effects is None:
        reads = endpoint.method.upper() in ("GET", "HEAD")
        effects = frozenset({Effect.NETWORK} if reads else {Effect.NETWORK, Effect.WRITE})

    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        return await sender.call(endpoint, args)

    def preview(args: dict[str, Any]) -> dict[str, str]:
        return {"request": f"{endpoint.method.upper()} {address(endpoint, args)}"}

    return Tool(name, description, input_schema, execute, source="http", effects=effects, preview=preview)


class Sender:
    """Sends requests and reads answers, as one host wants it.

    ``public_only``: connect to the public internet alone, whatever a name turns out to mean: for addresses that the
    host did not choose.
    """

    def __init__(
        self,
        network: NetworkProfile = DEFAULT_NETWORK,
        *,
        timeout: float = TIMEOUT,
        limit: int = LIMIT,
        result: ResultMode = "text",
        environ: Mapping[str, str] = os.environ,
        public_only: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._network = network
        self._timeout = timeout
        self._limit = limit
        self._result = result
        self._environ = environ
        self._public_only = public_only
        self._injected = transport

    async def call(self, endpoint: Endpoint, args: Mapping[str, Any]) -> ToolResult:
        """Send the request for these arguments; whatever goes wrong is an error result."""
        try:
            outgoing = write(endpoint, args, self._environ)
        except ValueError as error:
            return ToolResult(f"the request was not sent: {error}", is_error=True)
        try:
            async with asyncio.timeout(self._timeout):
                received = await self._received(outgoing)
        except TimeoutError:
            return ToolResult(f"no complete answer within {self._timeout:g} s", is_error=True)
        except (LlmError, ValueError) as error:
            return ToolResult(_without(str(error), outgoing.secrets), is_error=True)
        return _result(received, self._result, outgoing.secrets)

    async def _received(self, outgoing: Outgoing) -> _Received:
        from rillet.core.net.transport import Transport  # brings httpx: 0.2 s that only a request should cost

        routes = self._injected
        if routes is None and self._public_only:
            routes = _public_routes(self._network, outgoing.url)
        network = Transport(self._network, transport=routes)
        try:
            for _ in range(REDIRECTS + 1):
                method, url, headers, content, _ = outgoing
                answer = await network.open(method, url, headers, content, may_redirect=True)
                async with answer:
                    onward = redirected(outgoing, answer.status, answer.headers.get("location"))
                    if onward is None:
                        return await _read(answer, self._limit)
                outgoing = onward
            raise ValueError("the address redirects again and again")
        finally:
            await network.aclose()


def _public_routes(network: NetworkProfile, url: str) -> httpx.AsyncBaseTransport:
    """Ways to public addresses, and to the port of this one."""
    from rillet.core.net.public_routes import Guard, PublicRoutes  # brings httpx

    port = urlsplit(url).port
    return PublicRoutes(network, Guard() if port is None else Guard(ports=frozenset({port})))


class _Received(NamedTuple):
    status: int
    media_type: str
    charset: str
    body: bytes
    is_cut: bool


async def _read(answer: Answer, limit: int) -> _Received:
    body = bytearray()
    while len(body) <= limit and (data := await answer.read()):
        body += data
    if len(body) <= limit and not answer.is_whole:
        raise NetworkError("the compressed answer broke off")
    kind = answer.headers.get("content-type", "")
    charset = _CHARSET.search(kind)
    return _Received(
        answer.status,
        kind.partition(";")[0].strip().lower(),
        charset[1] if charset else "utf-8",
        bytes(body[:limit]),
        len(body) > limit,
    )


def _result(received: _Received, mode: ResultMode, secrets: frozenset[str]) -> ToolResult:
    metadata = {"status": received.status, "media_type": received.media_type}
    succeeded = 200 <= received.status < 300
    if succeeded and received.media_type in _PICTURES and not received.is_cut:
        return ToolResult("", images=(ImagePart(received.body, media_type=received.media_type),), metadata=metadata)
    text = _without(_text(received), secrets)
    if not succeeded:
        return ToolResult(f"HTTP {received.status}: {text}", is_error=True, metadata=metadata)
    if mode == "json":
        try:
            text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            return ToolResult(f"the answer is no JSON: {text}", is_error=True, metadata=metadata)
    return ToolResult(f"HTTP {received.status}: {text}" if mode == "status+text" else text, metadata=metadata)


def _text(received: _Received) -> str:
    body = received.body
    try:
        text = body.decode(received.charset, "replace")
    except LookupError:  # a charset that nobody knows
        text = body.decode("utf-8", "replace")
    if "\0" in text[:1024]:
        size = f"more than {len(body)}" if received.is_cut else str(len(body))
        return f"({received.media_type or 'an unknown type'}, {size} bytes, which are no text)"
    return f"{text}\n(cut off after {len(body)} bytes)" if received.is_cut else text


def _without(text: str, secrets: frozenset[str]) -> str:
    """The text without secrets, also as JSON and addresses write them."""
    spellings = {each for secret in secrets for each in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""))}
    return hide(text, spellings)
