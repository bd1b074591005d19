"""Arguments of a function call that arrive as changes to single values → the whole object.

Pure. Vertex sends them so when asked to stream arguments (``streamFunctionCallArguments``): each change names a place
by a JSON path (RFC 9535, of which only names and indexes occur) and brings a value, or the next piece of a string.
Above: nothing. Below: ``candidate``. Guarantee: changes that contradict each other, end within a string, or name a
place that cannot be, never make arguments that look whole; the work and the memory are linear in what arrived.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, TypeAlias

Step: TypeAlias = str | int

_STEP = re.compile(r"""\.([^.\[\]'"\s]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_DEEPEST = 64
_VALUES = ("stringValue", "numberValue", "boolValue", "structValue", "listValue")


class PartialArgs:
    """Assembles the arguments of one call."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._strings: dict[tuple[Step, ...], list[str]] = {}
        """Strings that are not over, in pieces."""
        self._broken = False

    def update(self, args: Any) -> None:
        """Take arguments that came whole after all."""
        if isinstance(args, dict):
            self._root.update(args)
        elif args is not None:
            self._broken = True

    def add(self, change: Any) -> None:
        """Take one change."""
        path = parse_path(change.get("jsonPath")) if isinstance(change, dict) else None
        if path is None:
            self._broken = True
            return
        goes_on = bool(change.get("willContinue"))
        text = change.get("stringValue")
        if isinstance(text, str) and (goes_on or path in self._strings):
            self._strings.setdefault(path, []).append(text)
            if not goes_on:
                self._set(path, "".join(self._strings.pop(path)))
            return
        value = next((change[key] for key in _VALUES if key in change), None)
        if value is None and "nullValue" not in change:
            return  # a place without a value: a list or an object begins there
        self._set(path, value)

    def json(self, *, cut: bool = False) -> str:
        """The arguments as JSON text; when they are not whole, text that is none and says what there is of them."""
        for path, pieces in self._strings.items():
            self._set(path, "".join(pieces))
        try:
            text = json.dumps(self._root, ensure_ascii=False)
        except (RecursionError, ValueError):
            return "{"
        return text[:-1] if cut or self._broken or self._strings else text

    def _set(self, path: tuple[Step, ...], value: Any) -> None:
        place: Any = self._root
        for step, following in pairwise(path):
            place = _child(place, step, [] if isinstance(following, int) else {})
        last = path[-1]
        if isinstance(place, dict) and isinstance(last, str):
            place[last] = value
        elif isinstance(place, list) and isinstance(last, int) and last <= len(place):
            place[last : last + 1] = [value]
        else:
            self._broken = True


def parse_path(path: Any) -> tuple[Step, ...] | None:
    """The steps of a path such as ``$.a[0]['b.c']``; None for anything else, and for a path that names the root."""
    if not isinstance(path, str) or not path.startswith("$"):
        return None
    steps: list[Step] = []
    at = 1
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or len(steps) == _DEEPEST:
            return None
        name, index, *quoted = match.groups()
        text = next((item for item in quoted if item is not None), None)
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(name if text is None else re.sub(r"\\(.)", r"\1", text))
        at = match.end()
    return tuple(steps) or None


def _child(place: Any, step: Step, new: Any) -> Any:
    """What is at a step, made if nothing is; None where the step does not fit."""
    if isinstance(place, dict) and isinstance(step, str):
        return place.setdefault(step, new)
    if isinstance(place, list) and isinstance(step, int) and step <= len(place):
        if step == len(place):
            place.append(new)
        return place[step]
    return None
