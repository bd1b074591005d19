"""References inside a schema."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.wire.json_pointer import resolve

CITY = {"type": "string"}
ROOT: dict[str, Any] = {"$defs": {"City": CITY, "a/b~c": CITY, "n": 1}, "properties": {"x": CITY}}


@pytest.mark.parametrize("reference", ["#/$defs/City", "#/properties/x", "#/$defs/a~1b~0c"])
def test_a_reference_is_followed_step_by_step(reference: str) -> None:
    assert resolve(ROOT, reference) == CITY


def test_the_root_refers_to_itself_and_the_found_is_a_copy() -> None:
    found = resolve(ROOT, "#")
    assert found == ROOT
    assert found is not ROOT


@pytest.mark.parametrize(
    "reference", ["", "/$defs/City", "https://x.test/$defs/City", "#/$defs/Nowhere", "#/$defs/n", "#/a/b"]
)
def test_what_points_to_no_schema_in_here_is_none(reference: str) -> None:
    assert resolve(ROOT, reference) is None
