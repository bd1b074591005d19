"""A document that grew equals one that was built whole, at every moment, whatever arrived in whatever pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from rillet.widgets.markdown import Columns, Formulas, LiveFormula, LiveTable, LiveText, MathWriter, text_document
from rillet.widgets.transcript.segmenter import Block, Limits, Segment, Segmenter
from support.documents import described, links
from support.formulas import Drawn, Typesetter
from support.markdown import sizes, sliced, texts

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.theme.palette import Theme

SMALL = Limits(soft=60, hard=70, code_soft=2, code_lines=4, code_chars=100, table_rows=3, long_line=16)


def block_texts(document: QTextDocument) -> list[str]:
    return document.toPlainText().split("\n")


@pytest.mark.parametrize("drawn", [False, True], ids=["source", "drawn"])
@pytest.mark.parametrize("limits", [Limits(), SMALL], ids=["as shipped", "small"])
@settings(deadline=None, max_examples=120)
@given(text=texts(), pieces=sizes())
def test_at_every_moment_a_live_document_equals_a_rebuilt_one(
    theme: Theme, limits: Limits, drawn: bool, text: str, pieces: list[int]
) -> None:
    segmenter = Segmenter(limits)
    references = segmenter.references
    formulas = Drawn() if drawn else Formulas(Typesetter())
    lives: dict[tuple[Segment, int], LiveText | LiveTable | LiveFormula] = {}
    tables: dict[Block, Columns] = {}

    def columns(each: Segment) -> Columns:
        assert each.block is not None
        if each.block not in tables:
            tables[each.block] = Columns(each.block.head, theme)
        return tables[each.block]

    def make(each: Segment) -> LiveText | LiveTable | LiveFormula:
        math = MathWriter(formulas, theme)
        if each.kind == "table":
            return LiveTable(columns(each), theme, continued=each.continued, references=references, math=math)
        if each.kind == "math":
            return LiveFormula(theme, math=math)
        return LiveText(theme, references=references, ordinal=each.ordinal, math=math)

    def show(live: LiveText | LiveTable | LiveFormula, each: Segment, source: str) -> None:
        if isinstance(live, LiveText):
            live.update(source, each.stable - each.start, growing=each.growing)
        else:
            live.update(source)

    so_far = ""
    for piece in sliced(text, pieces):
        first = segmenter.feed(piece)
        so_far += piece
        for each in segmenter.segments[first:]:
            if each.kind == "code":
                continue
            key = each, each.ordinal
            if key not in lives:
                lives[key] = make(each)
            show(lives[key], each, each.text(so_far))
            rebuilt = make(each)
            if isinstance(rebuilt, LiveText):
                rebuilt.update(each.text(so_far), 0, growing=each.growing)
            else:
                rebuilt.update(each.text(so_far))
            assert described(lives[key].document) == described(rebuilt.document)


def test_what_lies_before_the_boundary_is_not_touched(theme: Theme) -> None:
    live = LiveText(theme)
    text = "one\n\ntwo\n\nthr"
    live.update(text, text.index("thr"))
    changes: list[tuple[int, int, int]] = []
    live.document.documentLayout()  # without one, a document reports no places
    live.document.contentsChange.connect(lambda *change: changes.append(change))
    live.update(text + "ee and more", text.index("thr"))
    assert block_texts(live.document) == ["one", "two", "three and more"]
    assert len(changes) == 1
    assert changes[0][0] >= len("one\ntwo")


def test_an_update_is_one_change_of_the_layout(theme: Theme) -> None:
    live = LiveText(theme)
    live.update("# a\n\n- b\n- c", 0)
    seen: list[None] = []
    live.document.contentsChanged.connect(lambda: seen.append(None))
    live.update("# a\n\n- b\n- c\n\nwords *and* more\n\n- d", 20)
    assert len(seen) == 1


def test_nothing_new_changes_nothing(theme: Theme) -> None:
    live = LiveText(theme)
    live.update("a\n\nb", 3)
    seen: list[None] = []
    live.document.contentsChanged.connect(lambda: seen.append(None))
    live.update("a\n\nb", 3)
    assert seen == []


def test_a_list_goes_on_as_the_same_list(theme: Theme) -> None:
    live = LiveText(theme)
    live.update("1. a\n1. b\n", 5)
    live.update("1. a\n1. b\n1. c", 10)
    lists = {live.document.findBlockByNumber(number).textList().objectIndex() for number in range(3)}
    assert len(lists) == 1
    last = live.document.lastBlock()
    assert last.textList().itemText(last) == "3. "


def test_text_that_shrinks_is_shown_shrunk(theme: Theme) -> None:
    live = LiveText(theme)
    live.update("words\n\n| a |", 7)
    live.update("words", 0)
    assert block_texts(live.document) == ["words"]


def test_text_that_contradicts_what_was_final_is_built_anew(theme: Theme) -> None:
    live = LiveText(theme)
    live.update("one\n\ntwo", 5)
    live.update("ONE\n\ntwo", 5)
    assert block_texts(live.document) == ["ONE", "two"]


def test_a_definition_that_arrives_late_turns_earlier_text_into_a_link(theme: Theme) -> None:
    references: dict[str, dict[str, str]] = {}
    live = LiveText(theme, references=references)
    live.update("see [a]\n\nmore", 9)
    assert links(live.document) == []
    references["A"] = {"title": "", "href": "https://b.c"}
    live.update("see [a]\n\nmore", 9)
    assert links(live.document) == [("a", "https://b.c")]


def test_a_frame_is_taken_back_with_what_follows_it(theme: Theme) -> None:
    text = "- a\n- b\n\n  ```\n  code\n  ```\n- c"
    live = LiveText(theme)
    live.update(text, 4)
    assert len(live.document.rootFrame().childFrames()) == 1
    live.update(text[:9], 4)
    assert live.document.rootFrame().childFrames() == []
    live.update(text, 4)
    assert described(live.document) == described(text_document(text, theme))
