"""Everything that a key or the command palette can do: each action's name, its keys, when it makes sense, what it does.

Knows no window but the one that its keys hold in. Above: nothing. Below: ``window_actions`` names the actions of the
window, ``palette_window`` offers them, settings rebind them. Guarantees: a key belongs to one action at most; what the
person bound goes before what we bound, whatever either says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from PySide6.QtWidgets import QWidget


def always() -> bool:
    """For actions that make sense at any time."""
    return True


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done.

    Attributes:
        id: For the settings file; never changes.
        label: For people.
        run: Does it.
        keys: Its default keys, as ``QKeySequence`` writes them portably ("Ctrl+Shift+N"); empty: none.
        when: Whether it makes sense now; where it does not, its keys do nothing and it is not offered.
    """

    id: str
    label: str
    run: Callable[[], object]
    keys: str = ""
    when: Callable[[], bool] = always


def normal(keys: str) -> str:
    """Keys as Qt writes them; empty for what are none."""
    portable = QKeySequence.SequenceFormat.PortableText
    return QKeySequence.fromString(keys, portable).toString(portable)


def bindings(actions: Iterable[Action], bound: Mapping[str, str]) -> dict[str, str]:
    """The keys of each action by its id, where the person ``bound`` some otherwise (empty: to none)."""
    actions = list(actions)
    holders: dict[str, str] = {}
    for action in actions:
        if keys := normal(bound.get(action.id, "")):
            holders.setdefault(keys, action.id)
    for action in actions:
        if action.id not in bound and (keys := normal(action.keys)):
            holders.setdefault(keys, action.id)
    held = {id: keys for keys, id in holders.items()}
    return {action.id: held.get(action.id, "") for action in actions}


class Actions(QObject):
    """The actions of a window.

    Signals:
        changed(): Some have other keys now.
    """

    changed = Signal()

    def __init__(self, window: QWidget, bound: Mapping[str, str]) -> None:
        super().__init__(window)
        self._window = window
        self._bound = dict(bound)
        self._actions: dict[str, Action] = {}
        self._triggers: dict[str, QAction] = {}

    def add(self, *actions: Action) -> None:
        """Have these, too. Their ids are new."""
        for action in actions:
            assert action.id not in self._actions
            self._actions[action.id] = action
            trigger = self._triggers[action.id] = QAction(action.label, self)
            trigger.triggered.connect(partial(self.run, action.id))
            self._window.addAction(trigger)
        self._apply()

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions.values())

    @property
    def bound(self) -> Mapping[str, str]:
        """What the person bound otherwise than we did."""
        return self._bound

    def keys(self, id: str) -> QKeySequence:
        """The keys of an action; empty where it has none."""
        return self._triggers[id].shortcut()

    def holder(self, keys: str) -> Action | None:
        """Whose keys these are."""
        wanted = normal(keys)
        held = bindings(self, self._bound)
        return next((each for each in self if wanted and held[each.id] == wanted), None)

    def bind(self, id: str, keys: str | None) -> None:
        """Give an action these keys, and take them from whoever has them; empty: none; None: its default again."""
        wanted = normal(self._actions[id].keys if keys is None else keys)
        holder = self.holder(wanted)
        if holder is not None and holder.id != id:
            self._bound[holder.id] = ""
        if wanted == normal(self._actions[id].keys):
            self._bound.pop(id, None)
        else:
            self._bound[id] = wanted
        self._apply()
        self.changed.emit()

    def reset(self) -> None:
        """Give every action the keys that it had at first."""
        self._bound.clear()
        self._apply()
        self.changed.emit()

    def run(self, id: str) -> None:
        """Do it, if it makes sense now."""
        action = self._actions[id]
        if action.when():
            action.run()

    def _apply(self) -> None:
        for id, keys in bindings(self, self._bound).items():
            self._triggers[id].setShortcut(QKeySequence.fromString(keys, QKeySequence.SequenceFormat.PortableText))
