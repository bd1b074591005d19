"""Whatever a server sends and however it is cut: h11 reads the same from it with its chunks joined as without."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.net.chunks import ChunkJoiner

if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%b\r\n%b\r\n" % (len(data), extension, data)


def events(reads: Iterable[bytes]) -> list[Any]:
    """What h11 makes of reads: heads, the body joined, and how it ended."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "h")]))
    connection.send(h11.EndOfMessage())
    seen: list[Any] = []
    body = b""
    try:
        for read in [*reads, b""]:
            connection.receive_data(read)
            while (event := connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Data):
                    body += bytes(event.data)
                else:
                    seen.append(event)
                    if isinstance(event, h11.ConnectionClosed):
                        break
            if connection.their_state in (h11.DONE, h11.CLOSED):
                break
    except h11.RemoteProtocolError:
        seen.append("a mistake")
    return [*seen, body]


def joined(reads: Iterable[bytes]) -> list[bytes]:
    joiner = ChunkJoiner()
    return [joiner.feed(read) for read in [*reads, b""]]


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(edges)]


ANSWERS = {
    "chunks": HEAD + chunk(b"one") + chunk(b"two" * 9) + chunk(b"\r\n") + b"0\r\n\r\n",
    "behind the end": HEAD + chunk(b"one") + b"0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    "broken off in a chunk": HEAD + chunk(b"one") + b"a\r\nhal",
    "broken off in a line": HEAD + chunk(b"one") + b"1",
    "broken off between two chunks": HEAD + chunk(b"one"),
    "broken off in front of a line end": HEAD + b"3\r\none",
    "no chunk at all": HEAD,
    "an extension": HEAD + chunk(b"one") + chunk(b"two", b';name="value"') + chunk(b"three") + b"0\r\n\r\n",
    "space behind the size": HEAD + chunk(b"one", b"  ") + chunk(b"two") + b"0\r\n\r\n",
    "trailers": HEAD + chunk(b"one") + b"0\r\nServer-Timing: total\r\n\r\n",
    "zeros in front": HEAD + b"0003\r\none\r\n00\r\n\r\n",
    "large digits": HEAD + b"1A\r\n" + b"x" * 26 + b"\r\n0\r\n\r\n",
    "a size that is none": HEAD + chunk(b"one") + b"xyz\r\n",
    "a size without end": HEAD + chunk(b"one") + b"1" * 40,
    "no line end behind a chunk": HEAD + b"3\r\none5\r\nworld\r\n0\r\n\r\n",
    "something else behind a chunk": HEAD + b"3\r\none--\r\n0\r\n\r\n",
    "line ends of LF alone": HEAD.replace(b"\r", b"") + chunk(b"one") + b"0\r\n\r\n",
    "line ends of LF alone between chunks": HEAD + chunk(b"one") + b"3\ntwo\n0\n\n",
    "early hints": b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + HEAD + chunk(b"one") + chunk(b"2") + b"0\r\n\r\n",
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + chunk(b"one") + b"0\r\n\r\n",
    "a length": b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n3\r\none\r\n",
    "a length beside chunks": HEAD[:-2] + b"Content-Length: 3\r\n\r\n" + chunk(b"one") + b"0\r\n\r\n",
    "until it closes": b"HTTP/1.1 200 OK\r\n\r\n3\r\none\r\n",
    "an older protocol": HEAD.replace(b"1.1", b"1.0") + chunk(b"one") + b"0\r\n\r\n",
    "nothing may follow": HEAD.replace(b"200 OK", b"204 No") + chunk(b"one"),
    "another encoding": HEAD.replace(b"chunked", b"gzip, chunked") + chunk(b"one") + b"0\r\n\r\n",
    "chunked twice": HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b"one") + b"0\r\n\r\n",
    "a folded header": HEAD[:-2] + b"X: a\r\n transfer-encoding: chunked\r\n\r\n" + chunk(b"one") + b"0\r\n\r\n",
    "no server": b"SSH-2.0-OpenSSH_9.6\r\n\r\n" + chunk(b"one"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_h11_reads_the_same_wherever_the_bytes_are_cut(answer: bytes) -> None:
    expected = events([answer])
    for reads in (
        [answer],
        cut(answer, range(len(answer))),
        *([answer[:at], answer[at:]] for at in range(len(answer))),
    ):
        assert events(filter(None, joined(reads))) == expected


pieces = st.one_of(
    st.binary(min_size=1, max_size=40).map(chunk),
    st.tuples(st.binary(min_size=1, max_size=9), st.sampled_from([b";a", b" ", b"\t"])).map(lambda pair: chunk(*pair)),
    st.binary(max_size=4),
    st.sampled_from([b"0\r\n\r\n", b"\r\n", b"5\r\n", b"\n"]),
)


@given(st.lists(pieces, max_size=8), st.lists(st.integers(0, 10_000), max_size=8))
def test_h11_reads_the_same_from_anything_that_looks_like_chunks(body: list[bytes], places: list[int]) -> None:
    answer = HEAD + b"".join(body)
    reads = cut(answer, places)
    assert events(filter(None, joined(reads))) == events(reads)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=8), st.lists(st.integers(0, 10_000), max_size=8))
def test_no_byte_of_the_body_comes_later_than_it_was_read(body: list[bytes], places: list[int]) -> None:
    reads = cut(HEAD + b"".join(map(chunk, body)), places)
    out = joined(reads)
    for count in range(len(reads) + 1):
        assert events(filter(None, out[:count]))[-1] == events(reads[:count])[-1]


def test_what_was_read_together_is_one_chunk() -> None:
    joiner = ChunkJoiner()
    assert joiner.feed(HEAD) == HEAD
    assert joiner.feed(b"".join(map(chunk, [b"one", b"two", b"three"]))) == b"b\r\nonetwothree"
    assert joiner.feed(b"4\r\nfo") == b"\r\n2\r\nfo"
    assert joiner.feed(b"ur") == b"\r\n2\r\nur"
    assert joiner.feed(b"\r\n0\r\n\r\n") == b"\r\n0\r\n\r\n"


def test_the_next_answer_begins_with_a_head_again() -> None:
    joiner = ChunkJoiner()
    for _ in range(2):
        joiner.expect_head()
        assert joiner.feed(HEAD + chunk(b"one") + chunk(b"two")) == HEAD + b"6\r\nonetwo"
        assert joiner.feed(b"0\r\n\r\n") == b"\r\n0\r\n\r\n"


def test_a_head_without_end_is_not_kept() -> None:
    joiner = ChunkJoiner()
    line = b"X: " + b"x" * 1021 + b"\r\n"
    for _ in range(100):
        assert joiner.feed(line) == line
    assert joiner._head is None
