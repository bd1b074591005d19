"""A disk that takes nothing: said at once, waited out, nothing lost."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast

import pytest

from rillet.core.store import chats, messages
from rillet.core.store import store as store_module
from rillet.core.store import writer as writer_module
from rillet.core.store.database import connect
from rillet.core.store.store import Store
from rillet.core.store.trouble import Closed, Damaged, DiskTrouble, StoreError
from rillet.core.types import ChatMessage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from sqlite3 import Connection

FAULTS = {
    "full": sqlite3.SQLITE_FULL,
    "read-only": sqlite3.SQLITE_READONLY,
    "remounted read-only": sqlite3.SQLITE_READONLY_DBMOVED,
    "failing while reading": sqlite3.SQLITE_IOERR_READ,
    "failing while writing": sqlite3.SQLITE_IOERR_WRITE,
    "failing while syncing": sqlite3.SQLITE_IOERR_FSYNC,
    "gone": sqlite3.SQLITE_CANTOPEN,
    "somebody else's": sqlite3.SQLITE_PERM,
    "held": sqlite3.SQLITE_BUSY,
    "out of memory": sqlite3.SQLITE_NOMEM,
}
PATIENCE = 30
"""Seconds that a busy machine is given; the program means half a second."""
PLACES = ("BEGIN IMMEDIATE", "COMMIT")
"""Where it strikes: before anything was written, and when all of it was."""


class Faulty:
    """A connection whose disk fails as long as ``failing`` holds a code."""

    def __init__(self, db: Connection, disk: Disk) -> None:
        self._db = db
        self._disk = disk

    def execute(self, statement: str, *values: Any) -> Any:
        if self._disk.failing is not None and statement == self._disk.place:
            error = sqlite3.OperationalError("injected")
            error.sqlite_errorcode = self._disk.failing
            self._disk.struck += 1
            raise error
        return self._db.execute(statement, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


class Disk:
    """What the connections of a test are on."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.failing: int | None = None
        self.struck = 0

    def connect(self, path: Path, *, writable: bool) -> Connection:
        return cast("Connection", Faulty(connect(path, writable=writable), self))


@pytest.fixture(params=PLACES)
def disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk(request.param)
    monkeypatch.setattr(store_module, "connect", disk.connect)
    monkeypatch.setattr(writer_module, "RETRY_SECONDS", 0.02)
    return disk


def run(work: Callable[[], Any]) -> Any:
    return asyncio.run(work())


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_disk_refuses_is_told_at_once_and_written_once_it_can_be(
    fault: str, disk: Disk, tmp_path: Path
) -> None:
    async def work() -> list[str]:
        told: list[StoreError | None] = []
        troubled, recovered = asyncio.Event(), asyncio.Event()

        def hear(trouble: StoreError | None) -> None:
            told.append(trouble)
            (recovered if trouble is None else troubled).set()

        store = await Store.open(tmp_path / "rillet.db", hear)
        chat = await store.write(chats.create)
        disk.failing = FAULTS[fault]
        first = asyncio.ensure_future(store.write_durably(messages.add, chat, None, ChatMessage.user("one")))
        async with asyncio.timeout(PATIENCE):
            await troubled.wait()
        assert isinstance(store.trouble, DiskTrouble)
        assert store.trouble.user_message.endswith("saved as soon as the disk allows it.")
        second = asyncio.ensure_future(store.write(chats.rename, chat, "named"))
        assert not first.done()
        disk.failing = None
        async with asyncio.timeout(PATIENCE):
            await recovered.wait()
        await first
        await second
        assert told[-1] is None
        line = [node.message.text for node in await store.read(messages.path, chat)]
        assert (await store.read(chats.get, chat)).title == "named"
        assert await store.close() == 0
        return line

    assert run(work) == ["one"]
    assert disk.struck > 0


