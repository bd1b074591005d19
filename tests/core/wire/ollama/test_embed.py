"""Embeddings of Ollama: the JSON that goes out, and what comes back."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import LlmError
from rillet.core.types import EmbeddingResponse, Usage
from rillet.core.wire.ollama.embed import OllamaEmbeddings

if TYPE_CHECKING:
    from rillet.core.wire.codec import EmbeddingCodec

codec: EmbeddingCodec = OllamaEmbeddings()


def test_the_body_has_all_inputs_and_forbids_cutting_them() -> None:
    body = {"model": "m", "input": ["a", "b\ufffd"], "truncate": False}
    assert codec.encode(["a", "b\ud83d"], "m", None) == body
    assert codec.encode(["a", "b\ud83d"], "m", 64) == body | {"dimensions": 64}
    assert codec.url("http://127.0.0.1:11434/", "m") == "http://127.0.0.1:11434/api/embed"


def test_an_answer_is_vectors_in_order_and_one_count() -> None:
    body = b'{"model":"tiny","embeddings":[[0.5,-1],[0.25,2]],"total_duration":1,"prompt_eval_count":8}'
    assert codec.decode(body, 2) == EmbeddingResponse(
        (array("f", [0.5, -1.0]), array("f", [0.25, 2.0])), Usage(prompt_tokens=8), "tiny"
    )
    assert codec.decode(b'{"embeddings":[[1]]}', 1) == EmbeddingResponse((array("f", [1.0]),))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"model":"tiny","embeddings":[]}', "server"),
        (b'{"embedding":[1.0]}', "invalid_request"),
        (b'{"embeddings":[[null]]}', "invalid_request"),
        (b'{"error":"model \'tiny\' not found"}', "model_not_found"),
        (b"Ollama is running", "invalid_request"),
    ],
)
def test_what_is_no_answer_is_an_error(body: bytes, kind: str) -> None:
    with pytest.raises(LlmError) as caught:
        codec.decode(body, 1)
    assert caught.value.kind == kind
