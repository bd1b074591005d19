"""The models that can be chosen: what providers list, as far as they have told, and which of them a person likes.

Above: ``services``. Below: ``picker``, ``offers``. One for all pickers, so that a list is loaded once. Guarantees: a
list that could not be loaded is asked for again by the next ``refresh``; a favourite stays one while its provider is
away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app import coroutines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.app.services import Services
    from rillet.core.config.settings import ModelName
    from rillet.core.providers.provider import Provider
    from rillet.core.types import Model

RECENT: Final = 4
"""Models that are remembered as used last."""


class Catalogue(QObject):
    """What every provider offers.

    Signals:
        changed(): A list or a provider came, a list could not be loaded, or a favourite is none any more.
    """

    changed = Signal()

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._services = services
        self._models: dict[str, list[Model]] = {}
        self._problems: dict[str, str] = {}
        self._loading: set[str] = set()
        self._is_looking = False
        services.providersChanged.connect(self.forget)

    def models(self, provider: Provider) -> Sequence[Model]:
        """What it lists, as far as that is known."""
        return self._models.get(provider.id, ())

    def problem(self, provider: Provider) -> str:
        """Why its list could not be loaded, as a sentence; empty: it could, or nobody has tried."""
        return self._problems.get(provider.id, "")

    def is_loading(self, provider: Provider) -> bool:
        """Whether its list is under way."""
        return provider.id in self._loading

    def model(self, provider: Provider, name: str) -> Model:
        """All that is known about a model."""
        listed = next((each for each in self.models(provider) if each.id == name), None)
        return listed or self._services.known_model(provider, name)

    @Slot()
    def refresh(self) -> None:
        """Load the lists that are not there yet, and look for servers on this machine."""
        self._load_missing()
        if not self._is_looking:
            self._is_looking = True
            coroutines.start(self._look_around())

    @Slot()
    def forget(self) -> None:
        """Ask everybody anew: addresses or keys are others now."""
        self._models.clear()
        self._problems.clear()
        self.changed.emit()

    # Favourites and what was used last

    def is_favourite(self, name: ModelName) -> bool:
        """Whether the person marked it."""
        return name in self._services.settings.favourite_models

    def set_favourite(self, name: ModelName, *, favourite: bool) -> None:
        """Mark a model, or take the mark away."""
        others = [each for each in self._services.settings.favourite_models if each != name]
        self._services.change(favourite_models=(*others, name) if favourite else tuple(others))
        self.changed.emit()

    def note_use(self, name: ModelName) -> None:
        """Remember that a model was chosen."""
        others = [each for each in self._services.settings.recent_models if each != name]
        self._services.change(recent_models=(name, *others[: RECENT - 1]))

    def _load_missing(self) -> None:
        for provider in self._services.providers:
            if provider.server is None and provider.id not in self._models and provider.id not in self._loading:
                self._loading.add(provider.id)
                coroutines.start(self._load(provider))

    async def _load(self, provider: Provider) -> None:
        from rillet.core.errors import LlmError
        from rillet.widgets import words

        try:
            listed, problem = await self._services.models(provider), ""
        except LlmError as error:
            listed, problem = [], words.sentence(error)
        finally:
            self._loading.discard(provider.id)
        if provider not in self._services.providers:  # reached otherwise by now
            return
        self._problems[provider.id] = problem
        if not problem:
            self._models[provider.id] = listed
        self.changed.emit()

    async def _look_around(self) -> None:
        try:
            has_changed = await self._services.look_for_local_servers()
        finally:
            self._is_looking = False
        if has_changed:
            self._load_missing()
            self.changed.emit()
