from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.files import lines as module
from rillet.core.tools.files.lines import read_lines, skip_lines, text_encoding


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"", "utf-8"),
        (b"plain", "utf-8"),
        (b"\xef\xbb\xbfplain", "utf-8-sig"),
        ("ü".encode("utf-16"), "utf-16"),
        ("ü".encode("utf-32"), "utf-32"),
        (b"\x7fELF\0", None),
        (b"\xff\xd8\xff\xe0\0", None),
        (b"\xfc", "utf-8"),
    ],
)
def test_text_is_told_by_its_beginning(head: bytes, encoding: str | None) -> None:
    assert text_encoding(head) == encoding


@given(st.lists(st.text(st.sampled_from("aé🦆\r\u2028\x0c"), max_size=20), max_size=8), st.integers(1, 25))
def test_lines_end_at_line_feeds_alone_and_say_what_was_cut(lines: list[str], longest: int) -> None:
    for end in ("\n", "\r\n"):
        lines = [line.rstrip("\r") for line in lines]
        file = io.BytesIO("".join(line + end for line in lines).encode())
        read = list(read_lines(file, "utf-8", longest))
        assert [line for line, _ in read] == [line[:longest] for line in lines]
        assert [cut for _, cut in read] == [max(0, len(line) - longest) for line in lines]


@given(
    st.lists(st.sampled_from(["", "a", "é\r", "bb"]), max_size=8), st.booleans(), st.integers(0, 12), st.integers(1, 9)
)
def test_after_skipping_the_rest_is_read_as_if_all_had_been(
    lines: list[str], ends: bool, count: int, chunk: int
) -> None:
    data = ("\n".join(lines) + "\n" * ends).encode()
    whole = list(read_lines(io.BytesIO(data), "utf-8", 99))
    file = io.BytesIO(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        assert skip_lines(file, count, lambda: False) == min(count, len(whole))
    assert list(read_lines(file, "utf-8", 99)) == whole[count:]


def test_skipping_stops_when_it_should() -> None:
    file = io.BytesIO(b"a\nb\n")
    assert skip_lines(file, 2, lambda: True) == 0
    assert file.tell() == 0


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_marks_are_no_text(encoding: str) -> None:
    assert list(read_lines(io.BytesIO("ä\r\nb".encode(encoding)), encoding, 99)) == [("ä", 0), ("b", 0)]


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    assert list(read_lines(io.BytesIO(b"a\xfcb\n"), "utf-8", 99)) == [("a\ufffdb", 0)]


def test_a_line_of_a_gigabyte_is_never_held_whole() -> None:
    class Endless(io.RawIOBase):
        largest = left = 64 * 1024 * 1024

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            count = min(len(buffer), self.left)
            buffer[:count] = b"x" * count
            self.left -= count
            return count

    endless = Endless()
    assert list(read_lines(io.BufferedReader(endless), "utf-8", 5)) == [("xxxxx", endless.largest - 5)]
