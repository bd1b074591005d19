"""Text is read whatever encoding it is in."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.attachments.text import decoded

GERMAN = "Die Größe der Übung hängt vom Wetter ab. Straße, Mädchen, schön.\n"
RUSSIAN = "Привет, как дела? Это простой текст на русском языке, и в нём много слов.\n"
JAPANESE = "こんにちは、世界。これは日本語のテキストです。\n"
CHINESE = "你好,世界。这是一个中文文本文件。\n"
KOREAN = "안녕하세요. 이것은 한국어 텍스트 파일입니다.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (GERMAN, "latin-1"),
        ("naïve café – “quoted” €5\n", "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "shift-jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gb18030"),
        (KOREAN, "euc-kr"),
    ],
)
def test_a_text_is_read_as_it_was_written(text: str, encoding: str) -> None:
    for times in (1, 30):
        assert decoded((text * times).encode(encoding))[0] == text * times


def test_a_mark_is_no_part_of_the_text() -> None:
    assert decoded(codecs.BOM_UTF8 + b"a") == ("a", "utf-8")
    assert decoded(codecs.BOM_UTF16_BE + b"\0a") == ("a", "utf-16-be")


def test_a_character_that_is_cut_at_the_end_of_what_is_read_is_left_out() -> None:
    data = "aé".encode()
    assert decoded(data[:-1], is_whole=False) == ("a", "utf-8")


@given(st.binary(max_size=300))
def test_whatever_the_bytes_are_what_comes_out_can_be_sent(data: bytes) -> None:
    text, _ = decoded(data)
    assert "\0" not in text
    text.encode()
