"""Scripted MCP servers over HTTP: one script per phase, on a ``FakeServer``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from rillet.core.tools.mcp.config import RemoteServerConfig
from support.fake_server import Exchange, Script
from support.mcp.running import SOON
from support.mcp.server import OBJECT, text_result

if TYPE_CHECKING:
    from collections.abc import Mapping

Phase: TypeAlias = Callable[[Exchange, Any], object]
"""Answers one message; ``None`` in its place where there is none."""
SESSION = "session-1"


def remote(
    url: str, *, name: str = "web", limits: Mapping[str, float] | None = None, **settings: Any
) -> RemoteServerConfig:
    """The server at this address; its limits are long unless they are set."""
    patient = dict.fromkeys(("start_timeout", "list_timeout", "call_timeout"), SOON)
    return RemoteServerConfig(name=name, url=f"{url}/mcp", **{**patient, **(limits or {}), **settings})


def web(**phases: Phase) -> Script:
    """A server that behaves but for these phases: initialize, list, call, notice, listen, goodbye."""

    def script(exchange: Exchange) -> None:
        request = exchange.request
        if request.method != "POST":
            phase = {"GET": "listen", "DELETE": "goodbye"}[request.method]
            phases.get(phase, no_such_method)(exchange, None)
            return
        message = request.json
        phase = PHASES.get(message.get("method"), "notice")
        phases.get(phase, GOOD[phase])(exchange, message)

    return script


def initialize(exchange: Exchange, message: Any) -> None:
    result = {
        "protocolVersion": message["params"]["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "scripted", "version": "1"},
    }
    reply(exchange, message, result, {"Mcp-Session-Id": SESSION})


def listing(exchange: Exchange, message: Any) -> None:
    reply(exchange, message, {"tools": [{"name": "echo", "inputSchema": OBJECT}]})


def call(exchange: Exchange, message: Any) -> None:
    reply(exchange, message, text_result(message["params"].get("arguments", {}).get("text", "")))


def accept(exchange: Exchange, message: Any) -> None:
    exchange.respond(202)


def no_such_method(exchange: Exchange, message: Any) -> None:
    exchange.respond(405)


PHASES = {"initialize": "initialize", "tools/list": "list", "tools/call": "call"}
GOOD: dict[str, Phase] = {"initialize": initialize, "list": listing, "call": call, "notice": accept}


def reply(exchange: Exchange, message: Any, result: Any, headers: Mapping[str, str] | None = None) -> None:
    """Answer as JSON."""
    exchange.respond(200, {"jsonrpc": "2.0", "id": message["id"], "result": result}, headers)


def events(*messages: Any) -> bytes:
    """Messages as events."""
    return b"".join(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n" for message in messages)


def answered(message: Any, result: Any) -> dict[str, Any]:
    """The answer to a message."""
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}
