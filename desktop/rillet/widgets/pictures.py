"""Pictures from bytes that nobody vouches for: what they measure, and their pixels.

Only raster formats are decoded, told from the bytes and not from what a sender calls them: an SVG could name files.
Below: the image of a message and the viewer that shows it large. Guarantees: decoding opens no file and no socket; a
picture of more than ``MOST_PIXELS`` is never decoded.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader

MOST_PIXELS: Final = 64_000_000
_QUICK_PIXELS: Final = 1_000_000
_QUICK_BYTES: Final = 512 << 10
"""Up to here decoding is not felt: 10 ms for a JPEG of a megapixel."""
_SUFFIXES: Final = {b"png": "png", b"jpeg": "jpg", b"jpg": "jpg", b"gif": "gif", b"webp": "webp", b"bmp": "bmp"}
"""What is decoded, by the names that Qt gives to formats, and what files of them end in."""


def natural_size(data: bytes) -> QSize:
    """Width and height of the upright picture, from its head alone; empty when it is not to be shown."""
    buffer, reader = _reader(data)
    size = reader.size() if _format(reader) in _SUFFIXES else QSize()
    if _lies(reader):
        size = size.transposed()
    buffer.close()
    fits = size.isValid() and 0 < size.width() * size.height() <= MOST_PIXELS
    return size if fits else QSize(0, 0)


def is_quick(data: bytes, natural: QSize) -> bool:
    """Whether a window may wait for this picture, of ``natural`` size, to be decoded."""
    return natural.width() * natural.height() < _QUICK_PIXELS and len(data) < _QUICK_BYTES


def is_turned(data: bytes) -> bool:
    """Whether a viewer has to turn or mirror the picture: a camera was held otherwise than upright."""
    buffer, reader = _reader(data)
    turned = reader.transformation() != QImageIOHandler.Transformation.TransformationNone
    buffer.close()
    return turned


def suffix(data: bytes) -> str:
    """What the name of a file with this picture ends in, without the dot; "" for what is not to be shown."""
    buffer, reader = _reader(data)
    found = _SUFFIXES.get(_format(reader), "")
    buffer.close()
    return found


def decode(data: bytes, target: QSize) -> QImage:
    """The picture in ``data``, upright, scaled to ``target`` pixels; a null image when it cannot be read."""
    buffer, reader = _reader(data)
    reader.setScaledSize(target.transposed() if _lies(reader) else target)
    image = reader.read()
    buffer.close()
    quick = QImage.Format.Format_ARGB32_Premultiplied if image.hasAlphaChannel() else QImage.Format.Format_RGB32
    return image.convertToFormat(quick)  # what is drawn without being converted each time


async def decode_elsewhere(data: bytes, target: QSize) -> QImage:
    """The same on a thread of its own, for what is not ``is_quick``."""
    import asyncio  # (here: a chat that shows small pictures only does without)

    return await asyncio.to_thread(decode, data, target)


def _reader(data: bytes) -> tuple[QBuffer, QImageReader]:
    """A reader of ``data``; the buffer has to outlive it."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    return buffer, reader


def _format(reader: QImageReader) -> bytes:
    return bytes(reader.format().data())


def _lies(reader: QImageReader) -> bool:
    """Whether the image has to be turned by a quarter to stand upright; sizes are those before it."""
    return bool(reader.transformation() & QImageIOHandler.Transformation.TransformationRotate90)
