"""A page of the public internet, read once: no login, no cookie, no way back into anybody's network.

Above: ``web_address``, ``public_routes``, ``transport``. Below: ``tools/builtin/web``. Knows addresses, bytes and
limits; nothing of what a page says. Guarantees: every hop is read strictly, looked up and judged anew; nothing is sent
that says who asks, or where from; no more than the limit is kept, decompressed; and the whole ends in time. What is not
text is not read. A redirect to another host is told and not followed: whoever allowed this host did not allow that one,
and many sites send anybody anywhere.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import AsyncExitStack
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Final

from rillet.core.errors import InvalidRequestError, NetworkError, TimedOutError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.public_routes import Guard, PublicRoutes
from rillet.core.net.transport import Transport
from rillet.core.net.web_address import WebAddress

if TYPE_CHECKING:
    import httpx

    from rillet.core.net.transport import Answer

LIMIT: Final = 5 * 1024 * 1024
"""Bytes of a page, decompressed."""
PATIENCE: Final = 30.0
"""Seconds for everything."""
REDIRECTS: Final = 5
_HEADERS: Final = {
    "User-Agent": "Mozilla/5.0 (compatible; Rillet)",  # many sites answer nobody else
    "Accept": "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}
_TEXT: Final = re.compile(
    r"(?:text/.*|application/(?:.*\+)?(?:ecmascript|graphql|javascript|json|jsonl|ndjson|sql|toml|typescript|x-javascript"
    r"|x-ndjson|x-sh|x-yaml|xml|yaml))?"
)
"""What is read as text; also what no type is told of. Not images, of which SVG is text."""


@dataclass(frozen=True, slots=True)
class Page:
    """What an address gave.

    Attributes:
        address: Where it was found in the end.
        status: HTTP status.
        content_type: As in "text/html"; empty when nothing was said.
        charset: What the server calls its characters, or None.
        body: Its bytes, decompressed; empty when it is no text.
        is_text: Whether it says that it is.
        is_cut: Whether it was longer than the limit.
        passed: Addresses of the same host that redirected here, first to last.
        leads_to: Where it redirects to, on another host.
    """

    address: WebAddress
    _: KW_ONLY
    status: int
    content_type: str
    charset: str | None
    body: bytes
    is_text: bool
    is_cut: bool
    passed: tuple[WebAddress, ...] = ()
    leads_to: WebAddress | None = None


async def fetch(
    url: str,
    profile: NetworkProfile | None = None,
    *,
    guard: Guard | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    patience: float = PATIENCE,
    limit: int = LIMIT,
) -> Page:
    """Read a page, whatever its status.

    ``guard`` and ``transport`` take the place of name servers and of the network, for tests.

    Raises:
        InvalidRequestError: this, or what it redirects to, is no address that could be fetched.
        NotPublic: it leads to where nobody but this machine or its neighbours may go.
        NetworkError, TimedOutError: it could not be read, or not in ``patience`` seconds.
    """
    profile = profile or NetworkProfile()
    guard = guard or Guard()
    routes = transport or PublicRoutes(profile, guard)
    try:
        async with asyncio.timeout(patience), AsyncExitStack() as stack:
            client = Transport(profile, transport=routes)
            stack.push_async_callback(client.aclose)
            return await _follow(client, _parsed(url, guard), guard, limit)
    except TimeoutError:
        raise TimedOutError(f"the page was not there after {patience:g} seconds") from None


async def _follow(client: Transport, address: WebAddress, guard: Guard, limit: int) -> Page:
    passed: list[WebAddress] = []
    while True:
        answer = await client.open("GET", str(address), _HEADERS, may_redirect=True)
        async with answer:
            target = _target(answer, address, guard)
            if target is None or not _is_same_site(target, address):
                page = await _read(answer, address, limit if target is None else 0)
                return replace(page, passed=tuple(passed), leads_to=target)
        passed.append(address)
        if len(passed) > REDIRECTS:
            raise NetworkError(f"it redirects more than {REDIRECTS} times", retryable=False)
        address = target


def _target(answer: Answer, address: WebAddress, guard: Guard) -> WebAddress | None:
    """Where an answer redirects to."""
    location = answer.headers.get("location")
    if answer.status not in (301, 302, 303, 307, 308) or location is None:
        return None
    try:
        return address.joined(location, ports=guard.ports)
    except ValueError as error:
        raise InvalidRequestError(f"{address.authority} redirects to something that is not fetched: {error}") from None


def _is_same_site(one: WebAddress, other: WebAddress) -> bool:
    return one.host.removeprefix("www.") == other.host.removeprefix("www.")


def _parsed(url: str, guard: Guard) -> WebAddress:
    try:
        return WebAddress.parse(url, ports=guard.ports)
    except ValueError as error:
        raise InvalidRequestError(str(error)) from None


async def _read(answer: Answer, address: WebAddress, limit: int) -> Page:
    content_type, _, parameters = answer.headers.get("content-type", "").partition(";")
    content_type = content_type.strip().lower()
    is_text = _TEXT.fullmatch(content_type) is not None
    body = bytearray()
    while is_text and limit and len(body) <= limit and (data := await answer.read()):
        body += data
    return Page(
        address,
        status=answer.status,
        content_type=content_type,
        charset=_charset(parameters),
        body=bytes(body[:limit]),
        is_text=is_text,
        is_cut=len(body) > limit,
    )


def _charset(parameters: str) -> str | None:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower() or None
    return None
