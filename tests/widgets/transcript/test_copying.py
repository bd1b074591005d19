from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.copying import LARGEST_HTML, Copied, Piece, pieces_in, pieces_of
from rillet.widgets.transcript.documents import Documents
from rillet.widgets.transcript.model import Entry, Section
from rillet.widgets.transcript.selection import END, Selection, Spot
from support.views import ANSWER, answer, question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

LONG_CODE = "```python\n" + "\n".join(f"line_{i} = {i}" for i in range(150)) + "\n```"


@pytest.fixture
def documents(qtbot: QtBot) -> Iterator[Documents]:
    owner = QObject()
    made = Documents(Theme.of(LIGHT), owner)
    yield made
    made.clear()


def _conversation(*entries: Entry) -> list[Entry]:
    for index, entry in enumerate(entries):
        entry.index = index
    return list(entries)


def _copied(documents: Documents, entries: list[Entry], first: Spot, last: Spot) -> tuple[str, str]:
    """Plain text and Markdown of what lies between two places."""
    data = Copied(pieces_in(Selection(first, last), entries, documents))
    return data.text(), bytes(data.data("text/markdown").data()).decode()


def _everything(entries: list[Entry]) -> Selection:
    return Selection(Spot(0), Spot(len(entries) - 1, END, END, END))


def test_whole_messages_are_their_sources_and_need_no_document(documents: Documents) -> None:
    entries = _conversation(question("Why *so*?"), answer(ANSWER, reasoning="Hm."), question("And\n  then?"))
    data = Copied(pieces_in(_everything(entries), entries, documents))
    assert data.text() == f"Why *so*?\n\n{ANSWER}\n\nAnd\n  then?"
    assert bytes(data.data("text/markdown").data()).decode() == data.text()
    assert len(documents) == 0


def test_a_selection_over_a_whole_message_by_hand_is_its_source_too(documents: Documents) -> None:
    entries = _conversation(answer("One **bold**\n\n```\ncode\n```"))
    end = documents.get(entries[0].sections[0].tiles()[-1]).characterCount() - 1
    assert _copied(documents, entries, Spot(0), Spot(0, 0, 1, end))[0] == entries[0].source


def test_cut_paragraphs_are_plain_text_and_whole_blocks_their_source(documents: Documents) -> None:
    entries = _conversation(answer("The **first** one.\n\n```py\na = 1\n```\n\nThe *last* one."))
    plain, source = _copied(documents, entries, Spot(0, 0, 0, 4), Spot(0, 0, 2, 8))
    assert plain == "first one.\n\n```py\na = 1\n```\n\nThe last"
    assert source == "**first** one.\n\n```py\na = 1\n```\n\nThe *last*"


@pytest.mark.parametrize(
    ("low", "high", "code"), [(0, 11, "a = 1\nb = 2"), (4, 7, "1\nb"), (0, 5, "a = 1"), (0, 6, "a = 1\n")]
)
def test_code_alone_is_exact(documents: Documents, low: int, high: int, code: str) -> None:
    entries = _conversation(answer("Text\n\n```py\na = 1\nb = 2\n```\n\nmore"))
    plain, source = _copied(documents, entries, Spot(0, 0, 1, low), Spot(0, 0, 1, high))
    assert plain == code
    assert source == f"```py\n{code.rstrip()}\n```"


def test_code_that_was_cut_into_tiles_is_one_piece(documents: Documents) -> None:
    entries = _conversation(answer(f"Before\n\n{LONG_CODE}\n\nafter"))
    assert len(entries[0].sections[0].tiles()) > 4
    plain, _ = _copied(documents, entries, Spot(0, 0, 1, 2), Spot(0, 0, 3, 6))
    assert plain.startswith("ne_0 = 0\nline_1 = 1\n")
    assert plain.count("\n") > 100
    assert "```" not in plain
    whole, _ = _copied(documents, entries, Spot(0, 0, 0, 1), Spot(0, 0, len(entries[0].sections[0].tiles()) - 1, 2))
    assert whole == f"efore\n\n{LONG_CODE}\n\naf"


