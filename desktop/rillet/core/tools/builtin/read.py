"""The tool ``read``: lines of a text file, a picture, or what is in a folder."""

from __future__ import annotations

import itertools
import os
from typing import IO, TYPE_CHECKING, Any, Final

from rillet.core.tools.builtin.blocking import as_result, in_thread
from rillet.core.tools.files.lines import HEAD, read_lines, skip_lines, text_encoding
from rillet.core.tools.files.paths import FileError, show
from rillet.core.tools.tool import Effect, Tool, ToolResult
from rillet.core.types import ImagePart

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.tools.tool import ToolContext
    from rillet.core.tools.workspace import Location, Workspace

MAX_LINES: Final = 2000
MAX_LINE: Final = 2000
"""Characters of one line."""
MAX_CHARACTERS: Final = 60_000
"""Of all lines together."""
MAX_ENTRIES: Final = 1000
"""Names of one folder."""
MAX_IMAGE: Final = 5 * 1024 * 1024
"""Bytes of a picture, as much as every provider takes."""

_IMAGES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_DESCRIPTION = (
    f"Read a text file: at most {MAX_LINES} lines from offset on, each with its number and a tab before it. A folder "
    "gives the names in it, a picture (PNG, JPEG, GIF, WebP) is shown."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {
            "type": "string",
            "minLength": 1,
            "description": "The file or folder, relative to the workspace or absolute",
        },
        "offset": {"type": "number", "minimum": 0, "description": "The first line to read, from 1"},
        "limit": {"type": "number", "minimum": 1, "description": f"How many lines to read (default {MAX_LINES})"},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def read_tool(workspace: Workspace) -> Tool:
    """Reads files of any size, within the limits above."""

    @as_result
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        def read(is_stopped: Callable[[], bool]) -> ToolResult:
            with workspace.locate(args["path"]) as location:
                if location.is_folder:
                    return _list(location)
                with location.open() as file:
                    return _read(location, file, args, is_stopped)

        return await in_thread(read, ctx)

    return Tool("read", _DESCRIPTION, _SCHEMA, execute, source="builtin", effects=frozenset({Effect.READ}))


def _read(location: Location, file: IO[bytes], args: dict[str, Any], is_stopped: Callable[[], bool]) -> ToolResult:
    head = file.read(HEAD)
    file.seek(0)
    metadata = {"path": location.path}
    if (media_type := _image_type(head)) is not None:
        return ToolResult(f"a picture ({media_type})", images=(_image(location, file, media_type),), metadata=metadata)
    encoding = text_encoding(head)
    if encoding is None:
        size = os.fstat(file.fileno()).st_size
        raise FileError(f"{show(location.path)} is a binary file of {size} bytes")
    first = max(1, int(args.get("offset", 1)))
    limit = min(MAX_LINES, int(args.get("limit", MAX_LINES)))
    return ToolResult(_window(file, encoding, first, limit, is_stopped), metadata=metadata)


def _window(file: IO[bytes], encoding: str, first: int, limit: int, is_stopped: Callable[[], bool]) -> str:
    """Numbered lines, and below them whether there are more."""
    shown: list[str] = []
    room, more = MAX_CHARACTERS, False
    number = skip_lines(file, first - 1, is_stopped) if encoding.startswith("utf-8") else 0
    for line, cut in read_lines(file, encoding, MAX_LINE):
        if is_stopped():
            raise FileError("stopped")
        if number + 1 >= first + limit or room < len(line):
            more = True
            break
        number += 1
        if number >= first:
            room -= len(line)
            shown.append(f"{number:>6}\t{line}" + (f"… ({cut} more characters)" if cut else ""))
    if not number:
        return "(the file is empty)"
    if not shown:
        raise FileError(f"the file ends with line {number}")
    notes = [f"(more follows: read on with offset {number + 1})" if more else f"(the end: line {number})"]
    if any("\ufffd" in line for line in shown):
        notes.append("(\ufffd stands for bytes that are no text)")
    return "\n".join([*shown, *notes])


def _list(location: Location) -> ToolResult:
    """The names in a folder, folders with a slash; secrets are left out."""
    try:
        found = list(itertools.islice(location.folder.entries(), 100 * MAX_ENTRIES))
    except OSError as error:
        raise FileError(f"{show(location.path)}: {error.strerror}") from error
    is_secret = location.workspace.guards.is_secret
    names = sorted(
        show(entry.name) + "/" * entry.is_folder for entry in found if not is_secret((*location.names, entry.name))
    )
    lines = names[:MAX_ENTRIES]
    if len(names) > MAX_ENTRIES:
        lines.append(f"({len(names) - MAX_ENTRIES} more names: look for some with glob)")
    return ToolResult("\n".join(lines) or "(the folder is empty)", metadata={"path": location.path})


def _image_type(head: bytes) -> str | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for signature, media_type in _IMAGES if head.startswith(signature)), None)


def _image(location: Location, file: IO[bytes], media_type: str) -> ImagePart:
    data = file.read(MAX_IMAGE + 1)
    if len(data) > MAX_IMAGE:
        raise FileError(f"{show(location.path)} is a picture of more than {MAX_IMAGE // 1024**2} MB")
    return ImagePart(data, media_type=media_type)
