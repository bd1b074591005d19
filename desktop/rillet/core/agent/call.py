"""A tool call on its way from an answer to its result, as values.

Above: ``result``, ``tools/tool``. Below: ``calls`` carries calls out, ``loop`` puts results into the transcript.
Guarantee: a call whose arguments do not parse, or may have been cut, carries the reason why it must not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rillet.core.agent.result import ToolCallRecord
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ToolCallPart, ToolResultPart
from rillet.core.types.suspension import Answer, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

CUT: Final = "Not run: the answer was cut off by {reason}, so the arguments may be truncated. Call again, shorter."
NO_OBJECT: Final = "Not run: the arguments are not a JSON object, probably truncated: {arguments}"
NO_NAME: Final = "Not run: {name!r} is no name of a tool."
QUOTED: Final = 500
"""How much of broken arguments the model is shown again."""


class Call(msgspec.Struct, frozen=True):
    """One call to be carried out."""

    part: ToolCallPart
    """As it stands in the transcript."""
    name: str
    """As the model wrote it."""
    args: Mapping[str, Any] | None
    obstacle: str | None = None
    """Why it must not run, for the model."""


class Begun(msgspec.Struct, frozen=True):
    """A call that was told, as it runs."""

    call: Call
    result: ToolResult | None = None
    """There when it does not run, because this stands instead."""


class Reply(msgspec.Struct, frozen=True):
    """An answer to a call that was suspended in an earlier run."""

    request: Request
    answer: Answer
    approval: Answer | None


class Ended(msgspec.Struct, frozen=True):
    """A call that has a result."""

    part: ToolResultPart
    record: ToolCallRecord


class Suspended(msgspec.Struct, frozen=True):
    """A call that waits, with nobody there to ask."""

    call: Call
    request: Request
    approval: Answer | None


def calls_of(wanted: Sequence[ToolCallPart], tidied: Sequence[ToolCallPart], cut: str | None) -> list[Call]:
    """The calls that the model wants, each with its place in the transcript. ``cut`` says why the answer broke off."""
    calls = []
    for call, part in zip(wanted, tidied, strict=True):
        args = call.parsed
        obstacle = None
        if cut is not None:
            obstacle = CUT.format(reason=cut)
        elif args is None:
            obstacle = NO_OBJECT.format(arguments=call.arguments[:QUOTED] or "nothing arrived")
        elif part.name != call.name:  # it had to be changed, so that a provider takes it
            obstacle = NO_NAME.format(name=call.name[:QUOTED])
        calls.append(Call(part, call.name, args, obstacle))
    return calls
