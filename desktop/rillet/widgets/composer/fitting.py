"""An image as providers accept it: upright, of few enough pixels and bytes, in a format that models look at.

Above: ``pictures``. Below: ``incoming`` has it done on a thread of its own. Providers make larger images smaller
themselves (to between two and five megapixels) and refuse those of more than 5 MB in base64; several ignore which way
up a photo was taken. Guarantees: an image that fits already is not touched; nothing is decoded that has more pixels
than ``pictures`` allows.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QBuffer, QByteArray, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

from rillet.core.attachments.kinds import image_type
from rillet.core.attachments.problems import Unreadable
from rillet.core.types import ImagePart
from rillet.widgets.pictures import decode, is_turned, natural_size

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PIXELS: Final = 2048 * 2048
LONGEST_SIDE: Final = 7900
MOST_BYTES: Final = 3_700_000
"""5 MB in base64."""


def is_fit(data: bytes) -> bool:
    """Whether the image can be sent as it is. Looks at its head only."""
    size = natural_size(data)
    return (
        image_type(data) is not None
        and len(data) <= MOST_BYTES
        and not size.isEmpty()
        and _target(size) == size
        and not is_turned(data)
    )


def fitted(data: bytes) -> ImagePart:
    """The image, made smaller and upright where it has to be. Takes up to a second.

    Raises:
        Unreadable: it cannot be decoded, or has too many pixels.
    """
    media_type = image_type(data)
    if media_type is not None and is_fit(data):
        return ImagePart(data, media_type=media_type)
    size = natural_size(data)
    image = QImage() if size.isEmpty() else decode(data, _target(size))
    if image.isNull():
        raise Unreadable("pixels" if size.isEmpty() and media_type else "photo")
    return encoded(image, is_photo=media_type == "image/jpeg")


def encoded(image: QImage, *, is_photo: bool = False) -> ImagePart:
    """Pixels as an image that fits."""
    target = _target(image.size())
    if target != image.size():
        image = image.scaled(target)
    for data, media_type in _attempts(image, is_photo=is_photo):
        if len(data) <= MOST_BYTES:
            return ImagePart(data, media_type=media_type)
    raise Unreadable("pixels")


def _attempts(image: QImage, *, is_photo: bool) -> Iterator[tuple[bytes, str]]:
    """In the order in which they are wanted: exact for drawings and screenshots, compact for photos."""
    if not is_photo:
        yield _written(image, b"PNG"), "image/png"
    if image.hasAlphaChannel():
        image = _on_white(image)
    for quality in (90, 80, 60, 40):
        yield _written(image, b"JPEG", quality), "image/jpeg"


def _target(size: QSize) -> QSize:
    factor = min(
        1.0,
        sqrt(MOST_PIXELS / max(1, size.width() * size.height())),
        LONGEST_SIDE / max(1, size.width(), size.height()),
    )
    return size if factor == 1.0 else QSize(max(1, int(size.width() * factor)), max(1, int(size.height() * factor)))


def _on_white(image: QImage) -> QImage:
    """JPEG has no transparency, and what would come of it is black."""
    ground = QImage(image.size(), QImage.Format.Format_RGB32)
    ground.fill(QColor("white"))
    painter = QPainter(ground)
    painter.drawImage(0, 0, image)
    painter.end()
    return ground


def _written(image: QImage, kind: bytes, quality: int = -1) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind))
    writer.setQuality(quality)
    writer.write(image)
    return bytes(buffer.data().data())
