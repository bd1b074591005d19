from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.transcript.finding import FindOptions, Hits, Needle
from rillet.widgets.transcript.model import Entry, Section
from support.views import answer, question


def _entries(*entries: Entry) -> list[Entry]:
    for index, entry in enumerate(entries):
        entry.index = index
    return list(entries)


@pytest.mark.parametrize(
    ("needle", "text", "options", "places"),
    [
        ("a", "banana", FindOptions(), [(1, 2), (3, 4), (5, 6)]),
        ("ana", "banana", FindOptions(), [(1, 4)]),
        ("An", "banANA an", FindOptions(), [(1, 3), (3, 5), (7, 9)]),
        ("An", "banANA An", FindOptions(case=True), [(7, 9)]),
        ("an", "banana an", FindOptions(words=True), [(7, 9)]),
        ("an", "an,an_an", FindOptions(words=True), [(0, 2)]),
        ("c++", "c++ or c++.", FindOptions(words=True), [(0, 3), (7, 10)]),
        ("straße", "Die STRASSE, die Straße", FindOptions(), [(17, 23)]),
        ("ΟΔΟΣ", "οδος και οδοσ", FindOptions(), [(0, 4), (9, 13)]),
        ("x", "İİx", FindOptions(), [(2, 3)]),
        ("", "text", FindOptions(), []),
        ("longer", "long", FindOptions(), []),
    ],
)
def test_places_are_those_of_the_text_as_it_is(
    needle: str, text: str, options: FindOptions, places: list[tuple[int, int]]
) -> None:
    assert Needle(needle, options).places(text) == places


@given(
    st.text("aAbİß\u03a3\u03c2\u03c3 _"), st.text("aAbİß\u03a3\u03c2\u03c3 _", min_size=1), st.booleans(), st.booleans()
)
def test_counting_agrees_with_the_places(text: str, needle: str, case: bool, words: bool) -> None:
    looked_for = Needle(needle, FindOptions(case=case, words=words))
    places = looked_for.places(text)
    assert looked_for.count(text) == len(places)
    assert all(end - start == len(needle) for start, end in places)
    if case:
        assert all(text[start:end] == needle for start, end in places)


def test_hits_are_numbered_through_all_messages() -> None:
    entries = _entries(question("one two"), answer("two\n\ntwo", reasoning="two"), question("three"))
    hits = Hits(Needle("two"), entries)
    assert len(hits) == 4
    assert [hits[i] for i in range(4)] == [(0, 0, 4, 7), (1, 0, 0, 3), (1, 1, 0, 3), (1, 1, 5, 8)]
    with pytest.raises(IndexError):
        hits[4]


def test_the_first_hit_from_a_place_on_is_found() -> None:
    entries = _entries(question("two"), question("none"), answer("two and two"))
    hits = Hits(Needle("two"), entries)
    assert hits.first_from(0, 0, 0) == 0
    assert hits.first_from(0, 0, 1) == 1
    assert hits.first_from(1, 0, 0) == 1
    assert hits.first_from(2, 0, 1) == 2
    assert hits.first_from(2, 0, 9) == len(hits)


def test_nothing_is_found_in_no_messages() -> None:
    assert len(Hits(Needle("x"), [])) == 0
    assert Hits(Needle("x"), []).first_from(0, 0, 0) == 0
    assert len(Hits(Needle("x"), _entries(Entry("assistant", [Section("markdown", "")])))) == 0
