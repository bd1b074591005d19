"""The outside of a request to a provider: where its list of models is, which headers carry what, and what stays inside.

Pure. Knows no bodies. Above: ``provider``, ``wire/codec``. Below: ``doctor`` and ``local_servers`` send small requests
of their own, ``call`` those of the client. Guarantee: a key that cannot be sent is an ``AuthError`` that does not quote
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.errors import AuthError
from rillet.core.wire.redact import hide
from rillet.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rillet.core.errors import LlmError
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


def conceal(error: LlmError, secrets: Iterable[str]) -> None:
    """Take these secrets out of an error: servers quote what they refuse."""
    secrets = tuple(secrets)
    error.message = hide(error.message, secrets)
    error.args = tuple(hide(each, secrets) if isinstance(each, str) else each for each in error.args)
    error.code, error.type, error.request_id = (
        None if each is None else hide(each, secrets) for each in (error.code, error.type, error.request_id)
    )


def _clean(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise AuthError("the key holds characters that no key has", advice="Copy the key again, and nothing else.")
    return key or None
