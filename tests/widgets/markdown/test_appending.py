"""Words are put behind a growing document without being parsed, and it is the same as if they had been."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rillet.widgets.markdown import LiveText, build
from rillet.widgets.markdown.appending import appended
from rillet.widgets.markdown.parse import parse
from rillet.widgets.transcript.segmenter import Segmenter
from support.documents import described

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

PIECES = (
    *("word", "a", " ", "  ", ", ", ". ", ".", ":", "'", '"', "-", "?", "12", "1", "é", "中文", "שלום", "x y", " z"),
    *("*", "**", "_", "__", "~~", "`", "``", "[", "]", "](", ")", "](http://a.b)", "[a]", "[^1]", "![", "!", "<", ">"),
    *("$", "$$", "\\", "\\(", "\\)", "&", "&amp", ";", "http", "://", "www", "www.", "@", ".org", "/", "|", "#", "="),
    *(
        "\n",
        "\n\n",
        "\n- ",
        "\n1. ",
        "\n> ",
        "\n# ",
        "\n    ",
        "\n```\n",
        "\n---",
        "\n[a]: ",
        "\n[^1]: ",
        "\n| a | b |",
    ),
)


@settings(deadline=None, max_examples=400)
@given(pieces=st.lists(st.sampled_from(PIECES) | st.sampled_from(PIECES[:19]), max_size=24))
def test_whatever_comes_a_document_equals_a_rebuilt_one(theme: Theme, pieces: list[str]) -> None:
    segmenter = Segmenter()
    lives: dict[int, LiveText] = {}
    so_far = ""
    for piece in pieces:
        first = segmenter.feed(piece)
        so_far += piece
        for each in segmenter.segments[first:]:
            if each.kind != "text":
                continue
            live, rebuilt = (LiveText(theme, references=segmenter.references, ordinal=each.ordinal) for _ in range(2))
            live = lives.setdefault(id(each), live)
            source = each.text(so_far)
            live.update(source, each.stable - each.start, growing=each.growing)
            rebuilt.update(source, 0, growing=each.growing)
            assert described(live.document) == described(rebuilt.document)


def test_words_are_not_parsed(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def record(source: str, *_references: object, growing: bool) -> object:
        parsed.append(source)
        return parse(source, growing=growing)

    monkeypatch.setattr(build, "parse", record)
    live = LiveText(theme)
    text = ""
    for piece in ("A **small", " stream** runs", " down", " the", " hill, it's", " said", ".", " Then ", "`sea`."):
        text += piece
        live.update(text, growing=True)
    assert live.document.toPlainText() == "A small stream runs down the hill, it's said. Then sea."
    assert parsed == ["A **small", "A **small stream** runs", text]


@pytest.mark.parametrize(
    ("shown", "source", "more"),
    [
        ("A word", "A word and", " and"),
        ("A word ", "A word  and ", "  and"),
        ("A word", "A word ", ""),
        ("one\ntwo", "one\ntwo three", " three"),
        ("A word", "Another", None),
        ("A word", "A word *", None),
        ("A word*", "A word*s", None),
        ("A word\n", "A word\nand", None),
        ("one\n1", "one\n1. a", None),
        ("see www.a", "see www.ab", None),
        ("see ww", "see www.a", None),
        ("mail a@b", "mail a@b.org", None),
        ("| a", "| a b", None),
        ("it costs 5", "it costs 5 or", None),
    ],
)
def test_only_words_behind_a_word_are_plain(shown: str, source: str, more: str | None) -> None:
    assert appended(shown, shown, source) == more


@pytest.mark.parametrize("paragraph", ["[a", "(a", "'a", '"a'])
def test_what_may_belong_to_a_definition_is_not_plain(paragraph: str) -> None:
    assert appended(paragraph, paragraph, f"{paragraph} b") is None
