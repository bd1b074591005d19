"""The rows of the model picker: favourites, what was used last, and what every provider offers.

Reads the ``catalogue`` and changes nothing. Below: ``offer_list`` shows them. Guarantee: a name that nobody lists can
be chosen, too, by typing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.app.models.words import brief, describe
from rillet.core.config.settings import ModelName
from rillet.core.providers.provider import Provider

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rillet.app.models.catalogue import Catalogue
    from rillet.app.services import Services
    from rillet.core.types import Model

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Heading:
    """Stands over offers; or, with ``is_note``, in the place of some that are not there."""

    text: str
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be chosen.

    Attributes:
        model: Its name; None: the provider's default model.
        text: What it is called.
        detail: What is known about it, in one line.
        more: The same for a tool tip, with more words.
        is_listed: Whether its provider offers it; else it is what was typed.
    """

    provider: Provider
    model: str | None
    text: str
    detail: str = ""
    more: str = ""
    is_favourite: bool = False
    is_listed: bool = True

    @property
    def name(self) -> ModelName:
        """As the settings know it."""
        return ModelName(self.provider.id, self.model)


def rows(services: Services, query: str = "") -> list[Heading | Offer]:
    """What the picker shows while ``query`` is looked for."""
    words = query.casefold().split()
    catalogue = services.catalogue
    shown: list[Heading | Offer] = []
    if not words:
        shown += _group(translate("Offers", "Favourites"), _named(services, services.settings.favourite_models))
        recent = [each for each in services.settings.recent_models if not catalogue.is_favourite(each)]
        shown += _group(translate("Offers", "Used last"), _named(services, recent))
    for provider in services.providers:
        offers = (each for each in _offers(services, provider) if _fits(each, words))
        shown += _group(provider.label, offers)
        if not words and (note := _note(catalogue, provider)):
            if not (shown and isinstance(last := shown[-1], Offer) and last.provider == provider):
                shown.append(Heading(provider.label))
            shown.append(Heading(note, is_note=True))
    return shown + (_typed(services, query.strip(), shown) if words else [])


def _group(title: str, offers: Iterable[Offer]) -> list[Heading | Offer]:
    found = list(offers)
    return [Heading(title), *found] if found else []


def _named(services: Services, names: Iterable[ModelName]) -> Iterator[Offer]:
    """The offers of these names whose providers are there."""
    providers = {provider.id: provider for provider in services.providers}
    for name in names:
        provider = providers.get(name.provider)
        if provider is not None and not (provider.server is not None and not services.local_server.is_available):
            yield _offer(services, provider, name.model)


def _offers(services: Services, provider: Provider) -> Iterator[Offer]:
    if provider.server is not None:
        if services.local_server.is_available:
            yield _offer(services, provider, None)
        return
    default = [provider.default_model] if provider.default_model else []
    listed = [model.id for model in services.catalogue.models(provider)]
    for name in dict.fromkeys([*default, *listed]):
        yield _offer(services, provider, name)


def _offer(services: Services, provider: Provider, name: str | None) -> Offer:
    favourite = services.catalogue.is_favourite(ModelName(provider.id, name))
    if name is None:
        text = provider.label if provider.server is not None else provider.default_model or provider.label
        default = provider.default_model
        detail = _detail(services.catalogue.model(provider, default)) if default else ""
        return Offer(provider, None, text, detail, services.describe(provider), favourite)
    model = services.catalogue.model(provider, name)
    return Offer(provider, name, name, _detail(model), describe(model), favourite)


def _detail(model: Model) -> str:
    own = model.name if model.name and model.name != model.id else ""
    return " · ".join(part for part in (own, brief(model)) if part)


def _fits(offer: Offer, words: list[str]) -> bool:
    said = f"{offer.text} {offer.detail} {offer.provider.label}".casefold()
    return all(word in said for word in words)


def _note(catalogue: Catalogue, provider: Provider) -> str:
    if catalogue.is_loading(provider):
        return translate("Offers", "Loading models…")
    return catalogue.problem(provider)


def _typed(services: Services, name: str, shown: list[Heading | Offer]) -> list[Heading | Offer]:
    """What was typed, as the name of a model."""
    known = {(row.provider.id, row.text) for row in shown if isinstance(row, Offer)}
    others = (
        Offer(provider, name, name, is_listed=False)
        for provider in services.providers
        if provider.server is None and (provider.id, name) not in known
    )
    return [
        row
        for offer in others
        for row in (Heading(translate("Offers", "Not listed, at {name}").format(name=offer.provider.label)), offer)
    ]
