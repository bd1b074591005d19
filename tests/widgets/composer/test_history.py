from __future__ import annotations

from rillet.widgets.composer.history import LENGTH, History


def test_walking_back_and_forth_ends_in_the_empty_field() -> None:
    history = History(["a", "b"])
    assert history.older("") == "b"
    assert history.older("b") == "a"
    assert history.older("a") is None
    assert history.newer("a") == "b"
    assert history.newer("b") == ""
    assert history.newer("") is None


def test_what_was_typed_or_changed_never_gives_way() -> None:
    history = History(["a", "b"])
    assert history.older("typed") is None
    history.older("")
    assert history.older("b changed") is None
    assert history.newer("b changed") is None


def test_an_emptied_field_begins_at_the_end_again() -> None:
    history = History(["a", "b"])
    history.older("")
    history.older("b")
    assert history.older("") == "b"


def test_the_same_twice_is_kept_once_and_the_length_is_bounded() -> None:
    history = History(str(number) for number in range(LENGTH + 5))
    history.add("last")
    history.add("last")
    shown, count = "", 0
    while (text := history.older(shown)) is not None:
        shown, count = text, count + 1
    assert count == LENGTH
    assert shown == "6"


def test_nothing_in_it_is_nothing_to_fetch() -> None:
    history = History()
    history.add("")
    assert history.older("") is None
    assert history.newer("") is None
