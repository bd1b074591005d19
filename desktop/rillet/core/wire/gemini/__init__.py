"""Google's generateContent, the style "gemini": the Gemini API and Vertex AI.

Sans-IO. Knows URLs, headers and bodies of this style; knows no provider by name. Above: ``sse_body``, ``failures``,
``prose``, ``attachments``. Below: ``client``. The package in reading order:

    address       where a model is
    metadata      what a part carries beside its content
    model         what the name of a model tells
    schema        JSON schema → the subset that is accepted
    contents      messages → contents
    encode        request → body
    usage         token counts
    partial_args  arguments that come as changes
    chunk         what a chunk looks like: the common one as a type
    candidate     one candidate: the JSON of its parts → our deltas
    decode        bytes → chunks → deltas, errors and the end
    embed         texts → vectors

Reference: https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rillet.core.errors import InvalidRequestError
from rillet.core.types import Model
from rillet.core.wire import lenient_json
from rillet.core.wire.error_body import is_error
from rillet.core.wire.failures import classify_error, classify_response
from rillet.core.wire.gemini.address import address, resource
from rillet.core.wire.gemini.decode import GeminiDecoder
from rillet.core.wire.gemini.encode import encode_request
from rillet.core.wire.gemini.metadata import STYLE
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatRequest

__all__ = ["Gemini", "GeminiDecoder"]

_MOST_MODELS = 1000
"""The largest page, so that one is enough (https://ai.google.dev/api/models#method:-models.list)."""
_CHAT = "generateContent"


class Gemini:
    """The codec of this style; see ``Codec``."""

    style: ClassVar[str] = STYLE

    def chat_url(self, base_url: str, model: str, *, stream: bool) -> str:
        """``{base_url}/models/{model}:streamGenerateContent?alt=sse``, or ``:generateContent``."""
        if stream:
            return address(base_url, f"/{resource(model)}:streamGenerateContent", alt="sse")
        return address(base_url, f"/{resource(model)}:{_CHAT}")

    def models_url(self, base_url: str) -> str:
        """``{base_url}/models``."""
        return address(base_url, "/models", pageSize=str(_MOST_MODELS))

    def headers(self, api_key: str | None) -> dict[str, str]:
        """The key, without the blank space that copying it brings along; never in the URL, which gets logged."""
        key = (api_key or "").strip()
        return {"x-goog-api-key": key} if key else {}

    def encode(self, request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body, which is the same whether streamed or not."""
        return encode_request(request, model)

    def decoder(self, *, think_tags: bool = False) -> GeminiDecoder:
        """A decoder for one answer."""
        return GeminiDecoder(think_tags=think_tags)

    def decode_models(self, body: bytes) -> list[Model]:
        """The models that answer, in the order and without the repetitions in which they came.

        Raises:
            LlmError: The body is no such list: mostly ``InvalidRequestError``, because the address is another API's.
        """
        try:
            value = lenient_json.decode(body)
        except ValueError:
            raise classify_response(200, {}, body) from None
        entries = value.get("models") if isinstance(value, dict) else None
        if not isinstance(entries, list):
            if is_error(value):
                raise classify_error(value)
            raise InvalidRequestError(
                "the address does not list models",
                advice="Check the provider's URL, or enter the name of a model by hand.",
            )
        models: dict[str, Model] = {}
        for entry in entries:
            if isinstance(entry, dict) and (model := _model(entry)) is not None:
                models.setdefault(model.id, model)
        return list(models.values())

    def decode_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """The error that an HTTP answer other than success means."""
        return classify_response(status, headers, body)


def _model(entry: dict[str, Any]) -> Model | None:
    id = entry.get("name")
    methods = entry.get("supportedGenerationMethods")
    if not isinstance(id, str) or not id or (isinstance(methods, list) and _CHAT not in methods):
        return None
    name, thinks = entry.get("displayName"), entry.get("thinking")
    return Model(
        mend(id.removeprefix("models/")),
        name=mend(name) if isinstance(name, str) and name else None,
        context_window=_tokens(entry.get("inputTokenLimit")),
        output_limit=_tokens(entry.get("outputTokenLimit")),
        reasoning=thinks if isinstance(thinks, bool) else None,
    )


def _tokens(limit: Any) -> int | None:
    return limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else None
