"""A backup takes the place of everything while the store is open, and what there was is kept."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest

from rillet.core.store import chats, database
from rillet.core.store.store import Store
from rillet.core.store.trouble import Damaged, StoreError, TooNew

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
