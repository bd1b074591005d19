"""What tools of MCP servers are called: ``server_tool``, legal for every provider, and impossible to mix up.

Pure. Above: ``tools/names``. Below: ``offer`` names what a server lists, ``servers`` checks the servers themselves.
Guarantees: the same server and tool always give the same name; a name that had to be shortened, or that lost a letter,
ends in a hash of the original, so that two originals never share it by chance; and whatever could still be taken for
something else is refused, both sides named.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import TYPE_CHECKING, Final

from rillet.core.tools.names import LONGEST, legal_name, outline

if TYPE_CHECKING:
    from collections.abc import Iterable

_HASH = 6
_LOOKALIKES: Final = str.maketrans(
    # Cyrillic and Greek letters that are drawn like Latin ones (Unicode TR 39, confusables).
    "аеорсухіјѕһԁԛԝмтнквгпάαβεηικνορτυχωγ",
    "aeopcyxijshdqwmthkbrnaabenikvoptuxwy",
)


def tool_name(server: str, tool: str) -> str:
    """The name under which a model is offered the tool ``tool`` of ``server``."""
    words = f"{server}_{tool}"
    name = legal_name(words)
    if _is_faithful(server) and _is_faithful(tool):
        return name
    mark = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{name[: LONGEST - _HASH - 1].rstrip('_')}_{mark}"


def skeleton(name: str) -> str:
    """What remains of any name that is read in passing: names with equal skeletons could be taken for each other."""
    text = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKALIKES)
    return outline("".join(letter for letter in unicodedata.normalize("NFKD", text) if letter.isalnum()))


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
                others = " or ".join(_label(other) for other in group if other != named)
                refused[named] = f"{_label(named)} could be taken for {others}"
    return refused


def _label(named: tuple[str, str]) -> str:
    server, tool = named
    return f"{tool} of {server}"


def _is_faithful(text: str) -> bool:
    """Whether nothing but punctuation is lost."""
    return text.isascii() and any(letter.isalnum() for letter in text)
