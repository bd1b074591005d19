"""The tool ``grep``: lines of files by a regular expression."""

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
    "Search the lines of files by a regular expression (Python's re). Gives path:line:text. Binary files, .git and "
    "what .gitignore names are left out."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "minLength": 1, "description": "The regular expression, for one line"},
        "path": {"type": "string", "description": "The folder or file to search (default: the workspace)"},
        "include": {"type": "string", "description": "Only files whose path fits, as *.py or src/**/*.{ts,tsx}"},
        "limit": {
            "type": "number",
            "minimum": 1,
            "description": f"How many lines at most (default {DEFAULT_LIMIT}, at most {MAX_LIMIT})",
        },
    },
    "required": ["pattern"],
    "additionalProperties": False,
}


def grep_tool(workspace: Workspace) -> Tool:
    """Searches in a child for at most 20 s; files above 10 MB are passed over, and secrets.

    Files that may hold keys are searched only when they are named, for then the policy is asked about them.
    """

    @as_result
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        found = await run_search(
            Search(
                root=str(workspace.root),
                private=tuple(map(str, workspace.private)),
                path=args.get("path") or ".",
                pattern=args["pattern"],
                by_line=True,
                limit=min(MAX_LIMIT, int(args.get("limit", DEFAULT_LIMIT))),
                include=args.get("include") or None,
            )
        )
        lines = [f"{finding['path']}:{finding['line']}:{finding['text']}" for finding in found.findings]
        return ToolResult(found.text(lines, "nothing was found"), metadata={"count": len(lines)})

    return Tool("grep", _DESCRIPTION, _SCHEMA, execute, source="builtin", effects=frozenset({Effect.READ}))
