from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextFormat

from rillet.widgets.markdown import text_document
from rillet.widgets.markdown.columns import Columns
from rillet.widgets.markdown.extract import markdown_text, plain_text
from rillet.widgets.markdown.table import table_document
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument
    from pytestqt.qtbot import QtBot


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme.of(LIGHT)


SAMPLES = [
    "plain words",
    "**bold**, *slanted*, ***both***, ~~gone~~ and `code`",
    "a [link](https://example.org/a_b) and **[bold one](https://example.org/)**",
    "# Heading\n\n## Another *one*\n\ntext",
    "- one\n- two\n   - three\n   - four\n- five",
    "3. three\n4. four\n   - inside",
    "- [ ] open\n- [x] done",
    "> quoted\n\nand not",
    "> code\n>\n> ```\n> in a\n> quote\n> ```\n>\n> behind",
    "two\n\nparagraphs",
    "a line\\\nbroken by hand",
    r"\*not slanted\* \# \[no link\] 1\. \`code\` a\_b \<b\> \$5",
    "1\\. no list\n\n\\- nor here\n\n\\# nor a heading",
    "``code with ` inside``",
    "emoji 😀 and 👩‍👩‍👧 **bold 😀**",
    "- item\n\n  ```\n  code\n  more\n  ```",
]


def _shape(document: QTextDocument) -> list[tuple[object, ...]]:
    """What a reader sees of a document."""
    shape: list[tuple[object, ...]] = []
    block = document.begin()
    while block.isValid():
        runs: list[tuple[str, object]] = []
        step = block.begin()
        while not step.atEnd():
            style = step.fragment().charFormat()
            looks = (style.fontWeight() > 400, style.fontItalic(), style.fontStrikeOut(), style.fontFixedPitch())
            runs.append((step.fragment().text(), (*looks, style.anchorHref())))
            step += 1
        form = block.blockFormat()
        quotes = form.intProperty(QTextFormat.Property.BlockQuoteLevel) if block.text() else 0
        shape.append((form.headingLevel(), form.marker(), quotes, runs))
        block = block.next()
    return shape


@pytest.mark.parametrize("source", SAMPLES)
def test_markdown_of_a_document_reads_like_the_document(theme: Theme, source: str) -> None:
    document = text_document(source, theme)
    written = markdown_text(document)
    assert _shape(text_document(written, theme)) == _shape(document), written


def test_markdown_of_a_part_has_the_marks_of_that_part(theme: Theme) -> None:
    document = text_document("Some **bold and** more", theme)
    assert document.toPlainText() == "Some bold and more"
    assert markdown_text(document, 2, 9) == "me **bold**"
    assert markdown_text(document, 10, 18) == "**and** more"


def test_plain_text_is_readable(theme: Theme) -> None:
    document = text_document("# Title\n\nA *word*.\n\n1. one\n2. two\n   - deep\n\nEnd\\\nof it", theme)
    assert plain_text(document) == "Title\n\nA word.\n\n1. one\n2. two\n   - deep\n\nEnd\nof it"


@pytest.mark.parametrize("source", SAMPLES)
def test_cuts_lose_nothing_and_add_nothing(theme: Theme, source: str) -> None:
    document = text_document(source, theme)
    end = document.characterCount() - 1
    for first, cut in pairwise([0, end // 3, end // 2, end]):
        shown = document.toPlainText().encode("utf-16-le")[2 * first : 2 * cut].decode("utf-16-le", "ignore")
        taken = plain_text(document, first, cut)
        for word in shown.split():
            if "�" not in taken:
                assert word in taken


def test_an_item_cut_in_the_middle_has_no_mark(theme: Theme) -> None:
    document = text_document("- first\n- second", theme)
    assert plain_text(document, 2, 12) == "rst\n- second"
    assert markdown_text(document, 2, 12) == "rst\n- second"


def test_a_table_is_tab_separated(theme: Theme) -> None:
    source = "| a | b |\n|---|---|\n| 1 | two words |"
    document = table_document(source, Columns(source, theme), theme)
    assert plain_text(document) == "a\tb\n1\ttwo words"
    start = document.toPlainText().index("two")
    assert plain_text(document, 0, start + 3) == "a\tb\n1\ttwo"
