"""Writes a run of an agent into a message: text as it comes, a card per tool call, questions below their cards.

Above: ``message_handle``, ``qt/agent``. Below: hosts pass one to ``AgentClient.stream``. Knows neither who runs the
tools nor who answers. Guarantee: what the run told is in the message, whatever kinds of events are added later.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rillet.core.agent.events import StreamEvent
from rillet.core.types.suspension import APPROVAL
from rillet.qt.agent import AgentListener
from rillet.widgets import words
from rillet.widgets.transcript.tool import ApprovalRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rillet.core.types.suspension import Request
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.tool_handle import ToolHandle
    from rillet.widgets.transcript.tool import Choice, ToolSection

Kind = StreamEvent.Kind
_CHOICES: Final[tuple[Choice, ...]] = ("once", "chat", "folder", "always")


class RunListener(AgentListener):
    """The pen of one answer.

    Attributes:
        handle: The message that it writes.
    """

    def __init__(self, handle: MessageHandle, earlier: Sequence[MessageHandle] = ()) -> None:
        """``earlier``: messages whose calls may be answered in this run, because it goes on with another one."""
        self.handle = handle
        self._earlier = earlier

    def onEvent(self, event: StreamEvent) -> None:
        """Show what happened."""
        handle = self.handle
        match event.type:
            case Kind.TEXT:
                handle.appendText(event.delta)
            case Kind.REASONING:
                handle.appendReasoning(event.delta)
            case Kind.TOOL_CALL_DELTA:
                handle.onToolCallDelta(event.index, event.id, event.name, event.delta)
            case Kind.TOOL_CALL:
                self._call(event).setStatus("running")
            case Kind.PENDING if event.request is not None:
                self.ask(self._call(event), event.request)
            case Kind.TOOL_RESULT:
                self._call(event).finish(event.output, event.is_error, images=event.images)
            case Kind.RETRY if event.error is not None:
                handle.onRetry(event.attempt, event.delay, event.error)
            case Kind.RESTARTED:
                handle.onRestart()
            case Kind.USAGE if event.usage is not None:
                handle.onUsage(event.usage)
            case _:
                pass  # of no concern to what is read

    def onError(self, error: Exception) -> None:
        """Show why the run failed."""
        self.fail(error)

    def fail(self, error: Exception | str) -> None:
        """The run broke off, and with it the calls of earlier messages that it was answering."""
        for earlier in self._earlier:
            for call in earlier.calls:
                if call.status == "running":
                    earlier.toolCall(call.id, call.name).setStatus("stopped")
        self.handle.fail(error)

    def ask(self, call: ToolHandle, request: Request) -> None:
        """Show what a call waits for."""
        if request.kind == APPROVAL:
            call.requestApproval(approval_of(request))
        else:
            call.setStatus("waiting")

    def _call(self, event: StreamEvent) -> ToolHandle:
        id = event.id or ""
        known = (each for each in self._earlier if any(call.id == id and _is_open(call) for call in each.calls))
        call = next(known, self.handle).toolCall(id, event.name or "")
        if event.args is not None and not call.arguments:
            call.appendArguments(msgspec.json.encode(event.args).decode())
        return call


def _is_open(call: ToolSection) -> bool:
    """Whether a call has yet to be answered: one that was just denied is, with the refusal that the model is told."""
    return not call.over or (call.status == "denied" and call.output is None)


def approval_of(request: Request) -> ApprovalRequest:
    """What the card shows of a request of the policy (``core/tools/policy/asking`` says what is in its data)."""
    data = request.data or {}
    command = data.get("command")
    return ApprovalRequest(
        request.id,
        str(data.get("tool", "")),
        _readable(str(data.get("arguments", ""))),
        prompt=request.prompt,
        shown=command if isinstance(command, str) else "",
        diff=str(data.get("diff") or ""),
        notes=tuple(_notes(data)),
        choices=tuple(each for each in _CHOICES if each in data.get("scopes", _CHOICES)),
    )


def _readable(arguments: str) -> str:
    """The same JSON with letters of all scripts as they are: nobody can agree to numbers."""
    if "\\u" not in arguments:
        return arguments
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments


def _notes(data: Mapping[str, Any]) -> Iterator[str]:
    """What does not stand in the call as it is shown, and changes what it does; then what is easily overlooked."""
    if (base := data.get("base")) and base != ".":
        yield words.runs_in(str(base))
    if request := data.get("request"):
        yield words.sends(str(request))
    yield from map(str, data.get("warnings", ()))
    if sandbox := data.get("sandbox"):
        yield str(sandbox)
