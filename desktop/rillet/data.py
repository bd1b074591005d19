"""Reads the package ``rillet.resources``: icons and lists that ship with the program.

Asks the package's loader, as ``importlib.resources`` does, which however imports tempfile, zipfile and random: 5 ms
before the first paint. Knows nothing of what it reads. Below: whoever shows or reads one of them.
"""

from __future__ import annotations

from importlib import import_module


def read(name: str) -> bytes:
    """The file ``name`` below ``resources/``. OSError when there is none."""
    package = import_module("rillet.resources")
    data: bytes = package.__loader__.get_data(f"{package.__path__[0]}/{name}")  # type: ignore[union-attr]  # (ours has one)
    return data
