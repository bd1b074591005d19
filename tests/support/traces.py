"""What a text leaves behind in files, in every form in which the program could have written it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def traces(folder: Path, canary: str) -> list[Path]:
    """The files in and below ``folder`` that hold ``canary``, or are named after it."""
    forms = tuple(_forms(canary))
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if canary in path.name or any(form in path.read_bytes() for form in forms)]


def _forms(canary: str) -> Iterator[bytes]:
    yield canary.encode()
    yield canary.encode("utf-16-le")
    for shift in range(3):  # (in base64 a text looks different at each offset)
        encoded = base64.b64encode(b"\0" * shift + canary.encode())
        yield encoded[4 if shift else 0 : len(encoded) // 4 * 4 - 4]
