"""What a reference inside a JSON schema points to (RFC 6901).

Pure. Below: the schema translators of the styles whose servers follow no references.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def resolve(root: Mapping[str, Any], reference: str) -> dict[str, Any] | None:
    """The schema at ``reference``, such as "#/$defs/City"; None when it points to nothing, or out of ``root``."""
    if not reference.startswith("#"):
        return None
    place: Any = root
    for step in filter(None, reference[1:].split("/")):
        name = step.replace("~1", "/").replace("~0", "~")
        place = place.get(name) if isinstance(place, Mapping) else None
    return dict(place) if isinstance(place, Mapping) else None


def referent(root: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without its reference: what it refers to, and what stands beside that.

    Of one that refers to nothing, or goes in circles, only what stands beside is left.
    """
    found = dict(node)
    followed: set[str] = set()
    while isinstance(reference := found.pop("$ref", None), str) and reference not in followed:
        followed.add(reference)
        found = (resolve(root, reference) or {}) | found
    return found
