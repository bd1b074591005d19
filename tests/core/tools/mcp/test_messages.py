"""JSON-RPC messages in whatever a server writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from rillet.core.tools.mcp.messages import answered_by, decode, encode


def test_a_message_is_read_as_it_was_written() -> None:
    message = JSONRPCRequest(jsonrpc="2.0", id=1, method="m", params={"text": "ü\n"})
    assert decode(encode(message)) == [message]
    assert b"\n" not in encode(message)


def test_several_in_a_list_are_several() -> None:
    first, second = decode(b'[{"jsonrpc":"2.0","id":1,"result":{}}, 5, {"jsonrpc":"2.0","method":"n"}]')
    assert isinstance(first, JSONRPCResponse)
    assert isinstance(second, JSONRPCNotification)


@pytest.mark.parametrize(
    "line", [b"", b"hello", b"{", b"[]", b"{}", b'"text"', b"[" * 100_000, b'{"a":' * 100_000, b'{"jsonrpc":"1.0"}']
)
def test_what_is_no_message_is_none(line: bytes) -> None:
    assert decode(line) == []


@given(st.binary(max_size=60))
def test_no_bytes_do_harm(data: bytes) -> None:
    assert decode(b"{" + data) == decode(b"{" + data)


def test_a_bad_byte_and_half_a_character_cost_a_letter() -> None:
    for inside in (b"a\xff", b"a\\ud83d"):
        (message,) = decode(b'{"jsonrpc":"2.0","id":1,"result":{"text":"%b"}}' % inside)
        assert isinstance(message, JSONRPCResponse)
        assert message.result == {"text": "a\ufffd"}


def test_the_head_of_an_answer_tells_whose_it_is() -> None:
    head = b'{"jsonrpc": "2.0", "result": {"id": 99, "more": ["id"]}, "id" : 7, '
    assert answered_by(head, {7: None, 8: None}) == 7
    assert answered_by(b'{"id":"listen-1",', {"listen-1": None}) == "listen-1"
    assert answered_by(b'{"id":5,', {7: None}) is None
    assert answered_by(b"no json at all", {7: None}) is None
