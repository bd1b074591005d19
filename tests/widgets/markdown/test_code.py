"""Code arrives piece by piece and looks as if it had been there all along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat

from rillet.widgets.markdown import LiveCode, code_document
from rillet.widgets.markdown.highlight import Highlighter
from support.documents import colours, described
from support.markdown import sizes, sliced

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

PYTHON = '''import os

@cache
def f(x: int) -> str:
    """A docstring
    over lines."""
    return f"{x!r} 😀" + 'é' * 3  # note

class A(Exception):
    s = """
# no comment
"""
    def g(self): pass
'''
RUST = '/* a\n * b\n */\nfn main() {\n    let s = "x\n  y";\n    // done\n}\n'
# A lexer that starts inside the script takes it for text, until all is read again.
HTML = "<p>a</p>\n<script>\nvar x = 1;\nvar y = 'b';\n</script>\n<p>c</p>\n"
SOURCES = [
    ("python", PYTHON),
    ("rust", RUST),
    ("html", HTML),
    ("json", '{"a": [1, null, "b"]}\n'),
    ("", PYTHON),
    ("nonesuch", PYTHON),
]


@pytest.mark.parametrize(("language", "source"), SOURCES)
@settings(deadline=None, max_examples=25)
@given(pieces=sizes())
def test_a_document_that_grew_equals_one_that_was_built_whole(
    theme: Theme, language: str, source: str, pieces: list[int]
) -> None:
    live = LiveCode(language, theme)
    for piece in sliced(source, pieces):
        live.append(piece)
    live.finish()
    whole = code_document(source, language, theme)
    assert described(live.document) == described(whole)
    assert colours(live.document) == colours(whole)


@settings(deadline=None, max_examples=50)
@given(source=st.text(max_size=200), pieces=sizes())
def test_any_characters_at_all_are_shown(theme: Theme, source: str, pieces: list[int]) -> None:
    live = LiveCode("python", theme)
    for piece in sliced(source, pieces):
        live.append(piece)
    live.finish()
    whole = code_document(source, "python", theme)
    assert described(live.document) == described(whole)
    assert live.document.blockCount() == source.count("\n") + 1


def test_lines_are_blocks_of_one_height_left_to_right_and_unwrapped(theme: Theme) -> None:
    document = code_document("x = 1\n\nשלום = 2", "python", theme)
    document.setTextWidth(10)
    assert document.size().height() == 3 * theme.code_line
    assert document.blockCount() == 3
    block = document.begin()
    while block.isValid():
        assert block.blockFormat().lineHeight() == theme.code_line
        assert block.blockFormat().lineHeightType() == QTextBlockFormat.LineHeightTypes.FixedHeight.value
        assert block.textDirection() == Qt.LayoutDirection.LeftToRight
        assert block.layout().lineCount() == 1
        block = block.next()


def test_complete_lines_are_coloured_while_the_last_still_arrives(theme: Theme) -> None:
    live = LiveCode("python", theme)
    live.append("import os")
    assert colours(live.document) == [[]]
    live.append("\nimport sys")
    assert colours(live.document)[0] != []
    assert colours(live.document)[1] == []


def test_a_string_over_several_lines_is_coloured_while_it_arrives(theme: Theme) -> None:
    live = LiveCode("python", theme)
    for piece in ('s = """\n', "import os\n", '"""\n', "import os\n"):
        live.append(piece)
    string, keyword = theme.tokens.code_string.lower(), theme.tokens.code_keyword.lower()
    assert [span[2] for span in colours(live.document)[1]] == [string]
    assert colours(live.document)[3][0][2] == keyword


def test_what_has_ended_is_coloured_once_unless_it_goes_on(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    coloured: list[None] = []
    finish = Highlighter.finish

    def count(highlighter: Highlighter) -> None:
        coloured.append(None)
        finish(highlighter)

    monkeypatch.setattr(Highlighter, "finish", count)
    live = LiveCode("python", theme)
    live.append("import os\nimp")
    for _ in range(2):
        live.finish()
    assert len(coloured) == 1
    live.update("import os\nimport sys\nx")
    assert colours(live.document)[1] != []
    live.finish()
    assert len(coloured) == 2
    assert colours(live.document) == colours(code_document("import os\nimport sys\nx", "python", theme))


def test_update_appends_what_is_new(theme: Theme) -> None:
    live = LiveCode("python", theme)
    live.update("x = 1")
    changes: list[tuple[int, int, int]] = []
    live.document.documentLayout()  # without one, a document reports no places
    live.document.contentsChange.connect(lambda *change: changes.append(change))
    live.update("x = 12")
    assert changes[0][0] >= 5
    assert live.source == live.document.toPlainText() == "x = 12"


def test_update_starts_over_when_the_text_is_another(theme: Theme) -> None:
    live = LiveCode("python", theme)
    live.update("import os\nx = 1\n")
    live.update("import os\n")
    live.finish()
    whole = code_document("import os\n", "python", theme)
    assert described(live.document) == described(whole)
    assert colours(live.document) == colours(whole)


def test_a_surrogate_pair_that_arrives_in_halves_is_one_character(theme: Theme) -> None:
    live = LiveCode("", theme)
    live.append("a\ud83d")
    live.append("\ude00b")
    assert live.document.toPlainText() == "a\U0001f600b"


def test_carriage_returns_are_not_shown(theme: Theme) -> None:
    live = LiveCode("", theme)
    live.append("a\r")
    live.append("\nb")
    assert live.document.toPlainText() == "a\nb"
