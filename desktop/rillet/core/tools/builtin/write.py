"""The tool ``write``: a whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.tools.builtin.changing import changing_tool
from rillet.core.tools.files.paths import show
from rillet.core.tools.files.text import TextFile

if TYPE_CHECKING:
    from rillet.core.tools.files.changes import ChangeSet
    from rillet.core.tools.tool import Tool
    from rillet.core.tools.workspace import Workspace

_DESCRIPTION = (
    "Write a UTF-8 text file: create it, with the folders on the way, or replace its whole content. A file that is "
    "replaced keeps its line ends, its mode and its byte order mark. For a part of a file use edit."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace or absolute"},
        "content": {"type": "string", "description": "The whole content"},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}


def write_tool(workspace: Workspace) -> Tool:
    """Writes up to 8 MB, whole or not at all."""
    return changing_tool(workspace, "write", _DESCRIPTION, _SCHEMA, _plan, trusted_output=True)


def _plan(changes: ChangeSet, args: dict[str, Any]) -> str:
    path, content = args["path"], args["content"]
    old = changes.read(path)
    changes.write(path, TextFile.of(content) if old is None else old.rewritten(content))
    lines = content.count("\n") + (not content.endswith("\n") and content != "")
    return f"{'created' if old is None else 'replaced'} {show(path)}: {lines} {'line' if lines == 1 else 'lines'}"
