"""The one who writes: what comes first comes first, also when the program ends meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from rillet.core.store import writer as writer_module
from rillet.core.store.trouble import Unwritable
from rillet.core.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from sqlite3 import Connection

    import pytest

    from rillet.core.store.trouble import StoreError


def _writer(path: Path, on_trouble: Callable[[StoreError | None], None] = lambda _: None) -> Writer:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE notes (text TEXT)")
    return Writer(partial(sqlite3.connect, path, isolation_level=None, check_same_thread=False), on_trouble)


def _note(text: str) -> Callable[[Connection], None]:
    def write(db: Connection) -> None:
        db.execute("INSERT INTO notes VALUES (?)", (text,))

    return write


def _notes(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [text for (text,) in db.execute("SELECT text FROM notes ORDER BY rowid")]


def test_what_waits_behind_a_long_preparation_is_written_although_the_program_ends(tmp_path: Path) -> None:
    async def work() -> int:
        writer = _writer(tmp_path / "db")
        prepared = asyncio.Event()

        async def prepare() -> None:
            await prepared.wait()

        writer.prepare(prepare)
        writing = [asyncio.ensure_future(writer.run(_note(text))) for text in "ab"]
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.1, prepared.set)
        left = await writer.close(0)
        await asyncio.gather(*writing)
        return left

    assert asyncio.run(work()) == 0
    assert _notes(tmp_path / "db") == ["a", "b"]


def test_nothing_is_written_into_a_file_whose_preparation_failed_by_a_mistake_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "RETRY_SECONDS", 0.02)

    async def work() -> None:
        told: list[StoreError | None] = []
        troubled, mended = asyncio.Event(), asyncio.Event()

        def hear(trouble: StoreError | None) -> None:
            told.append(trouble)
            troubled.set()

        async def prepare() -> None:
            if not mended.is_set():
                raise ValueError("a step of ours went wrong")

        writer = _writer(tmp_path / "db", hear)
        writer.prepare(prepare)
        writing = asyncio.ensure_future(writer.run(_note("a")))
        await troubled.wait()
        assert isinstance(told[0], Unwritable)
        assert "a step of ours went wrong" in str(told[0])
        assert _notes(tmp_path / "db") == []
        mended.set()
        await writing
        assert told[-1] is None
        assert await writer.close(1) == 0

    asyncio.run(work())
    assert _notes(tmp_path / "db") == ["a"]
