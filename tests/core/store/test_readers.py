"""Those who read, when everything ends around them."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from functools import partial
from typing import TYPE_CHECKING

from rillet.core.store.database import connect
from rillet.core.store.readers import Readers

if TYPE_CHECKING:
    from pathlib import Path


def test_a_connection_is_closed_only_after_its_thread_has_let_go_of_it(tmp_path: Path) -> None:
    """A loop that ends cancels every task, those too that stand for threads: the threads go on."""
    sqlite3.connect(tmp_path / "db").close()
    begun, go_on = threading.Event(), threading.Event()
    outcome: list[object] = []

    def slow(db: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(10)
        try:
            outcome.append(db.execute("SELECT 1").fetchone())
        except sqlite3.Error as error:
            outcome.append(error)
            raise

    async def go() -> None:
        readers = Readers(partial(connect, tmp_path / "db", writable=False))
        reading = asyncio.ensure_future(readers.run(slow))
        await asyncio.to_thread(begun.wait)
        threading.Timer(0.05, go_on.set).start()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await readers.close()
        assert outcome, "closing waits for whoever reads"

    asyncio.run(go())
    assert outcome == [(1,)], "the connection was open as long as it was used"
