"""An answer that a gateway begins twice: the server behind it failed in the middle, and another one took over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.providers.provider import Provider
from support.fake_server import sse

if TYPE_CHECKING:
    from support.fake_server import FakeServer


def provider_of(server: FakeServer) -> Provider:
    """``server`` as a provider of the style in which this happens."""
    return Provider("gateway", "anthropic", server.url, "key", "m", name="Gateway")


def message_start(id: str) -> bytes:
    """A message begins; the second one in a stream says that the first does not count."""
    return _event("message_start", message={"id": id, "model": "m", "usage": {"input_tokens": 3}})


def thought(text: str) -> bytes:
    """A block of reasoning."""
    return _block({"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": text})


def text(words: str) -> bytes:
    """A block of text."""
    return _block({"type": "text", "text": ""}, {"type": "text_delta", "text": words})


def call(id: str, name: str, arguments: str) -> bytes:
    """A tool call."""
    delta = {"type": "input_json_delta", "partial_json": arguments}
    return _block({"type": "tool_use", "id": id, "name": name, "input": {}}, delta)


def message_stop() -> bytes:
    """The message is complete."""
    return _event("message_stop")


def _block(start: dict[str, Any], delta: dict[str, Any]) -> bytes:
    return (
        _event("content_block_start", index=0, content_block=start)
        + _event("content_block_delta", index=0, delta=delta)
        + _event("content_block_stop", index=0)
    )


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, event=kind)
