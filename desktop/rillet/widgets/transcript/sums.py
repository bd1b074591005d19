"""A long list of numbers and their sums: how much lies before one, and which one a place among them all falls into.

Two-level prefix sums: numbers in groups of 128, with one sum per group, so that changing a number, asking for what is
before it and finding it by place each cost O(√n). Pure integers. Below: ``layout`` keeps the heights of entries in one,
``finding`` how often something is in each. Guarantee: ``before(len(self)) == total`` after any sequence of changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_GROUP = 128


class Sums:
    """A list of numbers, none below 0, that knows its own prefix sums."""

    __slots__ = ("_numbers", "_sums")

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._numbers = list(numbers)
        self._sums = [sum(self._numbers[i : i + _GROUP]) for i in range(0, len(self._numbers), _GROUP)]

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> int:
        return self._numbers[index]

    def __setitem__(self, index: int, number: int) -> None:
        if not 0 <= index < len(self._numbers):
            raise IndexError(index)
        self._sums[index // _GROUP] += number - self._numbers[index]
        self._numbers[index] = number

    def append(self, number: int) -> None:
        """Add a number at the end."""
        if len(self._numbers) % _GROUP == 0:
            self._sums.append(0)
        self._numbers.append(number)
        self._sums[-1] += number

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` numbers."""
        del self._numbers[count:]
        groups = -(-count // _GROUP)
        del self._sums[groups:]
        if count % _GROUP:
            self._sums[-1] = sum(self._numbers[(groups - 1) * _GROUP :])

    @property
    def total(self) -> int:
        """All numbers together."""
        return sum(self._sums)

    def before(self, index: int) -> int:
        """What the numbers before ``index`` make together; ``len(self)`` is allowed and gives the total."""
        group = index // _GROUP
        return sum(self._sums[:group]) + sum(self._numbers[group * _GROUP : index])

    def at(self, place: int) -> int:
        """Index of the number that ``place``, counted through all of them, falls into; clamped to the first and last.

        Raises:
            IndexError: there are no numbers.
        """
        if not self._numbers:
            raise IndexError("no numbers")
        group = 0
        while group < len(self._sums) - 1 and place >= self._sums[group]:
            place -= self._sums[group]
            group += 1
        index = group * _GROUP
        last = min(index + _GROUP, len(self._numbers)) - 1
        while index < last and place >= self._numbers[index]:
            place -= self._numbers[index]
            index += 1
        return index
