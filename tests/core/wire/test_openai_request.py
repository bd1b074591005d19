"""What both styles of OpenAI write alike."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.types import ToolCallPart
from rillet.core.wire.openai_request import bearer, effort, endpoint, named_schema


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://x.test/v1", "https://x.test/v1/p"),
        (" https://x.test/v1/ ", "https://x.test/v1/p"),
        ("https://x.test/v1/chat/completions", "https://x.test/v1/p"),
        ("https://x.test/v1/responses", "https://x.test/v1/p"),
        ("http://[::1]:8080", "http://[::1]:8080/p"),
        ("https://x.test/v1?api-version=1#top", "https://x.test/v1/p?api-version=1"),
    ],
)
def test_an_endpoint_is_found_from_any_address_of_the_api(base_url: str, url: str) -> None:
    assert endpoint(base_url, "/p") == url


def test_a_key_loses_the_space_around_it_and_no_key_makes_no_header() -> None:
    assert bearer("\tsk-1 ") == {"Authorization": "Bearer sk-1"}
    assert bearer(" ") == bearer(None) == {}


@pytest.mark.parametrize(
    ("asked", "sent"), [(None, None), ("high", "high"), (0, "none"), (1, "low"), (1025, "medium"), (9000, "high")]
)
def test_a_budget_becomes_the_effort_that_covers_it(asked: Any, sent: str | None) -> None:
    assert effort(asked) == sent


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        (' {"x": 1}', ' {"x": 1}'),
        ("", "{}"),
        ('"{\\"x\\":1}"', '{"x":1}'),
        ('{"x', "{}"),
        ("[1]", "{}"),
        ("null", "{}"),
    ],
)
def test_arguments_are_always_an_object(arguments: str, sent: str) -> None:
    assert ToolCallPart("a", "f", arguments).object_text == sent


def test_a_schema_has_a_name_and_is_enforced_where_that_can_be_said() -> None:
    closed = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert named_schema({"title": "Größe in cm", **closed}) == {
        "name": "Gr_e_in_cm",
        "schema": {"title": "Größe in cm", **closed},
        "strict": True,
    }
    assert named_schema({"type": "object"}) == {"name": "answer", "schema": {"type": "object"}, "strict": False}
    assert len(named_schema({"title": "x" * 99})["name"]) == 64
