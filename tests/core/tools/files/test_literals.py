from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rillet.core.tools.files.literals import required_literal


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("def test_", "def test_"),
        (r"\bfind\b", "find"),
        (r"import\s+numpy", "import"),
        (r"a\.b\(c\)", "a.b(c)"),
        (r"colou?r", "colo"),
        (r"ab*cc+d", "cc"),
        (r"[abc]def[^g]h", "def"),
        (r"[]x]yz", "yz"),
        (r"(abc)?de", "de"),
        (r"ab{2}cd", "cd"),
        (r"ab{0}c", "a"),
        ("a|b", ""),
        ("(?i)abc", ""),
        ("(?x) a b", ""),
        (r"\d+\w\\yz", "\\yz"),
        (".*", ""),
        ("", ""),
        ("^$", ""),
        ("ü🦆", "ü🦆"),
        (r"\x41bc", ""),
        (r"(a)\1bc", ""),
        ("((a)b)c", "c"),
    ],
)
def test_the_text_is_the_longest_that_must_be_there(pattern: str, literal: str) -> None:
    assert required_literal(pattern) == literal


@given(st.text("ab.*+?()[]^${}\\|,12-", max_size=10), st.text("ab.*+()[]{}\\|,12-", max_size=12))
@example("[[]a", "[a")
@example("a{,2}b", "b")
@example("a{b", "a{b")
@example(r"(a\)b)c", "a)bc")
@example(r"[\]a]b", "b")
@example("a{1}{0}", "")
def test_where_the_expression_matches_the_text_is_there(pattern: str, line: str) -> None:
    try:
        found = re.compile(pattern).search(line)
    except (re.error, RecursionError, OverflowError, FutureWarning):
        return
    if found:
        assert required_literal(pattern) in line
