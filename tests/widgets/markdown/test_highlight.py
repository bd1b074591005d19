"""Colours of code: by token, in Qt's units, and never at the cost of the view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rillet.widgets.markdown import LiveCode, code_document, highlight
from rillet.widgets.markdown.highlight import LINE_LIMIT, Highlighter
from support.documents import colours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.widgets.theme.palette import Theme


def test_tokens_have_the_colours_of_the_theme(theme: Theme) -> None:
    document = code_document("def f(): return 'a' + str(1)  # note", "python", theme)
    found = {document.toPlainText()[start : start + length]: colour for start, length, colour in colours(document)[0]}
    tokens = theme.tokens
    assert found["def"] == tokens.code_keyword.lower()
    assert found["f"] == tokens.code_function.lower()
    assert found["'a'"] == tokens.code_string.lower()
    assert found["str"] == tokens.code_builtin.lower()
    assert found["1"] == tokens.code_number.lower()
    assert found["# note"] == tokens.code_comment.lower()


def test_positions_count_in_utf_16_units(theme: Theme) -> None:
    document = code_document("'😀é' # x", "python", theme)
    assert [(start, length) for start, length, _ in colours(document)[0]] == [(0, 5), (6, 3)]


def test_colouring_does_not_edit_the_document(theme: Theme) -> None:
    live = LiveCode("python", theme)
    live.append("import os")
    revision = live.document.revision()
    live.finish()
    assert colours(live.document) != [[]]
    assert live.document.revision() == revision


@pytest.mark.parametrize("language", ["", "nonesuch", "../../etc/passwd", "a b", "x" * 5000, "{.python}", "\0"])
def test_an_unknown_language_stays_plain(theme: Theme, language: str) -> None:
    assert colours(code_document("import os\nx", language, theme)) == [[], []]


@pytest.mark.parametrize("language", ["Python", "c++", "c#", "objective-c", "text", "diff", "console"])
def test_languages_are_known_by_what_people_write(theme: Theme, language: str) -> None:
    assert code_document("x = 1\n", language, theme).blockCount() == 2


def test_a_very_long_line_stays_plain_and_the_others_do_not(theme: Theme) -> None:
    document = code_document("import os\nx = '" + "a" * LINE_LIMIT + "'\nimport os", "python", theme)
    first, long, last = colours(document)
    assert long == []
    assert first == last != []


def test_other_line_separators_do_not_shift_the_colours(theme: Theme) -> None:
    document = code_document("a = 'x\u2028y\x0bz\x85'\nimport os", "python", theme)
    assert document.blockCount() == 2
    assert colours(document)[1][0][:2] == (0, 6)


def test_only_what_follows_the_last_safe_line_is_read_again(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    lexer = highlight._lexer("python")
    assert lexer is not None
    tokens = lexer.get_tokens

    def counted(text: str) -> Iterator[Any]:
        read.append(text)
        return tokens(text)

    monkeypatch.setattr(lexer, "get_tokens", counted)
    live = LiveCode("python", theme)
    for number in range(50):
        live.append(f"x = {number}\n")
    assert len(read) == 50
    assert max(text.count("\n") for text in read) == 1


def test_an_empty_document_has_nothing_to_colour(theme: Theme) -> None:
    live = LiveCode("python", theme)
    Highlighter(live.document, "python", theme.tokens).advance()
    assert colours(live.document) == [[]]


def test_an_unknown_language_is_not_looked_for_among_what_is_installed(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(**_group: str) -> list[object]:
        raise AssertionError("the packages that are installed were searched")

    monkeypatch.setattr("importlib.metadata.entry_points", look)
    assert colours(code_document("import os", "nonesuch-too", theme)) == [[]]


def test_every_language_that_pygments_names_has_a_lexer() -> None:
    names = highlight._lexer_names()
    assert len(names) > 700
    assert all(highlight._lexer(word) is not None for word in ("python", "C++", "c#", "objective-c", "rust", "JSON"))
