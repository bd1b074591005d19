"""httpx's exceptions → our error tree, with sentences for people.

Above: the error tree, ``errors`` (connecting). Below: ``transport`` does everything that touches httpx inside
``translated``. Guarantee: no exception of httpx that can happen to a correct program leaves untranslated, and no
message holds more of an address than its host: the path or the query may hold a key.
"""

from __future__ import annotations

import re
import socket
import ssl
from typing import TYPE_CHECKING, Final

import httpx
from socksio.exceptions import SOCKSError  # httpcore lets it through

from rillet.core.errors import InvalidRequestError, LlmError, NetworkError, TimedOutError
from rillet.core.net.errors import ConnectError, ConnectTimedOut

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

BUGS: Final = (httpx.StreamError, httpx.HTTPStatusError, httpx.TooManyRedirects, httpx.CookieConflict)
"""Exceptions that only a mistake in ``transport`` could cause; they stay what they are."""
_TRANSLATED: Final = (httpx.HTTPError, httpx.InvalidURL, UnicodeError, SOCKSError, ssl.SSLError)
"""What leaves httpx when something outside goes wrong; not all of it is its own."""


class translated:
    """Context manager: what httpx raises inside leaves as an ``LlmError``. Reusable; entered once per read."""

    __slots__ = ("_proxy", "where")

    def __init__(self, where: str, proxy: str | None = None) -> None:
        self._proxy = proxy
        self.where = where if proxy is None else f"{where} through the proxy {proxy}"
        """What we talk to, for people: host and port, and the proxy where there is one."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, _TRANSLATED) and not isinstance(error, BUGS):
            raise translate(error, self.where, self._proxy) from error


def translate(error: Exception, where: str, proxy: str | None = None) -> LlmError:
    """The ``LlmError`` for one exception of httpx. Through a proxy, the name that is looked up is the proxy's."""
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return ConnectTimedOut(f"no connection to {where} in time")
        case httpx.TimeoutException():
            return TimedOutError(f"nothing came from {where} in time")
        case httpx.ConnectError():
            return _no_connection(error, where, proxy)
        case httpx.ProxyError():
            return _refused_by_proxy(error, where)
        case SOCKSError():
            problem = f"what answers there is no SOCKS5 proxy ({where})"
            return ConnectError(problem, advice="Check the proxy's address: it may have to begin with http://.")
        case ssl.SSLError() if "CERTIFICATE_REQUIRED" in str(error):  # TLS 1.3 says so after the handshake
            return NetworkError(
                f"{where} lets in only those with a certificate",
                retryable=False,
                advice="Name your certificate in the provider's network settings.",
            )
        case httpx.RemoteProtocolError():
            return _broken_protocol(error, where)
        case httpx.DecodingError():
            return NetworkError(f"the compressed answer of {where} is damaged")
        case httpx.UnsupportedProtocol() | httpx.InvalidURL() | UnicodeError():
            return InvalidRequestError(
                "the address is not a web address", advice="Correct it: it must begin with https:// or http://."
            )
        case httpx.LocalProtocolError():
            return InvalidRequestError("a header cannot be sent", advice="Check the provider's key and headers.")
    return NetworkError(f"the connection to {where} broke off")


def _no_connection(error: Exception, where: str, proxy: str | None) -> LlmError:
    for cause in _causes(error):
        match cause:
            case ssl.SSLCertVerificationError():
                return ConnectError(
                    f"the certificate of {where} is not trusted ({cause.verify_message})",
                    retryable=False,
                    advice="If a company's proxy signs connections, name its authority in SSL_CERT_FILE.",
                )
            case ssl.SSLError():
                return ConnectError(
                    f"{where} does not speak TLS as it should",
                    retryable=False,
                    advice="If it is a local server, its address may have to begin with http://.",
                )
            case socket.gaierror():
                if proxy is not None:
                    return ConnectError(f"there is no such proxy: {proxy}", advice="Check the proxy's address.")
                return ConnectError(f"no such host: {where}")
            case ConnectionRefusedError():
                return ConnectError(
                    f"nothing answers at {where}", advice="Check the address, and that the server runs."
                )
            case TimeoutError():
                return ConnectTimedOut(f"no connection to {where} in time")
    return ConnectError(f"no connection to {where}")


def _refused_by_proxy(error: Exception, where: str) -> LlmError:
    """What httpcore says: "407 Proxy Authentication Required", or what SOCKS answered ("Connection refused")."""
    text = str(error)
    status = re.match(r"\d{3}\b", text)
    if text.startswith("407") or re.search("authentication|password", text, re.IGNORECASE):
        problem = f"the proxy wants to know who connects to {where}"
        return ConnectError(problem, retryable=False, advice="Add a user name and a password to its address.")
    shown = f" (HTTP {status[0]})" if status else ""
    return ConnectError(f"the proxy refused to connect to {where}{shown}", advice="Check the proxy's settings.")


def _broken_protocol(error: Exception, where: str) -> LlmError:
    text = str(error)
    if "disconnected without" in text:  # httpcore, _receive_event
        return NetworkError(f"{where} closed the connection without an answer")
    if "location header" in text:  # httpx, AsyncClient._redirect_url
        return InvalidRequestError(f"{where} redirects to something that is no address", advice="Check the address.")
    if "illegal status line" in text:  # h11: an SSH banner, a database, TLS
        return InvalidRequestError(
            f"what answers at {where} is not a web server",
            advice="Check the address; a server with TLS needs https:// in front of it.",
        )
    return NetworkError(f"{where} broke off in the middle of the answer")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions behind ``error``, nearest first. (httpcore cuts ``__cause__`` in places, not ``__context__``.)"""
    queue, seen = [error], {id(error)}
    for exception in queue:
        yield exception
        behind = [exception.__cause__, exception.__context__]
        behind += exception.exceptions if isinstance(exception, BaseExceptionGroup) else ()
        for cause in behind:
            if cause is not None and id(cause) not in seen:
                seen.add(id(cause))
                queue.append(cause)
