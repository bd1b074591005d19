"""Chosen files of a folder as one text: each between marks, under its path. Runs in the child of ``extractor``.

Above: ``folder``, the readers of documents, ``wire/attachments`` (the marks), ``tools/files`` (open folders).
Guarantees: nothing outside of the folder is read: no link is followed, whatever was swapped since it was listed; a file
that cannot be read costs that file, and the text says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rillet.core.attachments.problems import Unreadable
from rillet.core.tools.files.folders import open_folder
from rillet.core.wire.attachments import enclosed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rillet.core.attachments.caps import Caps

    Reader = Callable[[bytes, str, Caps], Iterator[str]]


def pieces(root: str, paths: Iterable[str], caps: Caps, reader: Reader) -> Iterator[str]:
    """The text, a file at a time."""
    real = str(Path(root).resolve())
    for path in paths:
        try:
            text = "".join(_capped(reader(_read(real, path, caps), path, caps), caps))
        except Unreadable as error:
            text = f"(not read: {error.named('it').user_message})"
        except OSError as error:
            text = f"(not read: {error.strerror or error})"
        yield enclosed("file", path, text) + "\n"


def _capped(found: Iterator[str], caps: Caps) -> Iterator[str]:
    """No more of one file than of all together: what comes after it would not be sent anyway."""
    size = 0
    for piece in found:
        yield piece
        size += len(piece)
        if size > caps.text:
            return


def _read(root: str, path: str, caps: Caps) -> bytes:
    *above, name = path.split("/")
    if not {"", ".", ".."}.isdisjoint((*above, name)):
        raise Unreadable("special")
    folder = open_folder(root)
    try:
        for each in above:
            inner = folder.enter(each)
            folder.close()
            folder = inner
        with folder.open_file(name) as file:
            data = file.read(caps.kept + 1)
    finally:
        folder.close()
    if len(data) > caps.kept:
        raise Unreadable("large", size=f"over {caps.kept:,} bytes", most=f"{caps.kept:,} bytes")
    return data
