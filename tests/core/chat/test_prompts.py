"""Prompts with gaps."""

from __future__ import annotations

import pytest

from rillet.core.chat.prompts import fill, gaps


def test_each_gap_is_asked_for_once_in_the_order_of_the_text() -> None:
    assert gaps("{{b}} and {{ a }}, {{b}} again") == ("b", "a")


def test_every_gap_of_a_name_is_filled() -> None:
    assert fill("{{who}}, {{ who }}: {{what}}", {"who": "You", "what": "write"}) == "You, You: write"


def test_what_is_filled_in_is_left_as_it_is() -> None:
    assert fill("{{a}}{{b}}", {"a": "{{b}}", "b": r"\1"}) == r"{{b}}\1"


def test_a_gap_without_a_value_stays() -> None:
    assert fill("{{a}} {{b}}", {"a": "x"}) == "x {{b}}"


@pytest.mark.parametrize("text", ["{{}}", "{{ }}", "{a}", "{{a.b}}", "{{\n}}", "{{-}}", "{{{", "{% a %}"])
def test_braces_without_a_name_are_no_gap(text: str) -> None:
    assert gaps(text) == ()
    assert fill(text, {"a": "x", "": "y"}) == text


def test_names_may_have_several_words_of_any_script() -> None:
    assert gaps("{{target language}} {{言語}} {{to-do}}") == ("target language", "言語", "to-do")
