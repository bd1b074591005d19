from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.transcript.model import Entry, Foot, Section
from support.views import ANSWER


def _ranges(section: Section) -> list[tuple[str, int, int]]:
    return [(tile.kind, tile.start, tile.end) for tile in section.tiles()]


@given(st.lists(st.integers(1, 60), min_size=1))
def test_tiles_depend_on_the_text_not_on_how_it_arrived(sizes: list[int]) -> None:
    text = ANSWER * 2
    streamed = Section("markdown", growing=True)
    at = 0
    while at < len(text):
        for size in sizes:
            if text[at : at + size]:
                streamed.append(text[at : at + size])
            at += size
    streamed.finish()
    assert _ranges(streamed) == _ranges(Section("markdown", text))


def test_a_tile_stays_the_same_object_while_text_grows_behind_it() -> None:
    section = Section("markdown", growing=True)
    section.append("A paragraph.\n\n```\ncode\n```\n")
    before = list(section.tiles())
    changed = section.append("\nAnother paragraph.")
    assert list(section.tiles())[:2] == before[:2]
    assert before[0] not in changed


def test_text_after_reasoning_begins_a_section_and_closes_the_fold() -> None:
    entry = Entry("assistant", foot=Foot(busy=True))
    entry.append("reasoning", "Hm.")
    assert entry.waiting
    changed = entry.append("markdown", "Yes.")
    assert [section.kind for section in entry.sections] == ["reasoning", "markdown"]
    assert entry.sections[0].fold in changed
    assert not entry.sections[0].growing
    assert not entry.waiting


def test_reasoning_takes_room_only_while_its_fold_is_open() -> None:
    entry = Entry("assistant", [Section("reasoning", "Hm."), Section("markdown", "Yes.")])
    entry.flatten()
    assert [tile.kind for tile in entry.tiles or ()] == ["fold", "text", "footer"]
    entry.sections[0].expanded = True
    entry.flatten()
    assert [tile.kind for tile in entry.tiles or ()] == ["fold", "text", "text", "footer"]


def test_copying_leaves_reasoning_out() -> None:
    entry = Entry("assistant", [Section("reasoning", "Hm."), Section("markdown", "Yes *indeed*.")])
    assert entry.source == "Yes *indeed*."


@pytest.mark.parametrize("lines", [1, 10, 63, 64, 65, 400])
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_fence_of_any_length_gives_its_code_back(lines: int, indent: str) -> None:
    code = "\n".join(f"line {i}" + "x" * (i % 7) for i in range(lines))
    source = f"{indent}```c\n" + "".join(f"{indent}{line}\n" for line in code.split("\n")) + f"{indent}```\n"
    section = Section("markdown", source)
    assert section.fence_text(section.tiles()[0]) == code


@given(st.text(alphabet="ab \n", max_size=200), st.integers(0, 5))
def test_plain_text_is_cut_into_pieces_that_hold_all_of_it(text: str, repeats: int) -> None:
    text = text * 10**repeats if len(text) * 10**repeats < 60_000 else text
    tiles = Section("plain", text).tiles()
    rebuilt = tiles[0].text
    for above, tile in pairwise(tiles):
        rebuilt += text[above.end : tile.start] + tile.text
    assert rebuilt == text or rebuilt + "\n" == text
    assert all(len(tile.text) <= 3 * 4096 for tile in tiles)


def test_a_late_link_definition_changes_the_text_above_it() -> None:
    section = Section("markdown", growing=True)
    section.append("See [this][1].\n\n```\nx\n```\n\n[1]: https://example.org/\n")
    assert section.tiles()[0] in section.finish()
