"""How far the reading of a document has come.

Pure. Below: ``pdf`` says it page by page, ``extractor`` passes it on now and then, ``reading`` tells it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

EVERY: Final = 0.1
"""Seconds between two times that it is told: more often nobody can read it."""


class Progress(msgspec.Struct, frozen=True):
    """The page that is being read."""

    page: int
    """From 1 on."""
    pages: int
    """How many there are."""


Piece: TypeAlias = str | Progress
"""What a reader of documents finds: text, or how far it has come."""
Tell: TypeAlias = Callable[[Progress], None]
"""Is told it; on the event loop that reads."""
