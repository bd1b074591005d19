"""A file whose disk takes nothing from the start: read all the same, and written once the disk takes something."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet.core.store import chats, database, journal, messages, migrations, search
from rillet.core.store import store as store_module
from rillet.core.store import writer as writer_module
from rillet.core.store.store import Store
from rillet.core.store.trouble import Damaged, Held, StoreError, TooNew, Unwritable
from rillet.core.types import ChatMessage, TextDelta
from support.unwritable import Fault
from support.unwritable import Unwritable as Disk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIDES = ("", "-wal")
TOLD = "until then, what is new is in memory only."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "rillet.db"


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def disk(path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setattr(writer_module, "RETRY_SECONDS", 0.02)
    return Disk(path.parent, monkeypatch)


class Told:
    """What a store says about its disk."""

    def __init__(self) -> None:
        self.all: list[StoreError | None] = []
        self._news = asyncio.Event()

    def hear(self, trouble: StoreError | None) -> None:
        self.all.append(trouble)
        self._news.set()

    async def of(self, kind: type[object]) -> None:
        async with asyncio.timeout(30):
            while not isinstance(self.all[-1] if self.all else 0, kind):
                self._news.clear()
                await self._news.wait()


async def fill(path: Path, *, crashes: bool = False) -> None:
    """Have a chat in the file; ``crashes``: part of it in the log that a crash leaves, with half an answer."""
    store = await Store.open(path)
    chat = await store.write(chats.create, title="Kept")
    await store.write(messages.add, chat, None, ChatMessage.user("The question about rivers"))
    if crashes:
        answer = await store.write(messages.add, chat, 1, ChatMessage.assistant(""), status="writing")
        await store.write(journal.append, answer, [TextDelta("Half an answer")])
    left = contents(path)
    await store.close()
    if crashes:
        put_back(path, left)


def contents(path: Path) -> dict[str, bytes]:
    """The file and its log."""
    return {side: Path(f"{path}{side}").read_bytes() for side in SIDES}


def put_back(path: Path, left: dict[str, bytes]) -> None:
    for side, content in left.items():
        Path(f"{path}{side}").write_bytes(content)
    Path(f"{path}-shm").unlink(missing_ok=True)


def empty(path: Path) -> None:
    path.parent.mkdir()
    path.touch()


def spoil(path: Path) -> None:
    path.write_bytes(b"\x13" * 8192)


def inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def titles(store: Store) -> list[str]:
    return sorted(chat.title for chat in await store.read(chats.overview))


async def line(store: Store) -> list[tuple[str, str]]:
    return [(node.message.text, node.status) for node in await store.read(messages.path, 1)]


@pytest.mark.parametrize("fault", ["read-only", "full"])
async def test_chats_are_read_meanwhile_and_what_is_new_is_written_once_the_disk_takes_it(
    fault: Fault, disk: Disk, path: Path, copies: Path
) -> None:
    await fill(path)
    disk.fault = fault
    told = Told()
    store = await Store.open(path, told.hear)
    created = asyncio.ensure_future(store.write(chats.create, title="New"))
    renamed = asyncio.ensure_future(store.write_durably(chats.rename, 1, "Renamed"))
    await told.of(Unwritable)
    assert isinstance(store.trouble, Unwritable)
    assert store.trouble.user_message.endswith(TOLD)
    assert await titles(store) == ["Kept"]
    assert await line(store) == [("The question about rivers", "whole")]
    assert len((await store.read(search.search, "rivers")).hits) == 1
    assert not created.done()
    assert inside(copies) == [], "a file without a log is read where it is"
    disk.fault = None
    async with asyncio.timeout(30):
        await created
        await renamed
    await told.of(type(None))
    assert await titles(store) == ["New", "Renamed"]
    assert [type(each) for each in told.all] == [Unwritable, type(None)]
    await store.close()
    again = await Store.open(path)
    assert await titles(again) == ["New", "Renamed"]
    await again.close()


async def test_what_is_in_the_log_of_a_crash_is_read_too_from_a_copy_that_nobody_keeps(
    disk: Disk, path: Path, copies: Path
) -> None:
    await fill(path, crashes=True)
    before = contents(path)
    disk.fault = "read-only"
    told = Told()
    store = await Store.open(path, told.hear)
    await told.of(Unwritable)
    assert await line(store) == [("The question about rivers", "whole"), ("Half an answer", "incomplete")]
    (copy,) = inside(copies)
    if sys.platform != "win32":
        assert copy.stat().st_mode & 0o077 == 0
    assert contents(path) == before
    disk.fault = None
    await told.of(type(None))
    await store.write(chats.rename, 1, "Renamed")
    assert await line(store) == [("The question about rivers", "whole"), ("Half an answer", "incomplete")]
    assert await titles(store) == ["Renamed"]
    await store.close()
    assert inside(copies) == []


async def test_where_not_even_a_copy_can_be_made_chats_are_waited_for(
    disk: Disk, path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(path, crashes=True)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    disk.fault = "full"
    with pytest.raises(StoreError, match="The disk is full"):
        await Store.open(path)
    assert inside(copies) == []


async def test_a_file_of_an_older_version_is_read_as_this_one_wants_it(
    disk: Disk, path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        await fill(path)
    disk.fault = "read-only"
    store = await Store.open(path)
    assert await store.read(migrations.pending) == []
    assert await titles(store) == ["Kept"]
    await store.close()
    disk.fault = None
    with closing(sqlite3.connect(path)) as db:
        assert len(migrations.pending(db)) == len(migrations.MIGRATIONS) - 1


async def test_a_file_of_a_newer_version_is_only_read_whatever_the_disk_does(disk: Disk, path: Path) -> None:
    await fill(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO migrations (name, at) VALUES ('9999 later', 0)")
    disk.fault = "read-only"
    store = await Store.open(path)
    assert isinstance(store.opening.read_only, TooNew)
    assert await titles(store) == ["Kept"]
    with pytest.raises(TooNew):
        await store.write(chats.create)
    await store.close()


async def test_a_file_that_another_program_has_for_itself_is_not_read_behind_its_back(
    path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.0)
    await fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE chats SET title = 'Half'")
        with pytest.raises(Held):
            await Store.open(path)
        other.execute("ROLLBACK")
    assert inside(copies) == []


@pytest.mark.parametrize("fault", ["read-only", "full"])
async def test_there_is_nothing_to_read_before_there_was_anything(fault: Fault, disk: Disk, path: Path) -> None:
    empty(path)
    disk.fault = fault
    with pytest.raises(StoreError, match=fault):
        await Store.open(path)


async def test_a_file_that_became_another_one_meanwhile_is_not_written_into(disk: Disk, path: Path) -> None:
    await fill(path)
    disk.fault = "read-only"
    told = Told()
    store = await Store.open(path, told.hear)
    writing = asyncio.ensure_future(store.write(chats.create, title="New"))
    await told.of(Unwritable)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO migrations (name, at) VALUES ('9999 later', 0)")
    disk.fault = None
    with pytest.raises(TooNew):
        await writing
    await told.of(TooNew)
    with pytest.raises(TooNew):
        await store.write(chats.create, title="New")
    assert await titles(store) == ["Kept"]
    await store.close()


async def test_damage_that_shows_with_the_first_thing_written_is_said(disk: Disk, path: Path) -> None:
    await fill(path)
    disk.fault = "read-only"
    told = Told()
    store = await Store.open(path, told.hear)
    writing = asyncio.ensure_future(store.write(chats.create, title="New"))
    await told.of(Unwritable)
    spoil(path)
    disk.fault = None
    with pytest.raises(Damaged):
        await writing
    await told.of(Damaged)
    await store.close()


async def test_who_quits_meanwhile_waits_for_nothing_unless_something_was_new(
    disk: Disk, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(path)
    disk.fault = "read-only"
    told = Told()
    store = await Store.open(path, told.hear)
    await told.of(Unwritable)
    monkeypatch.setattr(store_module, "CLOSE_SECONDS", 3600.0)
    async with asyncio.timeout(30):
        assert await store.close() == 0
    store = await Store.open(path)
    writing = asyncio.ensure_future(store.write(chats.create, title="New"))
    await asyncio.sleep(0)
    monkeypatch.setattr(store_module, "CLOSE_SECONDS", 0.1)
    assert await store.close() == 1
    assert isinstance((await asyncio.gather(writing, return_exceptions=True))[0], StoreError)


@pytest.fixture
def ended() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.skipif(sys.platform == "win32", reason="what is open cannot be deleted there, and so goes by itself")
async def test_the_copy_of_a_program_that_was_killed_goes_with_the_next_start(
    ended: int, path: Path, copies: Path
) -> None:
    ours = copies / f"rillet-reading-{os.getpid()}-abc"
    for folder in (ours, copies / f"rillet-reading-{ended}-abc"):
        folder.mkdir()
        (folder / "rillet.db").write_text("chats")
    store = await Store.open(path)
    await store.close()
    assert inside(copies) == [ours]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A small disk that can be made read-only; only root may have one, where the machine lets it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=4m", "none", folder], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)


def fill_up(disk: Path) -> None:
    file = os.open(disk / "rest", os.O_CREAT | os.O_WRONLY)
    with contextlib.suppress(OSError):
        while True:
            os.write(file, bytes(4096))
    os.close(file)


def make_room(disk: Path) -> None:
    (disk / "rest").unlink()


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounts as Linux does")
@pytest.mark.parametrize("crashes", [False, True])
@pytest.mark.parametrize(
    ("close", "said", "open_again"),
    [
        (partial(remount, how="ro"), "Read-only file system", partial(remount, how="rw")),
        (fill_up, "No space left on device", make_room),
    ],
)
async def test_a_real_disk_that_takes_nothing(
    close: Callable[[Path], None], said: str, open_again: Callable[[Path], None], mounted: Path, *, crashes: bool
) -> None:
    path = mounted / "data" / "rillet.db"
    await fill(path, crashes=crashes)
    close(mounted)
    told = Told()
    store = await Store.open(path, told.hear)
    writing = asyncio.ensure_future(store.write(chats.create, title="New"))
    await told.of(Unwritable)
    assert said in str(store.trouble)
    assert await titles(store) == ["Kept"]
    assert len(await line(store)) == 1 + crashes
    open_again(mounted)
    async with asyncio.timeout(30):
        await writing
    assert await titles(store) == ["Kept", "New"]
    await store.close()
