"""A screen reader without a voice: prints what AT-SPI tells of the program under test. For the system's Python.

Prints "ready" when it listens; ends when it has heard the word of its argument, with one line of JSON: what was heard,
and every accessible object with its depth, role, name, description, states and text.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import gi  # type: ignore[import-not-found]

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # type: ignore[import-not-found]  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

STATES = ("SHOWING", "FOCUSABLE")
heard: list[str] = []


def describe(accessible: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    states = accessible.get_state_set()
    interface = accessible.get_text_iface()
    text = Atspi.Text.get_text(interface, 0, Atspi.Text.get_character_count(interface)) if interface else ""
    yield {
        "depth": depth,
        "role": accessible.get_role_name(),
        "name": accessible.get_name(),
        "description": accessible.get_description(),
        "states": [name for name in STATES if states.contains(getattr(Atspi.StateType, name))],
        "text": text,
    }
    for index in range(accessible.get_child_count()):
        child = accessible.get_child_at_index(index)
        if child is not None:
            yield from describe(child, depth + 1)


def program() -> Any:
    desktop = Atspi.get_desktop(0)
    found = (desktop.get_child_at_index(index) for index in range(desktop.get_child_count()))
    return next((one for one in found if one and one.get_name() == "rillet-under-test"), None)


def hear(event: Any) -> None:
    heard.append(event.any_data)
    if event.any_data == sys.argv[1]:
        GLib.idle_add(end)


def end() -> None:
    tell(json.dumps({"heard": heard, "objects": list(describe(program()))}))
    Atspi.event_quit()


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def begin() -> bool:
    if program() is None:
        return True
    tell("ready")
    return False


Atspi.init()
listener = Atspi.EventListener.new(hear)
listener.register("object:announcement")
GLib.timeout_add(50, begin)
Atspi.event_main()
