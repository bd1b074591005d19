"""The scanner cuts by the text alone, loses nothing, and keeps every segment small."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rillet.widgets.transcript.segmenter import Limits, Segmenter, segment
from support.markdown import sizes, sliced, texts

if TYPE_CHECKING:
    from rillet.widgets.transcript.segmenter import Segment

SMALL = Limits(soft=60, hard=70, code_soft=2, code_lines=4, code_chars=100, table_rows=3, long_line=16)
SHIPPED = Limits()
LIMITS = pytest.mark.parametrize("limits", [SHIPPED, SMALL], ids=["as shipped", "small"])


def values(segments: list[Segment]) -> list[tuple[object, ...]]:
    """Everything that a segment says."""
    return [
        (
            each.kind,
            each.start,
            each.end,
            each.stable,
            each.open,
            each.continued,
            each.more,
            each.item,
            each.ordinal,
            each.block and (each.block.language, each.block.fence, each.block.indent, each.block.head, each.block.open),
        )
        for each in segments
    ]


def fed(text: str, limits: Limits = SHIPPED) -> Segmenter:
    segmenter = Segmenter(limits)
    segmenter.feed(text)
    return segmenter


def shown(text: str) -> list[tuple[str, str]]:
    """Kind and text of the segments of an unfinished text."""
    return [(each.kind, each.text(text)) for each in fed(text).segments]


def parts(text: str) -> list[tuple[str, str]]:
    """Kind and text of the segments of a finished text."""
    return [(each.kind, each.text(text)) for each in segment(text)]


# Slicing


@LIMITS
@settings(deadline=None, max_examples=150)
@given(text=texts(), pieces=sizes())
def test_at_every_moment_the_segments_depend_on_the_text_only(limits: Limits, text: str, pieces: list[int]) -> None:
    segmenter = Segmenter(limits)
    so_far = ""
    for piece in sliced(text, pieces):
        segmenter.feed(piece)
        so_far += piece
        assert values(segmenter.segments) == values(fed(so_far, limits).segments)
    segmenter.finish()
    whole = fed(text, limits)
    whole.finish()
    assert values(segmenter.segments) == values(whole.segments)
    assert segmenter.references == whole.references


@LIMITS
@settings(deadline=None, max_examples=150)
@given(text=texts(), pieces=sizes())
def test_nothing_changes_before_the_index_that_feed_returns(limits: Limits, text: str, pieces: list[int]) -> None:
    segmenter = Segmenter(limits)
    for piece in sliced(text, pieces):
        before = [
            (id(each), value[:-1]) for each, value in zip(segmenter.segments, values(segmenter.segments), strict=True)
        ]
        first = segmenter.feed(piece)
        after = [
            (id(each), value[:-1]) for each, value in zip(segmenter.segments, values(segmenter.segments), strict=True)
        ]
        assert before[:first] == after[:first]


@LIMITS
@settings(deadline=None, max_examples=150)
@given(text=texts())
def test_segments_are_ordered_and_leave_out_only_space_and_fences(limits: Limits, text: str) -> None:
    segmenter = fed(text, limits)
    segmenter.finish()
    at = 0
    for each in segmenter.segments:
        assert at <= each.start <= each.stable <= each.end <= len(text)
        assert each.start < each.end
        assert not text[at : each.start].strip(" \t\n`~py\u2028")
        at = each.end
    assert not text[at:].strip(" \t\n`~py\u2028")


@settings(deadline=None, max_examples=100)
@given(text=st.text(max_size=300), pieces=sizes())
def test_any_characters_at_all_are_taken(text: str, pieces: list[int]) -> None:
    segmenter = Segmenter(SMALL)
    for piece in sliced(text, pieces):
        segmenter.feed(piece)
    segmenter.finish()
    whole = fed(text, SMALL)
    whole.finish()
    assert values(segmenter.segments) == values(whole.segments)


# Kinds


def test_prose_code_and_table_become_segments_of_their_own() -> None:
    text = "Look:\n\n```python\nx = 1\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nDone."
    assert parts(text) == [
        ("text", "Look:"),
        ("code", "x = 1"),
        ("table", "| a | b |\n|---|:-:|\n| 1 | 2 |"),
        ("text", "Done."),
    ]


def test_a_fence_tells_its_language_and_loses_its_indentation() -> None:
    text = "  ~~~ rust,no_run\n  fn main() {\n      a\n   }\n  ~~~"
    (code,) = segment(text)
    assert code.block is not None
    assert (code.block.language, code.block.fence, code.block.open) == ("rust,no_run", "~~~", False)
    assert code.text(text) == "fn main() {\n    a\n }"


def test_a_shorter_or_other_fence_does_not_close_code() -> None:
    assert parts("````md\n```\n~~~~\n````\nafter") == [("code", "```\n~~~~"), ("text", "after")]


def test_code_that_is_never_closed_runs_to_the_end() -> None:
    assert parts("a\n```\nb\n\nc") == [("text", "a"), ("code", "b\n\nc")]


def test_a_fence_inside_a_list_item_stays_in_the_text() -> None:
    text = "1. do\n\n   ```sh\n   make\n   ```\n2. done"
    assert parts(text) == [("text", text)]


@pytest.mark.parametrize(
    "text",
    [
        "a | b\nno delimiter",
        "- | a | b |\n  |---|---|",
        "| a | b |\n|---|",
        "    | a | b |\n    |---|---|",
        "| a | b |\n\n|---|---|",
    ],
)
def test_what_only_looks_like_a_table_is_text(text: str) -> None:
    assert {kind for kind, _ in parts(text)} == {"text"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n$$\nx\n$$\nb", [("text", "a"), ("math", "$$\nx\n$$"), ("text", "b")]),
        ("a\n\n\\[ x \\]\n\nb", [("text", "a"), ("math", "\\[ x \\]"), ("text", "b")]),
        ("$$x$$, where", [("text", "$$x$$, where")]),
        ("$$\nx\n$$ where\nmore", [("math", "$$\nx\n$$"), ("text", "where\nmore")]),
        ("$$\nx - y\n- z\n= 1\n$$", [("math", "$$\nx - y\n- z\n= 1\n$$")]),
        ("$$\nnever closed\n\n- item", [("math", "$$\nnever closed"), ("text", "- item")]),
        ("\\begin{align}\na\n\\end{align}", [("math", "\\begin{align}\na\n\\end{align}")]),
        ("- a\n  $$\n  x\n  $$\n", [("text", "- a\n  $$\n  x\n  $$")]),
        ("> $$\n> x\n> $$", [("text", "> $$\n> x\n> $$")]),
        ("    $$\n    x\n    $$", [("text", "    $$\n    x\n    $$")]),
        ("```\n$$\n```", [("code", "$$")]),
        ("| a |\n|---|\n| 1 |\n$$x$$", [("table", "| a |\n|---|\n| 1 |"), ("math", "$$x$$")]),
        ("$5 and\n$6", [("text", "$5 and\n$6")]),
    ],
)
def test_display_formulas_are_segments_of_their_own(text: str, expected: list[tuple[str, str]]) -> None:
    assert parts(text) == expected


def test_a_formula_of_too_many_lines_is_none() -> None:
    text = "$$\n" + "x\n" * 80 + "$$"
    kinds = [kind for kind, _ in parts(text)]
    assert kinds[:2] == ["math", "text"]
    assert parts(text)[0][1].count("\n") == 63


def test_an_unfinished_formula_is_shown_and_what_may_become_one_is_held_back() -> None:
    assert shown("a\n$$") == [("text", "a")]
    assert shown("a\n\\") == [("text", "a")]
    assert shown("a\n$$\nx = 1") == [("text", "a"), ("math", "$$\nx = 1")]
    assert shown("$$\nx\n$$ and") == [("math", "$$\nx\n$$")]
    assert fed("$$\nx\n$$ and").held_back()


def test_footnotes_are_noted_wherever_they_begin() -> None:
    assert fed("text\n[^n]: note\n").references == {"^n": {}}
    assert fed("text\n[a]: http://b\n").references == {}


def test_an_escaped_pipe_divides_no_cells() -> None:
    assert parts("| a \\| b | c |\n|---|---|\n| x |")[0][0] == "table"


def test_a_table_ends_where_a_block_begins() -> None:
    assert parts("| a |\n| - |\n| 1 |\n# Head") == [("table", "| a |\n| - |\n| 1 |"), ("text", "# Head")]


def test_a_table_directly_under_a_paragraph_takes_only_its_head_from_it() -> None:
    assert parts("words\n| a |\n| - |") == [("text", "words"), ("table", "| a |\n| - |")]


def test_carriage_returns_belong_to_the_line_end() -> None:
    text = "a\r\n```py\r\nx\r\n```\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n"
    assert [each.kind for each in segment(text)] == ["text", "code", "table"]


# Limits


def test_code_is_cut_by_lines_and_keeps_its_block() -> None:
    text = "```py\n" + "\n".join(f"line {n}" for n in range(150)) + "\n```"
    segments = segment(text)
    assert [len(each.text(text).split("\n")) for each in segments] == [64, 64, 22]
    assert [(each.continued, each.more) for each in segments] == [(False, True), (True, True), (True, False)]
    assert len({id(each.block) for each in segments}) == 1
    assert "\n".join(each.text(text) for each in segments) == text[6:-4]


def test_code_is_cut_rather_where_a_definition_begins() -> None:
    function = "def f(x):\n" + "    x += 1\n\n" * 6 + "    return x\n\n\n"
    text = "```py\n" + function * 10 + "```"
    segments = segment(text)
    assert [each.lines for each in segments] == [48, 48, 48, 16]
    assert all(each.text(text).startswith("def f") for each in segments)
    assert "\n".join(text[each.start : each.end] for each in segments).rstrip("\n") == (function * 10).rstrip("\n")


def test_a_table_is_cut_by_rows_and_keeps_its_head() -> None:
    text = "| a |\n|---|\n" + "\n".join(f"| {n} |" for n in range(60))
    segments = segment(text)
    assert [each.kind for each in segments] == ["table"] * 3
    assert {each.block and each.block.head for each in segments} == {"| a |\n|---|\n"}


def test_one_endless_line_of_code_is_cut_too() -> None:
    text = "```\n" + "x" * 50_000 + "\n```"
    segments = segment(text)
    assert "".join(each.text(text) for each in segments) == "x" * 50_000
    assert max(each.end - each.start for each in segments) <= SHIPPED.code_chars


def test_text_is_cut_at_a_block_after_the_soft_limit() -> None:
    paragraph = "word " * 150
    text = "\n\n".join([paragraph.strip()] * 12)
    segments = segment(text)
    assert len(segments) > 1
    assert all(not each.continued for each in segments)
    assert all(text[each.start - 2 : each.start] == "\n\n" for each in segments[1:])


def test_a_paragraph_without_an_end_is_cut_at_a_sentence() -> None:
    text = "A sentence of some words that ends here. " * 400
    segments = segment(text)
    assert all(each.text(text).endswith("here.") for each in segments[:-1])
    assert all(each.continued and each.text(text).startswith("A sentence") for each in segments[1:])
    assert max(each.end - each.start for each in segments) < SHIPPED.hard + 100


def test_a_word_without_an_end_is_cut_anywhere() -> None:
    text = "a" * 30_000
    segments = segment(text)
    assert "".join(each.text(text) for each in segments) == text
    assert max(each.end - each.start for each in segments) <= 2 * SHIPPED.hard


def test_a_cut_avoids_the_inside_of_a_code_span() -> None:
    text = "x" * 4600 + " `a. b. c. d` and more. Then the end."
    first, _ = segment(text)
    assert first.text(text).endswith("and more.")


def test_a_list_is_cut_at_items_and_counts_on() -> None:
    text = "\n".join(f"1. item number {n} with a few words" for n in range(300))
    segments = segment(text)
    assert len(segments) > 1
    for each in segments[1:]:
        number = int(each.text(text).split()[3])
        assert each.item
        assert each.ordinal == number + 1


def test_a_bullet_list_has_no_ordinal() -> None:
    segments = segment("\n".join(["- item with a few words"] * 300))
    assert {each.ordinal for each in segments} == {0}
    assert [each.item for each in segments] == [False, True]


def test_a_quote_is_cut_only_behind_its_empty_lines() -> None:
    text = "\n>\n".join(["> " + "words " * 100] * 20)
    segments = segment(text)
    assert len(segments) > 1
    assert all(each.text(text).startswith("> ") for each in segments)


# What is shown of an unfinished line


@pytest.mark.parametrize(
    "tail",
    [
        "`",
        "```",
        "```py",
        "~~~",
        "| a ",
        "[a]: htt",
        "-",
        "- ",
        "---",
        "=",
        "*",
        "**",
        "+",
        "12",
        "1.",
        "#",
        "## ",
        ">",
    ],
)
def test_a_line_that_may_turn_into_something_else_is_held_back(tail: str) -> None:
    segmenter = fed(f"words\n\n{tail}")
    assert segmenter.held_back()
    assert [each.text(f"words\n\n{tail}") for each in segmenter.segments] == ["words"]


@pytest.mark.parametrize("tail", ["- a", "1. a", "# H", "> q", "**b", "-1", "2026 was", "[a] b", "*e"])
def test_a_line_that_has_shown_what_it_is_is_shown(tail: str) -> None:
    segmenter = fed(f"words\n\n{tail}")
    assert not segmenter.held_back()
    assert segmenter.segments[-1].end == len(f"words\n\n{tail}")


def test_an_item_under_a_paragraph_never_makes_a_heading_of_it() -> None:
    text = "words\n- item"
    assert not any(body.endswith("\n-") for end in range(len(text)) for _, body in shown(text[:end]))


def test_an_ordinary_line_is_shown_as_it_grows() -> None:
    segmenter = fed("words\n\nmore wor")
    assert not segmenter.held_back()
    assert shown("words\n\nmore wor") == [("text", "words\n\nmore wor")]


def test_code_is_shown_as_it_grows_but_not_its_closing_fence() -> None:
    assert shown("```py\nx = ") == [("code", "x = ")]
    assert shown("```py\nx = 1\n``") == [("code", "x = 1")]
    assert shown("```py\nx = 1\n```s") == [("code", "x = 1\n```s")]


def test_open_code_without_a_line_is_there_already() -> None:
    (code,) = fed("```py\n").segments
    assert (code.kind, code.open, code.start) == ("code", True, code.end)


@pytest.mark.parametrize(("columns", "rows"), [(4, 25), (16, 25), (40, 10), (200, 2), (400, 1)])
def test_a_segment_of_a_table_holds_a_bounded_number_of_cells(columns: int, rows: int) -> None:
    row = "|" + "a|" * columns
    text = f"{row}\n|{'-|' * columns}\n" + f"{row}\n" * 60
    segments = segment(text)
    assert {made.kind for made in segments} == {"table"}
    assert [made.lines for made in segments[:-1]] == [rows] * (len(segments) - 1)
    assert sum(made.lines for made in segments) == 60


def test_the_head_of_a_table_never_shows_as_text() -> None:
    text = "words\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    seen = [shown(text[:end]) for end in range(len(text) + 1)]
    assert not any("|" in body for kinds in seen for kind, body in kinds if kind == "text")


def test_a_line_of_pipes_that_is_no_table_is_shown_once_that_is_certain() -> None:
    assert shown("| a | b |\n")[-1:] == []
    assert shown("| a | b |\nwords") == [("text", "| a | b |\nwords")]
    assert parts("| a | b |") == [("text", "| a | b |")]


def test_hiding_a_head_for_a_while_leaves_no_trace() -> None:
    segmenter = fed("words\n\n| a | b |\n")
    segmenter.feed("more")
    assert values(segmenter.segments) == values(fed("words\n\n| a | b |\nmore").segments)
    assert segmenter.segments[0].stable == len("words\n\n")


def test_a_segment_that_showed_an_unfinished_line_stays_the_same_object() -> None:
    segmenter = fed("words")
    (first,) = segmenter.segments
    segmenter.feed(" and more\n\nnext")
    assert segmenter.segments == [first]
    segmenter.finish()
    assert segmenter.segments == [first]


def test_text_stays_in_the_segment_where_it_was_shown_first() -> None:
    text = "```py\n" + "\n".join(f"line {n}" for n in range(70)) + "\n```\n\n" + "\n\n".join(["word " * 100] * 20)
    segmenter = Segmenter()
    places: dict[int, int] = {}
    for at, character in enumerate(text):
        segmenter.feed(character)
        last = segmenter.segments[-1] if segmenter.segments else None
        if last is not None and last.start <= at < last.end:
            places[at] = id(last)
    segmenter.finish()
    final = {at: id(each) for each in segmenter.segments for at in range(each.start, each.end)}
    assert len(places) > 8000
    assert {at: final.get(at) for at in places} == places


def test_finish_closes_everything() -> None:
    for text in ("words", "```py\nx", "| a |\n|---|\n| 1", "- item"):
        segments = segment(text)
        assert not any(each.open or (each.block and each.block.open) for each in segments)


def test_feeding_a_finished_segmenter_is_a_mistake() -> None:
    segmenter = fed("a")
    segmenter.finish()
    with pytest.raises(RuntimeError, match="finished"):
        segmenter.feed("b")


# Link definitions


def test_link_definitions_are_collected_under_normalised_labels() -> None:
    segmenter = fed('[The  Docs]: <http://a b> "Title"\n\n[x]: /relative\n[x]: second\n[^1]: note\n[long]: a b c\n')
    assert segmenter.references == {
        "THE DOCS": {"title": "", "href": "http://a b"},
        "X": {"title": "", "href": "/relative"},
        "^1": {},
    }


def test_a_definition_inside_code_defines_nothing() -> None:
    assert fed("```\n[a]: http://x\n```\n").references == {}


# Cost


def test_what_is_looked_at_again_stays_bounded_while_one_line_arrives() -> None:
    segmenter = Segmenter()
    for _ in range(3000):
        segmenter.feed("word without end ")
        assert len(segmenter._tail) <= SHIPPED.long_line
        assert max(each.end - each.stable for each in segmenter.segments) <= 2 * SHIPPED.hard + SHIPPED.long_line
