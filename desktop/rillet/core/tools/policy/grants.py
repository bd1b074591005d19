"""Who allowed or denied what, and for how long: the book that people read and strike out of.

Plain data; knows no tools and no files. Above: ``rules``. Below: ``policy`` looks up and adds, settings list and
revoke, the store keeps. Guarantees: a grant that was revoked or has expired is not applied any more; a book that cannot
be read whole is not read at all, so that a damaged file grants nothing, and says so.
"""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from rillet.core.tools.policy.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

Ruling: TypeAlias = Literal["allow", "deny"]
Scope: TypeAlias = Literal["once", "chat", "folder", "always"]

VERSION: Final = 1


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry."""

    rule: Rule
    decision: Ruling = "allow"
    chat: str | None = None
    """The only conversation that it holds in; None: in every one."""
    folder: str | None = None
    """The only workspace that it holds in; None: in every one, and without one."""
    expires_at: float | None = None
    """Seconds since the epoch; None: it does not expire."""
    made_at: float = 0.0
    """When it was given."""
    given_in: str | None = None
    """The conversation in which somebody agreed to exactly this call. There it holds, whatever came in since."""
    id: str = msgspec.field(default_factory=lambda: secrets.token_hex(8))

    @property
    def scope(self) -> Scope:
        """How far it goes."""
        return "chat" if self.chat is not None else "folder" if self.folder is not None else "always"

    def holds(self, chat: str | None, folder: str | None, now: float) -> bool:
        """Whether it is to be applied in this conversation and this folder, at this time."""
        return (
            (self.chat is None or self.chat == chat)
            and (self.folder is None or self.folder == folder)
            and (self.expires_at is None or now < self.expires_at)
        )

    def same(self, other: Grant) -> bool:
        """Whether both say the same, whenever they were given."""
        return msgspec.structs.replace(self, id=other.id, made_at=other.made_at) == other


class GrantBook:
    """All grants of a person. May be read and changed from any thread.

    Attributes:
        changed: Called after every change, on the thread that made it: the moment to save.
    """

    def __init__(self, grants: tuple[Grant, ...] = (), changed: Callable[[], None] | None = None) -> None:
        self.changed = changed
        self._grants = grants
        self._lock = threading.Lock()

    def grants(self) -> tuple[Grant, ...]:
        """Every entry, the oldest first, expired ones too."""
        return self._grants

    @property
    def denies(self) -> bool:
        """Whether any entry forbids something, expired ones counted."""
        return any(grant.decision == "deny" for grant in self._grants)

    def add(self, grant: Grant) -> Grant:
        """Enter ``grant``; the entry that says the same already, if there is one."""
        with self._lock:
            for known in self._grants:
                if grant.same(known):
                    return known
            self._grants = (*self._grants, grant)
        self._tell()
        return grant

    def revoke(self, id: str) -> bool:
        """Strike out an entry; whether there was one."""
        return self._keep(lambda grant: grant.id != id)

    def forget_chat(self, chat: str) -> bool:
        """Strike out what was agreed to for a conversation that is no more; whether there was anything."""
        return self._keep(lambda grant: grant.chat != chat)

    def move_chat(self, before: str, chat: str) -> bool:
        """Have hold in ``chat`` what was agreed to in ``before``, which goes on there; whether there was anything."""

        def where(name: str | None) -> str | None:
            return chat if name == before else name

        with self._lock:
            moved = tuple(
                msgspec.structs.replace(grant, chat=where(grant.chat), given_in=where(grant.given_in))
                for grant in self._grants
            )
            if moved == self._grants:
                return False
            self._grants = moved
        self._tell()
        return True

    def forget_expired(self, now: float) -> bool:
        """Strike out what has expired; whether there was anything."""
        return self._keep(lambda grant: grant.expires_at is None or now < grant.expires_at)

    def _keep(self, wanted: Callable[[Grant], bool]) -> bool:
        with self._lock:
            kept = tuple(filter(wanted, self._grants))
            if len(kept) == len(self._grants):
                return False
            self._grants = kept
        self._tell()
        return True

    def _tell(self) -> None:
        if self.changed is not None:
            self.changed()

    def to_json(self, wanted: Callable[[Grant], bool] = lambda grant: True) -> bytes:
        """The book, as ``from_json`` reads it: whole, or with the ``wanted`` entries only."""
        return msgspec.json.encode(_Content(VERSION, tuple(filter(wanted, self._grants))))

    @classmethod
    def from_json(cls, data: bytes, changed: Callable[[], None] | None = None) -> GrantBook:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: it is damaged or of a newer version; nothing of it may be applied, and the person must be told.
        """
        try:
            version = msgspec.json.decode(data, type=_Version).version
            if version != VERSION:
                raise ValueError(f"it is of version {version}, and this program reads {VERSION}")
            return cls(msgspec.json.decode(data, type=_Content).grants, changed)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the list of what is allowed cannot be read, so nothing is allowed: {error}") from error


class _Version(msgspec.Struct):
    version: int


class _Content(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    grants: tuple[Grant, ...]
