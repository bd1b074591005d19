"""The tool ``glob``: files by a pattern for their paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.tools.builtin.blocking import as_result
from rillet.core.tools.builtin.searching import DEFAULT_LIMIT, MAX_LIMIT, run_search
from rillet.core.tools.files.search import Search
from rillet.core.tools.tool import Effect, Tool, ToolResult

if TYPE_CHECKING:
    from rillet.core.tools.tool import ToolContext
    from rillet.core.tools.workspace import Workspace

_DESCRIPTION = (
    "List files whose path fits a pattern, the newest first: *.py (in any folder), src/**/*.ts, docs/*.{md,txt}. .git "
    "and what .gitignore names are left out."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "minLength": 1, "description": "The pattern, for paths below the folder"},
        "path": {"type": "string", "description": "The folder to look in (default: the workspace)"},
        "limit": {
            "type": "number",
            "minimum": 1,
            "description": f"How many files at most (default {DEFAULT_LIMIT}, at most {MAX_LIMIT})",
        },
    },
    "required": ["pattern"],
    "additionalProperties": False,
}


def glob_tool(workspace: Workspace) -> Tool:
    """Looks in a child for at most 20 s; goes into no link and leaves secrets out. Paths are below the workspace."""

    @as_result
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        found = await run_search(
            Search(
                root=str(workspace.root),
                private=tuple(map(str, workspace.private)),
                path=args.get("path") or ".",
                pattern=args["pattern"],
                by_line=False,
                limit=min(MAX_LIMIT, int(args.get("limit", DEFAULT_LIMIT))),
            )
        )
        paths = [finding["path"] for finding in found.findings]
        return ToolResult(found.text(paths, "no file fits"), metadata={"count": len(paths)})

    return Tool("glob", _DESCRIPTION, _SCHEMA, execute, source="builtin", effects=frozenset({Effect.READ}))
