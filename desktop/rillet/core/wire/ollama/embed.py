"""Texts → vectors, as ``/api/embed`` does it.

Pure. Above: ``vectors``. Below: ``client``. A text that is longer than the model's window is refused: by default Ollama
would silently embed its beginning.

Reference: https://docs.ollama.com/api/embed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from rillet.core.types import EmbeddingResponse, Usage
from rillet.core.wire.ollama.address import endpoint
from rillet.core.wire.surrogates import mend
from rillet.core.wire.vectors import checked, from_numbers, no_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Answer(msgspec.Struct, gc=False):
    embeddings: list[list[float]]
    model: str | None = None
    prompt_eval_count: int | None = None


_decode = msgspec.json.Decoder(_Answer).decode


class OllamaEmbeddings:
    """The embedding codec of this style; see ``EmbeddingCodec``."""

    most_inputs: ClassVar[int] = 512
    """Ollama has no limit: this keeps an answer to some ten megabytes, and a lost connection from costing all."""
    most_bytes: ClassVar[int | None] = None

    def url(self, base_url: str, model: str) -> str:
        """``{base_url}/api/embed``."""
        return endpoint(base_url, "/api/embed")

    def encode(self, inputs: Sequence[str], model: str, dimensions: int | None) -> dict[str, Any]:
        """The JSON body."""
        body: dict[str, Any] = {"model": model, "input": list(map(mend, inputs)), "truncate": False}
        return body if dimensions is None else body | {"dimensions": dimensions}

    def decode(self, body: bytes, inputs: int) -> EmbeddingResponse:
        """The answer.

        Raises:
            LlmError: It is none.
        """
        try:
            answer = _decode(body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise no_vectors(body) from None
        count = answer.prompt_eval_count
        return EmbeddingResponse(
            checked([from_numbers(numbers) for numbers in answer.embeddings], inputs=inputs),
            Usage(prompt_tokens=count) if count is not None else None,
            answer.model or None,
        )
