"""What was written down is read back as it was, and nothing else is read at all."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import (
    ChatMessage,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from rillet.core.types.saved import dump_messages, dump_parts, load_messages, load_parts, whole

SIGNED = {"signature": "abc", "nested": {"list": [1, None, True, 1.5]}}
EVERY_PART: tuple[Part, ...] = (
    TextPart("Hello  \u2028 \x00 🙂", provider_metadata=SIGNED),
    ReasoningPart("", provider_metadata={"encrypted": "…"}),
    ImagePart(b"\x89PNG\x00\xff", media_type="image/png"),
    ImagePart(url="https://example.org/a.png", media_type="image/jpeg"),
    FilePart(b"\x00\x01", media_type="application/pdf", name="a b.pdf"),
    FilePart(b"", media_type="text/plain", name=None),
    FilePart(b"%PDF", media_type="application/pdf", name="a.pdf", text="größe\u2028", as_text=True),
    FilePart(b"%PDF", media_type="application/pdf", text=""),
    ToolCallPart("c1", "read", '{"path": "a"}', provider_metadata=SIGNED),
    ToolCallPart("c2", "read", "", cut=True),
    ToolResultPart("c1", "text", is_error=True, images=(ImagePart(b"x", provider_metadata=SIGNED),)),
    ToolResultPart("c2", ""),
    OpaquePart("anthropic", {"type": "server_tool_use", "input": {}}, provider_metadata=None),
)


@pytest.mark.parametrize("part", EVERY_PART, ids=lambda part: type(part).__name__)
def test_every_part_is_read_back_as_it_was(part: Part) -> None:
    message = ChatMessage("assistant", (part,))
    (read,) = load_messages(dump_messages([message]))
    assert read == message
    assert type(read.parts[0]) is type(part)


def test_bytes_can_be_kept_elsewhere() -> None:
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        kept[name] = data
        return name

    written = dump_parts(EVERY_PART, keep)
    assert b"base64" not in written
    assert load_parts(written, kept.__getitem__) == EVERY_PART
    with pytest.raises(ValueError, match="kept elsewhere"):
        load_parts(written)
    kept.clear()
    with pytest.raises(ValueError, match="no part"):
        load_parts(written, kept.__getitem__)


def test_half_a_character_is_replaced_where_ever_it_stands() -> None:
    message = ChatMessage.user("a\ud83d b", ToolCallPart("\udc00", "t", "{}", provider_metadata={"\ud800": ["\udfff"]}))
    (read,) = load_messages(dump_messages([message]))
    assert read.text == "a\ufffd b"
    assert "\ud800" not in str(read)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[1]",
        b"[{}]",
        b'[{"role": "robot", "parts": []}]',
        b'[{"role": "user", "parts": {}}]',
        b'[{"role": "user", "parts": [{"type": "video"}]}]',
        b'[{"role": "user", "parts": [{"type": "text"}]}]',
        b'[{"role": "user", "parts": [{"type": "text", "text": 5}]}]',
        b'[{"role": "user", "parts": [{"type": "file", "media_type": "a/b", "data": {"base64": "?"}}]}]',
        b'[{"role": "user", "parts": ["text"]}]',
        b"[" * 100_000,
    ],
)
def test_what_is_no_message_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        load_messages(data)


@given(st.text(st.characters(categories=["Lu", "Cs", "Cc", "So"]), max_size=40))
def test_any_text_can_be_written(text: str) -> None:
    written = whole(text)
    assert written.encode().decode() == written
    (read,) = load_messages(dump_messages([ChatMessage.user(text)]))
    assert read.text == written
