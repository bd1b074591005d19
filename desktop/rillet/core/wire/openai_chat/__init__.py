"""Chat Completions, the style "openai": what OpenAI invented and nearly everyone serves, each a little differently.

Sans-IO. Knows URLs, headers and bodies of this style; knows no provider by name. Above: ``sse_body``,
``failures``, ``tool_calls``, ``model_list``, ``openai_request``. Below: ``client``. The package in reading order:

    media     images, audio and files, as this style writes them
    turns     a conversation → turns, as servers demand them
    encode    request → body
    chunk     what a chunk looks like: the common one as a type
    choice    one choice: the JSON of its deltas → our deltas
    decode    bytes → chunks → deltas, errors and the end

``provider_metadata`` of an answer's parts, all of it sent back by ``encode`` but the sources:

    reasoning_field     on reasoning: the field in which it came ("thinking": Mistral, inside the content)
    reasoning_details   on reasoning: OpenRouter's pieces, with signatures and encrypted thoughts
    extra_content …     on a tool call: every field beside index, id, type and function; on text: that of the message
    image_field         on an image: it came from a field of the message
    audio               on a file: id and transcript of spoken output
    annotations, citations, search_results      on text: its sources

Reference: https://platform.openai.com/docs/api-reference/chat. Where servers differ from it, a comment names who does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rillet.core.wire.failures import classify_response
from rillet.core.wire.model_list import read_models
from rillet.core.wire.openai_chat.decode import ChatDecoder
from rillet.core.wire.openai_chat.encode import STYLE, encode_request
from rillet.core.wire.openai_request import bearer, endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatRequest, Model

__all__ = ["ChatDecoder", "OpenAiChat"]


class OpenAiChat:
    """The codec of this style; see ``Codec``."""

    style: ClassVar[str] = STYLE

    def chat_url(self, base_url: str, model: str, *, stream: bool) -> str:
        """``{base_url}/chat/completions``."""
        return endpoint(base_url, "/chat/completions")

    def models_url(self, base_url: str) -> str:
        """``{base_url}/models``."""
        return endpoint(base_url, "/models")

    def headers(self, api_key: str | None) -> dict[str, str]:
        """A bearer token."""
        return bearer(api_key)

    def encode(self, request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body."""
        return encode_request(request, model, stream=stream)

    def decoder(self, *, think_tags: bool = False) -> ChatDecoder:
        """A decoder for one answer."""
        return ChatDecoder(think_tags=think_tags)

    def decode_models(self, body: bytes) -> list[Model]:
        """The list, in the order and without the repetitions in which it came.

        Raises:
            LlmError: The body is no such list: mostly ``InvalidRequestError``, because the address is another API's.
        """
        return read_models(body)

    def decode_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """The error that an HTTP answer other than success means."""
        return classify_response(status, headers, body)
