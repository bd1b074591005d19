"""Messages that try to reach the network, a file or the reader's trust; made by code, the same in every run.

A carrier is a way into the view; what is carried are addresses, tags, characters and structures, written around two
baits: a server that must never be asked, and a file that must never be read.
"""

from __future__ import annotations

from support.hostile import addresses, characters, markup, structures
from support.hostile.document import Bait, Hostile

__all__ = ["Hostile", "documents"]


def documents(base: str, canary: str) -> list[Hostile]:
    """All of them. ``base`` is the address of the server, without a final slash; ``canary`` the path of the file."""
    bait = Bait(base, canary)
    modules = (markup, addresses, characters, structures)
    made = [document for module in modules for carry in module.CARRIERS for document in carry(bait)]
    return list(dict.fromkeys(made))
