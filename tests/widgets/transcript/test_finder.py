from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextCursor

from rillet.widgets.blocks.found import rects_of
from rillet.widgets.transcript.finding import FindOptions
from rillet.widgets.transcript.model import Entry, Section
from rillet.widgets.transcript.tool import ToolSection
from rillet.widgets.transcript.view import Transcript
from support.views import answer, conversation, question, text_views, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.blocks.found import Span
    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.transcript.model import Tile


def _find(qtbot: QtBot, view: Transcript, text: str, *, words: bool = False) -> None:
    view.reading.finder.find(text, FindOptions(words=words))
    _counted(qtbot, view)


def _counted(qtbot: QtBot, view: Transcript) -> None:
    finder = view.reading.finder
    qtbot.waitUntil(lambda: finder.complete and not finder.coming)


def _text_of(editor: TextView, span: Span) -> str:
    cursor = QTextCursor(editor.document())
    cursor.setPosition(span[0])
    cursor.setPosition(span[1], QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def _marked(view: Transcript) -> list[str]:
    """What is in sight and marked as found, from top to bottom, but for the hit that one has come to."""
    return [_text_of(editor, span) for editor in text_views(view) for span in editor.found.spans]


def _current(view: Transcript) -> list[str]:
    """The hit that one has come to, if it is in sight."""
    return [_text_of(editor, editor.found.current) for editor in text_views(view) if editor.found.current]


def _current_y(view: Transcript) -> tuple[int, int]:
    """Top and bottom of the hit that one has come to, in the viewport."""
    for editor in text_views(view):
        if editor.found.current is not None:
            (rect,) = rects_of(editor.document(), [editor.found.current])
            top = editor.viewport().mapTo(view.viewport(), rect.topLeft()).y()
            return top, top + rect.height()
    raise AssertionError("no hit in sight")


def test_every_hit_in_sight_is_marked_and_the_one_come_to_stands_out(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("A needle?"), answer("The **needle** and `needle`.\n\n```\nneedle = 1\n```")])
    _find(qtbot, view, "Needle")
    assert view.reading.finder.count == 4
    assert _marked(view) == ["needle"] * 3
    assert _current(view) == ["needle"]
    view.reading.finder.clear()
    assert not any(editor.found for editor in text_views(view))


def test_going_on_shows_every_hit_once_and_then_begins_again(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    entries = conversation(80)
    for index in (3, 20, 41, 77):
        section = entries[index].sections[0]
        section.text = f"{section.text}\n\nThe needle of {index} is here."
    view.reset(entries)
    finder = view.reading.finder
    _find(qtbot, view, "needle")
    assert finder.count == 4
    shown = []
    for _ in range(5):
        top, bottom = _current_y(view)
        assert top >= 0
        assert bottom <= view.viewport().height()
        shown.append(finder.current)
        finder.step(1)
        _counted(qtbot, view)
    assert sorted(shown[:4]) == [1, 2, 3, 4]
    assert shown[4] == shown[0]
    finder.step(-1)
    _counted(qtbot, view)
    assert finder.current == shown[0]


def test_searching_begins_with_what_is_in_sight(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(60))
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    first = view.first_in_sight()
    assert first is not None
    _find(qtbot, view, "heading")
    place = view.reading.marks.current
    assert place is not None
    hit = next(entry for entry in view.entries if entry.place_of(place[0]) is not None)
    assert first.entry.index <= hit.index <= first.entry.index + 2


def test_a_long_conversation_is_counted_in_slices_and_what_is_in_sight_comes_first(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rillet.widgets.transcript.finder._SLICE", 0)
    view = transcript(qtbot)
    view.reset([question(f"needle {number}\n\n\n") for number in range(40)])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    finder = view.reading.finder
    told: list[tuple[int, int]] = []
    finder.changed.connect(lambda current, count: told.append((current, count)))
    counted: list[int] = []

    def reveal_line(entry: Entry, tile: Tile, offset: int) -> None:
        counted.append(finder.count)
        Transcript.reveal_line(view, entry, tile, offset)

    monkeypatch.setattr(view, "reveal_line", reveal_line)
    finder.find("needle", FindOptions())
    assert finder.count == 1
    assert finder._hits is not None
    first = finder._hits[0]
    finder.step(-2)
    _counted(qtbot, view)
    assert finder.count == 40
    assert finder.current == first.entry + 1 - 2, "the steps back were taken when that was possible"
    assert counted[0] == 1, "the first hit is shown before others are counted"
    counts = [count for _, count in told]
    assert counts == sorted(counts)
    assert all(current == 0 for current, _ in told[:-1])


def test_what_is_found_only_further_up_is_shown_in_the_end(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("A needle"), *conversation(200)])
    view.jump_to_latest()
    _find(qtbot, view, "needle")
    assert (view.reading.finder.current, view.reading.finder.count) == (1, 1)
    assert _current(view) == ["needle"]


def test_typing_on_stays_with_the_hit_that_is_in_sight(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(60))
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    _find(qtbot, view, "h")
    _find(qtbot, view, "he")
    place, current = bar.value(), view.reading.finder._current
    assert current is not None
    for text in ("hea", "head", "heading"):
        _find(qtbot, view, text)
    after = view.reading.finder._current
    assert after is not None
    assert abs(bar.value() - place) < view.viewport().height()
    assert after[:4] >= current[:4]


@pytest.mark.parametrize("needle", ["needle_at_the_far_right", "first_thing"])
def test_a_hit_far_to_the_side_is_brought_into_sight(qtbot: QtBot, needle: str) -> None:
    view = transcript(qtbot, width=500)
    view.reset([answer("```\nfirst_thing = " + "x" * 300 + " needle_at_the_far_right\n```")])
    (code,) = text_views(view, "code")
    code.horizontalScrollBar().setValue(900)
    _find(qtbot, view, needle)
    assert _current(view) == [needle]
    assert code.found.current is not None
    (rect,) = rects_of(code.document(), [code.found.current])
    assert 0 <= rect.left() - code.horizontalScrollBar().value() <= code.viewport().width()


def test_a_hit_under_a_fold_opens_it(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question(), answer("Nothing here.", reasoning="A needle in the reasoning.")])
    _find(qtbot, view, "needle")
    assert view.entries[1].sections[0].expanded
    assert _current(view) == ["needle"]


