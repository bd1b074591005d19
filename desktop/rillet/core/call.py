"""A request as it leaves the program: which model, which address, which headers, which bytes.

Pure. Knows that bodies are JSON, not what is in them. Above: ``types``, ``wire/codec``, ``providers``. Below:
``client`` sends calls. Guarantee: a request that cannot be written down is an ``InvalidRequestError``, and a key that
cannot be sent an ``AuthError``, before anything is sent; neither message quotes the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rillet import __version__
from rillet.core.errors import AuthError, InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.providers.provider import Provider
    from rillet.core.types import ChatRequest
    from rillet.core.wire.codec import Codec

RESERVED: Final = frozenset({"messages", "tools", "stream"})
"""What ``extra_body`` does not replace; ``body_transform`` may."""


@dataclass(frozen=True, slots=True)
class Call:
    """Everything but the address and the key, which a local server may change between two attempts."""

    method: str
    accept: str
    model: str = ""
    stream: bool = False
    content: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    """Those of the request; they win over the provider's."""

    def url(self, codec: Codec, base_url: str) -> str:
        """Where it goes; a call without content asks for the list of models."""
        if self.content is None:
            return codec.models_url(base_url)
        return codec.chat_url(base_url, self.model, stream=self.stream)

    def all_headers(self, codec: Codec, provider: Provider, api_key: str | None) -> dict[str, str]:
        """By name in lower case. (``identity``: a compressed stream arrives in bursts.)

        Raises:
            AuthError: the key holds what no header can.
        """
        headers = {"user-agent": f"rillet/{__version__}", "accept": self.accept, "accept-encoding": "identity"}
        if self.content is not None:
            headers["content-type"] = "application/json"
        network = dict(provider.network.headers)
        for more in (codec.headers(_clean_key(api_key)), network, dict(provider.headers), self.headers or {}):
            headers |= {name.lower(): value for name, value in more.items()}
        return headers


def models_call() -> Call:
    """Ask for the list of models."""
    return Call("GET", "application/json")


def chat_call(
    provider: Provider,
    codec: Codec,
    request: ChatRequest,
    *,
    stream: bool,
    transform: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> Call:
    """Write a request down.

    Raises:
        InvalidRequestError: no model was chosen, or the request holds what JSON cannot.
    """
    model = request.model or provider.default_model
    if not model:
        raise InvalidRequestError("no model is chosen", advice="Choose one from the list of models.")
    body = codec.encode(request, model, stream=stream)
    body |= {name: value for name, value in (request.extra_body or {}).items() if name not in RESERVED}
    if transform is not None:
        body = transform(body)
    try:
        content = msgspec.json.encode(body)
    except UnicodeEncodeError as error:
        raise InvalidRequestError(
            "the conversation holds half a character (a lone surrogate)", advice="Remove it, or paste the text again."
        ) from error
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequestError(f"it cannot be written as JSON ({type(error).__name__})") from error
    accept = "text/event-stream" if stream else "application/json"
    return Call("POST", accept, model, stream, content, request.extra_headers)


def _clean_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise AuthError("the key holds characters that no key has", advice="Copy the key again, and nothing else.")
    return key or None
