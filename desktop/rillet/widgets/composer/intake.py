"""What a clipboard or a drop means: text to be written, or things to be attached.

Above: ``attachment``. Below: ``composer`` hands over what was pasted or dropped. Knows no widget. Guarantees: text
comes first, so cells of a spreadsheet arrive as text although a picture of them lies beside it; formats are never
taken; what is written is valid Unicode; text of more than ``BIG`` bytes becomes a file, because laying out a megabyte
stops the program for seconds. No file is opened here, and nothing large is encoded: that is for ``incoming``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from rillet.widgets.composer.attachment import Attachment, attachment_of
from rillet.widgets.composer.limits import AttachmentRefused, check_size

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

    from rillet.widgets.composer.limits import Limits

translate = QCoreApplication.translate

BIG: Final = 50_000
"""Bytes (UTF-8) of text above which a paste becomes a file."""
HUGE: Final = 1_000_000
"""Characters of text above which making a file of it is felt."""
_RAW_IMAGES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif")


@dataclass(slots=True)
class Intake:
    """What was found.

    Attributes:
        text: To be written where the cursor is.
        attachments: To be attached.
        paths: Files to be read and attached.
        unread: What is to be made an attachment where nobody waits for it, each with its name.
        refusals: Sentences about what cannot be attached.
    """

    text: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    unread: list[tuple[bytes | str | QImage, str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


def is_welcome(source: QMimeData) -> bool:
    """Whether ``read`` may find something in it. Looks at the formats only: it is asked with every move of a drag."""
    return source.hasText() or source.hasImage() or source.hasHtml() or source.hasUrls()


def attaches(source: QMimeData) -> bool:
    """Whether it is files or an image rather than text."""
    return bool(_files(source)) or (source.hasImage() and not source.hasText())


def read(source: QMimeData, limits: Limits) -> Intake:
    """Decide what it is."""
    found = Intake()
    if files := _files(source):
        found.paths = files[: limits.count + 1]
        return found
    text = source.text() if source.hasText() else ""
    if not text.strip() and source.hasImage():
        _take_image(source, limits, found)
    elif text or not source.hasHtml():
        _take_text(text, limits, found)
    else:
        _take_text(_plain(source.html()), limits, found)
    return found


def sanitised(text: str) -> str:
    """``text`` with U+FFFD for lone surrogates, which have no UTF-8 and cannot be sent, and without NUL."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "")


def _files(source: QMimeData) -> list[Path]:
    """The files it names; none where one of its addresses leads elsewhere: a page, a mail."""
    urls = source.urls() if source.hasUrls() else []
    return [Path(url.toLocalFile()) for url in urls] if all(url.isLocalFile() for url in urls) else []


def _take_text(text: str, limits: Limits, found: Intake) -> None:
    if len(text) > HUGE:
        found.unread.append((text, translate("Intake", "Pasted text") + ".txt"))
        return
    text = sanitised(text)
    # No character takes less than one byte, and none more than four.
    if len(text) > BIG // 4 and len(data := text.encode()) > BIG:
        try:
            name = translate("Intake", "Pasted text") + ".txt"
            check_size(name, len(data), limits)
            found.attachments.append(attachment_of(data, name, "text/plain"))
        except AttachmentRefused as refused:
            found.refusals.append(str(refused))
    else:
        found.text = text


def _take_image(source: QMimeData, limits: Limits, found: Intake) -> None:
    from rillet.widgets.composer.fitting import is_fit

    data = next((bytes(source.data(kind).data()) for kind in _RAW_IMAGES if source.hasFormat(kind)), b"")
    name = translate("Intake", "Image")
    if not data:
        found.unread.append((QImage(source.imageData()), f"{name}.png"))
        return
    image = attachment_of(data, f"{name}.png")
    suffix = image.part.media_type.partition("/")[2].replace("jpeg", "jpg")
    image = image.renamed(f"{name}.{suffix}")
    if not is_fit(data):
        found.unread.append((data, image.name))
        return
    try:
        check_size(image.name, len(image.data), limits)
        found.attachments.append(image)
    except AttachmentRefused as refused:
        found.refusals.append(str(refused))


def _plain(html: str) -> str:
    """The text of HTML that came without any. Not by a QTextDocumentFragment: it reads the pictures that are files."""
    from PySide6.QtGui import QFont

    from rillet.widgets.markdown.document import SafeDocument

    document = SafeDocument(QFont())
    document.setHtml(html)
    return document.toPlainText().replace("\ufffc", "")
