"""The rows of the side bar, in their order: chats under headings and in folders.

Pure, but for the names of days. Above: ``library``. Below: ``model``. Guarantee: the order within a heading is that of
the library, which is no matter of clocks; only the headings are.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import inf
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from PySide6.QtCore import QCoreApplication, QLocale

from rillet.core.store.temporary import is_temporary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from rillet.app.library import Library
    from rillet.core.store.chats import Chat, Folder

translate = QCoreApplication.translate

Section: TypeAlias = Literal["chats", "archive", "trash"]
_WEEK: Final = 7


class Row(NamedTuple):
    """A chat, or a heading. (A tuple: ten thousand are made whenever the order changes.)

    Attributes:
        folder: The folder that this is the heading of.
        size: How many chats are in it.
    """

    chat: Chat | None
    heading: str = ""
    folder: Folder | None = None
    size: int = 0


def rows_of(library: Library, section: Section, folded: Collection[int], now: datetime) -> list[Row]:
    """What a section shows; of a folder that is ``folded`` (ids), its heading only."""
    days = Days(now)
    match section:
        case "archive":
            archived = sorted(
                (chat for chat in library.chats if chat.archived), key=lambda chat: chat.activity, reverse=True
            )
            return list(_dated(archived, days))
        case "trash":
            return list(_dated(library.trashed, days, deleted=True))
        case "chats":
            return list(_chats(library, folded, days))


def _chats(library: Library, folded: Collection[int], days: Days) -> Iterator[Row]:
    temporary: list[Chat] = []
    pinned: list[Chat] = []
    filed: dict[int, list[Chat]] = {folder.id: [] for folder in library.folders}
    others: list[Chat] = []
    for chat in library.chats:
        if chat.archived:
            continue
        if is_temporary(chat.id):
            temporary.append(chat)
        elif chat.pinned:
            pinned.append(chat)
        else:
            filed.get(chat.folder_id or 0, others).append(chat)
    for heading, some in (
        (translate("ChatsModel", "Temporary"), temporary),
        (translate("ChatsModel", "Pinned"), pinned),
    ):
        if some:
            yield Row(None, heading)
            yield from map(Row, some)
    for folder in library.folders:
        inside = filed[folder.id]
        yield Row(None, folder.name, folder, len(inside))
        if folder.id not in folded:
            yield from map(Row, inside)
    yield from _dated(others, days)


def _dated(some: Iterable[Chat], days: Days, *, deleted: bool = False) -> Iterator[Row]:
    """Chats under the days when something happened in them, or when they were deleted."""
    heading = ""
    for chat in some:
        wanted = days.heading((chat.trashed_at or 0.0) if deleted else chat.active_at)
        if wanted != heading:
            heading = wanted
            yield Row(None, heading)
        yield Row(chat)


class Days:
    """Names days as people do, seen from ``now``. Ten thousand chats are named in a few ms."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._from, self._to, self._heading = 0.0, 0.0, ""
        """The stretch of time that the last name is for."""

    def heading(self, moment: float) -> str:
        """The name for a moment, in seconds since the epoch; one that is still to come is today."""
        if not self._from <= moment < self._to:
            self._from, self._to, self._heading = self._name(moment)
        return self._heading

    def _name(self, moment: float) -> tuple[float, float, str]:
        midnight = self._now.replace(hour=0, minute=0, second=0, microsecond=0)
        today, yesterday, week = ((midnight - timedelta(days=days)).timestamp() for days in (0, 1, _WEEK - 1))
        if moment >= today:
            return today, inf, translate("ChatsModel", "Today")
        if moment >= yesterday:
            return yesterday, today, translate("ChatsModel", "Yesterday")
        if moment >= week:
            return week, yesterday, translate("ChatsModel", "Last seven days")
        day = datetime.fromtimestamp(moment).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        if day.year == self._now.year:
            after = (day + timedelta(days=32)).replace(day=1)
            return day.timestamp(), min(after.timestamp(), week), QLocale().standaloneMonthName(day.month)
        return day.replace(month=1).timestamp(), day.replace(year=day.year + 1, month=1).timestamp(), f"{day:%Y}"
