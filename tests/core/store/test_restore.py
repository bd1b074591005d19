"""A backup takes the place of everything while the store is open, and what there was is kept."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet.core.store import chats, database
from rillet.core.store.store import Store
from rillet.core.store.trouble import Damaged, DiskTrouble, NotCopied, StoreError, TooNew

if TYPE_CHECKING:
    from collections.abc import Callable


async def titles(store: Store) -> list[str]:
    return [each.title for each in await store.read(chats.overview)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rillet.db"


async def test_what_was_is_there_again_and_writing_goes_on(path: Path) -> None:
    store = await Store.open(path)
    await store.write(chats.create, title="Old")
    backup = await store.back_up()
    await store.write(chats.create, title="New")
    assert len(await titles(store)) == 2
    previous = await store.restore(backup)
    assert await titles(store) == ["Old"]
    await store.write(chats.create, title="Newer")
    assert sorted(await titles(store)) == ["Newer", "Old"]
    await store.check()
    await store.close()
    again = await Store.open(path)
    assert sorted(await titles(again)) == ["Newer", "Old"]
    await again.restore(previous)
    assert sorted(await titles(again)) == ["New", "Old"]
    await again.close()


def _cut(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[: backup.stat().st_size // 2])


def _overwrite(backup: Path) -> None:
    backup.write_bytes(b"this is no database" * 400)


def _empty(backup: Path) -> None:
    backup.unlink()
    with contextlib.closing(sqlite3.connect(backup)) as db:
        db.execute("CREATE TABLE shopping (item TEXT)")


def _renew(backup: Path) -> None:
    with contextlib.closing(sqlite3.connect(backup)) as db, db:
        db.execute("INSERT INTO migrations (name, at) VALUES ('of the future', 0)")


@pytest.mark.parametrize(
    ("spoil", "kind"), [(_cut, Damaged), (_overwrite, Damaged), (_empty, Damaged), (_renew, TooNew)]
)
async def test_a_backup_that_cannot_be_used_changes_nothing(
    path: Path, spoil: Callable[[Path], None], kind: type[StoreError]
) -> None:
    store = await Store.open(path)
    for number in range(40):
        await store.write(chats.create, title=f"{number}" * 500)
    backup = await store.back_up()
    spoil(backup)
    with pytest.raises(kind):
        await store.restore(backup)
    assert len(await titles(store)) == 40
    assert database.backups(path) == [backup], "nothing was begun"
    await store.close()


def _overwrite_all(path: Path) -> None:
    """What a failing disk may leave, under the feet of the open store."""
    for side in ("", "-wal"):
        file = Path(f"{path}{side}")
        if file.exists():
            with file.open("r+b") as there:
                there.write(b"\x13" * file.stat().st_size)


def _come_upon_damage(_db: sqlite3.Connection) -> None:
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    raise error


def begins(path: Path, start: bytes) -> bool:
    return path.read_bytes().startswith(start)


async def test_a_file_that_is_damaged_while_it_is_open_is_replaced_by_a_backup_and_writing_goes_on(path: Path) -> None:
    told: list[StoreError | None] = []
    store = await Store.open(path, told.append)
    await store.write(chats.create, title="Kept")
    backup = await store.back_up()
    await store.tidy()
    _overwrite_all(path)
    with pytest.raises(Damaged):
        await store.check()
    with pytest.raises(Damaged):
        await store.write(_come_upon_damage)
    with pytest.raises(Damaged):
        await store.write(chats.create, title="Nowhere")
    aside = await store.restore(backup)
    assert "damaged" in aside.name
    assert begins(aside, b"\x13")
    assert await titles(store) == ["Kept"]
    await store.write(chats.create, title="New")
    await store.check()
    assert [type(each) for each in told] == [Damaged, type(None)]
    await store.close()
    again = await Store.open(path)
    assert sorted(await titles(again)) == ["Kept", "New"]
    await again.close()


async def test_a_disk_that_takes_no_backup_leaves_the_damaged_file_where_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(path)
    await store.write(chats.create, title="Kept")
    backup = await store.back_up()
    await store.tidy()
    _overwrite_all(path)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "touch", full)
        with pytest.raises(NotCopied, match="No space"):
            await store.restore(backup)
    with pytest.raises(Damaged):
        await store.write(_come_upon_damage)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(NotCopied, match="No space"):
            await store.restore(backup)
    assert begins(path, b"\x13")
    with pytest.raises(Damaged):
        await store.write(chats.create)
    await store.restore(backup)
    assert await titles(store) == ["Kept"]
    await store.close()


def test_a_damaged_file_that_cannot_be_moved_is_trouble_of_the_disk_and_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b"this is no database" * 400)
    Path(f"{path}-wal").write_bytes(b"its log")
    replace = Path.replace

    def only_the_file(self: Path, target: Path | str) -> Path:
        if self.name.endswith("-wal"):
            raise OSError(13, "Permission denied")
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", only_the_file)
        with pytest.raises(DiskTrouble, match="set aside"):
            database.set_aside(path)
    assert begins(path, b"this is no database")
    assert Path(f"{path}-wal").read_bytes() == b"its log"
