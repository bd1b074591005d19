"""A request as it leaves the program: which model, which address, which headers, which bytes.

Pure. Knows that bodies are JSON, not what is in them. Above: ``types``, ``wire/codec``, ``providers``. Below:
``client`` sends calls. Guarantee: a request that cannot be written down is an ``InvalidRequestError``, and a key that
cannot be sent an ``AuthError``, before anything is sent; neither message quotes the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from rillet.core.errors import InvalidRequestError
from rillet.core.providers import envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.providers.provider import Provider
    from rillet.core.types import ChatRequest, EmbeddingRequest
    from rillet.core.wire.codec import Codec, EmbeddingCodec

Transform: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

_JSON: Final = "application/json"
RESERVED: Final = frozenset({"messages", "input", "contents", "tools", "stream"})
"""What ``extra_body`` does not replace, whatever a style calls the conversation; ``body_transform`` may."""


@dataclass(frozen=True, slots=True)
class Call:
    """Everything but the address and the key, which a local server may change between two attempts."""

    method: str
    accept: str
    url: Callable[[str], str]
    """The base URL of the endpoint → where it goes."""
    content: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    """Those of the request; they win over the provider's."""

    def all_headers(self, codec: Codec, provider: Provider, api_key: str | None) -> dict[str, str]:
        """By name in lower case; see ``envelope.headers``.

        Raises:
            AuthError: the key holds what no header can.
        """
        has_body = self.content is not None
        return envelope.headers(provider, codec, api_key, accept=self.accept, has_body=has_body, more=self.headers)


def models_call(provider: Provider, codec: Codec) -> Call:
    """Ask for the list of models."""
    return Call("GET", _JSON, partial(envelope.models_url, provider, codec))


def chat_call(
    provider: Provider,
    codec: Codec,
    request: ChatRequest,
    *,
    stream: bool,
    transform: Transform | None = None,
) -> Call:
    """Write a request down.

    Raises:
        InvalidRequestError: no model was chosen, or the request holds what JSON cannot.
    """
    model = _model(request.model, provider)
    body = codec.encode(request, model, stream=stream)
    body = _merged(body, {name: value for name, value in (request.extra_body or {}).items() if name not in RESERVED})
    url = partial(codec.chat_url, model=model, stream=stream)
    accept = "text/event-stream" if stream else _JSON
    return Call("POST", accept, url, _content(body, transform), request.extra_headers)


def embed_call(
    provider: Provider,
    codec: EmbeddingCodec,
    request: EmbeddingRequest,
    inputs: Sequence[str],
    *,
    transform: Transform | None = None,
) -> Call:
    """Write down the request for a batch of the inputs.

    Raises:
        InvalidRequestError: no model was chosen.
    """
    model = _model(request.model, provider)
    body = codec.encode(inputs, model, request.dimensions)
    return Call("POST", _JSON, partial(codec.url, model=model), _content(body, transform))


def _merged(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """``extra`` over ``body``; what is an object in both is merged: one option does not throw out all the others."""
    merged = dict(body)
    for name, value in extra.items():
        known = merged.get(name)
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            merged[name] = _merged(known, value)
        else:
            merged[name] = value
    return merged


def _model(wanted: str | None, provider: Provider) -> str:
    model = wanted or provider.default_model
    if not model:
        raise InvalidRequestError("no model is chosen", advice="Choose one from the list of models.")
    return model


def _content(body: dict[str, Any], transform: Transform | None) -> bytes:
    """The body as JSON, after the host has had its say."""
    if transform is not None:
        body = transform(body)
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError as error:
        raise InvalidRequestError(
            "the conversation holds half a character (a lone surrogate)", advice="Remove it, or paste the text again."
        ) from error
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequestError(f"it cannot be written as JSON ({type(error).__name__})") from error
