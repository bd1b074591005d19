"""What is typed as a parameter, understood or refused with a reason."""

from __future__ import annotations

import pytest

from rillet.app.models import entered


@pytest.mark.parametrize(("text", "value"), [("", None), (" 0.7 ", 0.7), ("0,7", 0.7), ("0", 0.0), ("2", 2.0)])
def test_a_temperature_is_a_number_up_to_two(text: str, value: float | None) -> None:
    assert entered.temperature(text) == value


@pytest.mark.parametrize("text", ["hot", "2.1", "-1", "nan", "inf"])
def test_what_is_no_temperature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="from 0 to 2"):
        entered.temperature(text)


@pytest.mark.parametrize("text", ["0", "-5", "1.5", "many"])
def test_an_answer_has_a_whole_number_of_tokens(text: str) -> None:
    assert entered.longest(" 512 ") == 512
    with pytest.raises(ValueError, match="whole number"):
        entered.longest(text)


def test_stop_sequences_keep_their_spaces() -> None:
    assert entered.stops("###\n\n User:\n") == ["###", " User:"]
    assert entered.stops("\n") is None


def test_a_schema_is_taken_as_it_is_written() -> None:
    text = '{"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}'
    assert entered.schema(text) == {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}},
        "required": ["a"],
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"type": }', "line 1, column 10"),
        ("[]", "is an object"),
        ('{"type": "text"}', 'no type "text"'),
        ('{"type": 3}', "no type 3"),
        ('{"properties": []}', "“properties” is an object"),
        ('{"required": "a"}', "“required” is a list"),
        ('{"properties": {"a": {}}, "required": ["b"]}', "“b” is required"),
        ('{"items": {"properties": {"a": {"type": "int"}}}}', 'no type "int"'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_schema_that_means_nothing_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        entered.schema(text)
