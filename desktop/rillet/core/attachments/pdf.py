"""The text of a PDF, page by page. Only ``extractor`` imports this: what pypdf meets can take any time and memory.

Above: ``problems``, ``caps``, ``progress``. Guarantees: a page that cannot be read costs that page; it is said of each
before it is read.
"""

from __future__ import annotations

import io
import logging
import warnings
from typing import TYPE_CHECKING

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from rillet.core.attachments.problems import Unreadable
from rillet.core.attachments.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.attachments.caps import Caps
    from rillet.core.attachments.progress import Piece


def pieces(data: bytes, _caps: Caps) -> Iterator[Piece]:
    """The text, in pieces of one page each; the pages carry their numbers.

    Raises:
        Unreadable: it has a password, no text at all, or is no PDF inside.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    reader = _opened(data)
    pages, has_text = len(reader.pages), False
    for number in range(pages):
        yield Progress(number + 1, pages)
        try:
            text = reader.pages[number].extract_text().strip()
        except _BROKEN:
            text = "(it could not be read)"
        else:
            has_text = has_text or bool(text)
        yield f"[page {number + 1} of {pages}]\n{text}\n\n"
    if not has_text:
        raise Unreadable("scanned")


def _opened(data: bytes) -> pypdf.PdfReader:
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        is_locked = reader.is_encrypted and not reader.decrypt("")  # (many are, and have no password to be read)
        pages = 0 if is_locked else len(reader.pages)
    except (FileNotDecryptedError, DependencyError) as error:
        raise Unreadable("password") from error
    except _BROKEN as error:
        raise Unreadable("broken") from error
    if not pages:
        raise Unreadable("password" if is_locked else "broken")
    return reader


_BROKEN = (
    PyPdfError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    MemoryError,
)
"""What pypdf raises over files that are not what they should be."""
