"""The Responses API, the style "openai-responses": what OpenAI offers instead of Chat Completions, and others copy.

Sans-IO. Knows URLs, headers and bodies of this style; knows no provider by name. Above: ``sse_body``, ``failures``,
``prose``, ``tool_calls``, ``model_list``, ``openai_request``. Below: ``client``. The package in reading order:

    media     images, audio and files, as this style writes them
    event     what an event looks like: the common one as a type, the others as tables
    items     one item of an answer: message, reasoning, call, block of the server
    output    all items of an answer, and which one an event speaks of
    decode    bytes → events → deltas, errors and the end
    replay    an earlier answer → the items it was made of
    encode    request → body

``provider_metadata`` of an answer's parts:

    responses     {"index": place in the answer, "item": what it takes to send the item back}: of a thought the whole
                  item as received, of a message id and phase, of a call id and namespace, of an image all but the image
    annotations   on text: its sources

The server is asked to keep nothing: the conversation is ours, and travels whole with every request.

Reference: https://platform.openai.com/docs/api-reference/responses. Where servers differ from it, a comment names who
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rillet.core.wire.failures import classify_response
from rillet.core.wire.model_list import read_models
from rillet.core.wire.openai_request import bearer, endpoint
from rillet.core.wire.openai_responses.decode import ResponsesDecoder
from rillet.core.wire.openai_responses.encode import encode_request
from rillet.core.wire.openai_responses.items import STYLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatRequest, Model

__all__ = ["OpenAiResponses", "ResponsesDecoder"]


class OpenAiResponses:
    """The codec of this style; see ``Codec``."""

    style: ClassVar[str] = STYLE

    def chat_url(self, base_url: str, model: str, *, stream: bool) -> str:
        """``{base_url}/responses``."""
        return endpoint(base_url, "/responses")

    def models_url(self, base_url: str) -> str:
        """``{base_url}/models``."""
        return endpoint(base_url, "/models")

    def headers(self, api_key: str | None) -> dict[str, str]:
        """A bearer token."""
        return bearer(api_key)

    def encode(self, request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body."""
        return encode_request(request, model, stream=stream)

    def decoder(self, *, think_tags: bool = False) -> ResponsesDecoder:
        """A decoder for one answer."""
        return ResponsesDecoder(think_tags=think_tags)

    def decode_models(self, body: bytes) -> list[Model]:
        """The list, in the order and without the repetitions in which it came; see ``read_models``."""
        return read_models(body)

    def decode_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """The error that an HTTP answer other than success means."""
        return classify_response(status, headers, body)
