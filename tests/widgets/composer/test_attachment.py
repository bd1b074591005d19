"""What a file is follows its bytes first and its name second, and nothing dangerous is opened."""

from __future__ import annotations

import pytest

from rillet.core.types import FilePart, ImagePart
from rillet.widgets.composer.attachment import Attachment, attachment_of
from rillet.widgets.composer.limits import AttachmentRefused, Limits, check_room, distinct, size_text
from support.pictures import picture

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


def test_an_image_under_a_wrong_name_is_an_image() -> None:
    assert attachment_of(PNG, "notes.txt").part == ImagePart(PNG, media_type="image/png")


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"print()", "a.py", "text/x-python"),
        (b"let a: number", "video.ts", "text/plain"),
        (b"fn main() {}", "main.rs", "text/plain"),
        (b"\\section{x}", "paper.tex", "text/plain"),
        (b"no suffix", "Makefile", "text/plain"),
        (b'{"a": 1}', "a.json", "application/json"),
        (b"<svg/>", "a.svg", "image/svg+xml"),
        (b"%PDF-1.7 all ascii", "a.txt", "application/pdf"),
        (b"\xff\xfe\x00bin", "a.txt", "application/octet-stream"),
        (b"PK\x03\x04\xff", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"with\0nul", "a", "application/octet-stream"),
    ],
)
def test_what_can_be_read_is_text_whatever_its_name_claims(data: bytes, name: str, kind: str) -> None:
    part = attachment_of(data, name).part
    if kind.endswith("wordprocessingml.document"):  # older tables do not know it
        assert part.media_type in (kind, "application/octet-stream")
    else:
        assert part == FilePart(data, media_type=kind, name=name)


def test_a_document_is_weighed_in_the_form_in_which_it_goes() -> None:
    text = "word " * 1000
    document = Attachment(FilePart(b"%PDF" * 5000, media_type="application/pdf", name="a.pdf", text=text), "a.pdf")
    assert document.has_choice
    assert [document.goes_as_text(takes) for takes in (True, False)] == [False, True]
    assert [document.sent_size(takes) for takes in (True, False)] == [20_000, 5000]
    assert [document.tokens(takes) for takes in (True, False)] == [3750, 1250]
    assert document.as_text(True).tokens(True) == 1250
    workbook = Attachment(FilePart(b"PK", media_type="application/vnd.ms-excel", text=text), "a.xls")
    assert not workbook.has_choice
    assert workbook.goes_as_text(True)


def test_an_image_is_weighed_by_its_pixels() -> None:
    assert attachment_of(picture(1500, 500), "a.png").tokens(True) == 1000
    assert attachment_of(picture(3000, 3000), "a.png").tokens(True) == 1600
    assert attachment_of(PNG, "broken.png").tokens(True) == 1000


def test_number_and_sum_have_limits() -> None:
    one = attachment_of(b"12345", "a")
    check_room((one,), one, Limits(count=2, total=10))
    with pytest.raises(AttachmentRefused, match="one too many: at most 1 "):
        check_room((one,), one, Limits(count=1))
    with pytest.raises(AttachmentRefused, match="at most 9 bytes"):
        check_room((one,), one, Limits(total=9))


def test_a_taken_name_gets_a_number_before_its_suffix() -> None:
    assert distinct("a.txt", frozenset()) == "a.txt"
    assert distinct("a.txt", frozenset({"a.txt", "a 2.txt"})) == "a 3.txt"
    assert distinct("LICENSE", frozenset({"LICENSE"})) == "LICENSE 2"


@pytest.mark.parametrize(
    ("size", "text"),
    [(1, "1 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2000, "2 kB"), (53_400, "53 kB"), (20_000_000, "20 MB")],
)
def test_sizes_are_said_for_people(size: int, text: str) -> None:
    assert size_text(size) == text
