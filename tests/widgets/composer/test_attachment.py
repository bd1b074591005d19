"""What a file is follows its bytes first and its name second, and nothing dangerous is opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rillet.core.types import FilePart, ImagePart
from rillet.widgets.composer.attachment import attachment_of, image_type, read_file
from rillet.widgets.composer.limits import AttachmentRefused, Limits, check_room, distinct, size_text

if TYPE_CHECKING:
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", None),
        (b"BM....", None),
        (b"", None),
    ],
)
def test_images_are_known_by_their_first_bytes(data: bytes, kind: str | None) -> None:
    assert image_type(data) == kind


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


def test_a_file_is_read_under_its_name(tmp_path: Path) -> None:
    (tmp_path / "ü.md").write_text("# Hi", encoding="utf-8")
    attachment = read_file(tmp_path / "ü.md", Limits())
    assert attachment.name == "ü.md"
    assert attachment.data == b"# Hi"
    assert not attachment.is_image


@pytest.mark.parametrize("size", [0, 11])
def test_an_empty_and_a_too_large_file_are_refused_by_name(tmp_path: Path, size: int) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(size))
    with pytest.raises(
        AttachmentRefused, match=r"^a\.bin (is empty|has 11 bytes: at most 10 bytes can be attached)\.$"
    ):
        read_file(tmp_path / "a.bin", Limits(each=10))


def test_a_too_large_file_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole of a terabyte
    with pytest.raises(AttachmentRefused, match="at most 20 MB"):
        read_file(path, Limits())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AttachmentRefused, match="pipe is not a file"):
        read_file(tmp_path / "pipe", Limits())


def test_folders_and_missing_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AttachmentRefused, match="is a folder"):
        read_file(tmp_path, Limits())
    with pytest.raises(AttachmentRefused, match=r"gone cannot be read: .+\."):
        read_file(tmp_path / "gone", Limits())


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
