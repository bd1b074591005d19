"""The child of ``rillet --extract``: a document on standard input → what it says, on standard output.

A program of its own, because parsing what strangers wrote can take any time and memory, and only a process can be
ended. Above: ``pdf``, ``words``, ``sheets``, ``text``, ``progress``. Below: ``reading`` is the other end.

    stdin     one JSON line, an ``Order``; then the bytes, to the end
    stdout    JSON lines, each a ``Said``: pieces of text as they are found, now and then how far it has come, and at
              the end one that is ``done``

Guarantees: memory, time and output are capped; once it has what it needs, it can open no socket, start no process and
write no file, whatever a library does: Python's own audit hooks refuse it.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rillet.core.attachments.caps import LEFT_OUT, Caps
from rillet.core.attachments.kinds import HEAD, Kind, kind_of
from rillet.core.attachments.problems import Unreadable
from rillet.core.attachments.progress import EVERY, Progress
from rillet.core.attachments.text import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.attachments.progress import Piece

STDIN, STDOUT = range(2)
_PIECE: Final = 60_000
"""Characters that are written at once."""
_FORBIDDEN: Final = (
    *("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
    *("os.kill", "os.putenv", "ctypes.dlopen", "shutil.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser."),
)
"""Audit events (docs.python.org/library/audit_events) by how they begin."""
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be read: a document that follows, or files of a folder."""

    name: str
    caps: Caps
    root: str = ""
    """The folder, whose files ``paths`` are read instead of what follows."""
    paths: tuple[str, ...] = ()


class Said(msgspec.Struct, omit_defaults=True):
    """A piece of what was found."""

    text: str = ""
    kind: str = ""
    """What it is: "pdf", "words", "sheets", "text", "folder". With the first piece."""
    done: bool = False
    problem: str = ""
    """Why it cannot be read (a name in ``problems.SENTENCES``)."""
    progress: Progress | None = None


def main() -> int:
    """Read one document."""
    with os.fdopen(STDIN, "rb", closefd=False) as stdin:
        order = msgspec.json.decode(stdin.readline(), type=Order)
        _limit_memory(order.caps.memory)
        data = stdin.read()
    try:
        kind, pieces = _bundle(order) if order.paths else _reader(data, order.name, order.caps)
        sys.addaudithook(_refuse)
        _write(kind, pieces, order.caps)
    except Unreadable as error:
        _tell(Said(done=True, problem=error.problem))
    except MemoryError:
        _tell(Said(done=True, problem="failed"))
    return 0


def _bundle(order: Order) -> tuple[str, Iterator[Piece]]:
    from rillet.core.attachments import bundle

    def read(data: bytes, name: str, caps: Caps) -> Iterator[str]:
        found = _reader(data, name, caps)[1] if data else iter(())
        return (piece for piece in found if isinstance(piece, str))  # (pages of one file among many tell nothing)

    return "folder", bundle.pieces(order.root, order.paths, order.caps, read)


def _reader(data: bytes, file_name: str, caps: Caps) -> tuple[str, Iterator[Piece]]:
    """What it is, and who reads it. Imports what that takes."""
    kind = kind_of(data[:HEAD], file_name)
    name: str = kind
    if kind is Kind.PACKED:
        from rillet.core.attachments.packed import Packed

        name = Packed(data, caps).kind()
    match name:
        case "pdf":
            from rillet.core.attachments import pdf

            return name, pdf.pieces(data, caps)
        case "words":
            from rillet.core.attachments import words

            return name, words.pieces(data, caps)
        case "sheets":
            from rillet.core.attachments import sheets

            return name, sheets.pieces(data, caps)
        case "text":
            return name, _text(data, caps)
        case _:
            raise Unreadable(name if name in ("archive", "office", "photo") else "binary")


def _text(data: bytes, caps: Caps) -> Iterator[str]:
    """A text file. Of one that is far too long only the beginning is decoded."""
    beginning = data[: 4 * caps.text + 4]
    if b"\0" in beginning and kind_of(beginning, "") is Kind.BINARY:
        raise Unreadable("binary")
    text, name = decoded(beginning, is_whole=len(beginning) == len(data))
    if name.startswith(("cp", "mac", "koi")) and _is_noise(text[:HEAD]):
        raise Unreadable("binary")
    yield text
    if len(beginning) < len(data) and len(text) <= caps.text:
        yield _CUT


def _is_noise(text: str) -> bool:
    """Whether it is not text although it could be decoded: encodings of one byte take anything."""
    controls = sum(char < " " and char not in "\t\n\r\f\x1b" for char in text)
    return controls + text.count("\ufffd") > 0.02 * len(text)


_CUT: Final = f"\n[… it is longer than what is read of one file: the rest was {LEFT_OUT}\n"
_LATE: Final = f"\n[… reading it took too long: the rest was {LEFT_OUT}\n"


def _write(kind: str, pieces: Iterator[Piece], caps: Caps) -> None:
    """Write the text as it comes, as far as caps allow."""
    told = time.monotonic()
    deadline = told + caps.seconds
    said, waiting, first = 0, "", kind
    for piece in _short(pieces):
        if isinstance(piece, Progress):
            if (now := time.monotonic()) >= told + EVERY:
                told = now
                _tell(Said(progress=piece))
            continue
        taken = piece[: caps.text - said]
        said += len(taken)
        waiting += taken
        end = _CUT if len(taken) < len(piece) else _LATE if time.monotonic() > deadline else ""
        if end or len(waiting) > _PIECE:
            _tell(Said(text=waiting + end, kind=first))
            waiting, first = "", ""
        if end:
            break
    _tell(Said(text=waiting, kind=first, done=True))


def _short(pieces: Iterator[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        if isinstance(piece, Progress):
            yield piece
            continue
        for start in range(0, len(piece), _PIECE):
            yield piece[start : start + _PIECE]


def _tell(said: Said) -> None:
    said.text = said.text.encode("utf-8", "replace").decode().replace("\0", "")
    line = msgspec.json.encode(said) + b"\n"
    while line:
        line = line[os.write(STDOUT, line) :]


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it cannot be taken away again."""
    if event == "open":
        flags = arguments[2] if len(arguments) > 2 else 0
        if isinstance(flags, int) and flags & _WRITES:
            raise PermissionError(f"{event} for writing is refused here")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"{event} is refused here")


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
