"""A tool that changes files: what it would do as a diff, then the same again, done.

Above: ``files/changes``, ``blocking``. Below: ``write``, ``edit``, ``apply_patch`` say what to change. Guarantee: what
was shown is what runs. The preview and the call go through the same plan, and a call that was approved changes nothing
when the lines that would go or come are no longer those that were shown (the context may have changed). What was shown
is remembered in this process only.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from rillet.core.tools.builtin.blocking import as_result, in_thread
from rillet.core.tools.files.changes import ChangeSet
from rillet.core.tools.files.paths import FileError
from rillet.core.tools.tool import Effect, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rillet.core.tools.tool import ToolContext
    from rillet.core.tools.workspace import Workspace

    Plan: TypeAlias = Callable[[ChangeSet, dict[str, Any]], str]
    """Puts the changes into the set, and says what they are. Raises FileError when they cannot be made."""

MAX_REMEMBERED: Final = 100
"""Previews; beyond, the oldest is forgotten."""


def changing_tool(
    workspace: Workspace,
    name: str,
    description: str,
    input_schema: Mapping[str, Any],
    plan: Plan,
    *,
    trusted_output: bool = False,
) -> Tool:
    """The tool. Its results carry the diff and the paths below the root in their metadata."""
    shown = _Shown()

    def preview(args: dict[str, Any]) -> dict[str, Any]:
        with ChangeSet(workspace) as changes:
            plan(changes, args)
            diff = changes.diff()
        shown.remember(args, diff)
        return {"diff": diff}

    @as_result
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        def change(is_stopped: Callable[[], bool]) -> ToolResult:
            with ChangeSet(workspace) as changes:
                said = plan(changes, args)
                diff, paths = changes.diff(), changes.paths
                if ctx.approval is not None:
                    shown.require_same(args, diff)
                changes.commit(is_stopped)
            return ToolResult(
                said if paths else "nothing changes: the files are like that already",
                metadata={"diff": diff, "paths": paths},
            )

        return await in_thread(change, ctx)

    return Tool(
        name,
        description,
        input_schema,
        execute,
        source="builtin",
        effects=frozenset({Effect.READ, Effect.WRITE}),
        trusted_output=trusted_output,
        preview=preview,
    )


class _Shown:
    """What the last previews showed, by the arguments of the call."""

    def __init__(self) -> None:
        self._diffs: dict[bytes, bytes] = {}

    def remember(self, args: dict[str, Any], diff: str) -> None:
        """Keep what a preview has shown."""
        call = _digest(args)
        self._diffs.pop(call, None)
        self._diffs[call] = _digest(_touched(diff))
        if len(self._diffs) > MAX_REMEMBERED:
            del self._diffs[next(iter(self._diffs))]

    def require_same(self, args: dict[str, Any], diff: str) -> None:
        """Make sure that a call would do what was shown. Raises FileError."""
        known = self._diffs.pop(_digest(args), None)
        if known is not None and known != _digest(_touched(diff)):
            raise FileError(
                "the files have changed since this was shown and approved; nothing was done: read them again"
            )


def _touched(diff: str) -> list[str]:
    """The lines that go and come, and in which files."""
    return [line for line in diff.split("\n") if line.startswith(("-", "+", "Binary"))]


def _digest(value: Any) -> bytes:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).digest()
