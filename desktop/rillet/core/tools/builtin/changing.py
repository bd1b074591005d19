"""A tool that changes files: what it would do as a diff, then the same again, done.

Above: ``files/changes``, ``blocking``. Below: ``write``, ``edit``, ``apply_patch`` say what to change. Guarantee: the
preview and the call go through the same plan, so what is shown is what runs, as long as the files stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from rillet.core.tools.builtin.blocking import as_result, in_thread
from rillet.core.tools.files.changes import ChangeSet
from rillet.core.tools.tool import Effect, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rillet.core.tools.tool import ToolContext
    from rillet.core.tools.workspace import Workspace

    Plan: TypeAlias = Callable[[ChangeSet, dict[str, Any]], str]
    """Puts the changes into the set, and says what they are. Raises FileError when they cannot be made."""


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
            return {"diff": changes.diff()}

    @as_result
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        def change(is_stopped: Callable[[], bool]) -> ToolResult:
            with ChangeSet(workspace) as changes:
                said = plan(changes, args)
                diff, paths = changes.diff(), changes.paths
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
