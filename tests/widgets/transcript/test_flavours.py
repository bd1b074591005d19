from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.flavours import in_flavour
from rillet.widgets.transcript.model import Entry, Section
from support.views import answer, question

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def _text(entry: Entry) -> str:
    return in_flavour(entry, "copy-text", Theme.of(LIGHT)).text()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("A *b* [c](http://d)\n\n- e", "A b c\n\n- e"),
        ("| a | `b` |\n|--|--|\n| **1** | 2 |", "a\tb\n1\t2"),
        ("a\n\n| b |\n|--|\n| 1 |\n\nc", "a\n\nb\n1\n\nc"),
        ("```c\nint x;\n```\n\nend", "int x;\n\nend"),
        ("$$x^2$$", "$$x^2$$"),
    ],
)
def test_plain_text_reads_like_what_is_shown(qapp: QApplication, source: str, text: str) -> None:
    assert _text(answer(source)).strip() == text


def test_a_table_of_many_tiles_is_one_table(qapp: QApplication) -> None:
    rows = [f"| {number} | text of row {number} |" for number in range(500)]
    entry = answer("\n".join(["| a | b |", "|--|--|", *rows]))
    assert len(entry.sections[0].tiles()) > 1
    lines = _text(entry).split("\n")
    assert lines[0] == "a\tb"
    assert lines[1:] == [f"{number}\ttext of row {number}" for number in range(500)]


def test_a_person_s_text_stays_as_it_was_typed_and_reasoning_is_left_out(qapp: QApplication) -> None:
    assert _text(question("*a*\n| b |")) == "*a*\n| b |"
    assert _text(Entry("assistant", [Section("reasoning", "hm"), Section("markdown", "a")])) == "a"


def test_another_action_is_refused(qapp: QApplication) -> None:
    with pytest.raises(ValueError, match="delete"):
        in_flavour(answer("a"), "delete", Theme.of(LIGHT))
