"""Shell text: the words of one plain command, or the plain fact that it is more than that.

Pure; knows no rules and no tools. Below: ``programs`` says what words may mean, ``rules`` compares them. Guarantees:
``plain`` returns words only where bash, dash, ksh and zsh run exactly them, whatever stands in the environment, the
folder or the history; where one of them might see an operator, an expansion or a pattern, there are none. ``mentioned``
errs to the other side: it finds a command also where it may not run.

The grammar is POSIX.1-2017, Shell Command Language, 2.2 (quoting) and 2.3 (tokens), cut down to what is beyond doubt.
Blanks are spaces, line ends of any kind are refused even inside quotes, and outside of quotes only those characters
stand for themselves that no shell gives a meaning anywhere in a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rillet.core.visible import hidden_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST: Final = 8192
"""Characters of a command that anybody types; a longer one is not plain."""

_PIECE: Final = re.compile(
    r"""
      (?P<bare>(?: [A-Za-z0-9_./:@%+,=-] | (?<=[A-Za-z0-9~^]) [~^] )+)   # HEAD~2 and HEAD^: inside, they are letters
    | '(?P<single>[^']*)'
    | "(?P<double>(?:[^"$`!\\]|\\.)*)"
    | \\(?P<escaped>[ -/:-@\[-`{-~])
    """,
    re.VERBOSE,
)
_ESCAPE_IN_QUOTES: Final = re.compile(r'\\(["\\$`])')
_PROGRAM: Final = re.compile(r"[A-Za-z0-9_./+][A-Za-z0-9_./+-]*")
_RESERVED: Final = (
    "case coproc do done elif else end esac fi for foreach function if in nocorrect noglob repeat select then time"
    " until while"
)
"""Of bash, ksh and zsh, and what zsh takes before a command."""
_EVALUATING: Final = (
    ". alias autoload bind bindkey builtin command compgen complete declare emulate enable eval exec export fc float"
    " functions getopts hash history integer let local mapfile print printf read readarray readonly sched set setopt"
    " shopt source test trap type typeset unalias unset unsetopt vared whence zcompile zle zmodload"
)
"""Commands built into shells that run, define or evaluate what they are given: a subscript even by test and printf."""
_INTERPRETED: Final = frozenset([*_RESERVED.split(), *_EVALUATING.split()])
_SEPARATOR: Final = re.compile(r"[;&|\n\r\v\f(){}<>`$\0\x85\u2028\u2029]+")
_SHORT_OPTIONS: Final = re.compile(r"-[A-Za-z]+")


def plain(text: str) -> tuple[str, ...] | None:
    """The words of ``text`` when it is one plain command to every shell, else None."""
    if len(text) > LONGEST or hidden_in(text) or "\n" in text:
        return None
    if "\\" in text and not text.isascii():
        return None  # in an East Asian locale a shell may take the backslash for the half of a letter
    words = _split(text.strip(" "))
    if not words or not _PROGRAM.fullmatch(words[0]) or words[0] in _INTERPRETED:
        return None
    if any(word.startswith("=") for word in words):
        return None  # zsh puts a path there
    return words


def mentioned(text: str, command: Sequence[str]) -> bool:
    """Whether ``command`` (a program and words that must follow it) could be among what ``text`` runs.

    Loose, for rules that deny: quotes do not hide it, nor a path before the program, a wrapper such as sudo, or words
    in between. It cannot see through expansions; such text is never plain, and so never allowed by a rule either.
    """
    text = text.translate({ord(char): " " for char in hidden_in(text) - set("\r\0")})
    joined = re.sub(r"\\\r?\n|['\"\\]", "", text)
    parted = re.sub(r"\\\r?\n|['\"\\]", " ", text)
    return any(_follows(segment, command) for reading in (joined, parted) for segment in _segments(reading))


def _split(text: str) -> tuple[str, ...] | None:
    words: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        word = ""
        while at < len(text) and text[at] != " ":
            piece = _PIECE.match(text, at)
            if piece is None:
                return None
            word += _value(piece)
            at = piece.end()
        words.append(word)
    return tuple(words)


def _value(piece: re.Match[str]) -> str:
    if piece["double"] is not None:
        return _ESCAPE_IN_QUOTES.sub(r"\1", piece["double"])
    return next(value for value in piece.groupdict().values() if value is not None)


def _segments(text: str) -> Iterator[list[str]]:
    for segment in _SEPARATOR.split(text):
        yield segment.split()


def _follows(words: list[str], command: Sequence[str]) -> bool:
    program, *wanted = command
    return any(_name(word) == _name(program) and _contains(words[at + 1 :], wanted) for at, word in enumerate(words))


def _contains(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether each of ``wanted`` is there, whatever the order; ``-rf`` is also where ``-r`` and ``-f`` are."""
    letters = set("".join(word[1:] for word in words if _SHORT_OPTIONS.fullmatch(word)))
    return all(each in words or (_SHORT_OPTIONS.fullmatch(each) and letters.issuperset(each[1:])) for each in wanted)


def _name(program: str) -> str:
    """The name of a program without its folder; letters count alike, as they do for file systems of macOS."""
    return re.split(r"[/\\]", program)[-1].casefold().removesuffix(".exe")
