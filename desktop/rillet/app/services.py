"""The composition root: which providers there are, a client for each, and what is remembered.

Above: ``core/providers``, ``core/config``, ``qt``. Below: ``window`` and ``cli`` ask here and build nothing themselves.
Knows no widget. GUI thread only.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from rillet.app.library import Library
from rillet.core.config.paths import paths
from rillet.core.config.settings import EndpointSettings
from rillet.core.providers.builtin import builtin_providers, from_environment
from rillet.core.providers.compatible import compatible
from rillet.core.providers.facts import FactBook
from rillet.core.providers.local_model import DESCRIPTION, local_provider
from rillet.core.providers.local_server import LocalServer
from rillet.core.providers.local_servers import detect_local
from rillet.core.providers.provider import Provider
from rillet.qt import LlmClient
from rillet.qt.desk import DeskClient
from rillet.qt.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rillet.core.config.settings import Settings, SettingsFile
    from rillet.core.providers.builtin import BuiltinProvider
    from rillet.core.types import Model

log = logging.getLogger("rillet.app")


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom the next message goes to."""

    provider: Provider
    model: str | None = None
    """None: the provider's default model."""

    @property
    def label(self) -> str:
        """For people: the model, or the provider where it serves but one."""
        if self.provider.server is not None:
            return self.provider.label
        return self.model or self.provider.default_model or self.provider.label

    @property
    def description(self) -> str:
        """What there is to know before one writes; empty for most."""
        return DESCRIPTION if self.provider.server is not None else ""


class Services(QObject):
    """Providers and clients of the running program, and everything that it keeps.

    Attributes:
        desk: The store, and the answers that are under way.
        library: The list of chats.

    Signals:
        choiceChanged: The chosen provider or model is another one now (a ``Choice``).
    """

    choiceChanged = Signal(object)

    def __init__(
        self, settings_file: SettingsFile, environment: Mapping[str, str] | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._file = settings_file
        self._environment = os.environ if environment is None else environment
        self.local_server = LocalServer()
        self._local = local_provider(self.local_server)
        self._keyed = from_environment(self._environment)
        self._local_servers = [known.provider() for known in builtin_providers() if known.local]
        self._found: list[Provider] = []
        self._errands = Errands(self, "Rillet")
        self._users_facts = FactBook.read(paths().model_facts)
        self._entered = [provider for each in self._file.settings.endpoints if (provider := _entered(each))]
        self._clients: dict[str, LlmClient] = {}
        self._choice = self._remembered_choice()
        self.desk = DeskClient(paths().store, parent=self)
        self.library = Library(self.desk, self)

    @property
    def providers(self) -> Sequence[Provider]:
        """Everybody who can be talked to.

        The built-in model first, then those with a key, then servers that run here, then entered addresses.
        """
        return (self._local, *self._keyed, *self._found, *self._entered)

    @property
    def keyless(self) -> Sequence[BuiltinProvider]:
        """Providers that only lack a key in the environment."""
        known = {provider.id for provider in self._keyed}
        return [entry for entry in builtin_providers() if entry.id not in known and entry.key_variables]

    @property
    def settings(self) -> Settings:
        """What the person set up."""
        return self._file.settings

    def change(self, **changes: object) -> None:
        """Change settings, and keep them."""
        self._file.change(**changes)

    @property
    def choice(self) -> Choice:
        """Whom the next message goes to."""
        return self._choice

    def choose(self, provider: Provider, model: str | None = None) -> None:
        """Talk to somebody else from the next message on, and after the next start."""
        choice = self._choice = Choice(provider, model)
        self._file.change(provider=provider.id, model=model)
        self.choiceChanged.emit(choice)

    def is_chosen(self, provider: Provider, model: str | None) -> bool:
        """Whether the next message goes there."""
        return self._choice.provider.id == provider.id and self._choice.label == Choice(provider, model).label

    def describe(self, provider: Provider) -> str:
        """What there is to know about a provider before one writes to it; empty for most."""
        return Choice(provider).description

    async def models(self, provider: Provider) -> list[Model]:
        """What a provider offers now, with what is known about each; LlmError when it does not tell."""
        return self._users_facts.correct(provider, await self.client(provider).models())

    async def look_for_local_servers(self) -> bool:
        """Look which servers run on this machine now; whether that changed ``providers``. Runs on the GUI thread."""
        found = await self._errands.run(detect_local)
        if found == self._found:
            return False
        self._found = found
        return True

    async def models_at(self, url: str, api_key: str | None) -> Sequence[Model]:
        """The models of a server that is not added yet. LlmError when it is no address or does not answer."""
        client = LlmClient.forProvider(compatible(url, api_key or None), parent=self)
        try:
            return await client.models()
        finally:
            client.close()

    def enter_endpoint(self, url: str, api_key: str | None, model: str | None) -> Provider:
        """Add an address. The key stays in memory. InvalidRequestError when it is no address."""
        provider = compatible(url, api_key or None, model or None)
        self._entered = [each for each in self._entered if each.id != provider.id]
        self._entered.append(provider)
        if client := self._clients.pop(provider.id, None):
            client.close()
        endpoints = [each for each in self._file.settings.endpoints if each.url != provider.base_url]
        entered = EndpointSettings(provider.base_url, model or None, provider.style)
        self._file.change(endpoints=(*endpoints, entered))
        return provider

    def client(self, provider: Provider) -> LlmClient:
        """The client of a provider; the same one each time."""
        client = self._clients.get(provider.id)
        if client is None:
            client = LlmClient.forProvider(provider, parent=self)
            self._clients[provider.id] = client
        return client

    def close(self) -> None:
        """Give everything back; also ends the built-in model's server."""
        self._errands.close()
        self.desk.close()
        for client in self._clients.values():
            client.close()
        self._clients.clear()
        self.local_server.stop()

    def _remembered_choice(self) -> Choice:
        for provider in (*self.providers, *self._local_servers):
            if provider.id == self._file.settings.provider:
                return Choice(provider, self._file.settings.model)
        usable = [provider for provider in self.providers if provider is not self._local]
        if self.local_server.is_available or not usable:
            return Choice(self._local)
        return Choice(usable[0])


def _entered(endpoint: EndpointSettings) -> Provider | None:
    from rillet.core.errors import InvalidRequestError

    try:
        return compatible(endpoint.url, None, endpoint.model, style=endpoint.style)
    except InvalidRequestError as error:
        log.warning("a saved address is ignored: %s", error)
        return None
