"""The outside of a request to a provider: where its list of models is, and which headers everything carries.

Pure. Knows no bodies. Above: ``provider``, ``wire/codec``. Below: ``doctor`` and ``local_servers`` send small requests
of their own, ``call`` those of the client. Guarantee: a key that cannot be sent is an ``AuthError`` that does not quote
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet import __version__
from rillet.core.errors import AuthError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.providers.provider import Provider
    from rillet.core.wire.codec import Codec


def models_url(provider: Provider, codec: Codec, base_url: str) -> str:
    """Where the list of models is: beside the other addresses, or where the provider says."""
    return provider.models_url or codec.models_url(base_url)


def headers(
    provider: Provider,
    codec: Codec,
    api_key: str | None,
    *,
    accept: str = "application/json",
    has_body: bool = False,
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """By name in lower case; the more specific wins: ``more``, then the provider's, then its network's.

    (``identity``: a compressed stream arrives in bursts.)

    Raises:
        AuthError: the key holds what no header can.
    """
    key = _clean(api_key)
    result = {"user-agent": f"rillet/{__version__}", "accept": accept, "accept-encoding": "identity"}
    if has_body:
        result["content-type"] = "application/json"
    if provider.key_header is None:
        with_key = codec.headers(key)
    else:
        with_key = codec.headers(None) | ({provider.key_header: key} if key else {})
    for each in (with_key, dict(provider.network.headers), dict(provider.headers), more or {}):
        result |= {name.lower(): value for name, value in each.items()}
    return result


def _clean(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise AuthError("the key holds characters that no key has", advice="Copy the key again, and nothing else.")
    return key or None
