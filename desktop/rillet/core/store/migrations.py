"""What the tables are, and how older files become such.

Append-only: a migration that was released is never changed, the next one stands below it. Each is one transaction, and
before the first one a file that holds something is copied (``database``). Above: ``trouble``. Guarantees: a migration
that breaks off leaves the file as it was before; a file with a migration that is not known here is never written.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from one shape of the tables to the next."""

    name: str
    script: tuple[str, ...]


MIGRATIONS: Final = (
    Migration(
        "2026-12 first",
        (
            """
            CREATE TABLE folders (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL,
                position INTEGER NOT NULL DEFAULT 0
            ) STRICT
            """,
            # head: the message that the chat shows last. activity: a counter, because clocks go backwards.
            """
            CREATE TABLE chats (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                title TEXT NOT NULL DEFAULT '',
                title_by TEXT NOT NULL DEFAULT 'nobody' CHECK (title_by IN ('nobody', 'program', 'person')),
                folder_id INTEGER REFERENCES folders (id) ON DELETE SET NULL,
                pinned INTEGER NOT NULL DEFAULT 0,
                archived INTEGER NOT NULL DEFAULT 0,
                unread INTEGER NOT NULL DEFAULT 0,
                settings TEXT NOT NULL DEFAULT '{}',
                head INTEGER,
                activity INTEGER NOT NULL,
                created_at REAL NOT NULL,
                active_at REAL NOT NULL,
                trashed_at REAL
            ) STRICT
            """,
            "CREATE INDEX chats_by_activity ON chats (activity DESC) WHERE trashed_at IS NULL",
            # id: the order in which messages came. hidden: deleted, and the deletion can be undone.
            """
            CREATE TABLE messages (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                chat_id INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
                parent_id INTEGER REFERENCES messages (id) ON DELETE CASCADE,
                role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
                parts TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('whole', 'writing', 'incomplete', 'failed', 'cancelled')),
                hidden INTEGER NOT NULL DEFAULT 0,
                provider TEXT,
                model TEXT,
                details TEXT NOT NULL DEFAULT '{}',
                created_at REAL NOT NULL
            ) STRICT
            """,
            "CREATE INDEX messages_by_chat ON messages (chat_id)",
            "CREATE INDEX messages_by_parent ON messages (parent_id)",
            "CREATE INDEX messages_being_written ON messages (id) WHERE status = 'writing'",
            """
            CREATE TABLE journal (
                message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
                number INTEGER NOT NULL,
                deltas TEXT NOT NULL,
                PRIMARY KEY (message_id, number)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT",
            """
            CREATE TABLE blob_uses (
                owner TEXT NOT NULL CHECK (owner IN ('message', 'draft')),
                owner_id INTEGER NOT NULL,
                hash TEXT NOT NULL REFERENCES blobs (hash),
                PRIMARY KEY (owner, owner_id, hash)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX blob_uses_by_hash ON blob_uses (hash)",
            "CREATE VIRTUAL TABLE message_texts USING fts5 (text, tokenize = 'trigram')",
            # chat_id 0: the chat that does not exist yet.
            "CREATE TABLE drafts (chat_id INTEGER PRIMARY KEY, draft TEXT NOT NULL) STRICT",
            # Survives the chats: what was spent stays spent.
            """
            CREATE TABLE ledger (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                at REAL NOT NULL,
                chat_id INTEGER,
                message_id INTEGER,
                provider TEXT NOT NULL,
                model TEXT NOT NULL,
                prompt_tokens INTEGER,
                completion_tokens INTEGER,
                cached_tokens INTEGER,
                reasoning_tokens INTEGER,
                cost REAL,
                estimated INTEGER NOT NULL DEFAULT 0
            ) STRICT
            """,
            "CREATE INDEX ledger_by_chat ON ledger (chat_id)",
            "CREATE TABLE grants (id TEXT PRIMARY KEY, granted TEXT NOT NULL) STRICT, WITHOUT ROWID",
        ),
    ),
    Migration(
        "2026-12 summaries",
        (
            # covers: the messages (ids, JSON) that the text stands for. original: what a model wrote, where a person
            # changed it since. withdrawn: undone; it is kept all the same.
            """
            CREATE TABLE summaries (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                chat_id INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
                covers TEXT NOT NULL,
                text TEXT NOT NULL,
                original TEXT,
                provider TEXT,
                model TEXT,
                details TEXT NOT NULL DEFAULT '{}',
                withdrawn INTEGER NOT NULL DEFAULT 0,
                created_at REAL NOT NULL
            ) STRICT
            """,
            "CREATE INDEX summaries_by_chat ON summaries (chat_id)",
        ),
    ),
)


def applied(db: Connection) -> list[str]:
    """The names of the migrations that made this file, oldest first; none of an empty one."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").fetchone():
        return []
    return [name for (name,) in db.execute("SELECT name FROM migrations ORDER BY number")]


def unknown(db: Connection) -> list[str]:
    """Migrations that a newer version has made."""
    known = {each.name for each in MIGRATIONS}
    return [name for name in applied(db) if name not in known]


def pending(db: Connection) -> list[Migration]:
    """Those that this file still needs."""
    done = set(applied(db))
    return [each for each in MIGRATIONS if each.name not in done]


def migrate(db: Connection) -> None:
    """Bring the file up to date. Safe beside another process that does the same."""
    for migration in pending(db):
        db.execute("BEGIN IMMEDIATE")
        try:
            db.execute(
                "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT UNIQUE, at REAL) STRICT"
            )
            if migration.name not in applied(db):
                for statement in migration.script:
                    db.execute(statement)
                db.execute("INSERT INTO migrations (name, at) VALUES (?, ?)", (migration.name, time.time()))
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
