"""What is known about a model beyond what its provider tells: limits, abilities, prices.

Data, with source and date: ``resources/models.json``, and a file of the user's own in the same form, which wins over
everything. Above: ``provider``, ``types/model``. Below: ``client`` completes lists of models, the program corrects
them. Guarantee: what nobody has written down stays None; nothing is guessed from a name.
"""

from __future__ import annotations

import logging
import re
from dataclasses import fields, replace
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from rillet.core.types import Model, Prices
from rillet.data import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from rillet.core.providers.provider import Provider

log = logging.getLogger("rillet.providers")

_VERSION: Final = re.compile(
    r"(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-00\d|-latest)$"  # OpenAI; Anthropic, also at Vertex; Gemini; the current one
)
"""What follows the name of a model in the name of one of its versions."""


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The facts about one model; see ``Model``."""

    id: str
    aliases: tuple[str, ...] = ()
    name: str | None = None
    context_window: int | None = None
    output_limit: int | None = None
    vision: bool | None = None
    pdf: bool | None = None
    tools: bool | None = None
    reasoning: bool | None = None
    prices: Prices | None = None


class _ProviderFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: tuple[ModelFacts, ...]
    sources: tuple[str, ...] = ()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    providers: dict[str, _ProviderFacts]
    about: str = ""
    checked: date | None = None


class FactBook:
    """Facts about models, by the provider whose models they are."""

    def __init__(self, facts: Mapping[str, Iterable[ModelFacts]]) -> None:
        self._facts = {
            provider: {name.lower(): each for each in models for name in (each.id, *each.aliases)}
            for provider, models in facts.items()
        }

    @classmethod
    @cache
    def builtin(cls) -> FactBook:
        """What Rillet brings along."""
        return cls._of(read("models.json"))

    @classmethod
    def read(cls, path: Path) -> FactBook:
        """A file of the user's own; an empty book when there is none, or one that cannot be understood."""
        try:
            return cls._of(path.read_bytes())
        except FileNotFoundError:
            pass
        except (OSError, msgspec.DecodeError) as error:
            log.warning("the facts in %s are ignored: %s", path, error)
        return cls({})

    @classmethod
    def _of(cls, data: bytes) -> FactBook:
        file = msgspec.json.decode(data, type=_File)
        return cls({provider: facts.models for provider, facts in file.providers.items()})

    def find(self, provider: Provider, model: str) -> ModelFacts | None:
        """The facts about a model, or about that of which it is a dated version."""
        known = self._facts.get(provider.facts or provider.id, {})
        name = model.lower().removeprefix("models/")
        return known.get(name) or known.get(_VERSION.sub("", name))

    def complete(self, provider: Provider, models: Iterable[Model]) -> list[Model]:
        """The models, with this book's facts where the provider told nothing."""
        return [self._merged(self.find(provider, model.id), model, wins=False) for model in models]

    def correct(self, provider: Provider, models: Iterable[Model]) -> list[Model]:
        """The models, with this book's facts in place of all others."""
        return [self._merged(self.find(provider, model.id), model, wins=True) for model in models]

    @staticmethod
    def _merged(facts: ModelFacts | None, model: Model, *, wins: bool) -> Model:
        if facts is None:
            return model
        names = [each.name for each in fields(model) if each.name != "id"]
        told = {name: getattr(facts, name) for name in names}
        return replace(
            model,
            **{
                name: value
                for name, value in told.items()
                if value is not None and (wins or getattr(model, name) is None)
            },
        )
