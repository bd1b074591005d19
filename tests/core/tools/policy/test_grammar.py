"""Only options that are written out pass, and every other word that may name a file comes back."""

from __future__ import annotations

import pytest

from rillet.core.tools.policy.grammar import Grammar

LISTING = Grammar.of("-l -a -n= --all --color=? --lines= -#")
SEARCH = Grammar.of("-r -e=! --files!", texts=1)


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ([], ()),
        (["-l"], ()),
        (["-la", "x"], ("x",)),
        (["x", "-l", "y"], ("x", "y")),
        (["-n", "5", "x"], ("x",)),
        (["-n5"], ()),
        (["-ln5", "x"], ("x",)),
        (["-ln", "5", "x"], ("x",)),
        (["-n", "-5", "x"], ("x",)),
        (["-20", "x"], ("x",)),
        (["--lines", "5", "x"], ("x",)),
        (["--lines=-x"], ()),
        (["--color", "x"], ("x",)),
        (["--color=never"], ()),
        (["--", "-x", "--y"], ("-x", "--y")),
        (["-", ""], ("-", "")),
    ],
)
def test_known_options_pass(words: list[str], files: tuple[str, ...]) -> None:
    assert LISTING.files(words) == files


@pytest.mark.parametrize(
    "words",
    [
        ["-x"],
        ["-lx"],
        ["--col"],
        ["--all=x"],
        ["--colors"],
        ["--line=5"],
        ["-l=5"],
        ["--lines"],
        ["-n"],
        ["-n", "-x"],
        ["--lines", "--x"],
        ["-5x"],
        ["---"],
    ],
)
def test_others_do_not(words: list[str]) -> None:
    assert LISTING.files(words) is None


def test_the_first_word_of_a_search_is_no_file_unless_an_option_holds_the_pattern() -> None:
    assert SEARCH.files(["/api", "x"]) == ("x",)
    assert SEARCH.files(["-e", "/api", "x"]) == ("x",)
    assert SEARCH.files(["x", "-re", "/api", "y"]) == ("x", "y")
    assert SEARCH.files(["--files", "x"]) == ("x",)


def test_a_long_option_has_a_value_as_it_says() -> None:
    grammar = Grammar.of("--depth:")
    assert grammar.files(["--depth", "2", "x"]) == ("x",)
    assert grammar.files(["--depth=2", "x"]) is None


def test_a_value_that_is_always_the_next_word_is_not_joined() -> None:
    grammar = Grammar.of("-a -I:")
    assert grammar.files(["-aI", "x", "y"]) == ("y",)
    assert grammar.files(["-Ia", "x"]) is None
    assert grammar.files(["-I"]) is None


def test_whole_words_are_options_where_letters_are_not() -> None:
    grammar = Grammar.of("-name= -o", letters=False, ends=False)
    assert grammar.files([".", "-name", "x", "-o", "-name", "y"]) == (".",)
    assert grammar.files([".", "-nam", "x"]) is None
    assert grammar.files([".", "--", "-name"]) is None


def test_words_that_are_no_files_must_look_as_they_should() -> None:
    grammar = Grammar.of(texts=1, text=r"\+.*", most=1)
    assert grammar.files(["+%Y"]) == ()
    assert grammar.files(["2020-01-01"]) is None
    assert grammar.files(["+%Y", "+%Y"]) is None
    assert Grammar.of(texts=None, text=r"\w+").files(["a", "b"]) == ()
    assert Grammar.of(texts=None, text=r"\w+").files(["a", "b c"]) is None
