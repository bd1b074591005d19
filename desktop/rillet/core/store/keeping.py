"""What whoever writes an answer wants of a store: to ask it and to change it, be it a file or memory.

Below: ``store`` is the file, ``temporary`` the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

P = ParamSpec("P")
T = TypeVar("T")


class Keeping(Protocol):
    """A place for chats; see ``Store`` for what each of these promises of a file."""

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask."""
        ...

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Change."""
        ...

    async def write_durably(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Change what must not be lost."""
        ...
