"""How much of a file is read, and how long that may take.

What strangers wrote can be made to take any time and memory. Below: everything in this package. Each cap that cuts
something is told in the text itself, so the person and the model both know.
"""

from __future__ import annotations

from typing import Final

import msgspec

MEGABYTE: Final = 1_000_000


LEFT_OUT: Final = "left out …]"
"""How every note in a text ends that says that something of the file is not in it."""


class Caps(msgspec.Struct, frozen=True, kw_only=True):
    """The caps. Sizes in bytes unless they say otherwise."""

    file: int = 200 * MEGABYTE
    """Larger files are not opened."""
    kept: int = 20 * MEGABYTE
    """Up to here a document is kept as it is beside its text, so that it can be sent as a file."""
    text: int = 4 * MEGABYTE
    """Characters of text: about a million tokens, more than nearly every model has room for."""
    unpacked: int = 400 * MEGABYTE
    """What one packed part of a document may unpack to."""
    rows: int = 20_000
    """Rows of one sheet."""
    columns: int = 500
    """Cells of one row."""
    seconds: float = 40.0
    """After which what was read until then has to do."""
    memory: int = 2 << 30
    """Of the process that reads."""
