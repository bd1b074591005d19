"""What the embeddings of every style have in common: inputs in batches, numbers to vectors, answers joined.

Pure. Above: ``types``, ``failures``. Below: the embedding codecs of the styles, and ``client``. Guarantee: a request
has exactly one vector per input, all of one length, or there is an error: a vector at the wrong place would be worse.
"""

from __future__ import annotations

import binascii
import sys
from array import array
from typing import TYPE_CHECKING

from rillet.core.errors import InvalidRequestError, LlmError, ServerError
from rillet.core.types import EmbeddingResponse, Usage
from rillet.core.wire import lenient_json
from rillet.core.wire.error_body import is_error
from rillet.core.wire.failures import classify_error, classify_response

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SINGLE = "f"
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "reasoning_tokens")


def batches(inputs: Sequence[str], *, most: int, most_bytes: int | None = None) -> Iterator[Sequence[str]]:
    """The inputs in order, as many per batch as a request may have; one that is too large by itself goes alone."""
    batch: list[str] = []
    size = 0
    for text in inputs:
        weight = len(text.encode("utf-8", "replace")) if most_bytes is not None else 0
        if batch and (len(batch) == most or (most_bytes is not None and size + weight > most_bytes)):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += weight
    if batch:
        yield batch


def from_base64(text: str) -> array[float]:
    """The vector of single-precision floats, little-endian, in base64.

    Raises:
        ValueError: It is none.
    """
    vector: array[float] = array(_SINGLE)
    vector.frombytes(binascii.a2b_base64(text, strict_mode=True))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def from_numbers(numbers: Sequence[float]) -> array[float]:
    """The vector of these numbers."""
    return array(_SINGLE, numbers)


def checked(vectors: Sequence[array[float]], *, inputs: int) -> tuple[array[float], ...]:
    """The vectors, if they are one per input.

    Raises:
        ServerError: They are not.
    """
    if len(vectors) != inputs:
        raise ServerError(f"{len(vectors)} vectors came for {inputs} inputs", retryable=False)
    if len(set(map(len, vectors))) > 1:
        raise ServerError("vectors of different lengths came", retryable=False)
    if not all(vectors):
        raise ServerError("empty vectors came", retryable=False)
    return tuple(vectors)


def no_vectors(body: bytes) -> LlmError:
    """The error that a successful answer without vectors means."""
    try:
        value = lenient_json.decode(body)
    except ValueError:
        return classify_response(200, {}, body)
    if is_error(value):
        return classify_error(value)
    return InvalidRequestError(
        "the address answers with something else than embeddings", advice="Check the provider's URL and the model."
    )


def joined(answers: Sequence[EmbeddingResponse], *, dimensions: int | None) -> EmbeddingResponse:
    """The answers of all batches as one; counts are added.

    Raises:
        InvalidRequestError: The vectors are not of the length that was asked for.
    """
    vectors = tuple(vector for answer in answers for vector in answer.vectors)
    if dimensions is not None and any(len(vector) != dimensions for vector in vectors):
        raise InvalidRequestError(
            f"the model gives vectors of {len(vectors[0])} numbers, not of {dimensions}",
            advice="Leave the number of dimensions to the model, or choose another model.",
        )
    model = next((answer.model for answer in answers if answer.model), None)
    return EmbeddingResponse(vectors, _sum([answer.usage for answer in answers]), model)


def _sum(usages: Sequence[Usage | None]) -> Usage | None:
    """Known only if every part is."""
    told = [usage for usage in usages if usage is not None]
    if not told or len(told) < len(usages):
        return None
    totals = {}
    for name in _COUNTS:
        counts = [getattr(usage, name) for usage in told]
        totals[name] = None if None in counts else sum(counts)
    return Usage(**totals)
