"""What may follow a command that is known, without its doing more than what it is known for.

Pure; knows no programs by name. Above: ``command`` splits the words. Below: ``programs`` is the table. Guarantee:
``files`` accepts only options that are written out in the grammar, letter by letter, and returns every other word that
the program could take for the name of a file. An abbreviated option is not accepted, nor is a value that could itself
be taken for an option.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Value: TypeAlias = Literal["none", "needed", "joined", "next"]
"""Whether an option has a value: never; always (``-n 5``, ``-n5``, ``--lines 5``, ``--lines=5``); only joined to it, if
at all (``--color``, ``--color=never``); or always as the next word (``-I pattern``, where ``-Io`` is two options)."""

_VALUES: Final[Mapping[str, Value]] = {"": "none", "=": "needed", "=?": "joined", ":": "next"}
_ANY: Final = re.compile(r"(?s:.*)")
_NUMBER: Final = re.compile(r"-[0-9]+")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The harmless arguments of one program, or of one of its subcommands.

    Attributes:
        options: Each option with its dash or dashes, and whether it has a value.
        patterns: Those options that stand in the place of the text that comes first.
        text: What the words look like that are no files.
        texts: How many words come before the names of files: as many as that, or None for all of them.
        most: How many words there may be beside options, or None for any number.
        letters: Whether ``-la`` is two options; else a word is one, as with find.
        number: Whether ``-5`` is an option.
        ends: Whether ``--`` ends the options. Where it hands the rest to somebody else it is refused.
    """

    options: Mapping[str, Value]
    patterns: frozenset[str] = frozenset()
    text: re.Pattern[str] = _ANY
    texts: int | None = 0
    most: int | None = None
    letters: bool = True
    number: bool = False
    ends: bool = True

    @classmethod
    def of(
        cls,
        options: str = "",
        *,
        texts: int | None = 0,
        text: str | None = None,
        most: int | None = None,
        letters: bool = True,
        ends: bool = True,
    ) -> Grammar:
        """Read ``options``: words such as ``-l``, ``-n=`` (needed), ``--color=?`` (joined), ``-I:`` (next).

        ``-e=!`` is a pattern, and ``-#`` stands for numbers.
        """
        values: dict[str, Value] = {}
        patterns = set()
        for word in options.split():
            name = word.rstrip("=?!:")
            values[name] = _VALUES[word[len(name) :].rstrip("!")]
            if word.endswith("!"):
                patterns.add(name)
        number = values.pop("-#", None) is not None
        kind = _ANY if text is None else re.compile(text)
        return cls(values, frozenset(patterns), kind, texts, most, letters, number, ends)

    def files(self, words: Sequence[str]) -> tuple[str, ...] | None:
        """Those of ``words`` that may name files; None when one of them is not known to be harmless."""
        operands: list[str] = []
        texts = self.texts
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "--" and self.ends:
                operands += rest
                break
            if len(word) < 2 or not word.startswith("-"):
                operands.append(word)
            elif not (self.number and _NUMBER.fullmatch(word)):
                used = self._option(word, rest)
                if used is None:
                    return None
                if used in self.patterns:
                    texts = 0
        if self.most is not None and len(operands) > self.most:
            return None
        told = len(operands) if texts is None else texts
        if not all(self.text.fullmatch(word) for word in operands[:told]):
            return None
        return tuple(operands[told:])

    def _option(self, word: str, rest: list[str]) -> str | None:
        """Take the option ``word``, and its value from ``rest``; the name of it, or None."""
        if self.letters and not word.startswith("--"):
            return self._letters(word, rest)
        name, joined, _ = word.partition("=")
        value = self.options.get(name)
        if value is None or (joined and value in ("none", "next")):
            return None
        return name if joined or value in ("none", "joined") or _take_value(rest) else None

    def _letters(self, word: str, rest: list[str]) -> str | None:
        """Several options of one letter, the last of which may have a value."""
        name = None
        for at, letter in enumerate(word[1:], 2):
            name = f"-{letter}"
            value = self.options.get(name)
            if value is None or (value == "next" and word[at:]):
                return None
            if value != "none":
                return name if value == "joined" or word[at:] or _take_value(rest) else None
        return name


def _take_value(rest: list[str]) -> bool:
    """Whether a value follows; one that looks like an option, and is no number, may be one to the program."""
    if not rest or (rest[0].startswith("-") and not _NUMBER.fullmatch(rest[0])):
        return False
    rest.pop(0)
    return True
