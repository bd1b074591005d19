"""Embeddings of Chat Completions' sibling: the JSON that goes out, and every answer that servers give."""

from __future__ import annotations

import base64
import json
import struct
from array import array
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.errors import LlmError
from rillet.core.types import EmbeddingResponse, Usage
from rillet.core.wire.openai_chat.embed import OpenAiEmbeddings

if TYPE_CHECKING:
    from rillet.core.wire.codec import EmbeddingCodec

codec: EmbeddingCodec = OpenAiEmbeddings()
A = array("f", [0.5, -1.0])
B = array("f", [0.25, 2.0])


def in_base64(vector: array[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def answer(*entries: dict[str, Any], **more: Any) -> bytes:
    listed = [{"object": "embedding", **entry} for entry in entries]
    return json.dumps({"object": "list", "data": listed, **more}).encode()


def test_the_body_has_all_inputs_and_asks_for_base64() -> None:
    assert codec.encode(["a", "b\ud83d"], "m", None) == {
        "model": "m",
        "input": ["a", "b\ufffd"],
        "encoding_format": "base64",
    }
    assert codec.encode(["a"], "m", 64)["dimensions"] == 64


@pytest.mark.parametrize("base_url", ["https://x.test/v1", "https://x.test/v1/ ", "https://x.test/v1/chat/completions"])
def test_the_address_is_made_from_the_base_url_as_people_paste_it(base_url: str) -> None:
    assert codec.url(base_url, "m") == "https://x.test/v1/embeddings"


def test_base64_and_numbers_are_read_alike() -> None:
    told = {"model": "m-1", "usage": {"prompt_tokens": 3, "total_tokens": 3}}
    wanted = EmbeddingResponse((A, B), Usage(prompt_tokens=3, total_tokens=3), "m-1")
    numbers = answer({"index": 0, "embedding": list(A)}, {"index": 1, "embedding": list(B)}, **told)
    packed = answer({"index": 0, "embedding": in_base64(A)}, {"index": 1, "embedding": in_base64(B)}, **told)
    assert codec.decode(numbers, 2) == wanted
    assert codec.decode(packed, 2) == wanted


def test_the_index_says_whose_a_vector_is() -> None:
    body = answer({"index": 1, "embedding": list(B)}, {"index": 0, "embedding": list(A)})
    assert codec.decode(body, 2) == EmbeddingResponse((A, B))


@pytest.mark.parametrize("indexes", [(None, None), (0, 0), (0, None)])
def test_where_indexes_do_not_differ_the_order_counts(indexes: tuple[int | None, int | None]) -> None:
    first, second = indexes
    body = answer({"index": first, "embedding": list(B)}, {"index": second, "embedding": list(A)}, usage=None)
    assert codec.decode(body, 2) == EmbeddingResponse((B, A))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (answer({"index": 0, "embedding": [1.0]}), "server"),
        (answer({"index": 0, "embedding": "AAA"}), "invalid_request"),
        (answer({"index": 0, "embedding": [[1.0]]}), "invalid_request"),
        (b'{"error":{"message":"boom"}}', "server"),
        (b"<html></html>", "invalid_request"),
        (b"[" * 10_000, "invalid_request"),
    ],
)
def test_what_is_no_answer_is_an_error(body: bytes, kind: str) -> None:
    with pytest.raises(LlmError) as caught:
        codec.decode(body, 2)
    assert caught.value.kind == kind
