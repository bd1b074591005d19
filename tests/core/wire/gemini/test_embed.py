"""Embeddings of Gemini: the JSON that goes out, and what comes back."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import LlmError
from rillet.core.types import EmbeddingResponse, Usage
from rillet.core.wire.gemini.embed import GeminiEmbeddings

if TYPE_CHECKING:
    from rillet.core.wire.codec import EmbeddingCodec

codec: EmbeddingCodec = GeminiEmbeddings()
BASE = "https://generativelanguage.googleapis.com/v1beta"


@pytest.mark.parametrize("model", ["gemini-embedding-2", "models/gemini-embedding-2"])
def test_every_input_is_a_request_of_its_own(model: str) -> None:
    whose = {"model": "models/gemini-embedding-2"}
    assert codec.encode(["a", "b\ud83d"], model, None) == {
        "requests": [
            whose | {"content": {"parts": [{"text": "a"}]}},
            whose | {"content": {"parts": [{"text": "b\ufffd"}]}},
        ]
    }
    (request,) = codec.encode(["a"], model, 64)["requests"]
    assert request["outputDimensionality"] == 64
    assert codec.url(BASE, model) == f"{BASE}/models/gemini-embedding-2:batchEmbedContents"


def test_an_answer_is_vectors_in_order_and_one_count_if_told() -> None:
    vectors = (array("f", [0.5, -1.0]), array("f", [0.25, 2.0]))
    body = b'{"embeddings":[{"values":[0.5,-1]},{"values":[0.25,2]}]%s}'
    counted = b',"usageMetadata":{"promptTokenCount":5,"promptTokenDetails":[{"modality":"TEXT","tokenCount":5}]}'
    assert codec.decode(body % counted, 2) == EmbeddingResponse(vectors, Usage(prompt_tokens=5))
    assert codec.decode(body % b"", 2) == EmbeddingResponse(vectors)
    assert codec.decode(body % b',"usageMetadata":{}', 2) == EmbeddingResponse(vectors)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"embeddings":[]}', "server"),
        (b'{"embeddings":[{}]}', "invalid_request"),
        (b'[{"error":{"code":404,"status":"NOT_FOUND","message":"models/x is not found"}}]', "model_not_found"),
        (b"<html></html>", "invalid_request"),
    ],
)
def test_what_is_no_answer_is_an_error(body: bytes, kind: str) -> None:
    with pytest.raises(LlmError) as caught:
        codec.decode(body, 1)
    assert caught.value.kind == kind