def test_a_table_is_tab_separated_in_plain_text(documents: Documents) -> None:
    entries = _conversation(answer("Text\n\n| a | b |\n|---|:-:|\n| 1 | **x** y |\n\nmore"))
    plain, source = _copied(documents, entries, Spot(0, 0, 0, 1), Spot(0, 0, 2, 2))
    assert plain == "ext\n\na\tb\n1\tx y\n\nmo"
    assert source == "ext\n\n| a | b |\n|---|:-:|\n| 1 | **x** y |\n\nmo"


def test_formulas_are_tex_and_nothing_is_an_object(documents: Documents) -> None:
    entries = _conversation(answer(r"Where \(a^2\) is, and $b$ is not."))
    documents.get(entries[0].sections[0].tiles()[0])
    plain, source = _copied(documents, entries, Spot(0, 0, 0, 1), Spot(0, 0, 0, 10_000))
    for text in (plain, source):
        assert "\ufffc" not in text
        assert "a^2" in text


def test_a_person_s_text_is_copied_as_typed(documents: Documents) -> None:
    text = "\n".join(f"*line* {i}" for i in range(2000))
    entries = _conversation(question(text))
    tiles = entries[0].sections[0].tiles()
    assert len(tiles) > 2
    plain, source = _copied(documents, entries, Spot(0, 0, 0, 1), Spot(0, 0, len(tiles) - 1, 6))
    assert plain == source == text[1 : tiles[-1].start + 6]


def test_folded_reasoning_is_left_out_and_open_reasoning_is_text(documents: Documents) -> None:
    entries = _conversation(answer("The answer.", reasoning="Long thoughts."))
    assert _copied(documents, entries, Spot(0), Spot(0, 1, 0, 3))[0] == "The"
    entries[0].sections[0].expanded = True
    assert _copied(documents, entries, Spot(0, 0, 0, 5), Spot(0, 1, 0, 3))[0] == "thoughts.\n\nThe"


def test_a_selection_across_messages_takes_their_ends_and_all_between(documents: Documents) -> None:
    entries = _conversation(question("First question"), answer("An *answer*."), question("Last question"))
    assert _copied(documents, entries, Spot(0, 0, 0, 6), Spot(2, 0, 0, 4))[0] == "question\n\nAn *answer*.\n\nLast"


def test_html_has_the_structure_and_loads_nothing() -> None:
    source = "# T\n\n**b** ![pic](https://example.org/p.png) <img src=x>\n\n| a |\n|---|\n| 1 |"
    html = Copied([Piece(source), Piece("<b>\nline", typed=True)]).html()
    assert "<h1>T</h1>" in html
    assert "<strong>b</strong>" in html
    assert "<td>1</td>" in html
    assert "<img" not in html
    assert "&lt;img" in html
    assert "&lt;b&gt;<br>line" in html


def test_what_is_too_long_for_html_is_still_text() -> None:
    data = Copied([Piece("x" * (LARGEST_HTML + 1))])
    assert not data.hasHtml()
    assert len(data.text()) == LARGEST_HTML + 1


def test_half_characters_do_not_upset_the_clipboard() -> None:
    data = Copied(pieces_of([Entry("assistant", [Section("markdown", "a\ud800b")])]))
    assert bytes(data.data("text/markdown").data()).decode() == "a\ufffdb"


def test_only_the_flavour_that_is_pasted_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def html_of(source: str) -> str:
        made.append(source)
        return "<p>"

    monkeypatch.setattr("rillet.widgets.transcript.copying.html_of", html_of)
    data = Copied([Piece("one"), Piece("two")])
    assert data.formats() == ["text/plain", "text/markdown", "text/html"]
    assert (data.hasText(), data.hasHtml(), data.hasImage(), data.hasUrls()) == (True, True, False, False)
    assert data.text() == "one\n\ntwo"
    assert made == []
    assert data.html() == "<p>\n<p>"
    assert made == ["one", "two"]
    assert data.data("image/png").isEmpty()


def test_what_is_pasted_is_what_was_copied_whatever_has_come_since() -> None:
    entry = Entry("assistant", [Section("markdown", "one", growing=True)])
    data = Copied(pieces_of([entry]))
    entry.append("markdown", " two")
    entry.sections = []
    assert data.text() == "one"
