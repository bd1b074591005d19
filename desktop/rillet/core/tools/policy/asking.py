"""The question whether a call may run: everything that somebody needs to judge it, with nothing left out or hidden.

Knows no rules. Above: ``calls``, ``visible``. Below: ``policy`` decides when to ask; cards show what is in ``data``.

``Request.data`` of an approval, JSON values; texts for people were made visible, so that ``visible.restored`` gives
back exactly what would run:

    tool, source      who is called
    arguments         exactly what it gets: JSON text in ASCII
    shown             the command, or the arguments laid out; all of it
    length            characters of that, before they were made visible
    effects           "read", "write", "execute", "network"
    scopes            what may be answered as ``Answer.data["scope"]``: "once", "chat", "folder", "always"
    folder            the workspace; an answer "always" for what is done there holds there
    why               why it is asked
    warnings          sentences on what is easily overlooked
    command, argv     of a shell: the text, and its words when it is one plain command
    base              where it would run, in the workspace; null when that is elsewhere
    paths             of file tools: what they name
    address, host     of a fetch: the address, and who it leads to, as name servers know it
    diff, sandbox     what the tool itself says of the call: what it would change, how far it is confined
    request           of an HTTP tool: the method and the address of what it would send
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from rillet.core.scripts import is_mixed
from rillet.core.tools.tool import Effect
from rillet.core.types.suspension import APPROVAL, Request
from rillet.core.visible import hidden_in, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rillet.core.tools.policy.calls import Call
    from rillet.core.tools.policy.grants import Scope
    from rillet.core.tools.tool import Tool

LONG: Final = 2000
"""Characters that nobody takes in at a glance."""
_SHORT: Final = 80
"""Characters of paths that a question holds; a card lists longer ones."""
_WORD: Final = re.compile(r"\w+")
_PREVIEWED: Final = ("diff", "request", "sandbox")


def question(
    tool: Tool, args: dict[str, Any], call: Call, *, id: str, expires_at: float, scopes: Sequence[Scope], why: str
) -> Request:
    """What to ask about ``call``; ``id`` names exactly it."""
    exact = call.command if call.command is not None else laid_out(args)
    shown = visible(exact)
    preview = _preview(tool, args)
    data: dict[str, Any] = {
        "tool": call.tool,
        "source": call.source,
        "arguments": json.dumps(args, sort_keys=True),
        "shown": shown,
        "length": len(exact),
        "effects": sorted(call.effects),
        "scopes": list(scopes),
        "folder": call.folder and visible(call.folder),
        "why": why,
        "warnings": [*_warnings(exact, shown, call), *preview.pop("warnings", ())],
    }
    return Request(
        id=id, kind=APPROVAL, prompt=_prompt(call), data=data | _details(call) | preview, expires_at=expires_at
    )


def laid_out(args: dict[str, Any]) -> str:
    """The arguments as JSON for people: letters of all scripts as they are, one value in a line."""
    return json.dumps(args, ensure_ascii=False, indent=2)


def _prompt(call: Call) -> str:
    if call.command is not None:
        return "Run this command?"
    if call.address is not None:
        return f"Fetch from {call.host[0]}?" if call.host is not None else "Fetch from this address?"
    if call.paths is not None:
        verb = "Change" if Effect.WRITE in call.effects else "Read"
        paths = ", ".join(map(visible, call.paths))
        return f"{verb} {paths}?" if len(paths) <= _SHORT else f"{verb} these files?"
    return f"Run the tool {call.tool}?"


def _details(call: Call) -> dict[str, Any]:
    """What the kind of the call has beyond its arguments."""
    details: dict[str, Any] = {}
    if call.command is not None:
        details |= {"command": visible(call.command), "base": call.base and visible(call.base)}
        details |= {"argv": list(call.words)} if call.words is not None else {}
    if call.address is not None:
        details |= {"address": visible(call.address), "host": call.host and call.host[0]}
    if call.paths is not None:
        details["paths"] = [visible(path) for path in call.paths]
    return details


def _preview(tool: Tool, args: dict[str, Any]) -> dict[str, Any]:
    if tool.preview is None:
        return {}
    try:
        told = tool.preview(args)
    except Exception as error:  # noqa: BLE001 (a boundary: code of hosts; the question is asked all the same)
        return {"warnings": [f"What it would change cannot be shown: {visible(str(error))}"]}
    return {name: visible(told[name]) for name in _PREVIEWED if isinstance(told.get(name), str)}


def _warnings(exact: str, shown: str, call: Call) -> Iterator[str]:
    hidden = sum(map(exact.count, hidden_in(exact) - {"\t"}))
    if hidden:
        yield f"{_count(hidden, 'character')} in it cannot be seen; shown by number."
    if shown != exact and not hidden:
        yield "It has long gaps, or brackets that stand for hidden characters."
    mixed = [] if exact.isascii() else sorted(filter(is_mixed, set(_WORD.findall(exact))))
    if mixed:
        yield f"Letters of several alphabets stand in one word: {', '.join(map(visible, mixed[:3]))}."
    if any(unicodedata.bidirectional(char) in ("R", "AL") for char in set(exact)):
        yield "Some of it is written from right to left; it runs in the order of its characters."
    if call.command is not None and not call.command.isascii():
        yield "The command has letters beyond plain ASCII; some look like others."
    if call.command is not None and call.words is None:
        yield "It is more than one plain command: the shell interprets it."
    if call.command is not None and call.folder is not None and call.base is None:
        yield "It would run outside of the workspace."
    if call.address is not None and call.host is None:
        yield "The address is unusual: programs may disagree on where it leads."
    if len(exact) > LONG:
        yield f"It is {len(exact):,} characters long: read to its end."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