def test_a_hit_in_what_markdown_hides_leads_to_its_block(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    text = "Words.\n\n" * 80 + "See [this](https://example.org/needle)."
    view.reset([answer(text), *conversation(10)])
    _find(qtbot, view, "needle")
    assert view.reading.finder.count == 1
    assert any("See this" in editor.toPlainText() for editor in text_views(view))


def test_hits_are_counted_anew_when_text_comes_and_goes(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("needle")])
    told: list[tuple[int, int]] = []
    finder = view.reading.finder
    finder.changed.connect(lambda current, count: told.append((current, count)))
    _find(qtbot, view, "needle")
    view.append(answer("needle needle"))
    _counted(qtbot, view)
    view.truncate(1)
    _counted(qtbot, view)
    _find(qtbot, view, "")
    assert [state for state in told if state[0]] == [(1, 1), (1, 3), (1, 1)], "0 while its number is not known"
    assert told[-1] == (0, 0)
    finder.step(1)
    assert told[-1] == (0, 0)


def test_text_that_is_still_arriving_is_marked_as_it_comes(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    entry = answer("First ")
    entry.sections[0].growing = True
    view.reset([entry])
    _find(qtbot, view, "needle")
    view.grow(entry, "markdown", "a nee")
    assert _marked(view) == []
    view.grow(entry, "markdown", "dle and")
    assert _marked(view) == ["needle"]


def test_characters_beyond_the_first_plane_shift_no_mark(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("😀😀 a needle 😀 needle")])
    _find(qtbot, view, "needle")
    assert [*_current(view), *_marked(view)] == ["needle", "needle"]


def test_a_hit_under_a_card_opens_it(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    call = ToolSection("read", "id", '{"path": "needle.md"}')
    call.set_result("\n".join(f"line {number}" for number in range(3000)) + "\nneedle", "done", 0.1)
    view.reset([*conversation(6), Entry("assistant", [call, Section("markdown", "Read.")]), *conversation(6)])
    finder = view.reading.finder
    _find(qtbot, view, "needle", words=True)
    assert (finder.current, finder.count) == (1, 1), "the result goes on for more lines than are shown"
    assert call.expanded
    assert _current(view) == ["needle"]
    call.set_result("a needle", "done", 0.1)
    view.touch(view.entries[6], [call.card])
    finder.step(1)
    _counted(qtbot, view)
    assert finder.count == 2
    assert (finder.current, _current(view)) == (2, ["needle"])
    top, bottom = _current_y(view)
    assert 0 <= top < bottom <= view.viewport().height()


def test_looking_goes_on_from_what_is_in_sight_of_a_long_result(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    call = ToolSection("read", "id", '{"path": "needle"}')
    call.set_result("\n".join(f"needle {number}" for number in range(500)), "done", 0.1)
    view.reset([question("needle"), Entry("assistant", [call])])
    view.toggle_fold(view.entries[1], call)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    _find(qtbot, view, "needle")
    assert 100 < view.reading.finder.current < 400
