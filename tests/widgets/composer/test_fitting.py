"""Images go out upright and small enough, and untouched where they were that already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage, QImageWriter

from rillet.core.attachments.problems import Unreadable
from rillet.widgets.composer.fitting import MOST_BYTES, encoded, fitted, is_fit
from support.pictures import picture

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from rillet.core.types import ImagePart


def _noise(width: int, height: int) -> QImage:
    """What no format can make small."""
    return QImage(bytes(range(251)) * (width * height * 4 // 251 + 1), width, height, QImage.Format.Format_RGB32)


def _turned(width: int, height: int) -> bytes:
    """A photo that was taken with the camera on its side, red where the top is."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("blue"))
    for x in range(width // 8):
        for y in range(height):
            image.setPixelColor(x, y, QColor("red"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, QByteArray(b"JPEG")).write(image)
    jpeg = bytes(buffer.data().data())
    # An Exif segment (APP1) of one entry: orientation (0x0112), a short, is 6: turn it by a quarter.
    exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    return jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:]


def _size(part: ImagePart) -> tuple[int, int]:
    image = QImage.fromData(part.data or b"")
    return image.width(), image.height()


@pytest.mark.parametrize("kind", ["PNG", "JPG", "WEBP"])
def test_an_image_that_fits_is_not_touched(qapp: QApplication, kind: str) -> None:
    data = picture(640, 480, kind=kind)
    assert is_fit(data)
    assert fitted(data).data == data


def test_a_photo_of_many_pixels_is_made_smaller_in_its_proportions(qapp: QApplication) -> None:
    part = fitted(picture(6000, 4000, kind="JPG"))
    assert part.media_type == "image/jpeg"
    width, height = _size(part)
    assert 4_000_000 < width * height <= 2048 * 2048
    assert width / height == pytest.approx(1.5, abs=0.01)


def test_a_long_screenshot_stays_readable(qapp: QApplication) -> None:
    part = fitted(picture(1200, 6000))
    assert part.media_type == "image/png"
    width, height = _size(part)
    assert width > 900
    assert width * height > 4_000_000


def test_an_image_stands_upright_whatever_its_head_says(qapp: QApplication) -> None:
    data = _turned(400, 200)
    assert not is_fit(data)
    part = fitted(data)
    image = QImage.fromData(part.data or b"")
    assert (image.width(), image.height()) == (200, 400)
    assert image.pixelColor(100, 20).red() > 200
    assert image.pixelColor(100, 380).blue() > 200


def test_a_bitmap_becomes_an_image_that_models_take(qapp: QApplication) -> None:
    part = fitted(picture(40, 30, kind="BMP"))
    assert (part.media_type, _size(part)) == ("image/png", (40, 30))


def test_pixels_that_cannot_be_packed_become_a_photo_that_fits(qapp: QApplication) -> None:
    part = encoded(_noise(2000, 2000))
    assert part.data is not None
    assert len(part.data) <= MOST_BYTES


def test_what_is_transparent_is_white_and_not_black_where_there_is_no_transparency(qapp: QApplication) -> None:
    image = _noise(2000, 2000).convertToFormat(QImage.Format.Format_ARGB32)
    for x in range(100):
        for y in range(100):
            image.setPixelColor(x, y, QColor(0, 0, 0, 0))
    part = encoded(image)
    if part.media_type == "image/jpeg":
        assert QImage.fromData(part.data or b"").pixelColor(50, 50).lightness() > 240


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"\x89PNG\r\n\x1a\nbroken", "pixels"), (picture(10_000, 7000)[:2000], "pixels"), (b"GIF89a", "pixels")],
)
def test_what_cannot_be_decoded_is_refused(qapp: QApplication, data: bytes, problem: str) -> None:
    with pytest.raises(Unreadable) as refused:
        fitted(data)
    assert refused.value.problem == problem
