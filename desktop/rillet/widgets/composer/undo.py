"""One order of undo for a text and for what stands beside it.

A text document has its own undo stack, which knows nothing of attachments. Each change of them therefore notes how high
that stack was, and is undone when the stack is as high again. Free of Qt: heights are numbers, and what changes is any
value. Below: ``tray``. Guarantee: steps are undone in the reverse of the order in which they were made, and redone
in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Step(Generic[T]):
    height: int
    """Of the text's undo stack when the value changed."""
    before: T
    after: T
    with_text: bool
    """The change of text that follows belongs to it: undone and redone together."""


class SideUndo(Generic[T]):
    """The changes of a value beside a text: those that can be undone and those that can be redone."""

    def __init__(self) -> None:
        self._done: list[_Step[T]] = []
        self._undone: list[_Step[T]] = []

    def record(self, height: int, before: T, after: T, *, with_text: bool = False) -> None:
        """Note a change."""
        self._done.append(_Step(height, before, after, with_text))
        self._undone.clear()

    def text_changed(self) -> None:
        """Something was typed: what was undone cannot come back."""
        self._undone.clear()

    def is_next(self, height: int) -> bool:
        """Whether the value is what changed last."""
        return bool(self._done) and self._done[-1].height == height

    def is_next_with_text(self, height: int) -> bool:
        """Whether the text was undone down to a change of the value that belongs to it."""
        return self.is_next(height) and self._done[-1].with_text

    def undo(self) -> T:
        """Take back the last change: the value as it was."""
        step = self._done.pop()
        self._undone.append(step)
        return step.before

    def can_redo(self, height: int) -> bool:
        """Whether the value is what was changed next."""
        return bool(self._undone) and self._undone[-1].height == height

    def redo(self) -> tuple[T, bool]:
        """Make the change again: the value as it became, and whether a change of text belongs to it."""
        step = self._undone.pop()
        self._done.append(step)
        return step.after, step.with_text
