"""A screen reader hears sentences: whole, once, in order, without marks, and no code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.sentences import LONGEST, SentenceSplitter, Skipped, Spoken


def spoken(*pieces: str) -> list[Spoken]:
    splitter = SentenceSplitter()
    said = [item for piece in pieces for item in splitter.feed(piece)]
    return said + splitter.finish()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One sentence. And another one! A third?", ["One sentence.", "And another one!", "A third?"]),
        ("No end", ["No end"]),
        ("Broken\nover lines. Next.", ["Broken over lines.", "Next."]),
        ("One paragraph\n\nanother", ["One paragraph", "another"]),
        ("He said \u201cStop.\u201d Then he left.", ["He said \u201cStop.\u201d", "Then he left."]),
        ("It costs 3.50 dollars. Cheap.", ["It costs 3.50 dollars.", "Cheap."]),
        (
            "See Dr. Smith, e.g. on page 3, or Mr. J. Doe. Good.",
            ["See Dr. Smith, e.g. on page 3, or Mr. J. Doe.", "Good."],
        ),
        ("Das ist z. B. so. Ja.", ["Das ist z. B. so.", "Ja."]),
        ("It is 42. In fact.", ["It is 42.", "In fact."]),
        ("Well... maybe. Or not.", ["Well... maybe.", "Or not."]),
        (
            "\u4f60\u597d\u3002\u4eca\u5929\u5f88\u597d\uff01\u662f\u5417\uff1f",
            ["\u4f60\u597d\u3002", "\u4eca\u5929\u5f88\u597d\uff01", "\u662f\u5417\uff1f"],
        ),
        (
            "\u300c\u306f\u3044\u3002\u300d\u3068\u8a00\u3063\u305f\u3002",
            ["\u300c\u306f\u3044\u3002\u300d", "\u3068\u8a00\u3063\u305f\u3002"],
        ),
        ("# A heading\nText.", ["A heading", "Text."]),
        ("Intro:\n- one\n- two\n  - three\n\nEnd", ["Intro:", "one", "two", "three", "End"]),
        ("1. First step.\n2. Second", ["1. First step.", "2. Second"]),
        ("- [x] done\n- [ ] open", ["done", "open"]),
        ("> A quote. It goes\n> on.", ["A quote.", "It goes on."]),
        ("**Bold** and *slanted* and `code` and ~~gone~~.", ["Bold and slanted and code and gone."]),
        ("A [link](https://a.example/b_c) and ![a chart](https://a.example/x.png).", ["A link and a chart."]),
        ("snake_case stays, 2 * 3 too, \\*escaped\\* as well", ["snake_case stays, 2 * 3 too, *escaped* as well"]),
        ("The formula \\(a^2\\) is $$b$$.", ["The formula a^2 is b."]),
        ("---", []),
        ("Look:\n```python\na\nb\n```\nDone.", ["Look:", Skipped("code", 2, "python"), "Done."]),
        ("~~~\na\n```\nb\n~~~", [Skipped("code", 3)]),
        ("```js\nnever ends. Really.", [Skipped("code", 1, "js")]),
        ("````\n```\nx\n```\n````\nAfter", [Skipped("code", 3), "After"]),
        ("Table:\n\n| a | b |\n|---|---|\n| 1. x | 2 |\n| 3 | 4 |\n\nEnd.", ["Table:", Skipped("table", 2), "End."]),
        ("", []),
        ("\n\n  \n", []),
    ],
)
def test_what_is_said(text: str, said: list[Spoken]) -> None:
    assert spoken(text) == said
    assert spoken(*text) == said


def test_a_sentence_is_said_as_soon_as_the_next_one_begins() -> None:
    splitter = SentenceSplitter()
    assert splitter.feed("This is the first sentence") == []
    assert splitter.feed(".") == []
    assert splitter.feed(" ") == []
    assert splitter.feed("And") == ["This is the first sentence."]


def test_a_paragraph_without_an_end_is_said_in_parts() -> None:
    said = spoken("word " * 500)
    assert len(said) > 3
    assert all(isinstance(part, str) and len(part) <= LONGEST for part in said)
    assert " ".join(map(str, said)).split() == ["word"] * 500


_PIECES = st.sampled_from(
    [
        "Word ",
        "a. ",
        "Dr. ",
        "Yes! ",
        "\n",
        "\n\n",
        "```",
        "```py\n",
        "| a |\n",
        "|-|\n",
        "- ",
        "1. ",
        "# ",
        "> ",
        "**",
        "`",
        "_",
        "\u597d\u3002",
        "\u300d",
        "...",
        "[a](b)",
        "~~~\n",
        "  ",
        "x",
    ]
)


@given(st.lists(_PIECES, max_size=30), st.data())
def test_the_pieces_do_not_matter(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert spoken(*pieces) == spoken(text)


@given(
    st.lists(
        st.sampled_from(["alpha ", "beta. ", "Gamma! ", "\n", "\n\n", "- ", "> ", "*", "delta\u3002"]), max_size=30
    )
)
def test_every_word_of_prose_is_said_once_and_in_order(parts: list[str]) -> None:
    words = ("alpha", "beta", "Gamma", "delta")
    said = " ".join(str(part) for part in spoken(*parts))
    assert [
        w
        for w in said.replace(".", " ").replace("!", " ").replace("\u3002", " ").replace("*", " ").split()
        if w in words
    ] == [w for part in parts for w in words if w in part]
