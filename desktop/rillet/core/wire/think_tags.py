"""Splits the ``<think>…</think>`` with which some models begin their answer from the answer.

Pure. For servers that leave the tags of a reasoning model in the text (a provider entry says so). Only the very start
of an answer counts: the same tag further down is something the model writes about. Below: the codecs. Guarantee: the
split depends on the text only, never on how it was cut; nothing is lost but the tags and blank space beside them.
"""

from __future__ import annotations

from enum import Enum, auto

_OPEN = "<think>"
_CLOSE = "</think>"


class _State(Enum):
    START = auto()
    """Nothing but blank space and the beginning of a tag so far."""
    OPENED = auto()
    """The tag is open, nothing but blank space behind it yet."""
    THINKING = auto()
    CLOSED = auto()
    """The tag is closed, nothing but blank space behind it yet."""
    ANSWER = auto()


class ThinkSplitter:
    """Splits one answer. ``feed`` and ``flush`` return (thought, text): the thought comes first."""

    def __init__(self) -> None:
        self._state = _State.START
        self._held = ""

    @property
    def done(self) -> bool:
        """Whatever follows is text."""
        return self._state is _State.ANSWER

    def feed(self, piece: str) -> tuple[str, str]:
        """Split the next piece; what may be part of a tag is held back."""
        thought = ""
        rest, self._held = self._held + piece, ""
        if self._state is _State.START:
            rest = self._start(rest)
        if self._state is _State.OPENED:
            rest = rest.lstrip()
            if rest:
                self._state = _State.THINKING
        if self._state is _State.THINKING:
            thought, rest = self._think(rest)
        if self._state is _State.CLOSED:
            rest = rest.lstrip()
            if rest:
                self._state = _State.ANSWER
        return thought, rest

    def flush(self) -> tuple[str, str]:
        """Give up what is held: the answer ends here, or something else than text comes next."""
        held, self._held = self._held, ""
        if self._state is _State.START and held:
            self._state = _State.ANSWER
        return (held, "") if self._state is _State.THINKING else ("", held)

    def _start(self, text: str) -> str:
        begun = text.lstrip()
        if begun.startswith(_OPEN):
            self._state = _State.OPENED
            return begun[len(_OPEN) :]
        if _OPEN.startswith(begun):
            self._held = text
            return ""
        self._state = _State.ANSWER
        return text

    def _think(self, text: str) -> tuple[str, str]:
        thought, tag, rest = text.partition(_CLOSE)
        if tag:
            self._state = _State.CLOSED
            return thought, rest
        held = next((n for n in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:n])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held], ""
