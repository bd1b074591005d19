from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.think_tags import ThinkSplitter


def split(*pieces: str) -> tuple[str, str]:
    splitter = ThinkSplitter()
    results = [*map(splitter.feed, pieces), splitter.flush()]
    return "".join(thought for thought, _ in results), "".join(text for _, text in results)


@pytest.mark.parametrize(
    ("answer", "thought", "text"),
    [
        ("<think>hm</think>yes", "hm", "yes"),
        ("\n <think>\nhm\n</think>\n\nyes\n", "hm\n", "yes\n"),
        ("<think>\n\n</think>\n\nyes", "", "yes"),
        ("<think>hm", "hm", ""),
        ("<think>a < b </thin", "a < b </thin", ""),
        ("<think>a</think>", "a", ""),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("yes <think>no</think>", "", "yes <think>no</think>"),
        ("<thinking>x", "", "<thinking>x"),
        ("<thi", "", "<thi"),
        ("  ", "", "  "),
        ("", "", ""),
    ],
)
def test_a_leading_thought_is_split_off_however_it_is_cut(answer: str, thought: str, text: str) -> None:
    assert split(answer) == (thought, text)
    assert split(*answer) == (thought, text)
    for at in range(len(answer)):
        assert split(answer[:at], answer[at:]) == (thought, text)


def test_only_a_possible_tag_is_held_back() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("<thi") == ("", "")
    assert splitter.feed("nk>a </") == ("a ", "")
    assert splitter.feed("b </think") == ("</b ", "")
    assert splitter.feed("> c") == ("", "c")
    assert splitter.done
    assert splitter.feed("</think>") == ("", "</think>")


def test_something_else_than_text_ends_the_wait_for_a_tag() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("<thi") == ("", "")
    assert splitter.flush() == ("", "<thi")
    assert splitter.done


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "/", "think>", " ", "\n", "a", "😀"]), max_size=20))
def test_nothing_is_lost_but_tags_and_blank_space(pieces: list[str]) -> None:
    thought, text = split(*pieces)
    answer = "".join(pieces)
    bare = answer.lstrip()
    if bare.startswith("<think>"):
        bare = bare.removeprefix("<think>").replace("</think>", "", 1)
    assert "".join((thought + text).split()) == "".join(bare.split())
    assert split(answer) == (thought, text)
