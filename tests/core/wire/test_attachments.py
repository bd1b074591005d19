from __future__ import annotations

import pytest

from rillet.core.types import FilePart
from rillet.core.wire.attachments import bare_type, data_url, decode_base64, encode_base64, file_text, read_data_url


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "TEXT/Markdown; charset=utf-8", "application/json", "application/ld+json", "image/svg+xml"],
)
def test_a_text_file_of_any_kind_is_text_under_its_name(media_type: str) -> None:
    file = FilePart("größe\n".encode(), media_type=media_type, name="a.txt")
    assert file_text(file) == '<file name="a.txt">\ngröße\n\n</file>'


def test_bytes_that_are_no_utf_8_do_not_keep_a_text_file_from_being_text() -> None:
    assert file_text(FilePart(b"a\xff", media_type="text/plain")) == '<file name="file">\na\ufffd\n</file>'


@pytest.mark.parametrize("media_type", ["application/pdf", "image/png", "application/zip", ""])
def test_other_files_have_no_text(media_type: str) -> None:
    assert file_text(FilePart(b"%PDF", media_type=media_type)) is None


def test_a_media_type_is_compared_without_case_and_parameters() -> None:
    assert bare_type(" Audio/WAV ;rate=8000") == "audio/wav"


def test_a_data_url_is_read_back_as_written() -> None:
    assert data_url("image/webp", b"\x00\x01") == "data:image/webp;base64,AAE="
    assert read_data_url("data:image/webp;base64,AAE=") == ("image/webp", b"\x00\x01")
    assert read_data_url("DATA:image/png;charset=x;base64,AAE") == ("image/png", b"\x00\x01")


@pytest.mark.parametrize("url", ["https://x.test/a,b", "data:image/png;base64,%%%", "data:text/plain,hi", "data:x"])
def test_what_is_no_base64_data_url_stays_an_address(url: str) -> None:
    assert read_data_url(url) is None


def test_base64_is_read_with_and_without_its_padding() -> None:
    assert encode_base64(b"hi!!") == "aGkhIQ=="
    assert decode_base64("aGkhIQ==") == decode_base64("aGkhIQ") == b"hi!!"
    assert decode_base64("no base64, ümlaut") == b""
