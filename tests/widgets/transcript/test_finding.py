from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from rillet.widgets.transcript.finding import FindOptions, Hits, Needle
from rillet.widgets.transcript.model import Entry, Section
from rillet.widgets.transcript.tool import SHOWN, ToolSection
from support.views import answer, question


def _entries(*entries: Entry) -> list[Entry]:
    for index, entry in enumerate(entries):
        entry.index = index
    return list(entries)


def _hits(needle: Needle, entries: list[Entry]) -> Hits:
    hits = Hits(needle, entries)
    hits.count_on()
    return hits


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
    assert list(Needle(needle, options).places(text)) == places


@given(
    st.text("aAbİß\u03a3\u03c2\u03c3 _"), st.text("aAbİß\u03a3\u03c2\u03c3 _", min_size=1), st.booleans(), st.booleans()
)
def test_counting_agrees_with_the_places(text: str, needle: str, case: bool, words: bool) -> None:
    looked_for = Needle(needle, FindOptions(case=case, words=words))
    places = list(looked_for.places(text))
    assert looked_for.count(text) == len(places)
    assert all(end - start == len(needle) for start, end in places)
    if case:
        assert all(text[start:end] == needle for start, end in places)


def test_hits_are_numbered_through_all_messages() -> None:
    entries = _entries(question("one two"), answer("two\n\ntwo", reasoning="two"), question("three"))
    hits = _hits(Needle("two"), entries)
    assert len(hits) == 4
    assert [hits[i] for i in range(4)] == [(0, 0, 0, 4, 7), (1, 0, 0, 0, 3), (1, 1, 0, 0, 3), (1, 1, 0, 5, 8)]
    with pytest.raises(IndexError):
        hits[4]


def test_the_first_hit_from_a_place_on_is_found() -> None:
    entries = _entries(question("two"), question("none"), answer("two and two"))
    hits = _hits(Needle("two"), entries)
    assert hits.before(0, 0, 0, 0) == 0
    assert hits.before(0, 0, 0, 1) == 1
    assert hits.before(1, 0, 0, 0) == 1
    assert hits.before(2, 0, 0, 1) == 2
    assert hits.before(2, 0, 0, 9) == len(hits)


def test_nothing_is_found_in_no_messages() -> None:
    assert len(_hits(Needle("x"), [])) == 0
    assert _hits(Needle("x"), []).before(0, 0, 0, 0) == 0
    assert len(_hits(Needle("x"), _entries(Entry("assistant", [Section("markdown", "")])))) == 0


def _call(arguments: str, output: str | None = None, *, growing: bool = False) -> ToolSection:
    section = ToolSection("read", "id", arguments, growing=growing)
    if output is not None:
        section.set_result(output, "done", 0.1)
    return section


def test_arguments_and_results_of_tools_are_looked_through_and_their_labels_are_not() -> None:
    call = _call('{"json": "two", "result": [2]}', "json: two\ntwo")
    entries = _entries(question("two"), Entry("assistant", [call, Section("markdown", "two")]))
    hits = _hits(Needle("two"), entries)
    assert [hits[i][:3] for i in range(len(hits))] == [(0, 0, 0), (1, 0, 0), (1, 0, 1), (1, 0, 1), (1, 1, 0)]
    assert len(_hits(Needle("json"), entries)) == 2
    assert hits.before(1, 0, 1, 7) == 3
    for index in range(len(hits)):
        hit = hits[index]
        shown, start = entries[hit.entry].sections[hit.section].place_in(hit.part, hit.start)
        assert shown.text[start : start + 3] == "two"


def test_a_call_is_looked_through_when_it_is_written_and_again_when_it_was_answered() -> None:
    call = _call("", growing=True)
    entries = _entries(Entry("assistant", [call]))
    call.append('{"a": "two"}')
    hits = _hits(Needle("two"), entries)
    assert len(hits) == 0
    call.finish()
    hits.touch(0)
    hits.count_on()
    assert len(hits) == 1
    call.set_result("two", "done", None)
    hits.touch(0)
    hits.count_on()
    assert len(hits) == 2


def test_counting_in_slices_begins_at_a_message_and_goes_on_from_the_first_one() -> None:
    entries = _entries(*(question("two " * number) for number in range(1, 5)))
    hits = Hits(Needle("two"), entries, 2)
    counted = []
    while not hits.complete:
        hits.count_on(0)
        counted.append(len(hits))
    assert counted == [3, 7, 8, 10]
    assert [hits[index] for index in range(10)] == [_hits(Needle("two"), entries)[index] for index in range(10)]


class Changes(RuleBasedStateMachine):
    """Whatever comes, changes and goes between slices of counting: in the end it is as if counted anew."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self.hits = Hits(Needle("ab"), self.entries)

    @rule(texts=st.lists(st.text("ab ", max_size=9), max_size=4))
    def come(self, texts: list[str]) -> None:
        self.entries += _entries(*map(question, texts))
        self.hits.refresh()

    @rule(data=st.data(), text=st.text("ab ", max_size=9))
    def change(self, data: st.DataObject, text: str) -> None:
        if self.entries:
            index = data.draw(st.integers(0, len(self.entries) - 1))
            self.entries[index].sections[0].text = text
            self.hits.touch(index)

    @rule(data=st.data())
    def go(self, data: st.DataObject) -> None:
        del self.entries[data.draw(st.integers(0, len(self.entries))) :]
        self.hits.refresh()

    @rule(first=st.integers(0, 9))
    def look_for_it_again(self, first: int) -> None:
        self.hits = Hits(Needle("ab"), self.entries, min(first, len(self.entries)))

    @rule()
    def count(self) -> None:
        self.hits.count_on(0)

    @rule()
    def count_to_the_end(self) -> None:
        self.hits.count_on()
        anew = _hits(Needle("ab"), self.entries)
        assert self.hits.complete
        assert [self.hits[index] for index in range(len(self.hits))] == [anew[index] for index in range(len(anew))]
        assert all(anew.before(*anew[index][:4]) == index for index in range(len(anew)))


TestChanges = Changes.TestCase


def test_what_is_not_shown_of_a_result_is_not_found() -> None:
    entries = _entries(Entry("assistant", [_call("", "x" * SHOWN + "two")]))
    assert len(_hits(Needle("two"), entries)) == 0


@pytest.mark.parametrize("part", [0, 1])
def test_a_place_under_a_card_leads_back_to_the_text_that_it_was_found_in(part: int) -> None:
    call = _call('{"text": "```"}', "````\nmore")
    shown, start = call.place_in(part, 0)
    assert shown.text[start:].startswith(call.texts[part])
    assert call.part_of(shown.tiles()[0]) == (part, 0)


def test_arguments_are_laid_out_only_where_the_words_may_be() -> None:
    calls = [_call('{"a":1,"b":"two"}'), _call('{"a":1}', "three")]
    entries = _entries(Entry("assistant", [*calls]))
    assert len(_hits(Needle('1,\n  "B"'), entries)) == 1, "as it is laid out"
    assert [bool(call._parts) for call in calls] == [True, False]
    assert len(_hits(Needle("Three"), entries)) == 1
    assert len(_hits(Needle(" "), entries)) > 0
