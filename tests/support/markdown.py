"""Markdown for property tests: texts built of lines that open, continue and close blocks in unexpected order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINES = (
    "",
    "plain words.",
    "Text with *em*, **strong** and `code`. More",
    "Sentence one. Sentence two! And three?",
    "x" * 40,
    "- item",
    "- other",
    "* star",
    "+ plus",
    " - one space",
    "  - nested",
    "   - deeper",
    "- [ ] open task",
    "- # heading in an item",
    "- > quote in an item",
    "- ```",
    "-     code in an item",
    "-",
    "1. one",
    "2. two",
    "14. fourteen",
    "2) bracket",
    "  1. nested number",
    "1.",
    "  two spaces",
    "   three spaces",
    "    four spaces",
    "     five spaces",
    "\ttab",
    "> quote",
    "> more",
    "> > deep",
    ">",
    "> - item in a quote",
    "> 1. number in a quote",
    "> ```",
    ">  indented in a quote",
    "# Heading",
    "## Second",
    "---",
    "===",
    "* * *",
    "```",
    "```py",
    "  ```",
    "   ```",
    "~~~",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 | 3",
    "a | b",
    "[a]: http://x.y",
    "see [a] and [b]",
    "`code` and http://a.b/c.",
    "![x](http://h/i.png)",
    "<div>",
    "before\u2028after",
    "$$",
    "$$x$$",
    "\\[",
    "\\]",
    "x = 1",
    "costs $5 and $x^2$ or \\(y\\)",
    "  $$",
    "> $$",
    "[^1]: note",
    "and[^1] more",
)


def texts() -> st.SearchStrategy[str]:
    """Texts of up to fourteen lines, with or without a final newline; every third is mostly a quote."""
    lines = st.sampled_from(_LINES)
    quoted = st.sampled_from([line for line in _LINES if line[:1] in (">", "")])
    mixed = st.one_of(st.lists(lines, max_size=14), st.lists(lines, max_size=14), st.lists(quoted | lines, max_size=14))
    return st.builds(lambda parts, end: "\n".join(parts) + end, mixed, st.sampled_from(("", "\n")))


def sizes() -> st.SearchStrategy[list[int]]:
    """Sizes of the pieces that a text arrives in, to be used over and over."""
    return st.lists(st.sampled_from((1, 2, 3, 5, 9, 30)), min_size=1, max_size=8)


def sliced(text: str, sizes: list[int]) -> Iterator[str]:
    """``text`` in pieces."""
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        yield text[at : at + size]
        at += size
        turn += 1
