"""A desktop with a portal: says what it is asked for, and presses each notice at once. Needs a Python that has gi."""

from __future__ import annotations

import json
import sys
from typing import Any

from gi.repository import Gio, GLib  # type: ignore[import-not-found]  # (the system has it)

PATIENCE = 60
INTERFACE = """
<node><interface name="org.freedesktop.portal.Notification">
  <method name="AddNotification"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/></method>
  <method name="RemoveNotification"><arg type="s" direction="in"/></method>
  <signal name="ActionInvoked"><arg type="s"/><arg type="s"/><arg type="av"/></signal>
</interface></node>
"""


def say(*words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def called(bus: Any, sender: str, *call: Any) -> None:
    path, interface, method, arguments, invocation = call
    say(method, *arguments.unpack())
    invocation.return_value(None)
    if method == "AddNotification":
        name, notice = arguments.unpack()
        pressed = GLib.Variant("(ssav)", (name, notice["default-action"], []))
        bus.emit_signal(sender, path, interface, "ActionInvoked", pressed)


def acquired(bus: Any, _name: str) -> None:
    interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
    bus.register_object("/org/freedesktop/portal/desktop", interface, called, None, None)


if __name__ == "__main__":
    loop = GLib.MainLoop()
    ready, gone = (lambda *_: say("ready")), (lambda *_: loop.quit())
    Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.portal.Desktop", 0, acquired, ready, gone)
    GLib.timeout_add_seconds(PATIENCE, loop.quit)
    loop.run()
