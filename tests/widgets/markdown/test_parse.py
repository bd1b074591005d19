"""The parser: what it is set up for, and when it is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from rillet.widgets.markdown.parse import parse


def kinds(source: str) -> set[str]:
    return {token.type for token in parse(source)} | {
        child.type for token in parse(source) for child in token.children or ()
    }


def test_tables_and_strikethrough_are_understood() -> None:
    assert {"table_open", "s_open"} <= kinds("| a |\n|---|\n| ~~b~~ |")


def test_html_is_text() -> None:
    assert not any("html" in kind for kind in kinds("<script>x</script>\n\na <b>c</b> <!-- d -->"))


def test_references_from_elsewhere_resolve() -> None:
    assert "link_open" in {
        child.type for child in parse("[a]", {"A": {"title": "", "href": "http://b"}})[1].children or ()
    }
    assert "link_open" not in kinds("[a]")


def test_references_of_one_text_do_not_leak_into_the_next() -> None:
    given: dict[str, dict[str, str]] = {}
    parse("[a]: http://b\n\n[a]", given)
    assert given == {}
    assert "link_open" not in kinds("[a]")


def test_a_lone_surrogate_in_an_address_survives() -> None:
    assert parse("[a](http://x/\ud800)")


def test_importing_the_builders_loads_neither_parser_nor_colours() -> None:
    script = (
        "import sys, rillet.widgets.markdown, rillet.widgets.transcript.segmenter\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('markdown_it', 'pygments')])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("source", ["[" * 50, "![" * 50, "a [b](c) [d", "![a](b) ![c", "*[a*", "[a](b[c", "x [", "!["])
def test_brackets_that_nothing_closes_are_text_as_in_commonmark(source: str) -> None:
    ours = RendererHTML().render(parse(source), MarkdownIt("commonmark").options, {})
    assert ours == MarkdownIt("commonmark").render(source)
