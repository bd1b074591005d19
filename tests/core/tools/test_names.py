from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.names import LONGEST, legal_name, outline
from rillet.core.tools.tool import NAME


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("get_weather", "get_weather"),
        ("get/pets/{pet-id}", "get_pets_pet-id"),
        ("Pet.find by status!", "Pet_find_by_status"),
        ("21st_builder", "_21st_builder"),
        ("-x", "_-x"),
        ("größe", "gr_e"),
        ("", "tool"),
        ("!?", "tool"),
    ],
)
def test_a_name_is_made_of_any_words(words: str, name: str) -> None:
    assert legal_name(words) == name


def test_long_words_stay_apart() -> None:
    names = {legal_name("x" * 70 + end) for end in ("", "a", "b")} | {legal_name("9" * 70)}
    assert len(names) == 4
    assert {len(name) for name in names} == {LONGEST}


@given(st.text())
def test_every_provider_takes_a_name_made_of_words(words: str) -> None:
    name = legal_name(words)
    assert NAME.fullmatch(name)
    assert re.match("[a-zA-Z_]", name)
    assert legal_name(words) == name


@pytest.mark.parametrize(
    ("one", "other"), [("read-file", "read_file"), ("READ", "read"), ("l1st", "list"), ("he110", "hello"), ("a5", "as")]
)
def test_names_that_look_alike_have_one_outline(one: str, other: str) -> None:
    assert outline(one) == outline(other)


@pytest.mark.parametrize(("one", "other"), [("read", "write"), ("get_user", "get_users"), ("step_2", "step_3")])
def test_names_that_the_eye_tells_apart_have_two(one: str, other: str) -> None:
    assert outline(one) != outline(other)
