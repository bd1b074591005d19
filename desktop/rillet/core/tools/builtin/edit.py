"""The tool ``edit``: one text in a file becomes another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.builtin.changing import changing_tool
from rillet.core.tools.files.matching import explain_absence
from rillet.core.tools.files.paths import FileError, show
from rillet.core.tools.files.text import Splice

if TYPE_CHECKING:
    from rillet.core.tools.files.changes import ChangeSet
    from rillet.core.tools.tool import Tool
    from rillet.core.tools.workspace import Workspace

_DESCRIPTION = (
    "Replace a text in a UTF-8 file by another. oldString must stand in the file exactly so, white space included and "
    "without the line numbers that read shows, and exactly once unless replaceAll is true."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace or absolute"},
        "oldString": {"type": "string", "description": "The text as it is"},
        "newString": {"type": "string", "description": "The text as it shall be"},
        "replaceAll": {"type": "boolean", "description": "Replace every occurrence (default false)"},
    },
    "required": ["path", "oldString", "newString"],
    "additionalProperties": False,
}
_MAX_TOLD: Final = 10
_NUMBERED = re.compile(r" *\d+\t")


def edit_tool(workspace: Workspace) -> Tool:
    """Changes files of up to 8 MB; what is not replaced keeps every byte."""
    return changing_tool(workspace, "edit", _DESCRIPTION, _SCHEMA, _plan)


def _plan(changes: ChangeSet, args: dict[str, Any]) -> str:
    path, shown = args["path"], show(args["path"])
    old, new = (args[name].replace("\r\n", "\n") for name in ("oldString", "newString"))
    file = changes.read(path)
    if file is None:
        raise FileError(f"there is no {shown}: create it with write")
    if not old:
        raise FileError("oldString is empty: say what to replace, or use write for the whole file")
    if old == new:
        raise FileError("oldString and newString are the same")
    places = [found.start() for found in re.finditer(re.escape(old), file.text)]
    if not places:
        raise FileError(f"oldString is not in {shown}: {_why_not(file.text, old)}")
    if len(places) > 1 and not args.get("replaceAll"):
        lines = ", ".join(str(file.text.count("\n", 0, place) + 1) for place in places[:_MAX_TOLD])
        more = "…" if len(places) > _MAX_TOLD else ""
        raise FileError(
            f"oldString is in {shown} {len(places)} times, in lines {lines}{more}: give more of the text around it, or "
            "set replaceAll"
        )
    changes.write(path, file.spliced(Splice(place, place + len(old), new) for place in places))
    return f"replaced {len(places)} {'occurrence' if len(places) == 1 else 'occurrences'} in {shown}"


def _why_not(text: str, old: str) -> str:
    lines = old.removeprefix("\n").removesuffix("\n").split("\n")
    if all(_NUMBERED.match(line) for line in lines):
        return "leave out the line numbers that read puts before each line"
    return explain_absence(text.split("\n"), lines)
