"""What a clipboard means: text first, whatever pictures an office program lays beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QMimeData, QUrl
from PySide6.QtGui import QColor, QImage, QImageWriter

from rillet.widgets.composer.intake import BIG, HUGE, attaches, is_welcome, read, sanitised
from rillet.widgets.composer.limits import Limits
from support.pictures import picture

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication


def _image() -> QImage:
    image = QImage(4, 3, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    return image


def _encoded(kind: bytes) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(kind)).write(_image())
    return bytes(buffer.data().data())


def test_cells_of_a_spreadsheet_are_text_although_their_picture_lies_beside(qapp: QApplication) -> None:
    data = QMimeData()
    data.setHtml("<table><tr><td>1<td>2</table>")
    data.setText("1\t2\n")
    data.setImageData(_image())
    found = read(data, Limits())
    assert (found.text, found.attachments) == ("1\t2\n", [])
    assert not attaches(data)


def test_a_picture_copied_from_a_page_is_the_picture(qapp: QApplication) -> None:
    data = QMimeData()
    data.setHtml('<img src="https://example.com/a.png">')
    data.setImageData(_image())
    ((image, name),) = read(data, Limits()).unread
    assert isinstance(image, QImage)
    assert image.size() == _image().size()
    assert name == "Image.png"
    assert attaches(data)


def test_an_image_that_comes_with_its_bytes_keeps_them(qapp: QApplication) -> None:
    data, jpeg = QMimeData(), _encoded(b"JPG")
    data.setImageData(_image())
    data.setData("image/jpeg", QByteArray(jpeg))
    (attachment,) = read(data, Limits()).attachments
    assert (attachment.data, attachment.name) == (jpeg, "Image.jpg")


def test_html_without_text_gives_its_text_and_loads_nothing(qapp: QApplication) -> None:
    data = QMimeData()
    data.setHtml('<p>a <b>b</b></p><img src="file:///etc/passwd"><p>c</p>')
    assert read(data, Limits()).text.split() == ["a", "b", "c"]


def test_files_come_before_the_text_of_their_paths(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.txt")), QUrl.fromLocalFile(str(tmp_path))])
    data.setText(str(tmp_path / "a.txt"))
    found = read(data, Limits())
    assert found.paths == [tmp_path / "a.txt", tmp_path]
    assert found.text == ""


def test_an_address_of_the_net_is_text(qapp: QApplication) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.com/a.png")])
    data.setText("https://example.com/a.png")
    assert read(data, Limits()).text == "https://example.com/a.png"
    assert not attaches(data)


@pytest.mark.parametrize(("text", "big"), [("x" * BIG, False), ("x" * (BIG + 1), True), ("日" * (BIG // 3 + 1), True)])
def test_more_than_fifty_kilobytes_become_a_file(qapp: QApplication, text: str, big: bool) -> None:
    data = QMimeData()
    data.setText(text)
    found = read(data, Limits())
    assert bool(found.attachments) is big
    assert (found.attachments[0].data.decode() if big else found.text) == text


def test_a_huge_paste_is_made_a_file_where_nobody_waits_for_it(qapp: QApplication) -> None:
    data = QMimeData()
    data.setText("x" * (HUGE + 1))
    found = read(data, Limits())
    assert (found.text, found.attachments) == ("", [])
    assert found.unread == [("x" * (HUGE + 1), "Pasted text.txt")]


def test_an_image_that_is_too_large_is_made_smaller_where_nobody_waits_for_it(qapp: QApplication) -> None:
    data, png = QMimeData(), picture(4000, 3000)
    data.setData("image/png", QByteArray(png))
    data.setImageData(_image())
    found = read(data, Limits())
    assert (found.attachments, found.unread) == ([], [(png, "Image.png")])


def test_a_paste_above_the_limit_is_refused_and_not_written(qapp: QApplication) -> None:
    data = QMimeData()
    data.setText("x" * 60_000)
    found = read(data, Limits(each=BIG))
    assert (found.text, found.attachments) == ("", [])
    assert found.refusals == ["Pasted text.txt has 60 kB: at most 50 kB can be attached."]


def test_what_nobody_can_use_is_not_welcome(qapp: QApplication) -> None:
    data = QMimeData()
    data.setData("application/x-secret", QByteArray(b"x"))
    assert not is_welcome(data)
    assert read(data, Limits()).text == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("a\0b", "ab"), ("é\u2028x", "é\u2028x"), ("", "")],
)
def test_what_is_sent_is_valid_unicode(text: str, expected: str) -> None:
    assert sanitised(text) == expected
    sanitised(text).encode()
