"""A provider from nothing but an address, as people type and paste it.

Pure. Above: ``address`` (what was meant), ``builtin`` (whose address it may be). Below: the program's "Add an address…"
and ``rillet --doctor``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from rillet.core.providers.address import parse_address
from rillet.core.providers.builtin import builtin_providers
from rillet.core.providers.provider import Provider

if TYPE_CHECKING:
    from rillet.core.providers.address import Address
    from rillet.core.providers.builtin import BuiltinProvider

USUAL_PATHS: Final = {"openai": "/v1", "openai-responses": "/v1", "anthropic": "/v1", "gemini": "/v1beta", "ollama": ""}
"""What follows the host, by style, where nothing is said and nobody is known."""


def compatible(url: str, api_key: str | None = None, model: str | None = None, *, style: str | None = None) -> Provider:
    """An endpoint by its address.

    The style, if it is not given, is what a pasted address of a single function tells (".../v1/messages"), else that of
    a known provider at its usual path, else "openai", which nearly all servers speak. Without any path the address gets
    the usual one.

    Raises:
        InvalidRequestError: this is no address, or it holds a password.
    """
    address = parse_address(url)
    known = known_at(address)
    told = style or address.style
    style = told or "openai"
    if known is not None and told in (None, known.style) and address.path in ("", _path(known)):
        style = known.style
    path = address.path or (_path(known) if known is not None and known.style == style else USUAL_PATHS[style])
    where = f"{address.authority}{path}{address.query}"
    return Provider(
        where if style == "openai" else f"{style}:{where}",
        style,
        f"{address.scheme}://{where}",
        api_key=api_key or None,
        default_model=model or None,
        think_tags=address.is_local,
        name=address.authority,
        key_header=None if known is None else known.key_header,
        facts=None if known is None else known.facts or known.id,
    )


def known_at(address: Address) -> BuiltinProvider | None:
    """The provider whose address this is; the first where several share it."""
    authority = address.authority.replace("localhost", "127.0.0.1", 1)
    return next((known for known in builtin_providers() if known.is_at(authority)), None)


def _path(known: BuiltinProvider) -> str:
    return urlsplit(known.base_url).path if known.base_url else known.path
