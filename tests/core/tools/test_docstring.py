from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.docstring import read_docstring

GOOGLE = """Find a train.

    Looks three days ahead.

    Args:
        origin (str): Where it starts.
        target: Where it should go, which may
            take a second line.
        *stops: On the way: in order.

    Returns:
        A list of trains.
    """
NUMPY = """Find a train.

    Looks three days ahead.

    Parameters
    ----------
    origin : str
        Where it starts.
    target
        Where it should go, which may
        take a second line.
    stops : list of str
        On the way: in order.

    Returns
    -------
    list
        Trains.
    """
SPHINX = """Find a train.

    Looks three days ahead.

    :param str origin: Where it starts.
    :param target: Where it should go, which may
        take a second line.
    :param stops: On the way: in order.
    :returns: A list of trains.
    :raises OSError: never
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_each_layout_says_what_the_parameters_mean(text: str) -> None:
    read = read_docstring(text)
    assert read.description == "Find a train.\n\nLooks three days ahead."
    assert read.parameters == {
        "origin": "Where it starts.",
        "target": "Where it should go, which may take a second line.",
        "stops": "On the way: in order.",
    }


def test_a_docstring_without_sections_is_a_description() -> None:
    text = "Say it.\n\n    Note: not a section, and neither\n    args: is this."
    assert read_docstring(text) == ("Say it.\n\nNote: not a section, and neither\nargs: is this.", {})


def test_notes_and_examples_are_for_the_model() -> None:
    text = "Find.\n\nNote:\n    Slow.\n\nReturns:\n    It.\n\nExamples\n--------\nfind()"
    assert read_docstring(text).description == "Find.\n\nNote:\n    Slow.\n\n\nExamples\n--------\nfind()"


@pytest.mark.parametrize("text", ["", None, "   "])
def test_nothing_says_nothing(text: str | None) -> None:
    assert read_docstring(text) == ("", {})


def test_text_behind_a_section_belongs_to_the_description_again() -> None:
    assert read_docstring("A.\n\nArgs:\n    x: The x.\n\nB.") == ("A.\n\n\nB.", {"x": "The x."})


@given(st.text(alphabet="Args:Returns\n -ab:param x", max_size=200))
def test_any_text_gives_an_answer(text: str) -> None:
    read = read_docstring(text)
    assert all(word in text for word in read.description.split())
