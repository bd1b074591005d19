"""Batches, numbers, and what must not be mixed up."""

from __future__ import annotations

import base64
import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.errors import InvalidRequestError, ServerError
from rillet.core.types import EmbeddingRequest, EmbeddingResponse, Usage
from rillet.core.wire.vectors import batches, checked, from_base64, from_numbers, joined, no_vectors

ONE = array("f", [1.0])
TWO = array("f", [1.0, 2.0])


def test_a_request_keeps_its_own_copy_of_the_inputs() -> None:
    inputs = ["a", "b"]
    request = EmbeddingRequest(inputs, "m", 3)
    inputs.clear()
    assert (request.inputs, request.model, request.dimensions) == (("a", "b"), "m", 3)
    assert EmbeddingRequest("one text").inputs == ("one text",)


def test_a_batch_has_as_many_inputs_as_it_may() -> None:
    assert list(batches("abcdefg", most=3)) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
    assert list(batches("abc", most=3)) == [["a", "b", "c"]]
    assert list(batches([], most=3)) == []


def test_a_batch_has_as_many_bytes_as_it_may_and_a_larger_input_goes_alone() -> None:
    inputs = ["ää", "bb", "c", "d" * 9, "e"]
    assert list(batches(inputs, most=9, most_bytes=6)) == [["ää", "bb"], ["c"], ["d" * 9], ["e"]]
    assert list(batches(["aaa", "bbb", "ccc", "ddd"], most=9, most_bytes=6)) == [["aaa", "bbb"], ["ccc", "ddd"]]
    assert list(batches(["\ud83d"], most=9, most_bytes=6)) == [["\ud83d"]]


@given(st.lists(st.text(max_size=5), max_size=30), st.integers(1, 7), st.none() | st.integers(1, 20))
def test_batches_lose_and_reorder_nothing(inputs: list[str], most: int, most_bytes: int | None) -> None:
    found = list(batches(inputs, most=most, most_bytes=most_bytes))
    assert [text for batch in found for text in batch] == inputs
    assert all(1 <= len(batch) <= most for batch in found)
    if most_bytes is not None:
        assert all(len(batch) == 1 or sum(len(text.encode()) for text in batch) <= most_bytes for batch in found)


def test_base64_is_little_endian_single_precision() -> None:
    vector = from_base64(base64.b64encode(struct.pack("<3f", 0.5, -1.25, 3.0)).decode())
    assert vector == array("f", [0.5, -1.25, 3.0])
    assert vector.itemsize == 4


@pytest.mark.parametrize("text", ["AAA", "AAAA", "%%%%", "é", "AAAA AAAA"])
def test_what_is_no_vector_in_base64_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_base64(text)


def test_numbers_become_single_precision() -> None:
    assert list(from_numbers([0.1, 1])) == [struct.unpack("<f", struct.pack("<f", 0.1))[0], 1.0]


def test_there_is_one_vector_per_input_and_all_are_of_one_length() -> None:
    assert checked([TWO, TWO], inputs=2) == (TWO, TWO)
    assert checked([], inputs=0) == ()
    with pytest.raises(ServerError, match="1 vectors came for 2 inputs"):
        checked([ONE], inputs=2)
    with pytest.raises(ServerError, match="different lengths"):
        checked([ONE, TWO], inputs=2)
    with pytest.raises(ServerError, match="empty"):
        checked([array("f")], inputs=1)


def test_answers_are_joined_in_order_and_their_counts_added() -> None:
    first = EmbeddingResponse((ONE,), Usage(prompt_tokens=1, total_tokens=2), None)
    second = EmbeddingResponse((array("f", [2.0]),), Usage(prompt_tokens=3), "m")
    assert joined([first, second], dimensions=1) == EmbeddingResponse(
        (ONE, array("f", [2.0])), Usage(prompt_tokens=4), "m"
    )


def test_a_count_that_one_answer_did_not_tell_is_not_told() -> None:
    told = EmbeddingResponse((ONE,), Usage(prompt_tokens=1))
    assert joined([told, EmbeddingResponse((ONE,))], dimensions=None).usage is None
    assert joined([], dimensions=5) == EmbeddingResponse(())


def test_vectors_of_another_length_than_asked_for_are_refused() -> None:
    with pytest.raises(InvalidRequestError, match="of 2 numbers, not of 3"):
        joined([EmbeddingResponse((TWO,))], dimensions=3)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"error":{"message":"Incorrect API key provided"}}', "auth"),
        (b'[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad"}}]', "invalid_request"),
        (b'{"choices":[]}', "invalid_request"),
        (b"<html><title>Sign in</title></html>", "invalid_request"),
        (b"", "network"),
    ],
)
def test_an_answer_without_vectors_is_an_error_of_its_kind(body: bytes, kind: str) -> None:
    assert no_vectors(body).kind == kind
