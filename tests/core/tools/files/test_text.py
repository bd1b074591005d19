from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.files.text import NotText, Splice, TextFile

TEXTS = st.lists(st.sampled_from(["a", "é", "🦆", "\n", "\r\n", "\r", "\u2028", "\x0c", "\ufeff"]), max_size=30).map(
    "".join
)


@given(TEXTS, st.booleans())
def test_decoding_and_encoding_gives_the_same_bytes(text: str, has_mark: bool) -> None:
    data = b"\xef\xbb\xbf" * has_mark + text.encode()
    assert TextFile.decode(data).encode() == data


@given(TEXTS, st.data())
def test_a_splice_leaves_every_byte_outside_of_it(raw: str, data: st.DataObject) -> None:
    file = TextFile(raw)
    start = data.draw(st.integers(0, len(file.text)))
    end = data.draw(st.integers(start, len(file.text)))
    changed = file.spliced([Splice(start, end, "NEW")])
    assert changed.text == file.text[:start] + "NEW" + file.text[end:]
    before, after = changed.raw.split("NEW")
    assert raw.startswith(before)
    assert raw.endswith(after)
    assert before.replace("\r\n", "\n") == file.text[:start]


@given(TEXTS, st.data())
def test_several_splices_are_as_one_after_the_other_from_the_end(raw: str, data: st.DataObject) -> None:
    file = TextFile(raw)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(file.text)), min_size=4, max_size=4)))
    splices = [Splice(cuts[0], cuts[1], "x\n"), Splice(cuts[2], cuts[3], "y")]
    one_by_one = file.text
    for splice in reversed(splices):
        one_by_one = one_by_one[: splice.start] + splice.text + one_by_one[splice.end :]
    assert file.spliced(splices).raw.replace("\r\n", "\n") == one_by_one


@pytest.mark.parametrize(
    ("raw", "splice", "expected"),
    [
        ("a\r\nb\r\nc", Splice(2, 3, "x\ny"), "a\r\nx\r\ny\r\nc"),
        ("a\nb\nc", Splice(2, 3, "x\ny"), "a\nx\ny\nc"),
        ("a\r\nb\nc", Splice(0, 1, "x\ny"), "x\r\ny\r\nb\nc"),
        ("a\r\nb\nc", Splice(2, 3, "x\ny"), "a\r\nx\ny\nc"),
        ("a\r\nb", Splice(2, 3, "x\ny"), "a\r\nx\r\ny"),
        ("ab", Splice(1, 1, "\n"), "a\nb"),
        ("a\r\nb", Splice(1, 2, ""), "ab"),
        ("a\r\nb", Splice(2, 2, "x\r\ny\n"), "a\r\nx\r\ny\r\nb"),
    ],
)
def test_new_line_ends_are_like_the_nearest(raw: str, splice: Splice, expected: str) -> None:
    assert TextFile(raw).spliced([splice]).raw == expected


@pytest.mark.parametrize(
    ("raw", "text", "expected"),
    [
        ("a\r\n", "x\ny\n", "x\r\ny\r\n"),
        ("a\r\nb\n", "x\ny\n", "x\ny\n"),
        ("a\r\nb\r\nc\n", "x\ny\n", "x\r\ny\r\n"),
        ("a\n", "x\r\ny\r\n", "x\ny\n"),
        ("a\n", "x", "x\n"),
        ("a", "x", "x"),
        ("a", "x\n", "x\n"),
        ("a\n", "", ""),
        ("", "x", "x"),
    ],
)
def test_a_file_that_is_replaced_keeps_its_style(raw: str, text: str, expected: str) -> None:
    assert TextFile(raw).rewritten(text).raw == expected


@pytest.mark.parametrize("content", ["x\n", "\ufeffx\n"])
def test_a_byte_order_mark_is_neither_lost_nor_doubled(content: str) -> None:
    assert TextFile.decode(b"\xef\xbb\xbfa\n").rewritten(content).encode() == b"\xef\xbb\xbfx\n"
    assert TextFile.decode(b"a\n").rewritten(content).encode() == b"x\n"
    assert TextFile.of(content).encode() == content.encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", "the file is binary"),
        (b"one\ntwo\n\xff", "the file is not UTF-8: byte 0xff in line 3"),
        ("ü".encode("latin-1"), "the file is not UTF-8: byte 0xfc in line 1"),
        ("ü".encode("utf-16"), "the file is UTF-16, which cannot be changed here"),
        (b"\xed\xa0\x80", "the file is not UTF-8: byte 0xed in line 1"),
    ],
)
def test_what_is_no_utf_8_is_not_decoded_and_says_where(data: bytes, reason: str) -> None:
    with pytest.raises(NotText, match=reason):
        TextFile.decode(data)
