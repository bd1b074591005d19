"""A path → what is there for a model, without the event loop ever waiting and with an end in any case.

Above: ``opening``, ``kinds``, ``tools/processes``; ``extractor`` is the child. Below: the composer, the command line.
Small plain text is read on the spot; everything that has to be parsed goes to the child. Guarantees: cancelling ends
the child; two children at a time; a child that hangs is killed, and what it had found until then is kept. Whoever wants
to know is told how far a document was read, a few times a second.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import msgspec

from rillet.core.attachments.caps import LEFT_OUT, Caps
from rillet.core.attachments.contents import Contents, Form, document_type
from rillet.core.attachments.extractor import Order, Said
from rillet.core.attachments.kinds import HEAD, PDF, Kind, audio_type, image_type, kind_of, text_type
from rillet.core.attachments.opening import read_regular
from rillet.core.attachments.problems import Unreadable, size_text
from rillet.core.tools.environment import minimal
from rillet.core.tools.processes import Process
from rillet.core.wire.attachments import FOLDER_TYPE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from rillet.core.attachments.folder import FolderChoice
    from rillet.core.attachments.progress import Tell

GRACE: Final = 20.0
"""Seconds after its own deadline after which the child is killed."""
_QUICK: Final = 200_000
"""Bytes of UTF-8 that are decoded on the spot: less than a millisecond."""
_SENT: Final = 256 * 1024
OURS: Final = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that may be needed to find what we are made of; the reader of documents is ourselves."""
_BYTES_ONLY: Final = {Kind.IMAGE: "image", Kind.AUDIO: "audio"}
_REFUSED: Final = {
    Kind.PHOTO: "photo",
    Kind.ARCHIVE: "archive",
    Kind.OFFICE: "office",
    Kind.BINARY: "binary",
    Kind.LOCKED: "password",
}
_FORMS: Final[dict[str, Form]] = {
    "pdf": "pdf",
    "words": "words",
    "sheets": "sheets",
    "text": "text",
    "folder": "folder",
}


async def read_path(path: Path, caps: Caps | None = None, tell: Tell | None = None) -> Contents:
    """Read a file; ``tell`` hears how far that has come.

    Raises:
        Unreadable: with a sentence for the person.
    """
    caps = caps or Caps()
    return await read_bytes(await asyncio.to_thread(read_regular, path, caps.file), path.name, caps, tell)


async def read_bytes(data: bytes, name: str, caps: Caps | None = None, tell: Tell | None = None) -> Contents:
    """The same for bytes that are called ``name``.

    Raises:
        Unreadable: as ``read_path``.
    """
    caps = caps or Caps()
    if not data:
        raise Unreadable("empty", name=name)
    head = data[:HEAD]
    kind = kind_of(head, name)
    if kind in _REFUSED:
        raise Unreadable(_REFUSED[kind], name=name)
    if kind in _BYTES_ONLY:
        return _bytes_only(data, name, kind, caps)
    if kind is Kind.TEXT and (text := _quick_text(data)) is not None:
        return Contents(name=name, form="text", media_type=text_type(name), size=len(data), text=text)
    # Of a text no more is looked at than is sent; one byte more says that there is more.
    read = data[: 4 * caps.text + 5] if kind is Kind.TEXT else data
    try:
        form, text = await _extracted(read, name, caps, tell)
    except Unreadable as error:
        if error.problem == "scanned" and len(data) <= caps.kept:  # (a model that takes the file can look at it)
            return Contents(name=name, form="pdf", media_type=PDF, size=len(data), data=data)
        raise error.named(name) from None
    kept = data if form != "text" and len(data) <= caps.kept else b""
    media_type = text_type(name) if form == "text" else document_type(form, name)
    return Contents(name=name, form=form, media_type=media_type, size=len(data), data=kept, text=text)


async def read_folder(choice: FolderChoice, name: str, caps: Caps | None = None) -> Contents:
    """The chosen files of a folder, as one text.

    Raises:
        Unreadable: as ``read_path``.
    """
    caps = caps or Caps()
    try:
        async with _seats.here():
            form, text = await _run(b"", Order(name, caps, choice.root, choice.paths))
    except Unreadable as error:
        raise error.named(name) from None
    return Contents(name=name, form=form, media_type=FOLDER_TYPE, size=len(text), text=text)


def _bytes_only(data: bytes, name: str, kind: Kind, caps: Caps) -> Contents:
    if kind is Kind.AUDIO and len(data) > caps.kept:
        raise Unreadable("large", name=name, size=size_text(len(data)), most=size_text(caps.kept))
    media_type = image_type(data[:HEAD]) or audio_type(data[:HEAD]) or "image/bmp"
    form: Form = "image" if kind is Kind.IMAGE else "audio"
    return Contents(name=name, form=form, media_type=media_type, size=len(data), data=data)


def _quick_text(data: bytes) -> str | None:
    """The text of a small file that is plainly UTF-8; None: it has to be looked at more closely."""
    if len(data) > _QUICK or b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


class _Seats:
    """How many children work at a time, on whichever event loop: a semaphore belongs to one."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def here(self) -> asyncio.Semaphore:
        """The seats of the running loop."""
        return self._semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._count))


_seats: Final = _Seats(2)


async def _extracted(data: bytes, name: str, caps: Caps, tell: Tell | None) -> tuple[Form, str]:
    """What the child says."""
    async with _seats.here():
        return await _run(data, Order(name, caps), tell)


async def _run(data: bytes, order: Order, tell: Tell | None = None) -> tuple[Form, str]:
    found: list[str] = []
    form: Form | None = None
    is_done = False
    env = minimal(os.environ, OURS)
    async with await Process.start(_command(), env=env, stdin=True, merge_stderr=False) as child:
        sending = asyncio.create_task(_send(child, order, data))
        try:
            async with asyncio.timeout(order.caps.seconds + GRACE):
                async for line in lines(child):
                    said = msgspec.json.decode(line, type=Said)
                    if said.problem:
                        raise Unreadable(said.problem)
                    if said.progress is not None and tell is not None:
                        tell(said.progress)
                    form = _FORMS.get(said.kind, form)
                    found.append(said.text)
                    is_done = is_done or said.done
        except TimeoutError:
            if not any(found):
                raise Unreadable("slow") from None
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    if form is None:
        raise Unreadable("failed")
    if not is_done:  # it was killed, or ran out of memory: what it had found is worth something
        found.append(f"\n[… it could not be read to its end: the rest was {LEFT_OUT}\n")
    return form, "".join(found)


async def _send(child: Process, order: Order, data: bytes) -> None:
    assert child.stdin is not None
    child.stdin.write(msgspec.json.encode(order) + b"\n")
    for start in range(0, len(data), _SENT):
        child.stdin.write(data[start : start + _SENT])
        await child.stdin.drain()
    child.stdin.write_eof()


async def lines(child: Process) -> AsyncIterator[bytes]:
    """What a child of ours writes, line by line."""
    waiting = b""
    while piece := await child.stdout.read(65536):
        *whole, waiting = (waiting + piece).split(b"\n")
        for line in whole:
            yield line


def _command() -> list[str]:
    """This program again; a frozen one has no other entrance. ``-P``: nothing in the current folder stands in."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--extract"]
    return [sys.executable, "-P", "-m", "rillet", "--extract"]
