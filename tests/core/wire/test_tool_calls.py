from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import ToolCallDelta
from rillet.core.wire.fold import fold
from rillet.core.wire.tool_calls import ToolCallAssembler


def assemble(*fragments: dict[str, Any]) -> list[ToolCallDelta]:
    assembler = ToolCallAssembler()
    return [delta for fragment in fragments for delta in assembler.add(**fragment)] + assembler.finish()


def calls(*fragments: dict[str, Any]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in fold(assemble(*fragments)).tool_calls]


def test_a_name_is_held_until_the_arguments_begin() -> None:
    assembler = ToolCallAssembler()
    assert assembler.add(index=0, id="a", name="read_") == []
    assert assembler.add(index=0, name="file") == []
    assert assembler.add(index=0, arguments="{") == [ToolCallDelta(0, "a", "read_file", "{")]
    assert assembler.add(index=0, arguments="}") == [ToolCallDelta(0, None, None, "}")]
    assert assembler.finish() == []


def test_a_name_is_held_until_another_call_starts() -> None:
    assembler = ToolCallAssembler()
    assert assembler.add(index=0, id="a", name="now") == []
    assert assembler.add(index=1, id="b", name="later") == [ToolCallDelta(0, "a", "now", "")]
    assert assembler.finish() == [ToolCallDelta(1, "b", "later", "")]


def test_a_name_that_goes_on_after_its_announcement_is_ignored() -> None:
    fragments = ({"index": 0, "name": "f"}, {"index": 1, "name": "g"}, {"index": 0, "name": "more", "arguments": "{}"})
    assert calls(*fragments) == [("f", "{}"), ("g", "")]


def test_a_call_waits_for_the_ones_that_appeared_before_it() -> None:
    assembler = ToolCallAssembler()
    assert assembler.add(index=0, arguments='{"x":') == []
    assert assembler.add(index=1, id="b", name="g", arguments="{}") == []
    assert assembler.add(index=0, id="a", name="f", arguments="1}") == [
        ToolCallDelta(0, "a", "f", '{"x":1}'),
        ToolCallDelta(1, "b", "g", "{}"),
    ]


def test_a_call_without_a_name_is_dropped_and_reported() -> None:
    assembler = ToolCallAssembler()
    assert assembler.add(index=0, arguments="{}") == []
    assert assembler.add(index=1, name="g", arguments="{}") == []
    assert assembler.finish() == [ToolCallDelta(0, None, "g", "{}")]
    assert assembler.malformed
    assert assembler.announced == 1


def test_an_unknown_id_adopts_the_call_at_its_index_that_has_none() -> None:
    assert assemble({"index": 0, "name": "f", "arguments": "{"}, {"index": 0, "id": "late", "arguments": "}"}) == [
        ToolCallDelta(0, None, "f", "{"),
        ToolCallDelta(0, "late", None, "}"),
    ]


def test_a_known_id_beats_its_index() -> None:
    fragments = (
        {"index": 1, "id": "a", "name": "f", "arguments": "{"},
        {"index": 0, "id": "a", "name": "f", "arguments": "}"},
    )
    assert calls(*fragments) == [("f", "{}")]


def test_an_index_means_the_call_that_used_it_last() -> None:
    fragments = (
        {"index": 0, "id": "a", "name": "f", "arguments": "{"},
        {"index": 0, "id": "b", "name": "g", "arguments": "["},
        {"index": 0, "arguments": "]"},
        {"index": 0, "id": "a", "arguments": "}"},
    )
    assert calls(*fragments) == [("f", "{}"), ("g", "[]")]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"x":1}', [("f", '{"x":1}'), ("f", "{}")]),
        ('"{\\"x\\":1}"', [("f", '"{\\"x\\":1}"'), ("f", "{}")]),
        ('{"x":"}', [("f", '{"x":"}{}')]),
        ("", [("f", "{}")]),
    ],
)
def test_without_index_and_id_a_name_starts_a_call_only_after_whole_arguments(
    arguments: str, expected: list[tuple[str, str]]
) -> None:
    assert calls({"name": "f", "arguments": arguments}, {"name": "f", "arguments": "{}"}) == expected


def test_without_index_and_id_a_fragment_without_a_name_always_continues() -> None:
    assert calls({"name": "f", "arguments": "{}"}, {"arguments": " "}) == [("f", "{} ")]


def test_metadata_is_on_the_announcement_or_on_the_fragment_that_brought_it() -> None:
    deltas = assemble(
        {"index": 0, "name": "f", "metadata": {"a": 1}},
        {"index": 0, "arguments": "{}", "metadata": {"b": 2}},
        {"index": 0, "metadata": {"c": 3}},
    )
    assert [delta.provider_metadata for delta in deltas] == [{"a": 1, "b": 2}, {"c": 3}]


def test_a_character_in_two_halves_is_one_in_the_arguments() -> None:
    deltas = assemble(
        {"index": 0, "name": "f", "arguments": '{"x":"\ud83d'},
        {"index": 0, "arguments": '\ude00"}'},
        {"index": 0, "arguments": "\ud83d"},
    )
    assert "".join(delta.arguments for delta in deltas) == '{"x":"😀"}\ufffd'


fragment = st.fixed_dictionaries(
    {
        "index": st.one_of(st.none(), st.integers(0, 2)),
        "id": st.sampled_from(["", "", "a", "b", "c"]),
        "name": st.sampled_from(["", "", "f", "g"]),
        "arguments": st.sampled_from(["", "{", "}", '{"x":1}', "\ud83d", "\ude00"]),
    }
)


@given(st.lists(fragment, max_size=12))
def test_whatever_the_fragments_calls_are_counted_without_gaps_and_named_once(fragments: list[dict[str, Any]]) -> None:
    deltas = assemble(*fragments)
    named: list[int] = []
    for delta in deltas:
        if delta.name:
            named.append(delta.index)
        assert delta.index in named
        delta.arguments.encode()
    assert named == list(range(len(named)))
