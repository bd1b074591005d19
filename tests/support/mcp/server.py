"""An MCP server over standard input and output that behaves, method by method, to be misled by ``behaviours``.

Standard library only, so that one starts in the time that Python needs.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

Message = dict[str, Any]
OBJECT = {"type": "object"}


class Server:
    """One that behaves. The others change what it needs."""

    tools: tuple[Message, ...] = (
        {
            "name": "echo",
            "description": "Says it again.",
            "inputSchema": {"type": "object", "properties": {"text": {}}},
        },
        {"name": "env", "description": "Its environment.", "inputSchema": OBJECT},
    )

    def run(self) -> None:
        """Serve until standard input ends."""
        self.begin()
        for line in sys.stdin.buffer:
            self.receive(json.loads(line))

    def begin(self) -> None:
        """Before the first message is read."""

    def receive(self, message: Message) -> None:
        """Take one message."""
        method = message.get("method", "")
        if method == "initialize":
            self.initialize(message)
        elif method == "tools/list":
            self.list(message)
        elif method == "tools/call":
            self.call(message)
        elif "id" in message and method:
            self.answer(message, {})
        else:
            self.notified(message)

    def initialize(self, message: Message) -> None:
        """Shake hands."""
        self.answer(message, self.introduction(message))

    def introduction(self, message: Message) -> Message:
        """What the handshake says."""
        return {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }

    def list(self, message: Message) -> None:
        """All tools on one page."""
        self.answer(message, {"tools": list(self.tools)})

    def call(self, message: Message) -> None:
        """Run a tool."""
        params = message["params"]
        said = dict(os.environ) if params["name"] == "env" else params.get("arguments", {}).get("text", "")
        self.answer(message, text_result(said if isinstance(said, str) else json.dumps(said)))

    def notified(self, message: Message) -> None:
        """Take what is not answered."""

    def answer(self, message: Message, result: Any) -> None:
        """Send the result of a request."""
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def send(self, message: Any) -> None:
        """Send one message."""
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Write raw bytes."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def text_result(text: str) -> Message:
    return {"content": [{"type": "text", "text": text}]}
