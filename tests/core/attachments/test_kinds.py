"""What a file is follows its bytes first and its name second."""

from __future__ import annotations

import pytest

from rillet.core.attachments.kinds import Kind, image_type, kind_of, text_type


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(16), "notes.txt", Kind.IMAGE),
        (b"\xff\xd8\xff\xe0rest", "a.png", Kind.IMAGE),
        (b"GIF89a", "a", Kind.IMAGE),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a", Kind.IMAGE),
        (b"BM" + b"\x36\x00\x00\x00" + bytes(4) + b"\x36\x00\x00\x00" + bytes(20), "a.bmp", Kind.IMAGE),
        (b"BMW is a maker of cars and of motorcycles.", "bm.txt", Kind.TEXT),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a.wav", Kind.AUDIO),
        (b"%PDF-1.7 all ascii", "a.txt", Kind.PDF),
        (b"\r\n\r\n%PDF-1.4", "a.pdf", Kind.PDF),
        (b"PK\x03\x04\xff", "a.docx", Kind.PACKED),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8), "a.XLS", Kind.SHEETS),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8), "a.doc", Kind.OFFICE),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8), "a.docx", Kind.LOCKED),
        (b"\x00\x00\x00\x18ftypheic", "IMG_1.HEIC", Kind.PHOTO),
        (b"\x00\x00\x00\x18ftypavif", "a.jpg", Kind.PHOTO),
        (b"II*\0", "a.tif", Kind.PHOTO),
        (b"7z\xbc\xaf\x27\x1c", "a.7z", Kind.ARCHIVE),
        (b"\x1f\x8b\x08", "a.tar.gz", Kind.ARCHIVE),
        (b"\x7fELF\x02\x01\x01\0\0\0", "program.txt", Kind.BINARY),
        (b"with\0nul", "a.txt", Kind.BINARY),
        ("größe".encode("utf-16"), "a.txt", Kind.TEXT),
        ("a long enough text".encode("utf-16-le"), "a.txt", Kind.TEXT),
        ("a long enough text".encode("utf-16-be"), "a.bin", Kind.TEXT),
        (b"print()", "a.exe", Kind.TEXT),
        (b"", "a", Kind.TEXT),
    ],
)
def test_a_file_is_what_it_begins_with(data: bytes, name: str, kind: Kind) -> None:
    assert kind_of(data, name) is kind


@pytest.mark.parametrize(
    ("data", "kind"), [(b"\x89PNG\r\n\x1a\n", "image/png"), (b"RIFF\x00\x00\x00\x00WAVE", None), (b"BM....", None)]
)
def test_only_what_models_look_at_is_an_image_of_theirs(data: bytes, kind: str | None) -> None:
    assert image_type(data) == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.py", "text/x-python"),
        ("video.ts", "text/plain"),
        ("main.rs", "text/plain"),
        ("Makefile", "text/plain"),
        ("a.json", "application/json"),
        ("a.svg", "image/svg+xml"),
        ("a.csv", "text/csv"),
    ],
)
def test_a_name_says_which_text_it_is(name: str, kind: str) -> None:
    assert text_type(name) == kind
