"""Finding messages and chats by any piece of text, in any script, as one types.

SQLite's trigram index finds pieces of three characters and more; shorter ones (two are a word in Chinese) are looked
for one message after another, the newest first, for as long as a person would wait. Above: ``messages`` fills the
index. Guarantee: what a person types is text, never syntax of a query language.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from rillet.core.types.saved import whole

if TYPE_CHECKING:
    from sqlite3 import Connection

Among: TypeAlias = Literal["chats", "archive", "trash"]
"""Where to look: everywhere but in the trash, in the archive only, in the trash only."""

_AMONG: Final[dict[Among, str]] = {
    "chats": "trashed_at IS NULL",
    "archive": "trashed_at IS NULL AND archived",
    "trash": "trashed_at IS NOT NULL",
}
LEAST: Final = 3
"""Characters that a trigram index can find."""
PATIENCE: Final = 0.15
"""Seconds after which a search without an index returns what it has."""
_AROUND: Final = 60
"""Characters shown around a hit."""
_MESSAGES: Final = """
SELECT messages.chat_id, chats.title, chats.archived, messages.id, message_texts.text
FROM message_texts
JOIN messages ON messages.id = message_texts.rowid
JOIN chats ON chats.id = messages.chat_id
WHERE {} ORDER BY message_texts.rowid DESC LIMIT ?
"""
_STEPS: Final = 20_000
"""Instructions of SQLite between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chat, or a message in it, that holds what was looked for.

    Attributes:
        message_id: None: it is the chat's title.
        before, found, after: The text around the hit, as it stands there, on one line.
        archived: Whether the chat is in the archive.
    """

    chat_id: int
    title: str
    message_id: int | None
    before: str
    found: str
    after: str
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave: the newest hits, and whether it looked everywhere."""

    hits: tuple[Hit, ...]
    complete: bool = True


def search(db: Connection, text: str, *, among: Among = "chats", limit: int = 50) -> Found:
    """Look for all words of ``text``; a chat whose title has them comes before messages."""
    words = [word for word in whole(text).replace("\0", " ").split() if word]
    if not words:
        return Found(())
    titles = _titles(db, words, among, limit)
    hits, complete = _messages(db, words, among, limit - len(titles))
    return Found((*titles, *hits), complete)


def _titles(db: Connection, words: list[str], among: Among, limit: int) -> list[Hit]:
    clause = " AND ".join("title LIKE ? ESCAPE '\\'" for _ in words)
    rows = db.execute(
        f"SELECT id, title, archived FROM chats WHERE {_AMONG[among]} AND {clause} ORDER BY activity DESC LIMIT ?",  # noqa: S608 (names of ours)
        (*map(_like, words), limit),
    )
    return [Hit(id, title, None, *_excerpt(title, words), bool(archived)) for id, title, archived in rows]


def _messages(db: Connection, words: list[str], among: Among, limit: int) -> tuple[list[Hit], bool]:
    long = [word for word in words if len(word) >= LEAST]
    short = [word for word in words if len(word) < LEAST]
    clauses = ["NOT messages.hidden", f"chats.{_AMONG[among]}"]
    values: list[str | int] = []
    if long:
        clauses.append("message_texts MATCH ?")
        values.append(" AND ".join('"' + word.replace('"', '""') + '"' for word in long))
    for word in short:
        clauses.append("text LIKE ? ESCAPE '\\'")
        values.append(_like(word))
    found: list[Hit] = []
    ends = time.monotonic() + PATIENCE
    db.set_progress_handler(lambda: int(time.monotonic() > ends), _STEPS if short else 0)
    try:
        for chat_id, title, archived, message_id, message in db.execute(
            _MESSAGES.format(" AND ".join(clauses)), (*values, limit)
        ):
            found += [Hit(chat_id, title, message_id, *_excerpt(message, words), bool(archived))]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT and time.monotonic() > ends:
            return found, False
        raise
    finally:
        db.set_progress_handler(None, 0)
    return found, True


def _like(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _excerpt(text: str, words: list[str]) -> tuple[str, str, str]:
    """The text around the first word that stands in it."""
    folded = text.lower()
    start, word = min(((at, word) for word in words if (at := folded.find(word.lower())) >= 0), default=(0, ""))
    end = start + len(word)
    before = ("…" if start > _AROUND else "") + text[max(0, start - _AROUND) : start]
    after = text[end : end + 2 * _AROUND] + ("…" if end + 2 * _AROUND < len(text) else "")
    return before.replace("\n", " "), text[start:end], after.replace("\n", " ")
