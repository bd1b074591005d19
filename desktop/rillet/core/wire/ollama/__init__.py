"""Ollama's own API, the style "ollama": ``/api/chat`` in lines of JSON.

Sans-IO. Knows URLs, headers and bodies of this style. Above: ``body``, ``ndjson``, ``failures``, ``prose``. Below:
``client``. The package in reading order:

    address   where the server is
    media     images, as this style writes them
    schema    schemas of tools, as this style reads them
    encode    request → body
    chunk     what a line looks like: the common one as a type
    message   the message: the JSON of its pieces → our deltas
    decode    bytes → lines → deltas, errors and the end
    embed     texts → vectors

``provider_metadata`` of a tool call, sent back by ``encode``: every field beside id, type and function; those of the
function beside index, name and arguments are in ``function``.

Reference: https://docs.ollama.com/api, and where it is silent api/types.go and server/routes.go of ollama/ollama.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rillet.core.types import Model
from rillet.core.wire.failures import classify_response
from rillet.core.wire.model_list import read_models
from rillet.core.wire.ollama.address import endpoint
from rillet.core.wire.ollama.decode import OllamaDecoder
from rillet.core.wire.ollama.encode import encode_request
from rillet.core.wire.openai_request import bearer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatRequest

__all__ = ["Ollama", "OllamaDecoder"]


class Ollama:
    """The codec of this style; see ``Codec``."""

    style: ClassVar[str] = "ollama"

    def chat_url(self, base_url: str, model: str, *, stream: bool) -> str:
        """``{base_url}/api/chat``."""
        return endpoint(base_url, "/api/chat")

    def models_url(self, base_url: str) -> str:
        """``{base_url}/api/tags``: the models that were pulled."""
        return endpoint(base_url, "/api/tags")

    def headers(self, api_key: str | None) -> dict[str, str]:
        """A bearer token, which only ollama.com asks for."""
        return bearer(api_key)

    def encode(self, request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body."""
        return encode_request(request, model, stream=stream)

    def decoder(self, *, think_tags: bool = False) -> OllamaDecoder:
        """A decoder for one answer."""
        return OllamaDecoder(think_tags=think_tags)

    def decode_models(self, body: bytes) -> list[Model]:
        """The list.

        Raises:
            LlmError: The body is no such list.
        """
        return read_models(body, key="models", read=_model)

    def decode_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """The error that an HTTP answer other than success means."""
        return classify_response(status, headers, body)


def _model(entry: dict[str, Any]) -> Model | None:
    """A model goes by its name and tag, such as "qwen3:8b"; its window is only told by ``/api/show``."""
    id = entry.get("model") or entry.get("name")
    return Model(id) if isinstance(id, str) and id else None
