"""A model as its provider lists it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class Model:
    """One entry of a provider's list of models. None means that the provider did not tell."""

    id: str
    _: KW_ONLY
    name: str | None = None
    context_window: int | None = None
