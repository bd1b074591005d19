"""Heights of a long list of rows: where each begins, and which one a pixel falls into.

Two-level prefix sums: heights in groups of 128, with one sum per group, so that changing a row, asking for its top and
finding a row by pixel each cost O(√n). Pure integers; knows nothing of messages or Qt. Below: ``layout`` keeps one of
these per transcript. Guarantee: ``top(len(self)) == total`` after any sequence of changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_GROUP = 128


class Heights:
    """A list of heights in pixels that knows its own prefix sums."""

    __slots__ = ("_heights", "_sums")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._sums = [sum(self._heights[i : i + _GROUP]) for i in range(0, len(self._heights), _GROUP)]

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        if not 0 <= index < len(self._heights):
            raise IndexError(index)
        self._sums[index // _GROUP] += height - self._heights[index]
        self._heights[index] = height

    def append(self, height: int) -> None:
        """Add a row at the end."""
        if len(self._heights) % _GROUP == 0:
            self._sums.append(0)
        self._heights.append(height)
        self._sums[-1] += height

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` rows."""
        del self._heights[count:]
        groups = -(-count // _GROUP)
        del self._sums[groups:]
        if count % _GROUP:
            self._sums[-1] = sum(self._heights[(groups - 1) * _GROUP :])

    @property
    def total(self) -> int:
        """Height of all rows together."""
        return sum(self._sums)

    def top(self, index: int) -> int:
        """Pixels above row ``index``; ``len(self)`` is allowed and gives the total."""
        group = index // _GROUP
        return sum(self._sums[:group]) + sum(self._heights[group * _GROUP : index])

    def at(self, y: int) -> int:
        """Index of the row that contains pixel ``y``, clamped to the first and last row.

        Raises:
            IndexError: there are no rows.
        """
        if not self._heights:
            raise IndexError("no rows")
        group = 0
        while group < len(self._sums) - 1 and y >= self._sums[group]:
            y -= self._sums[group]
            group += 1
        index = group * _GROUP
        last = min(index + _GROUP, len(self._heights)) - 1
        while index < last and y >= self._heights[index]:
            y -= self._heights[index]
            index += 1
        return index
