"""Messages, the style "anthropic": what Anthropic invented and DeepSeek, Z.ai, llama.cpp and others serve as well.

Sans-IO. Knows URLs, headers and bodies of this style; knows models by name, no provider. Above: ``sse_body``,
``failures``, ``prose``, ``attachments``, ``model_list``. Below: ``client``. The package in reading order:

    event      the one event that comes often
    blocks     content blocks → our deltas
    usage      token counts
    decode     bytes → events → deltas, errors and the end
    claude     what a model accepts, read from its name
    schema     JSON schemas as the API accepts them
    content    parts of a message → content blocks
    turns      a conversation → turns, as the API demands them
    encode     request → body

``provider_metadata`` of an answer's parts, all of it sent back:

    signature     on reasoning: proves that it is the model's own; empty where the server does not sign
    citations     on text: its sources
    anthropic     on a tool call: every field beside type, id, name and input

Reference: https://platform.claude.com/docs/en/api/messages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit, urlunsplit

from rillet.core.wire.anthropic.blocks import STYLE
from rillet.core.wire.anthropic.decode import MessagesDecoder
from rillet.core.wire.anthropic.encode import encode_request
from rillet.core.wire.failures import classify_response
from rillet.core.wire.model_list import read_models

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatRequest, Model

__all__ = ["AnthropicMessages", "MessagesDecoder"]

_API_VERSION = "2023-06-01"
"""The only one in use: https://platform.claude.com/docs/en/api/versioning."""
_MOST_MODELS = 1000
"""Entries of one page, which is as many as there may be: https://platform.claude.com/docs/en/api/models-list."""


class AnthropicMessages:
    """The codec of this style; see ``Codec``."""

    style: ClassVar[str] = STYLE

    def chat_url(self, base_url: str, model: str, *, stream: bool) -> str:
        """``{base_url}/messages``, with ``/v1`` where it is absent."""
        return _url(base_url, "/messages")

    def models_url(self, base_url: str) -> str:
        """``{base_url}/models``, all on one page."""
        return _url(base_url, "/models", f"limit={_MOST_MODELS}")

    def headers(self, api_key: str | None) -> dict[str, str]:
        """The key, without the blank space that copying it brings along, and the version of the API."""
        key = (api_key or "").strip()
        version = {"anthropic-version": _API_VERSION}
        return {"x-api-key": key, **version} if key else version

    def encode(self, request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body."""
        return encode_request(request, model, stream=stream)

    def decoder(self, *, think_tags: bool = False) -> MessagesDecoder:
        """A decoder for one answer."""
        return MessagesDecoder(think_tags=think_tags)

    def decode_models(self, body: bytes) -> list[Model]:
        """The list, in the order and without the repetitions in which it came.

        Raises:
            LlmError: The body is no such list: mostly ``InvalidRequestError``, because the address is another API's.
        """
        return read_models(body)

    def decode_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """The error that an HTTP answer other than success means."""
        return classify_response(status, headers, body)


def _url(base_url: str, path: str, query: str = "") -> str:
    """``path`` behind the path of ``base_url``, which may also be the URL of the endpoint as documented."""
    parts = urlsplit(base_url.strip())
    base = parts.path.rstrip("/").removesuffix("/messages")
    if not re.search(r"/v\d+[a-z0-9]*$", base):
        base += "/v1"
    queries = "&".join(filter(None, (parts.query, query)))
    return urlunsplit(parts._replace(path=base + path, query=queries, fragment=""))
