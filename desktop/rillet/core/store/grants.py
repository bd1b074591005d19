"""What tools were allowed to do for longer than once. The policy says what a grant means; here it is kept.

Guarantee: a grant that cannot be read is left out, which means: asked for again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection


def keep(db: Connection, grant_id: str, granted: str) -> None:
    """Keep a grant (JSON), in the place of an older one with this id."""
    db.execute("INSERT OR REPLACE INTO grants (id, granted) VALUES (?, ?)", (grant_id, granted))


def revoke(db: Connection, grant_ids: Iterable[str]) -> None:
    """Forget grants."""
    db.executemany("DELETE FROM grants WHERE id = ?", [(each,) for each in grant_ids])


def load(db: Connection) -> dict[str, str]:
    """All grants (JSON), by their ids."""
    return dict(db.execute("SELECT id, granted FROM grants ORDER BY id"))
