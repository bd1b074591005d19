"""A streamed conversation is the same as one opened later, whatever happened to the view meanwhile."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from rillet.widgets.markdown import Formulas
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.transcript.model import Entry, Foot
from support.formulas import Typesetter
from support.views import ANSWER, answer, on_screen, question, text_on_screen, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.transcript.view import Transcript

SIZES = ((800, 600), (420, 500), (1000, 700))
PIECES = (
    ANSWER,
    "A paragraph that is cut by nothing and goes on for a while, *emphasis included*.\n\n",
    "- an item\n- another, see [last]\n  1. inner\n\n     with a paragraph\n\n",
    "```python\n" + "".join(f"value_{i} = '''{i}'''  # a comment\n" for i in range(90)) + "```\n\n",
    "> quoted\n> > twice\n\nand not.\n\n",
    "".join(f"word{i} " for i in range(900)) + "\n\n",
    "| a | b |\n|---|---|\n" + "".join(f"| {i} | {i * i} |\n" for i in range(40)) + "\n",
    "[last]: https://example.org/last\n\n",
    "日本語の段落です。とても長いので、折り返されます。" * 6 + "\n\n",
    "שורה בעברית עם `code` בתוכה.\n\n",
    "A formula $x_1$, another \\(y^2\\), $5 and $6, and one that is bad: $bad$.\n\n",
    "$$\na = b\n$$\n\n- item\n\n  \\[ " + "wide " * 60 + "\\]\n\n",
    "| **a** | `b` | c |\n|:-:|--:|---|\n"
    + "".join(f"| $x_{i}$ | {'word ' * (i % 20)} | [last] |\n" for i in range(30))
    + "\n",
    "A note[^1] and *emphasis*, **strong _both_** and ~~gone~~.\n\n[^1]: The note.\n\n",
)


def _disturb(view: Transcript, chance: random.Random, theme: list[Theme], typesetter: Typesetter) -> None:
    """Do what a person may do while an answer arrives, or a formula is drawn."""
    bar = view.verticalScrollBar()
    match chance.randrange(13):
        case 0:
            bar.setValue(bar.value() - chance.randrange(600))
        case 1:
            bar.setValue(chance.randrange(bar.maximum() + 1))
        case 2:
            view.jump_to_latest()
        case 3:
            view.resize(*chance.choice(SIZES))
        case 4:
            theme[0] = Theme.of(chance.choice((LIGHT, DARK)))
            view.set_theme(theme[0])
        case 5:
            view.setVisible(not view.isVisible())
        case 6:
            QApplication.processEvents()
            typesetter.release()
        case _:
            pass


@pytest.mark.parametrize("seed", range(16))
def test_a_streamed_answer_is_the_same_when_it_is_opened_again(qtbot: QtBot, seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.sample(PIECES, k=7))
    thought = "First *this*, then that.\n\n" * 5
    typesetter = Typesetter()
    formulas = Formulas(typesetter)
    streamed = transcript(qtbot, formulas=formulas)
    theme = [Theme.of(LIGHT)]
    streamed.reset([question("Why?")])
    entry = Entry("assistant", foot=Foot(busy=True))
    streamed.append(entry)
    for kind, source in (("reasoning", thought), ("markdown", text)):
        at = 0
        while at < len(source):
            step = chance.choice((1, 3, 20, 150, 1500))
            streamed.grow(entry, kind, source[at : at + step])  # type: ignore[arg-type]
            at += step
            _disturb(streamed, chance, theme, typesetter)
    entry.sections[0].expanded = True
    streamed.finish(entry)
    streamed.set_foot(entry, Foot())
    streamed.show()

    opened = transcript(qtbot, width=streamed.width(), height=streamed.height(), formulas=formulas)
    opened.set_theme(theme[0])
    again = answer(text, reasoning=thought)
    again.sections[0].expanded = True
    opened.reset([question("Why?"), again])
    for view in (streamed, opened):
        view._layout.measure(0, 1_000_000)
        view.jump_to_latest()
    while formulas._asked:
        QApplication.processEvents()
        typesetter.release()
    for view in (streamed, opened):
        view._layout.measure(0, 1_000_000)
        view.jump_to_latest()
    assert [entry.height for entry in streamed.entries] == [entry.height for entry in opened.entries]
    seen = ""
    for top in range(streamed.verticalScrollBar().maximum(), -1, -400):
        for view in (streamed, opened):
            view.verticalScrollBar().setValue(top)
        assert on_screen(streamed) == on_screen(opened)
        seen += text_on_screen(streamed)
    assert "Why?" in seen or streamed.verticalScrollBar().maximum() % 400
