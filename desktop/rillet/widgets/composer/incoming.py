"""A file on its way to become an attachment: being read, failed, or read.

Above: ``core/attachments`` reads it on the engine thread, ``fitting`` makes images fit. Below: ``tray`` holds it among
the attachments, ``chips`` shows how it stands. Guarantees: the GUI thread neither opens a file nor decodes an image;
what is taken away while it is read ends at once, its process too; one that comes back (undo) is read again; how far a
long document was read is told a few times a second, and never in a queue.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Signal
from PySide6.QtGui import QImage
from shiboken6 import isValid

from rillet.core.attachments.folder import FolderChoice
from rillet.core.attachments.problems import Unreadable
from rillet.core.attachments.progress import EVERY, Progress
from rillet.qt.errands import Errands
from rillet.widgets.composer.attachment import Attachment

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from rillet.core.attachments.progress import Tell
    from rillet.core.types import ImagePart
    from rillet.qt.resource import AsyncResource

Source: TypeAlias = Path | bytes | str | QImage | FolderChoice
"""A file, its bytes, a text of any length, pixels, or files of a folder."""

_TEXT_RATHER: Final = 30_000
"""Tokens from which on a document goes as text unless the person wants it otherwise: as a file it costs three times."""
_WATCHED: Final = 300.0
"""Seconds that a reading may take that somebody sees advance, and can stop."""
_SENTENCES: Final = (
    QT_TRANSLATE_NOOP("Unreadable", "{name} cannot be read: {why}."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is a folder: attach it as a folder."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is not a file but a device, a pipe or a socket."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is empty."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} has {size}: at most {most} can be attached. Attach a part of it."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is of a kind that no model reads. Attach it as PDF, image or text."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is an archive. Unpack it, and attach the files or the folder."),
    QT_TRANSLATE_NOOP(
        "Unreadable",
        "{name} is a picture in a format that models do not take. Save it as JPEG or PNG, and attach that.",
    ),
    QT_TRANSLATE_NOOP("Unreadable", "{name} has more pixels than are read here. Save a smaller copy, and attach that."),
    QT_TRANSLATE_NOOP(
        "Unreadable",
        "{name} is a document in a format that is not read here. Save it as PDF, docx or xlsx, and attach that.",
    ),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is protected by a password. Save a copy without one, and attach that."),
    QT_TRANSLATE_NOOP(
        "Unreadable",
        "{name} has pages but no text: it was probably scanned. "
        "Choose a model that takes PDF files, attach pictures of its pages, or run text recognition on it first.",
    ),
    QT_TRANSLATE_NOOP("Unreadable", "{name} is damaged. Open it in its own program, save it again, and attach that."),
    QT_TRANSLATE_NOOP(
        "Unreadable",
        "{name} unpacks to more than any document has, as files do that are made to do harm. It was not read.",
    ),
    QT_TRANSLATE_NOOP("Unreadable", "{name} took too long to read. Attach a part of it, or save it as text."),
    QT_TRANSLATE_NOOP("Unreadable", "{name} could not be read. Save it as PDF or text, and attach that."),
)


class Incoming(QObject):
    """One of them.

    Attributes:
        name: Under which it will be attached.
        problem: Why it cannot be attached, as a sentence; "" as long as nothing speaks against it.
        attachment: What it has become, once it was read.
        folder: The path, where it turned out to be a folder.
        progress: The page that is being read, where that takes long enough to be told.

    Signals:
        settled(): It was read, or cannot be.
        progressed(): There is another ``progress`` now.
    """

    settled = Signal()
    progressed = Signal()

    def __init__(self, source: Source, name: str, kept: int, parent: QObject) -> None:
        """``kept``: bytes up to which a document is kept as it is beside its text."""
        super().__init__(parent)
        self.name = name
        self.problem = ""
        self.attachment: Attachment | None = None
        self.folder: Path | None = None
        self.progress: Progress | None = None
        self._source = source
        self._kept = kept
        self._errands = Errands(self, "attachments")
        self._reading: AsyncResource[None] | None = None
        self._read: Attachment | Unreadable | None = None
        self._attempt = 0

    @property
    def is_reading(self) -> bool:
        """Whether it is neither read nor failed."""
        return self.attachment is None and not self.problem

    @property
    def source(self) -> Source:
        """What it is read from, and can be read from again."""
        return self._source

    @property
    def is_folder(self) -> bool:
        """Whether it is files of a folder."""
        return isinstance(self._source, FolderChoice)

    def start(self) -> None:
        """Read it, unless that is under way or done."""
        if self._reading is None and self.is_reading:
            steps = partial(_steps, partial(_outcome, self._source, self.name, self._kept))
            self._attempt += 1
            self._read = None
            self._reading = self._errands.follow(steps, self._hear).onResult(partial(self._take, self._attempt))

    def stop(self) -> None:
        """Do not go on; ``start`` begins anew."""
        if self._reading is not None:
            reading, self._reading = self._reading, None
            self.progress = None
            reading.cancel()

    def retry(self) -> None:
        """Try once more what failed: the person may have changed the file."""
        self.problem = ""
        self.start()

    def refuse(self, sentence: str) -> None:
        """It was read, but does not fit."""
        self.attachment = None
        self.problem = sentence

    def _hear(self, step: Progress | Attachment | Unreadable) -> None:
        if not isinstance(step, Progress):
            self._read = step
        elif isValid(self):
            self.progress = step
            self.progressed.emit()

    def _take(self, attempt: int, _value: None, _error: Exception | None) -> None:
        if self._reading is None or attempt != self._attempt or not isValid(self):  # stopped meanwhile
            return
        self._reading = self.progress = None
        outcome, self._read = self._read, None
        if isinstance(outcome, Attachment):
            self.attachment = outcome
        else:
            why = outcome or Unreadable("failed", name=self.name)  # (the engine has logged an error of ours)
            self.problem = sentence(why)
            if why.problem == "folder" and isinstance(self._source, Path):
                self.folder = self._source
        self.settled.emit()


def sentence(error: Unreadable) -> str:
    """Why a file cannot be attached, in the language of the person."""
    from rillet.core.attachments.problems import SENTENCES

    words = QCoreApplication.translate("Unreadable", SENTENCES[error.problem])
    return words.format(**{"name": QCoreApplication.translate("Unreadable", "The file"), **error.facts})


async def _steps(
    read: Callable[[Tell], Coroutine[None, None, Attachment | Unreadable]],
) -> AsyncGenerator[Progress | Attachment | Unreadable, None]:
    """How far it has come, the newest only, and at last what came of it; on the engine thread."""
    news: list[Progress] = []
    stirred = asyncio.Event()

    def tell(progress: Progress) -> None:
        news[:] = [progress]
        stirred.set()

    reading = asyncio.create_task(read(tell))
    reading.add_done_callback(lambda _: stirred.set())
    try:
        while not reading.done():
            await stirred.wait()
            stirred.clear()
            if news:
                yield news.pop()
                await asyncio.wait([reading], timeout=EVERY)  # (however often the process says something)
        yield reading.result()
    finally:
        reading.cancel()
        await asyncio.wait([reading])
        if not reading.cancelled():
            reading.exception()  # (of one that nobody waits for any more asyncio would complain)


async def _outcome(source: Source, name: str, kept: int, tell: Tell) -> Attachment | Unreadable:
    """As ``read_source``; what cannot be read is no failure of the engine."""
    try:
        return await read_source(source, name, kept, tell)
    except Unreadable as error:
        return error


async def read_source(source: Source, name: str, kept: int, tell: Tell | None = None) -> Attachment:
    """Read it; on the engine thread. ``tell`` hears how far that has come.

    Raises:
        Unreadable: with a sentence for the person.
    """
    from rillet.core.attachments.caps import Caps
    from rillet.core.attachments.reading import read_bytes, read_folder, read_path
    from rillet.widgets.composer.fitting import encoded, fitted

    try:
        if isinstance(source, QImage):
            return Attachment(await asyncio.to_thread(encoded, source), name)
        caps = Caps(kept=kept) if tell is None else Caps(kept=kept, seconds=_WATCHED)
        if isinstance(source, FolderChoice):
            contents = await read_folder(source, name, caps)
        elif isinstance(source, Path):
            contents = await read_path(source, caps, tell)
        else:
            data = source.encode("utf-8", "replace") if isinstance(source, str) else source
            contents = await read_bytes(data, name, caps, tell)
        if contents.form == "image":
            part: ImagePart = await asyncio.to_thread(fitted, contents.data)
            return Attachment(part, name)
        return await asyncio.to_thread(_weighed, Attachment(contents.part(), name).renamed(name))
    except Unreadable as error:
        raise error.named(name) from None


def _weighed(attachment: Attachment) -> Attachment:
    """Looked through here, where nobody waits for it; long documents are to be sent as text."""
    if attachment.has_choice and attachment.tokens(takes_files=False) > _TEXT_RATHER:
        attachment = attachment.as_text(True)
    attachment.look_through()
    return attachment
