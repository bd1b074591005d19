"""A tool that changes files: what it would do as a diff, then the same again, done.

Above: ``files/changes``, ``blocking``. Below: ``write``, ``edit``, ``apply_patch`` say what to change. Guarantee: what
was shown is what runs. The preview and the call go through the same plan, and a call that was approved changes nothing
when the lines that would go or come are no longer those that were shown (the context may have changed). What was shown
is a part of the question, so that this holds in another process too.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from rillet.core.tools.builtin.blocking import as_result, in_thread
from rillet.core.tools.files.changes import ChangeSet
from rillet.core.tools.files.paths import FileError
from rillet.core.tools.preview import BINDING
from rillet.core.tools.tool import Effect, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rillet.core.tools.tool import ToolContext
    from rillet.core.tools.workspace import Workspace

    Plan: TypeAlias = Callable[[ChangeSet, dict[str, Any]], str]
    """Puts the changes into the set, and says what they are. Raises FileError when they cannot be made."""

_LONG_ENOUGH: Final = 32
"""Characters of a digest that stand for it in the id of a question."""


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

    def preview(args: dict[str, Any]) -> dict[str, Any]:
        with ChangeSet(workspace) as changes:
            plan(changes, args)
            diff = changes.diff()
        return {"diff": diff, BINDING: _binding(diff)}

    @as_result
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        def change(is_stopped: Callable[[], bool]) -> ToolResult:
            with ChangeSet(workspace) as changes:
                said = plan(changes, args)
                diff, paths = changes.diff(), changes.paths
                if ctx.shown is not None and ctx.shown != _binding(diff):
                    raise FileError(
                        "the files have changed since this was shown and approved; nothing was done: read them again"
                    )
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


def _binding(diff: str) -> str:
    """Names the lines that go and come."""
    return hashlib.sha256(msgspec.json.encode(_touched(diff))).hexdigest()[:_LONG_ENOUGH]


def _touched(diff: str) -> list[str]:
    """The lines that go and come, and in which files."""
    return [line for line in diff.split("\n") if line.startswith(("-", "+", "Binary"))]
