from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.files.globs import glob_regex


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("*.py", ["a.py", "src/a.py", ".py", "x/y/z.py"], ["a.pyc", "py", "a.py/b"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/x/a.py", "x/src/a.py"]),
        ("/a.py", ["a.py"], ["src/a.py"]),
        ("./src/a", ["src/a"], ["a"]),
        ("**/a", ["a", "x/a", "x/y/a"], ["xa", "a/x"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "xsrc/a"]),
        ("src/**/a", ["src/a", "src/x/a", "src/x/y/a"], ["srca", "src/xa"]),
        ("**", ["a", "x/y"], []),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("?", ["a", "x/é"], ["ab", ""]),
        ("[abc].x", ["a.x"], ["d.x", "[.x"]),
        ("[!a-c]", ["d"], ["a", "b"]),
        ("[^a-c]", ["d"], ["a"]),
        ("x[!a]y", ["xby"], ["x/y", "xay"]),
        ("[]]", ["]"], ["["]),
        ("[a", ["[a"], ["a"]),
        ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.js", "a.{ts,tsx}"]),
        ("{src,test}/**/*.{a,b}", ["src/x.a", "test/y/z.b"], ["lib/x.a"]),
        ("{a,{b,c}}", ["a", "b", "c"], ["d"]),
        ("{a", ["{a"], ["a"]),
        ("a,b", ["a,b"], ["a"]),
        ("\\*", ["*"], ["a"]),
        ("a.b+(c)", ["a.b+(c)"], ["aXb+(c)"]),
        ("with space/ü*", ["with space/über"], []),
        ("[[]", ["["], ["a"]),
        ("[a&&b]", ["&", "a"], ["c"]),
        ("[\\]]", ["]"], ["\\"]),
        ("a\nb", ["a\nb"], ["a"]),
    ],
)
def test_a_pattern_fits_these_and_not_those(pattern: str, fits: list[str], fits_not: list[str]) -> None:
    regex = glob_regex(pattern)
    assert [path for path in fits if not regex.fullmatch(path)] == []
    assert [path for path in fits_not if regex.fullmatch(path)] == []


@pytest.mark.parametrize("pattern", ["[z-a]", "x[b-a]/*"])
def test_what_is_no_pattern_says_so(pattern: str) -> None:
    with pytest.raises(ValueError, match="is no pattern"):
        glob_regex(pattern)


@given(st.text("ab*?[]!^-{},/\\.", max_size=12))
def test_any_text_is_a_pattern_or_an_error(pattern: str) -> None:
    try:
        regex = glob_regex(pattern)
    except ValueError as error:
        assert "is no pattern" in str(error)
    else:
        regex.fullmatch("ab/ab")


@given(st.text(st.characters(exclude_characters="*?[]{},\\/\n", exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_text_without_signs_fits_itself_alone(name: str) -> None:
    regex = glob_regex(name)
    if not name.startswith("./"):
        assert regex.fullmatch(name)
        assert not regex.fullmatch(name + "x")
