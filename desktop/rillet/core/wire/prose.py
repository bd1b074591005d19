"""The running text and reasoning of one answer: pieces as they come → deltas whose text can be stored and sent.

Pure, and the same for every style. Above: ``surrogates``, ``think_tags``. Below: what collects one answer in each
codec builds on it. Guarantee: what is held back (half a character, a possible tag) leaves in its place in the order.
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import Delta, ReasoningDelta, TextDelta
from rillet.core.wire.surrogates import SurrogateJoiner
from rillet.core.wire.think_tags import ThinkSplitter


class Prose:
    """Collects text and reasoning; ``deltas`` is drained by the owner."""

    def __init__(self, *, think_tags: bool = False) -> None:
        self.deltas: list[Delta] = []
        self._text = SurrogateJoiner()
        self._reasoning = SurrogateJoiner()
        self._splitter = ThinkSplitter() if think_tags else None

    def add_text(self, text: str) -> None:
        """The next piece of visible text."""
        if half := self._reasoning.flush():
            self.deltas.append(ReasoningDelta(half))
        text = self._text.feed(text)
        if self._splitter is not None:
            thought, text = self._splitter.feed(text)
            if thought:
                self.deltas.append(ReasoningDelta(thought))
            if self._splitter.done:
                self._splitter = None
        if text:
            self.deltas.append(TextDelta(text))

    def add_reasoning(self, text: str, metadata: dict[str, Any] | None = None) -> None:
        """The next piece of reasoning; empty text with metadata signs what came before."""
        self._release_text()
        text = self._reasoning.feed(text)
        if text or metadata:
            self.deltas.append(ReasoningDelta(text, metadata))

    def release(self) -> None:
        """Let go of characters that were held back: something else comes, or the answer is over."""
        if half := self._reasoning.flush():
            self.deltas.append(ReasoningDelta(half))
        self._release_text()

    def _release_text(self) -> None:
        text = self._text.flush()
        if self._splitter is not None:
            thought, text = self._splitter.feed(text)
            last_thought, last_text = self._splitter.flush()
            if thought := thought + last_thought:
                self.deltas.append(ReasoningDelta(thought))
            text += last_text
        if text:
            self.deltas.append(TextDelta(text))
