"""What an answer took: tokens, speed, time and money, in one line.

Plain values; knows no widgets and no prices. Below: ``message_handle`` collects the figures of a stream, hosts give
those of a stored message. Guarantee: what is not known is left out, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from rillet.core.types import Usage

translate = QCoreApplication.translate

_SHORTEST = 0.05
"""Seconds of writing below which a speed means nothing: the answer came in one piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one answer; None means not known.

    Attributes:
        prompt_tokens: Tokens that were sent.
        cached_tokens: Those of them that the provider still had.
        tokens: Tokens that were written, reasoning included.
        first: Seconds from asking to the first character.
        seconds: Seconds from asking to the end.
        cost: What it cost, as it is to be shown ("$0.0021").
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    tokens: int | None = None
    first: float | None = None
    seconds: float | None = None
    cost: str | None = None

    def with_usage(self, usage: Usage) -> Figures:
        """The same with the token counts of ``usage``, where it has some."""
        return replace(
            self,
            prompt_tokens=self.prompt_tokens if usage.prompt_tokens is None else usage.prompt_tokens,
            cached_tokens=self.cached_tokens if usage.cached_tokens is None else usage.cached_tokens,
            tokens=self.tokens if usage.completion_tokens is None else usage.completion_tokens,
        )

    @property
    def speed(self) -> float | None:
        """Tokens a second while it was written."""
        if self.tokens is None or self.first is None or self.seconds is None:
            return None
        writing = self.seconds - self.first
        return self.tokens / writing if writing >= _SHORTEST and self.tokens > 1 else None

    def __str__(self) -> str:
        """For people: "412 tokens · 38 tok/s · first 0.3 s · $0.0021"; "" when neither tokens nor cost are known."""
        if self.tokens is None:
            return self.cost or ""
        one, many = translate("Figures", "1 token"), translate("Figures", "{count:,} tokens")
        shown = [one if self.tokens == 1 else many.format(count=self.tokens)]
        if self.speed is not None:
            speed = f"{self.speed:.0f}" if self.speed >= 9.5 else f"{self.speed:.1f}"
            shown.append(translate("Figures", "{number} tok/s").format(number=speed))
        if self.first is not None:
            shown.append(translate("Figures", "first {seconds:.1f} s").format(seconds=self.first))
        if self.cached_tokens:
            shown.append(translate("Figures", "{count:,} cached").format(count=self.cached_tokens))
        if self.cost:
            shown.append(self.cost)
        return " · ".join(shown)
