"""CommonMark's example suite, through the segmenter and the builders: our documents say what the reference says.

HTML is text to us, so the 72 examples with raw HTML are left out. ``DIFFERENT`` lists, with reasons, every other
example whose text is not that of the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from support.commonmark import Example, MissingError, collapsed, examples, lines_of_html
from support.showing import text_of

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

DIFFERENT: dict[int, str] = {}
WITHOUT_HTML = 580


@pytest.fixture(scope="module")
def suite(request: pytest.FixtureRequest) -> list[Example]:
    try:
        return examples(request.config.cache.mkdir("commonmark-spec"))
    except MissingError as error:
        pytest.skip(f"CommonMark's examples are not to be had, NOT TESTED: {error}")


def has_html(example: Example) -> bool:
    tokens = MarkdownIt("commonmark").parse(example.markdown)
    return any(token.type.startswith("html") for token in [*tokens, *(c for t in tokens for c in t.children or ())])


def shown(markdown: str, theme: Theme) -> list[str]:
    return [line.rstrip() for line in text_of(markdown, theme).split("\n") if line.strip()]


def in_one_space(texts: list[str]) -> list[str]:
    return [collapsed(text) for text in texts]


def test_the_text_is_that_of_the_reference_but_for_what_is_listed(suite: list[Example], theme: Theme) -> None:
    tested = [example for example in suite if not has_html(example)]
    different = {
        example.number
        for example in tested
        if in_one_space(shown(example.markdown, theme)) != in_one_space(lines_of_html(example.html))
    }
    assert len(tested) == WITHOUT_HTML
    assert different == set(DIFFERENT)
    assert len(different) <= 0.02 * WITHOUT_HTML


def test_code_keeps_its_spaces(suite: list[Example], theme: Theme) -> None:
    tested = [example for example in suite if example.html.startswith("<pre>") and example.html.count("<pre>") == 1]
    tested = [example for example in tested if example.html.endswith("</pre>\n") and not has_html(example)]
    assert len(tested) > 20
    for example in tested:
        assert shown(example.markdown, theme) == lines_of_html(example.html)
