"""A model as its provider lists it, and what else is known about it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens; the base price where there are several. None means unknown."""

    _: KW_ONLY
    input: float | None = None
    cached_input: float | None = None
    output: float | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One entry of a provider's list of models. None means unknown, never no."""

    id: str
    _: KW_ONLY
    name: str | None = None
    context_window: int | None = None
    """Tokens, of the conversation and its answer."""
    output_limit: int | None = None
    """Tokens of one answer, reasoning included."""
    vision: bool | None = None
    """Accepts images."""
    pdf: bool | None = None
    """Accepts PDF files, and looks at their pages."""
    tools: bool | None = None
    reasoning: bool | None = None
    prices: Prices | None = None
