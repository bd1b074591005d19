"""Texts → vectors, as ``batchEmbedContents`` does it.

Pure. Above: ``vectors``, ``address``. Below: ``client``. Reference: https://ai.google.dev/api/embeddings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from rillet.core.types import EmbeddingResponse, Usage
from rillet.core.wire.gemini.address import address, resource
from rillet.core.wire.surrogates import mend
from rillet.core.wire.vectors import checked, from_numbers, no_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Embedding(msgspec.Struct, gc=False):
    values: list[float]


class _Counts(msgspec.Struct, gc=False):
    promptTokenCount: int | None = None
    totalTokenCount: int | None = None


class _Answer(msgspec.Struct, gc=False):
    embeddings: list[_Embedding]
    usageMetadata: _Counts | None = None


_decode = msgspec.json.Decoder(_Answer).decode


class GeminiEmbeddings:
    """The embedding codec of this style; see ``EmbeddingCodec``."""

    most_inputs: ClassVar[int] = 100
    """"At most 100 requests can be in one batch", says the refusal of more (geldata/gel#9032)."""
    most_bytes: ClassVar[int | None] = None

    def url(self, base_url: str, model: str) -> str:
        """``{base_url}/models/{model}:batchEmbedContents``."""
        return address(base_url, f"/{resource(model)}:batchEmbedContents")

    def encode(self, inputs: Sequence[str], model: str, dimensions: int | None) -> dict[str, Any]:
        """The JSON body: one request per input, each with everything."""
        shared: dict[str, Any] = {"model": model if "/" in model else f"models/{model}"}
        if dimensions is not None:
            shared["outputDimensionality"] = dimensions
        return {"requests": [shared | {"content": {"parts": [{"text": mend(text)}]}} for text in inputs]}

    def decode(self, body: bytes, inputs: int) -> EmbeddingResponse:
        """The answer; it does not say which model gave it, and models before gemini-embedding-2 do not count.

        Raises:
            LlmError: It is none.
        """
        try:
            answer = _decode(body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise no_vectors(body) from None
        counts = answer.usageMetadata
        usage = Usage(prompt_tokens=counts.promptTokenCount, total_tokens=counts.totalTokenCount) if counts else None
        vectors = [from_numbers(embedding.values) for embedding in answer.embeddings]
        return EmbeddingResponse(checked(vectors, inputs=inputs), usage if usage != Usage() else None)
