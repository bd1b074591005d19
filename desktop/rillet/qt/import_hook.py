"""What PySide must not look at while other threads import.

PySide puts a hook in place of ``__import__``: it reads the source of whatever has been imported and notes whether that
names PySide; while it reads, the hook is taken out, for all threads at once. Reading asks the module for attributes,
and ``pydantic.errors`` answers by importing more of pydantic, which imports ``pydantic.errors``. When another thread,
which imports something else, has just put the hook back, that goes round in a circle, and pydantic cannot be imported
for as long as the program runs (PySide6 6.11 and pydantic 2.14: every seventh import beside another). Knows nothing of
who imports pydantic. Above: nothing of Rillet. Below: ``engine``, on whose threads modules are imported. Guarantee: a
PySide that keeps no such notes is left alone.
"""

from __future__ import annotations

import sys
from typing import Final

SPARED: Final = ("pydantic.errors", "pydantic")
"""Modules that answer questions by importing."""
_IGNORED: Final = -1
"""PySide's note for a module that it need not look at."""


def spare_modules() -> None:
    """Note the modules as looked at, which is what PySide does itself once it has looked."""
    notes = getattr(sys.modules.get("shibokensupport.feature"), "pyside_feature_dict", None)
    if isinstance(notes, dict):
        for name in SPARED:
            notes.setdefault(name, _IGNORED)
