from __future__ import annotations

import json

import pytest

from rillet.widgets.transcript.model import Section
from rillet.widgets.transcript.tool import LINES, SHOWN, ApprovalAnswer, ApprovalRequest, ToolSection, fenced


def _written(arguments: str, name: str = "write") -> ToolSection:
    section = ToolSection(name, "call_1", growing=True)
    section.append(arguments)
    section.finish()
    return section


def test_a_closed_card_is_one_tile_and_an_open_one_shows_arguments_and_result() -> None:
    section = _written('{"path":"a.md"}')
    assert [tile.kind for tile in section.shown()] == ["tool"]
    section.set_result("done", "done", 0.1)
    section.expanded = True
    kinds = [tile.kind for tile in section.shown()]
    assert kinds == ["tool", "code", "code"]
    texts = [tile.text for tile in section.shown()][1:]
    assert texts == ['{\n  "path": "a.md"\n}', "done"]


def test_tiles_of_an_open_card_stay_the_same_until_the_result_comes() -> None:
    section = _written('{"path":"a.md"}')
    section.expanded = True
    before = list(section.shown())
    assert list(section.shown()) == before
    section.set_result("done", "done", None)
    assert section.shown()[0] is before[0]
    assert len(list(section.shown())) == 3


def test_a_question_stands_below_its_card_until_the_call_goes_on() -> None:
    section = _written("{}")
    section.set_status("waiting")
    section.request = ApprovalRequest("1", "write", "{}")
    assert [tile.kind for tile in section.shown()] == ["tool", "approval"]
    section.set_status("running")
    assert [tile.kind for tile in section.shown()] == ["tool"]


def test_the_last_lines_are_those_of_the_layout_while_arguments_arrive() -> None:
    section = ToolSection("write", growing=True)
    for piece in ('{"path":"a.py","content":"imp', "ort math\\n\\nprint(", "1)\\nx"):
        section.append(piece)
    while section.draw():
        pass
    assert section.excerpt(3) == ["", "print(1)", "x"]
    assert section.excerpt(9)[1] == '  "path": "a.py",'


def test_a_giant_argument_is_kept_whole_and_drawn_in_slices() -> None:
    text = json.dumps({"content": "a line of code\n" * 400_000})
    section = ToolSection("write", growing=True)
    draws = 0
    for at in range(0, len(text), 40_000):
        section.append(text[at : at + 40_000])
        while section.draw():
            draws += 1
    section.finish()
    assert section.arguments == text
    assert 3 < draws < 2 * SHOWN // 8192
    assert section.excerpt(2) == ["a line of code", '"}']


def test_what_is_not_shown_of_a_giant_call_is_told() -> None:
    section = _written(json.dumps({"content": "x" * 1_000_000}))
    section.set_result("y" * 2_000_000, "done", None)
    section.expanded = True
    shown = sum(len(tile.text) for tile in section.shown())
    assert shown < 3 * SHOWN
    told = [tile.text for tile in section.shown() if tile.kind == "text"]
    assert told == [
        f"{section.size - SHOWN:,} more characters are not shown.",
        f"{2_000_000 - SHOWN:,} more characters are not shown.",
    ]


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        ('{"path":"notes.md","line":3}', "notes.md"),
        ('{"line": 3}', '{"line": 3}'),
        ("{}", ""),
        ("", ""),
        ('{"text":"two\\nlines"}', "two lines"),
        ('{"cut": "of', '{"cut": "of'),
    ],
)
def test_the_head_of_a_card_sums_the_call_up(arguments: str, summary: str) -> None:
    assert _written(arguments).summary == summary


@pytest.mark.parametrize("text", ["plain", "```\nfence\n```", "````` five", "line\n"])
def test_any_text_fits_into_a_fence(text: str) -> None:
    section = Section("markdown", fenced(text, "result"))
    (tile,) = section.tiles()
    assert tile.kind == "code"
    assert tile.text == text


def test_only_no_is_no() -> None:
    request = ApprovalRequest("1", "write", "{}")
    assert [ApprovalAnswer(request, choice).ok for choice in ("once", "chat", "always", "no")] == [
        True,
        True,
        True,
        False,
    ]


def test_a_call_that_is_over_tells_how_long_it_ran() -> None:
    section = _written("{}")
    section.set_status("running")
    section.set_result("ok", "done", None)
    assert section.seconds is not None
    assert section.over


@pytest.mark.parametrize("text", ["[" + "1," * 200_000, "[" * 200_000, "\n" * 200_000])
def test_what_has_a_line_for_every_character_is_bounded_too(text: str) -> None:
    section = _written(text)
    section.set_result(text, "done", None)
    section.expanded = True
    assert sum(tile.text.count("\n") + 1 for tile in section.shown() if tile.kind == "code") < 3 * LINES
    assert sum("more characters" in tile.text for tile in section.shown()) >= 1


def test_a_result_of_just_as_many_lines_is_whole() -> None:
    section = _written("")
    section.set_result("\n".join(map(str, range(LINES))), "done", None)
    section.expanded = True
    assert [tile.text for tile in section.shown() if tile.kind == "text"] == []
