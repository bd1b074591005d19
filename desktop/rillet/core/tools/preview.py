"""What a call would do, as its tool shows it to whoever is asked whether it may run.

Knows no rules and no tool in particular. Above: ``tool``. Below: ``policy/asking`` puts it into the question,
``toolkit`` looks again before what was approved runs. Blocks as disks do: on a thread, if the tool reads files.
Guarantee: a tool that cannot show what it would do is no obstacle to asking; that it could not, is what was shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rillet.core.visible import visible

if TYPE_CHECKING:
    from rillet.core.tools.tool import Tool

TOLD: Final = ("diff", "request", "sandbox")
BINDING: Final = "binding"
"""The key of a preview under which a tool names what it would do: other names for other deeds."""
_NOTHING: Final = "unknown"
"""The name for what could not be shown."""


class Preview(NamedTuple):
    """What a call would do."""

    told: dict[str, str]
    """For people, made visible."""
    binding: str | None = None
    """Names what was shown: the call runs only while it would do the same. None: arguments say it all."""
    trouble: str | None = None
    """Why nothing can be shown."""


def previewed(tool: Tool, args: dict[str, Any]) -> Preview:
    """Ask the tool."""
    if tool.preview is None:
        return Preview({})
    try:
        told = tool.preview(args)
    except Exception as error:  # noqa: BLE001 (a boundary: code of hosts; the question is asked all the same)
        return Preview({}, _NOTHING, visible(str(error)))
    shown = {name: visible(told[name]) for name in TOLD if isinstance(told.get(name), str)}
    binding = told.get(BINDING)
    return Preview(shown, binding if isinstance(binding, str) else None)
