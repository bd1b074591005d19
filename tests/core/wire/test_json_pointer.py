"""References inside a schema."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.wire.json_pointer import referent, resolve

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


@pytest.mark.parametrize(
    ("node", "found"),
    [
        ({"type": "object"}, {"type": "object"}),
        ({"$ref": "#/$defs/A"}, {"title": "a", "type": "string"}),
        ({"$ref": "#/$defs/A", "title": "mine"}, {"title": "mine", "type": "string"}),
        ({"$ref": "#/$defs/Loop", "title": "mine"}, {"title": "mine"}),
        ({"$ref": "#/$defs/Nowhere", "title": "mine"}, {"title": "mine"}),
        ({"$ref": 5}, {}),
    ],
)
def test_a_schema_becomes_what_it_refers_to(node: dict[str, Any], found: dict[str, Any]) -> None:
    definitions = {"A": {"$ref": "#/$defs/B", "title": "a"}, "B": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}}
    assert referent({"$defs": definitions}, node) == found
