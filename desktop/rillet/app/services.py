"""The composition root: which providers there are, a client for each, and what is remembered.

Above: ``core/providers``, ``core/config``, ``qt``. Below: ``window`` and ``cli`` ask here and build nothing themselves.
Knows no widget. GUI thread only.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict
from PySide6.QtCore import QObject, Signal, Slot

from rillet.app.keeper import Keeper
from rillet.app.keys import Keys, account_of
from rillet.app.library import Library
from rillet.app.roster import Roster
from rillet.core.config.paths import paths
from rillet.core.config.settings import AddedProvider, EndpointSettings, Settings
from rillet.core.providers.builtin import builtin_providers
from rillet.core.providers.compatible import compatible
from rillet.core.providers.facts import FactBook
from rillet.core.providers.local_model import DESCRIPTION, local_provider
from rillet.core.providers.local_server import LocalServer
from rillet.core.providers.local_servers import detect_local
from rillet.core.providers.provider import Provider
from rillet.core.types import Model
from rillet.qt import LlmClient
from rillet.qt.desk import DeskClient
from rillet.qt.errands import Errands

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from rillet.app.models.catalogue import Catalogue
    from rillet.app.tools.tools import Tools
    from rillet.core.config.settings import Prompt, SettingsFile
    from rillet.core.providers.builtin import BuiltinProvider
    from rillet.core.providers.doctor import Step


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
        keys: The secrets of providers.
        settings_file: What the person set up, as it was loaded.
        keeper: Saves it.
        environment: Where keys may stand, too.

    Signals:
        choiceChanged: The chosen provider or model is another one now (a ``Choice``).
        providersChanged(): There are other providers now, or some are reached otherwise.
        promptsChanged(): The library of prompts is another one now.
        overflowChanged(): Chats that do not say it themselves do something else now when they outgrow the window.
        settingsReset(): Everything is set up as at the first start.
        storeReplaced(): A backup has taken the place of the file with all chats.
    """

    choiceChanged = Signal(object)
    providersChanged = Signal()
    promptsChanged = Signal()
    overflowChanged = Signal()
    settingsReset = Signal()
    storeReplaced = Signal()

    def __init__(
        self, settings_file: SettingsFile, environment: Mapping[str, str] | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._file = self.settings_file = settings_file
        self.environment: Mapping[str, str] = os.environ if environment is None else environment
        self.local_server = LocalServer()
        self._local = local_provider(self.local_server)
        self._local_servers = [known.provider() for known in builtin_providers() if known.local]
        self._found: list[Provider] = []
        self._errands = Errands(self, "Rillet")
        self.keeper = Keeper(settings_file, self._errands, self)
        settings_file.keep = self.keeper.keep
        self._users_facts = FactBook.read(paths().model_facts)
        self.keys = Keys(self._errands, settings_file, self)
        self.keys.changed.connect(self.refresh)
        self._roster = self._new_roster()
        self._clients: dict[str, LlmClient] = {}
        self._choice = self._remembered_choice()
        self.desk = DeskClient(paths().store, parent=self)
        self.library = Library(self.desk, self)
        self._tools: Tools | None = None
        self._catalogue: Catalogue | None = None

    @property
    def providers(self) -> Sequence[Provider]:
        """Everybody who can be talked to.

        The built-in model first, then those with a key, then servers that run here, then entered addresses.
        """
        known = [provider.id for provider in self._roster.known]
        found = (provider for provider in self._found if provider.id not in known)
        return (self._local, *self._roster.known, *found, *self._roster.entered)

    @property
    def keyless(self) -> Sequence[BuiltinProvider]:
        """Providers that only lack a key."""
        known = {provider.id for provider in self._roster.known}
        return [entry for entry in builtin_providers() if entry.id not in known and entry.key_variables]

    @property
    def tools(self) -> Tools:
        """Servers, skills and permissions, and what is set up of them."""
        if self._tools is None:
            from rillet.app.tools.tools import Tools

            self._tools = Tools(self)
        return self._tools

    @property
    def catalogue(self) -> Catalogue:
        """The models that can be chosen."""
        if self._catalogue is None:
            from rillet.app.models.catalogue import Catalogue

            self._catalogue = Catalogue(self)
        return self._catalogue

    @property
    def settings(self) -> Settings:
        """What the person set up."""
        return self._file.settings

    def change(self, **changes: object) -> None:
        """Change settings, and keep them."""
        before = self.settings
        self._file.change(**changes)
        self.refresh()
        if (before.overflow, before.summary_model) != (self.settings.overflow, self.settings.summary_model):
            self.overflowChanged.emit()

    def reset(self) -> None:
        """Set everything up as at the first start. Keys are not touched."""
        self._file.forget_others()
        self.change(**asdict(Settings()))
        self.promptsChanged.emit()
        if self._tools is not None:
            self._tools.renew()
        self.settingsReset.emit()

    def set_prompts(self, prompts: tuple[Prompt, ...]) -> None:
        """Replace the library of prompts."""
        self._file.change(prompts=prompts)
        self.promptsChanged.emit()

    @property
    def choice(self) -> Choice:
        """Whom the next message goes to."""
        return self._choice

    def choose(self, provider: Provider, model: str | None = None) -> None:
        """Talk to somebody else from the next message on, and after the next start."""
        choice = self._choice = Choice(provider, model)
        self._file.change(provider=provider.id, model=model)
        self.choiceChanged.emit(choice)

    def choice_for(self, chat_settings: Mapping[str, Any]) -> Choice:
        """Whom the next message of a chat goes to: as its settings say while that is there, else as chosen last."""
        provider = self._provider(chat_settings.get("provider"))
        return self._choice if provider is None else Choice(provider, chat_settings.get("model"))

    def describe(self, provider: Provider) -> str:
        """What there is to know about a provider before one writes to it; empty for most."""
        return Choice(provider).description

    async def models(self, provider: Provider) -> list[Model]:
        """What a provider offers now, with what is known about each; LlmError when it does not tell."""
        return self._users_facts.correct(provider, await self.client(provider).models())

    def known_model(self, provider: Provider, model: str) -> Model:
        """What is known about a model without asking its provider."""
        (known,) = self._users_facts.correct(provider, FactBook.builtin().complete(provider, [Model(model)]))
        return known

    async def look_for_local_servers(self) -> bool:
        """Look which servers run on this machine now; whether that changed ``providers``. Runs on the GUI thread."""
        found = await self._errands.run(detect_local)
        if found == self._found:
            return False
        self._found = found
        return True

    async def models_at(self, url: str, api_key: str | None) -> Sequence[Model]:
        """The models of a server that is not added yet. LlmError when it is no address or does not answer."""
        provider = self._roster.reached(compatible(url, api_key or None))
        client = LlmClient.forProvider(provider, parent=self)
        try:
            return await client.models()
        finally:
            client.close()

    async def examine(self, provider: Provider, model: str | None = None) -> AsyncGenerator[Step, None]:
        """What the connection doctor finds, step by step; see ``core/providers/doctor``."""
        from rillet.core.providers.doctor import examine

        async with aclosing(_OnEngine(self._errands, examine(provider, model))) as steps:
            async for step in steps:
                yield step

    def enter_endpoint(self, url: str, api_key: str | None, model: str | None, *, style: str | None = None) -> Provider:
        """Add an address; ``style`` None is what it tells. The key stays in memory (see ``Keys.keep``).

        Raises:
            InvalidRequestError: it is no address.
        """
        provider = compatible(url, None, model or None, style=style)
        if api_key:
            self.keys.hold(account_of(provider.base_url), api_key)
        endpoints = [each for each in self._file.settings.endpoints if each.url != provider.base_url]
        entered = EndpointSettings(provider.base_url, model or None, provider.style)
        self.change(endpoints=(*endpoints, entered))
        return next(
            each for each in self._roster.entered if (each.id, each.base_url) == (provider.id, provider.base_url)
        )

    def add_provider(self, id: str, url: str | None = None, model: str | None = None) -> None:
        """Add a provider that Rillet knows by name, or change one."""
        others = [each for each in self._file.settings.added if each.id != id]
        self.change(added=(*others, AddedProvider(id, url, model)))

    def remove_provider(self, provider: Provider) -> None:
        """Remove what the person added; a key of the environment brings its provider back. Keys are not touched."""
        settings = self._file.settings
        self.change(
            added=tuple(each for each in settings.added if each.id != provider.id),
            endpoints=tuple(each for each in settings.endpoints if each.url != provider.base_url),
        )

    @Slot()
    def refresh(self) -> None:
        """Take over what was changed: addresses, keys, the network."""
        before, self._roster = self.providers, self._new_roster()
        if self.providers == before:
            return
        current = {provider.id: provider for provider in self.providers}
        for id in [id for id, client in self._clients.items() if client.provider != current.get(id)]:
            self._clients.pop(id).close()
        chosen = current.get(self._choice.provider.id)
        choice = self._remembered_choice() if chosen is None else Choice(chosen, self._choice.model)
        if choice != self._choice:
            self._choice = choice
            self.choiceChanged.emit(choice)
        self.providersChanged.emit()

    def client(self, provider: Provider) -> LlmClient:
        """The client of a provider; the same one each time."""
        client = self._clients.get(provider.id)
        if client is None:
            client = LlmClient.forProvider(provider, parent=self)
            self._clients[provider.id] = client
        return client

    def close(self) -> None:
        """Give everything back; also ends the built-in model's server."""
        self.keeper.close()
        self._errands.close()
        self.desk.close()
        for client in self._clients.values():
            client.close()
        self._clients.clear()
        self.local_server.stop()

    def _new_roster(self) -> Roster:
        return Roster(self._file.settings, self.environment, self.keys.secret)

    def _provider(self, id: str | None) -> Provider | None:
        """Whoever has this id, also a server that may run on this machine."""
        return next((each for each in (*self.providers, *self._local_servers) if each.id == id), None)

    def _remembered_choice(self) -> Choice:
        if (remembered := self._provider(self._file.settings.provider)) is not None:
            return Choice(remembered, self._file.settings.model)
        usable = [provider for provider in self.providers if provider is not self._local]
        if self.local_server.is_available or not usable:
            return Choice(self._local)
        return Choice(usable[0])


class _OnEngine:
    """An asynchronous generator whose steps are made on the engine thread."""

    def __init__(self, errands: Errands, generator: AsyncGenerator[Step, None]) -> None:
        self._errands = errands
        self._there = _There(generator)

    def __aiter__(self) -> AsyncIterator[Step]:
        return self

    async def __anext__(self) -> Step:
        step = await self._errands.run(self._there.next)
        if step is None:
            raise StopAsyncIteration
        return step

    async def aclose(self) -> None:
        """End the generator where its steps are made."""
        await self._errands.run(self._there.close)


class _There:
    """Its half on the engine thread. A step that was cancelled here may not have ended there yet: closing waits."""

    def __init__(self, generator: AsyncGenerator[Step, None]) -> None:
        self._generator = generator
        self._turn = asyncio.Lock()

    async def next(self) -> Step | None:
        async with self._turn:
            return await anext(self._generator, None)

    async def close(self) -> None:
        async with self._turn:
            await self._generator.aclose()
