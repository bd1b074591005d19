"""How far a long document was read is told, page by page, and not too often."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from rillet.core.attachments import extractor, reading
from rillet.core.attachments import pdf as pages_of
from rillet.core.attachments.caps import Caps
from rillet.core.attachments.folder import FolderChoice
from rillet.core.attachments.progress import Progress
from rillet.core.attachments.reading import read_bytes, read_folder, read_path
from support.office import pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rillet.core.attachments.extractor import Said
    from rillet.core.attachments.progress import Piece

EAGER = "from rillet.core.attachments import extractor; extractor.EVERY = 0; raise SystemExit(extractor.main())"
"""A child that tells it of every page."""


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_command", lambda: [sys.executable, "-P", "-c", EAGER])


def _written(pieces: Iterator[Piece], clock: list[float], monkeypatch: pytest.MonkeyPatch) -> list[Said]:
    """What the child says that finds these, when it looks at its clock and sees this."""
    said: list[Said] = []
    times = iter(clock)
    monkeypatch.setattr(extractor, "_tell", said.append)
    monkeypatch.setattr(extractor, "time", SimpleNamespace(monotonic=lambda: next(times)))
    extractor._write("pdf", pieces, Caps())
    return said


def test_a_page_is_told_before_it_is_read() -> None:
    found = list(pages_of.pieces(pdf("one", "two"), Caps()))
    assert found == [Progress(1, 2), "[page 1 of 2]\none\n\n", Progress(2, 2), "[page 2 of 2]\ntwo\n\n"]


def test_of_many_pages_those_are_told_that_come_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[Piece] = [Progress(page, 5) for page in range(1, 6)]
    said = _written(iter(pieces), [10.0, 10.05, 10.25, 10.3, 10.34, 10.4], monkeypatch)
    assert [each.progress for each in said] == [Progress(2, 5), Progress(5, 5), None]
    assert said[-1].done


@pytest.mark.usefixtures("eager")
async def test_whoever_reads_a_pdf_hears_of_its_pages_and_gets_the_same_text(tmp_path: Path) -> None:
    told: list[Progress] = []
    data = pdf(*["page"] * 30)
    contents = await read_bytes(data, "a.pdf", tell=told.append)
    assert told == [Progress(page, 30) for page in range(1, 31)]
    assert contents.text == (await read_bytes(data, "a.pdf")).text
    (tmp_path / "a.pdf").write_bytes(data)
    told.clear()
    assert (await read_path(tmp_path / "a.pdf", tell=told.append)).text == contents.text
    assert len(told) == 30


@pytest.mark.usefixtures("eager")
async def test_pages_of_a_pdf_in_a_folder_are_in_its_text_only(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("Dear Sir", "Yours"))
    contents = await read_folder(FolderChoice(str(tmp_path), ("a.pdf",)), "letters")
    assert contents.text is not None
    assert "[page 1 of 2]\nDear Sir\n\n[page 2 of 2]\nYours" in contents.text