def test_a_program_that_ends_while_the_disk_fails_says_what_is_lost(disk: Disk, tmp_path: Path) -> None:
    async def work() -> int:
        store = await Store.open(tmp_path / "rillet.db")
        chat = await store.write(chats.create)
        disk.failing = sqlite3.SQLITE_FULL
        writing = [asyncio.ensure_future(store.write(chats.rename, chat, f"{number}")) for number in range(3)]
        await asyncio.sleep(0)
        left = await store._writer.close(0.1)
        ended = await asyncio.gather(*writing, return_exceptions=True)
        assert all(isinstance(each, Closed) for each in ended)
        await store._readers.close()
        return left

    assert run(work) == 3


def test_a_caller_that_is_cancelled_while_the_disk_fails_takes_nothing_back(disk: Disk, tmp_path: Path) -> None:
    async def work() -> str:
        troubled = asyncio.Event()
        store = await Store.open(tmp_path / "rillet.db", lambda trouble: troubled.set())
        chat = await store.write(chats.create)
        disk.failing = sqlite3.SQLITE_FULL
        writing = asyncio.ensure_future(store.write(chats.rename, chat, "kept"))
        await troubled.wait()
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        disk.failing = None
        await store.write(chats.pin, [chat], pinned=True)
        title = (await store.read(chats.get, chat)).title
        await store.close()
        return title

    assert run(work) == "kept"


def test_a_file_that_turns_out_to_be_damaged_fails_what_waits_and_what_comes(disk: Disk, tmp_path: Path) -> None:
    async def work() -> None:
        told: list[StoreError | None] = []
        store = await Store.open(tmp_path / "rillet.db", told.append)
        chat = await store.write(chats.create)
        disk.failing = sqlite3.SQLITE_CORRUPT
        with pytest.raises(Damaged):
            await store.write(chats.rename, chat, "x")
        assert isinstance(told[-1], Damaged)
        disk.failing = None
        with pytest.raises(Damaged):
            await store.write(chats.rename, chat, "x")
        await store.close()

    run(work)


def test_a_change_that_fails_by_itself_concerns_nobody_else(tmp_path: Path) -> None:
    def broken(db: Connection) -> None:
        db.execute("INSERT INTO folders (name) VALUES ('half')")
        raise KeyError("mine")

    async def work() -> list[str]:
        store = await Store.open(tmp_path / "rillet.db")
        with pytest.raises(KeyError):
            await store.write(broken)
        await store.write(chats.create_folder, "whole")
        names = [folder.name for folder in await store.read(chats.folders)]
        await store.close()
        return names

    assert run(work) == ["whole"]


@pytest.mark.skipif("sys.platform == 'win32'", reason="limits of file sizes are POSIX's")
def test_a_really_full_disk_is_waited_out(tmp_path: Path) -> None:
    """With the largest file size of this process as the disk: SQLite gets a real EFBIG or ENOSPC from the system."""
    import resource
    import signal

    async def work() -> int:
        troubled = asyncio.Event()

        def hear(trouble: StoreError | None) -> None:
            if trouble is not None:
                troubled.set()

        store = await Store.open(tmp_path / "rillet.db", hear)
        chat = await store.write(chats.create)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = (tmp_path / "rillet.db").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, hard))
        try:
            big = ChatMessage.user("x" * 1_000_000)
            writing = asyncio.ensure_future(store.write_durably(messages.add, chat, None, big))
            async with asyncio.timeout(10):
                await troubled.wait()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, before)
        await writing
        length = len((await store.read(messages.path, chat))[0].message.text)
        await store.close()
        return length

    assert run(work) == 1_000_000
    with closing(sqlite3.connect(tmp_path / "rillet.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("call", ["mkdir", "touch", "chmod"])
def test_a_folder_that_cannot_be_used_is_trouble_and_no_crash(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(type(tmp_path), call, refuse)

    async def work() -> None:
        with pytest.raises(DiskTrouble, match="Read-only file system"):
            await Store.open(tmp_path / "data" / "rillet.db")

    run(work)
