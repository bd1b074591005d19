"""A long PDF says which page is being read, and taking it away ends the process that reads it."""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.core.attachments import reading
from rillet.core.attachments.progress import EVERY
from rillet.core.tools.warden import descendants
from rillet.core.types import FilePart
from rillet.widgets.composer.chip import Chip
from support.office import pdf

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.widgets.composer import Composer

PATIENCE = 30_000
STUCK = """
import sys, time
for page in range(1, 1235):
    print('{"progress":{"page":%d,"pages":2000}}' % page, flush=True)
time.sleep(600)
"""


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PDF whose reader comes to page 1,234, and no further."""
    monkeypatch.setattr(reading, "_command", lambda: [sys.executable, "-P", "-c", STUCK])
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf("page"))
    return path


def _chip(composer: Composer) -> Chip:
    return next(each for each in composer.findChildren(Chip) if not each.isHidden())


def _children() -> set[int]:
    return descendants(os.getpid())


def test_a_chip_says_which_page_is_read_until_it_is_taken_away_which_ends_the_reader(
    composer: Composer, stuck: Path, qtbot: QtBot
) -> None:
    before = _children()
    composer.attachFiles([str(stuck)])
    chip = _chip(composer)
    assert chip._detail == "Reading…"
    qtbot.waitUntil(lambda: chip._detail == "Reading page 1,234 of 2,000…", timeout=PATIENCE)
    assert chip.accessibleName() == "File long.pdf, Reading, 60%"
    assert chip.fontMetrics().horizontalAdvance("Reading page 2,000 of 2,000…") <= chip._text_width
    assert _children() - before
    chip.setFocus()
    QTest.keyClick(chip, Qt.Key.Key_Delete)
    assert not composer.isReading()
    qtbot.waitUntil(lambda: not _children() - before, timeout=PATIENCE)


def test_what_comes_back_is_read_from_its_first_page(composer: Composer, stuck: Path, qtbot: QtBot) -> None:
    composer.attachFiles([str(stuck)])
    qtbot.waitUntil(lambda: "1,234" in _chip(composer)._detail, timeout=PATIENCE)
    composer.removeAttachment(0)
    QTest.keyClick(composer._field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert _chip(composer)._detail == "Reading…"
    qtbot.waitUntil(lambda: "1,234" in _chip(composer)._detail, timeout=PATIENCE)


def test_pages_that_come_in_one_go_are_not_told_one_by_one(composer: Composer, stuck: Path, qtbot: QtBot) -> None:
    told: list[int] = []
    began = monotonic()
    composer.attachFiles([str(stuck)])
    [incoming] = composer._tray.incoming
    incoming.progressed.connect(lambda: told.append(incoming.progress.page if incoming.progress else 0))
    qtbot.waitUntil(lambda: 1234 in told, timeout=PATIENCE)
    assert told == sorted(set(told))
    assert len(told) <= (monotonic() - began) / EVERY + 2


def test_a_pdf_whose_reading_was_told_is_attached(composer: Composer, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf(*["page"] * 400))
    composer.attachFiles([str(path)])
    qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
    part = composer.attachments()[0].part
    assert isinstance(part, FilePart)
    assert "page 400 of 400" in (part.text or "")
