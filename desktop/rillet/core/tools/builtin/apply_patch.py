"""The tool ``apply_patch``: several files at once, all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from rillet.core.tools.builtin.changing import changing_tool
from rillet.core.tools.files.patch import AddFile, DeleteFile, UpdateFile, parse_patch, place_hunks
from rillet.core.tools.files.paths import FileError, show
from rillet.core.tools.files.text import TextFile

if TYPE_CHECKING:
    from rillet.core.tools.files.changes import ChangeSet
    from rillet.core.tools.files.patch import FilePatch
    from rillet.core.tools.tool import Tool
    from rillet.core.tools.workspace import Workspace

_DESCRIPTION = """\
Change several UTF-8 files at once: all of them, or none if a part does not fit. The patch looks like this:
*** Begin Patch
*** Update File: src/app.py
@@ def main():
 a line of context
-a line that goes
+a line that comes
*** Add File: docs/new.md
+every line begins with a plus
*** Delete File: old.txt
*** End Patch
An updated file can be renamed: *** Move to: path, right below its name. Context must be as it is in the file; give \
about three lines of it, and a heading (@@ and a line above) where they occur more than once."""
_SCHEMA = {
    "type": "object",
    "properties": {
        "patchText": {"type": "string", "description": "The patch, from *** Begin Patch to *** End Patch"},
    },
    "required": ["patchText"],
    "additionalProperties": False,
}


def apply_patch_tool(workspace: Workspace) -> Tool:
    """Changes up to 200 files of up to 8 MB."""
    return changing_tool(workspace, "apply_patch", _DESCRIPTION, _SCHEMA, _plan)


def _plan(changes: ChangeSet, args: dict[str, Any]) -> str:
    return "\n".join([_apply(changes, file) for file in parse_patch(args["patchText"])])


def _apply(changes: ChangeSet, file: FilePatch) -> str:
    """Take the change of one file into the set; what it is, in one line."""
    path = show(file.path)
    match file:
        case AddFile():
            if changes.read(file.path) is not None:
                raise FileError(f"{path} is there already: update it, or delete it first")
            changes.write(file.path, TextFile.of(file.text))
            return f"added {path}"
        case DeleteFile():
            changes.remove(file.path)
            return f"deleted {path}"
        case UpdateFile():
            old = changes.read(file.path)
            if old is None:
                raise FileError(f"there is no {path}")
            try:
                new = old.spliced(place_hunks(old.text, file.hunks))
            except FileError as error:
                raise FileError(f"{path}: {error}") from None
            if file.new_path is None:
                changes.write(file.path, new)
                return f"updated {path}"
            if changes.read(file.new_path) is not None:
                raise FileError(f"{show(file.new_path)} is there already")
            changes.move(file.path, file.new_path, new)
            return f"moved {path} to {show(file.new_path)}"
        case _:
            assert_never(file)
