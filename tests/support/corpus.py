"""The corpus of recorded HTTP bodies beside the repository, as test parameters, and every way to cut a body into reads.

The corpus (``../shared/wire``; its README defines the fields of ``expect``) is not part of a clone: where it is absent,
a test over it is one skipped test that says so. Knows nothing of our decoders: a mistake of theirs cannot hide here.
"""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3] / "shared" / "wire"
ABSENT = f"the corpus of recorded bodies is not at {ROOT}: only our own cassettes were tested"

SMALL = 4096
"""Up to this many bytes a body is cut at every single boundary."""
SPREAD = 200
"""Larger bodies are cut at this many evenly spread places besides the interesting ones."""


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded answer: the bytes that a server sent, and what a client should make of them."""

    id: str
    body: bytes
    """As served: chunks that are stored one per line are wrapped into the stream they came in."""
    expect: dict[str, Any]

    @property
    def content(self) -> bytes:
        """The body after its content encoding is undone."""
        gzipped = self.expect["http"].get("headers", {}).get("content-encoding") == "gzip"
        return gzip.decompress(self.body) if gzipped else self.body

    @property
    def status(self) -> int:
        """The HTTP status it was served with."""
        return int(self.expect["http"]["status"])

    @property
    def headers(self) -> dict[str, str]:
        """The headers it was served with, names in lower case."""
        http = self.expect["http"]
        headers = {name.lower(): str(value) for name, value in http.get("headers", {}).items()}
        if http.get("content_type") is not None:
            headers["content-type"] = http["content_type"]
        return headers


def cases(*folders: str, api: str | None = None) -> list[Case]:
    """All cases of these folders, of one ``api`` if given, sorted by name; empty only when there is no corpus.

    Raises:
        FileNotFoundError: The corpus is there, but not this folder.
    """
    if not ROOT.is_dir():
        return []
    found = [case for folder in folders for case in _folder(folder)]
    return [case for case in found if api is None or case.expect["api"] == api]


def corpus(*folders: str, api: str | None = None) -> pytest.MarkDecorator:
    """Decorator: run a test with the argument ``case`` once per case, or skip it once and say why."""
    params = [pytest.param(case, id=case.id) for case in cases(*folders, api=api)]
    if not params:
        assert not ROOT.is_dir(), f"no case in {folders} has api {api!r}"
        params = [pytest.param(None, id="no-corpus", marks=pytest.mark.skip(reason=ABSENT))]
    return pytest.mark.parametrize("case", params)


def cuts(body: bytes, *, seed: int = 0) -> Iterator[list[bytes]]:
    """The body as a server may deliver it: whole, byte by byte, cut in two anywhere, cut at random."""
    yield [body]
    yield byte_by_byte(body)
    yield from halves(body)
    yield from random_cuts(body, seed=seed)


def byte_by_byte(body: bytes) -> list[bytes]:
    """One byte per read."""
    return [body[i : i + 1] for i in range(len(body))]


def halves(body: bytes) -> Iterator[list[bytes]]:
    """Two reads, cut at every boundary; in a large body at line ends, inside characters, and at a spread of places."""
    for at in _boundaries(body):
        yield [body[:at], body[at:]]


def random_cuts(body: bytes, *, seed: int = 0, count: int = 20) -> Iterator[list[bytes]]:
    """``count`` different deliveries in reads of random sizes, the same ones every time."""
    source = random.Random(seed)
    for _ in range(count):
        longest = source.choice((3, 20, 200, 2000))
        reads, at = [], 0
        while at < len(body):
            size = source.randint(1, longest)
            reads.append(body[at : at + size])
            at += size
        yield reads


@cache
def _folder(name: str) -> tuple[Case, ...]:
    paths = sorted((ROOT / name).glob("*.expect.json"))
    if not paths:
        raise FileNotFoundError(f"no cases in {ROOT / name}")
    return tuple(_load(path) for path in paths)


def _load(path: Path) -> Case:
    expect = json.loads(path.read_text(encoding="utf-8"))
    raw = (path.parent / expect["file"]).read_bytes()
    return Case(f"{expect['provider']}/{expect['name']}", _served(raw, expect.get("wrap")), expect)


def _served(raw: bytes, wrap: dict[str, str] | None) -> bytes:
    """A file of one JSON chunk per line → the stream it was: ``wrap.line`` around each, ``wrap.tail`` behind all."""
    if wrap is None:
        return raw
    served = []
    for line in raw.decode().split("\n"):  # not splitlines(): U+2028 may be inside a JSON string
        if chunk := line.strip("\r"):
            kind = json.loads(chunk).get("type", "") if "{type}" in wrap["line"] else ""
            served.append(wrap["line"].replace("{type}", kind).replace("{line}", chunk))
    return ("".join(served) + wrap.get("tail", "")).encode()


def _boundaries(body: bytes) -> list[int]:
    if len(body) <= SMALL:
        return list(range(1, len(body)))
    near_line_ends = {at + offset for at, byte in enumerate(body) if byte in b"\r\n" for offset in (0, 1)}
    inside_characters = {at for at, byte in enumerate(body) if byte & 0xC0 == 0x80}
    spread = set(range(1, len(body), max(1, len(body) // SPREAD)))
    return sorted((near_line_ends | inside_characters | spread) & set(range(1, len(body))))
