"""Answers while they are written: what arrived, batch by batch, so that a crash costs the last batch at most.

Above: ``messages``, ``wire/fold``. Below: whoever runs an answer appends; ``store`` recovers when it opens. Guarantee:
after ``recover`` no message is being written, and each holds all that was appended to it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.store import messages
from rillet.core.types import (
    Delta,
    Finished,
    PartDelta,
    ReasoningDelta,
    Restarted,
    TextDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from rillet.core.types.saved import dump_parts, load_parts, whole
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

log = logging.getLogger("rillet.store")


def append(db: Connection, message_id: int, deltas: Iterable[Delta]) -> None:
    """Note what arrived. Nothing happens when the message is no longer being written."""
    db.execute(
        """
        INSERT INTO journal (message_id, number, deltas)
        SELECT ?1, (SELECT coalesce(max(number), 0) + 1 FROM journal WHERE message_id = ?1), ?2
        WHERE EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND status = 'writing')
        """,
        (message_id, dump_deltas(deltas).decode()),
    )


def written(db: Connection, message_id: int) -> list[Delta]:
    """What was noted so far."""
    rows = db.execute("SELECT deltas FROM journal WHERE message_id = ? ORDER BY number", (message_id,))
    return [delta for (text,) in rows for delta in load_deltas(text)]


def interrupted(db: Connection) -> list[int]:
    """The answers that are being written; when nobody writes, those that a crash interrupted."""
    return [id for (id,) in db.execute("SELECT id FROM messages WHERE status = 'writing'")]


def recover(db: Connection) -> int:
    """Make of every answer that a crash interrupted what had arrived of it: how many there were."""
    ids = interrupted(db)
    for message_id in ids:
        try:
            response = fold(written(db, message_id))
        except ValueError as error:
            log.warning("a part of the answer %d cannot be recovered: %s", message_id, error)
            continue
        status: messages.Status = "incomplete" if response.incomplete else "whole"
        messages.rewrite(db, message_id, response.message, status=status, model=response.model)
    db.execute("UPDATE messages SET status = 'incomplete' WHERE status = 'writing'")
    return len(ids)


def dump_deltas(deltas: Iterable[Delta]) -> bytes:
    """Deltas as JSON; neighbouring pieces of text are one."""
    records: list[list[Any]] = []
    for delta in deltas:
        record = _record(delta)
        if record is None:
            continue
        if records and len(record) == len(records[-1]) == 2 and record[0] == records[-1][0]:
            records[-1][1] += record[1]
        else:
            records.append(record)
    try:
        return msgspec.json.encode(records)
    except UnicodeEncodeError:
        return msgspec.json.encode(
            [[whole(each) if isinstance(each, str) else each for each in one] for one in records]
        )


def load_deltas(data: bytes | str) -> list[Delta]:
    """What ``dump_deltas`` wrote; ValueError when it is something else."""
    return [_delta(record) for record in msgspec.json.decode(data, type=list[list[Any]])]


def _record(delta: Delta) -> list[Any] | None:
    match delta:
        case TextDelta(provider_metadata=None):
            return ["text", delta.text]
        case ReasoningDelta(provider_metadata=None):
            return ["reasoning", delta.text]
        case TextDelta():
            return ["text", delta.text, delta.provider_metadata]
        case ReasoningDelta():
            return ["reasoning", delta.text, delta.provider_metadata]
        case ToolCallDelta():
            return ["call", delta.index, delta.id, delta.name, delta.arguments, delta.provider_metadata]
        case UsageDelta():
            return ["usage", msgspec.to_builtins(delta.usage), None]
        case PartDelta():
            return ["part", dump_parts([delta.part]).decode(), None]
        case Restarted():
            return ["restarted"]
        case Finished():
            return ["finished", delta.reason, delta.model, delta.refusal]
        case _:
            return None  # a retry says nothing about the answer


def _delta(record: list[Any]) -> Delta:
    kind, *rest = record
    match kind, rest:
        case "text", [text, *metadata]:
            return TextDelta(text, *metadata)
        case "reasoning", [text, *metadata]:
            return ReasoningDelta(text, *metadata)
        case "call", [index, id, name, arguments, metadata]:
            return ToolCallDelta(index, id, name, arguments, metadata)
        case "usage", [usage, _]:
            return UsageDelta(msgspec.convert(usage, type=Usage))
        case "part", [part, _]:
            return PartDelta(load_parts(part)[0])
        case "restarted", []:
            return Restarted()
        case "finished", [reason, model, refusal]:
            return Finished(reason, model, refusal)
        case _:
            raise ValueError(f"{kind!r} is no delta")
