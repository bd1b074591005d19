"""Tool arguments, laid out while they are written.

Pure text. Knows no calls and no widgets. Below: ``tool`` shows what comes out. Guarantees: the layout depends on the
text alone, not on its slices; it takes linear time, however deep the nesting; nothing is lost, and layout is never
mistaken for content: JSON holds no line end inside a string, so each one found there is layout, and so is all white
space outside of strings.
"""

from __future__ import annotations

import re

_INDENT, _DEEPEST = 2, 16
"""Spaces a level, and the levels that are indented: a million brackets must not become a trillion spaces."""
LINE = 1000
"""Characters after which a line inside a string ends."""
_TOKEN = re.compile(r'\s+|[{\[]|[}\]]|,|:|"|[^\s{}\[\],:"]+')
_PLAIN = re.compile(r'[^"\\]+')
_MARKS = frozenset('{}[],:"')
_BREAK = "n"


class ArgumentsPrinter:
    """Lays out JSON text that arrives in pieces. What is no JSON passes through it as well."""

    def __init__(self) -> None:
        self._depth = 0
        self._just_opened = False
        self._in_string = False
        self._escape = False
        self._line_due = False
        self._column = 0
        self._after_word = False
        self._space_due = False

    def feed(self, text: str) -> str:
        """The layout of the next piece."""
        out: list[str] = []
        at = 0
        while at < len(text):
            at = self._string(text, at, out) if self._in_string else self._structure(text, at, out)
        return "".join(out)

    def _structure(self, text: str, at: int, out: list[str]) -> int:
        match = _TOKEN.match(text, at)
        assert match is not None
        mark = match[0]
        if mark.isspace():
            self._space_due = self._after_word
            return match.end()
        word = mark not in _MARKS
        if word and self._space_due:  # no JSON has this
            out.append(" ")
        self._after_word, self._space_due = word, False
        if mark in ("}", "]"):
            self._depth = max(0, self._depth - 1)
            if not self._just_opened:
                out.append(self._new_line())
            self._just_opened = False
            out.append(mark)
            return match.end()
        if self._just_opened:
            out.append(self._new_line())
            self._just_opened = False
        if mark in ("{", "["):
            self._depth += 1
            self._just_opened = True
        elif mark == '"':
            self._in_string = True
            self._column = 0
        out.append(mark)
        if mark == ",":
            out.append(self._new_line())
        elif mark == ":":
            out.append(" ")
        return match.end()

    def _string(self, text: str, at: int, out: list[str]) -> int:
        """Up to the end of the string, an escape, or the piece; a line ends where the string's own text says so."""
        character = text[at]
        if self._escape:
            self._escape = False
            self._line_due = character == _BREAK
            self._put(character, out)
            return at + 1
        if character == '"':
            self._in_string = self._line_due = False
            out.append(character)
            return at + 1
        if self._line_due or self._column >= LINE:
            self._line_due = False
            self._column = 0
            out.append("\n")
        if character == "\\":
            self._escape = True
            self._put(character, out)
            return at + 1
        match = _PLAIN.match(text, at, at + LINE - self._column)
        assert match is not None
        self._put(match[0], out)
        return match.end()

    def _put(self, text: str, out: list[str]) -> None:
        self._column += len(text)
        out.append(text)

    def _new_line(self) -> str:
        return "\n" + " " * (_INDENT * min(self._depth, _DEEPEST))
