"""JSON-RPC messages ↔ bytes.

Pure. Knows no transport. Below: ``link`` and the transports. Guarantee: whatever the bytes are, the result is a list of
messages, empty when there are none in them; halves of characters and bytes that are no UTF-8 cost a letter, never the
message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from rillet.core.wire import lenient_json
from rillet.core.wire.surrogates import mend_all

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp_types import RequestId

OUR_ID: Final = re.compile(rb'"id"\s*:\s*(?:"([^"\\]{1,64})"|(\d{1,15}))')


def encode(message: JSONRPCMessage) -> bytes:
    """One line of JSON, without its end."""
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def decode(data: bytes) -> list[JSONRPCMessage]:
    """The messages in a line, or in an event: one, or several where a server sends them in a list."""
    if data.lstrip()[:1] not in (b"{", b"["):
        return []
    try:
        return [jsonrpc_message_adapter.validate_json(data, by_name=False)]
    except ValidationError:
        pass
    try:
        value = mend_all(lenient_json.decode(data.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return []
    messages = []
    for each in value if isinstance(value, list) else [value]:
        try:
            messages.append(jsonrpc_message_adapter.validate_python(each, by_name=False))
        except (ValidationError, RecursionError):
            continue
    return messages


def answered_by(head: bytes, waiting: Collection[RequestId]) -> RequestId | None:
    """Which of our requests is answered by something that cannot be read as a message, as far as its head tells."""
    for match in OUR_ID.finditer(head):
        found: RequestId = match[1].decode(errors="replace") if match[1] is not None else int(match[2])
        if found in waiting:
            return found
    return None
