"""What tools of MCP servers are called: ``server_tool``, legal for every provider, and impossible to mix up.

Pure. Above: ``tool``. Below: ``offer`` names what a server lists. Guarantees: the same server and tool always give the
same name; a name that had to be shortened, or that lost a letter, ends in a hash of the original, so that two originals
never share it by chance; and whatever could still be taken for something else is refused, both sides named.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST: Final = 64
"""Characters of a name (``tool.NAME``)."""
_HASH = 6
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]+")
_LOOKALIKES: Final = str.maketrans(
    # Cyrillic and Greek letters that are drawn like Latin ones (Unicode TR 39, confusables), and digits like letters.
    "аеорсухіјѕһԁԛԝмтнквгпάαβεηικνορτυχωγ01|",
    "aeopcyxijshdqwmthkbrnaabenikvoptuxwyoll",
)
_LETTER_I = str.maketrans("i", "l")


def tool_name(server: str, tool: str) -> str:
    """The name under which a model is offered the tool ``tool`` of ``server``."""
    plain_server, plain_tool = _plain(server), _plain(tool)
    name = f"{plain_server}_{plain_tool}"
    is_whole = _is_faithful(server) and _is_faithful(tool) and bool(plain_server) and bool(plain_tool)
    if is_whole and len(name) <= LONGEST:
        return name
    mark = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    room = LONGEST - _HASH - 1
    if len(name) > room:  # the end of a tool's name tells more than that of a server's
        kept_server = plain_server[: max(room // 3, room - len(plain_tool) - 1)]
        name = f"{kept_server}_{plain_tool[: room - len(kept_server) - 1]}"
    return f"{name.strip('_')}_{mark}".lstrip("_")


def skeleton(name: str) -> str:
    """What remains of a name that is read in passing: names with equal skeletons could be taken for each other."""
    text = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKALIKES)
    text = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in text if letter.isalnum()).translate(_LETTER_I)


def collisions(tools: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> dict[tuple[str, str], str]:
    """Which of ``tools``, each a server and its own name for the tool, must not be offered, and why.

    ``taken`` are names of ours. Of two strangers that look alike neither is offered: nobody knows which one is meant.
    """
    ours = {skeleton(name): name for name in taken}
    alike: dict[str, list[tuple[str, str]]] = {}
    for server, tool in tools:
        alike.setdefault(skeleton(server + tool), []).append((server, tool))
    refused: dict[tuple[str, str], str] = {}
    for shape, group in alike.items():
        for named in group:
            if shape in ours:
                refused[named] = f"{_label(named)} could be taken for {ours[shape]}, a tool of this program"
            elif len(group) > 1:
                others = " or ".join(_label(other) for other in group if other != named) or "another of that name"
                refused[named] = f"{_label(named)} could be taken for {others}"
    return refused


def _label(named: tuple[str, str]) -> str:
    server, tool = named
    return f"{tool} of {server}"


def _plain(text: str) -> str:
    return _ILLEGAL.sub("_", text.replace(".", "_")).strip("_")


def _is_faithful(text: str) -> bool:
    """Whether nothing but punctuation was lost."""
    return text.isascii() and any(letter.isalnum() for letter in text)
