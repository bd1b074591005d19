from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor

from rillet.widgets.pictures import MOST_PIXELS, decode, decode_elsewhere, is_quick, natural_size, suffix
from support.pictures import picture

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><image href="file:///etc/hostname"/></svg>'


def _lying() -> bytes:
    """A JPEG, 40 × 20 in its file, that is to be turned by a quarter to stand upright: Exif's orientation 6."""
    data = picture(40, 20, kind="JPEG")
    tag = bytes.fromhex("0112 0003 00000001 0006 0000")
    exif = b"Exif\0\0" + b"MM\0*" + bytes.fromhex("00000008 0001") + tag + bytes(4)
    return data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:]


@pytest.mark.parametrize(("kind", "end"), [("PNG", "png"), ("JPEG", "jpg"), ("BMP", "bmp"), ("WEBP", "webp")])
def test_formats_are_told_from_the_bytes(qapp: QApplication, kind: str, end: str) -> None:
    data = picture(40, 30, kind=kind)
    assert natural_size(data) == QSize(40, 30)
    assert suffix(data) == end
    assert decode(data, QSize(20, 15)).size() == QSize(20, 15)


@pytest.mark.parametrize("data", [b"", b"no image", SVG, b"\x89PNG\r\n\x1a\n" + b"\0" * 100])
def test_what_is_no_picture_has_no_size(qapp: QApplication, data: bytes) -> None:
    assert natural_size(data).isEmpty()


def test_a_picture_of_absurd_size_is_not_to_be_shown(qapp: QApplication) -> None:
    data = bytearray(picture(10, 10, kind="BMP"))
    side = 8000
    data[18:26] = side.to_bytes(4, "little") * 2
    assert side * side == MOST_PIXELS
    assert natural_size(bytes(data)) == QSize(side, side)
    data[18:22] = (side + 1).to_bytes(4, "little")
    assert natural_size(bytes(data)).isEmpty()


def test_a_picture_that_lies_is_measured_and_decoded_upright(qapp: QApplication) -> None:
    data = _lying()
    assert natural_size(data) == QSize(20, 40)
    assert decode(data, QSize(10, 20)).size() == QSize(10, 20)


def test_pixels_are_as_many_as_were_asked_for(qapp: QApplication) -> None:
    image = decode(picture(400, 300), QSize(200, 150) * 2)
    assert image.size() == QSize(400, 300)
    assert QColor(image.pixel(10, 10)).name().upper() == "#3366AA"


def test_on_another_thread_it_is_the_same_picture(qapp: QApplication) -> None:
    data = picture(400, 300)
    assert asyncio.run(decode_elsewhere(data, QSize(40, 30))) == decode(data, QSize(40, 30))


def test_a_window_waits_for_small_pictures_only(qapp: QApplication) -> None:
    data = picture(40, 30)
    assert is_quick(data, QSize(40, 30))
    assert not is_quick(data, QSize(1000, 1000))
    assert not is_quick(bytes(1 << 20), QSize(40, 30))
