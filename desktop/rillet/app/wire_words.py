"""An exchange with a provider as text: to be read, and as a command for curl.

Pure but for the translation. Above: ``core/net/exchange_log``. Below: ``wire_view``.
"""

from __future__ import annotations

import json
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.net.exchange_log import Exchange

translate = QCoreApplication.translate

MASK: Final = "…"
KEY_VARIABLE: Final = "API_KEY"
"""Stands in a command where the key was."""
_LENGTH_HEADERS: Final = ("content-length", "transfer-encoding", "connection", "host")
"""What curl knows better."""


def title(exchange: Exchange) -> str:
    """One line: when, where, how it ended."""
    time = datetime.fromtimestamp(exchange.begun_at).strftime("%H:%M:%S")
    outcome = str(exchange.status) if exchange.status is not None else translate("WireView", "no answer")
    return f"{time}  {exchange.method} {exchange.url}  ·  {outcome}"


def summary(exchange: Exchange) -> str:
    """What was sent and what came, in numbers."""
    parts = [translate("WireView", "{count} bytes sent").format(count=exchange.sent)]
    if exchange.answered_after is not None:
        words = translate("WireView", "answer began after {seconds} s")
        parts.append(words.format(seconds=f"{exchange.answered_after:.3f}"))
    if exchange.ended_after is not None:
        words = translate("WireView", "{count} bytes received until {seconds} s")
        parts.append(words.format(count=exchange.received, seconds=f"{exchange.ended_after:.3f}"))
    return " · ".join(parts)


def sent(exchange: Exchange) -> str:
    """The request."""
    body = _indented(exchange.body)
    if not exchange.is_whole:
        body += "\n" + translate("WireView", "[the rest is not kept]")
    return f"{exchange.method} {exchange.url}\n{_lines(exchange.headers)}\n\n{body}"


def received(exchange: Exchange) -> str:
    """The answer, each read with its time in seconds."""
    lines = []
    if exchange.status is not None:
        lines += [f"HTTP {exchange.status}", _lines(exchange.answer_headers), ""]
    for piece in exchange.pieces:
        lines += [f"+{piece.after:.3f} s", piece.text.strip("\r\n"), ""]
    if exchange.received > sum(len(piece.text.encode()) for piece in exchange.pieces):
        lines.append(translate("WireView", "[not everything that came is kept or shown]"))
    if exchange.error:
        lines.append(exchange.error)
    return "\n".join(lines).strip()


def curl(exchange: Exchange) -> str:
    """The request as a command of a POSIX shell; keys are to be put into the variable ``KEY_VARIABLE``."""
    lines = [f"curl -N -X {exchange.method} {_quoted(exchange.url)}"]
    for name, value in exchange.headers.items():
        if name.lower() == "authorization" and value == MASK:
            lines.append(f'  -H "authorization: Bearer ${KEY_VARIABLE}"')
        elif name.lower() not in _LENGTH_HEADERS:
            lines.append(f"  -H {_quoted(f'{name}: {value}')}")
    if exchange.body:
        lines.append(f"  --data-binary {quote(exchange.body)}")
    return " \\\n".join(lines)


def _quoted(text: str) -> str:
    """For the shell, with the variable in the place of what was masked."""
    return f'"${KEY_VARIABLE}"'.join(quote(part) if part else "" for part in text.split(MASK))


def _lines(headers: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers.items())


def _indented(body: str) -> str:
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body
