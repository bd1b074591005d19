"""The page of providers: who can be talked to, at which address, with which key, and whether that works.

Above: ``services``, ``keys``, ``provider_words``, ``examination``. Guarantees: a key is shown nowhere once it is saved;
another server is never sent the key of the one before; what was entered and not saved is not lost by looking at another
page, and asked about by nobody.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QMenu

from rillet.app import coroutines
from rillet.app.keys import account_of, is_same_server
from rillet.app.opening import open_address
from rillet.app.settings.examination import Examination, verdict
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.page import Page
from rillet.app.settings.provider_entry import Entered, drop_key, keep
from rillet.app.settings.provider_words import entry_of, key_sentence, short_key_words
from rillet.app.trouble_words import of_keys
from rillet.core.config.keychain import Untrusted
from rillet.core.errors import InvalidRequestError, LlmError
from rillet.widgets import words
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.core.providers.builtin import BuiltinProvider
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme

LIST_HEIGHT: Final = 176
_ID: Final = Qt.ItemDataRole.UserRole


class ProvidersPage(Page):
    """A list, and the chosen provider's fields under it."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._services = services
        self._adding: BuiltinProvider | None = None
        """A provider that is being added, until it is saved."""
        self._task: asyncio.Task[None] | None = None
        self._add_list()
        self._add_form()
        services.providersChanged.connect(self.fill)
        services.keys.changed.connect(self.fill)
        self.fill(services.choice.provider.id)

    # The list

    def _add_list(self) -> None:
        self.section(
            self.tr("Providers"),
            self.tr(
                "Rillet sends nothing to its makers: what you write goes to the provider that you choose, "
                "and nowhere else."
            ),
        )
        self._trouble = self.note("")
        self._again = Button("", self.tr("Try again"), look="outlined")
        self._again.clicked.connect(self.openKeyStore)
        self._trust = Button("", self.tr("Use this key store anyway"), look="outlined")
        self._trust.clicked.connect(self.trustKeyStore)
        self.wide_buttons(self._again, self._trust)
        self._list = QListWidget()
        self._list.setAccessibleName(self.tr("Providers"))
        self._list.setFixedHeight(LIST_HEIGHT)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # (a long address is elided)
        self._list.currentItemChanged.connect(self.turn)
        self.wide(self._list)
        self._add = Button("plus", self.tr("Add a provider"), look="outlined")
        self._add.clicked.connect(self.offerProviders)
        self._remove = Button("delete", self.tr("Remove"), look="outlined")
        self._remove.clicked.connect(self.removeProvider)
        self.wide_buttons(self._add, self._remove)

    @Slot()
    def fill(self, shown: str | None = None) -> None:
        """List who is there now; who was shown stays shown, unless another one is named."""
        before = self._current_id()
        shown = shown or (before if self._adding is None else self._adding.id)
        self._list.blockSignals(True)
        self._list.clear()
        for provider in self._services.providers:
            about = short_key_words(provider, self._services.keys, self._services.environment)
            self._list.addItem(_item(f"{provider.label}  ·  {about}", provider.id))
        if self._adding is not None:
            self._list.addItem(_item(self.tr("{name}  ·  new").format(name=self._adding.name), self._adding.id))
        rows = [self._list.item(row).data(_ID) for row in range(self._list.count())]
        self._list.setCurrentRow(rows.index(shown) if shown in rows else 0)
        self._list.blockSignals(False)
        if self._current_id() == before:
            self._tell_key()
        else:
            self._show_provider()
        trouble = self._services.keys.trouble
        self.say(self._trouble, "" if trouble is None else of_keys(trouble), trouble=True)
        self._again.setVisible(trouble is not None)
        self._trust.setVisible(isinstance(trouble, Untrusted))

    @Slot()
    def offerProviders(self) -> None:
        """Let the person choose one that Rillet knows, or any address."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for entry in self._services.keyless:
            menu.addAction(entry.name.replace("&", "&&"), partial(self.begin, entry))
        menu.addSeparator()
        menu.addAction(self.tr("Another address…"), self.addAddress)
        menu.popup(self._add.mapToGlobal(self._add.rect().bottomLeft()))

    @Slot()
    def addAddress(self) -> None:
        """Ask for the address of a server."""
        from rillet.app.models.endpoint_dialog import EndpointDialog

        EndpointDialog(self._services, self._theme, self.window()).open()

    def begin(self, entry: BuiltinProvider) -> None:
        """Show the fields of a provider that is to be added."""
        self._stop()
        self._adding = entry
        self.fill()
        (self._key if entry.base_url else self._address).setFocus()

    @Slot()
    def removeProvider(self) -> None:
        """Remove the provider that is shown, with its key."""
        if self._adding is not None:
            self._adding = None
            self.fill()
            return
        provider = self._provider()
        if provider is not None:
            self._services.remove_provider(provider)
            drop_key(self._services, provider.base_url)
            self.fill()

    # The form

    def _add_form(self) -> None:
        self.section("")
        self._name = self._titles[-1]
        self._address = QLineEdit()
        self._address_note = self.row(self.tr("&Address"), self._address)
        self._address.textChanged.connect(self.noteAddress)
        self._key = QLineEdit()
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key_note = self.row(self.tr("&Key"), self._key, " ")
        self._model = ChoiceBox()
        self._model.setEditable(True)
        self._model.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
        self._model_note = self.row(
            self.tr("Usual &model"), self._model, self.tr("What answers as long as no other model is chosen.")
        )
        self._save = Button("", self.tr("Save"), look="filled")
        self._save.clicked.connect(self.save)
        self._test = Button("", self.tr("Test the connection"), look="outlined")
        self._test.clicked.connect(self.test)
        self._models = Button("", self.tr("List the models"), look="outlined")
        self._models.clicked.connect(self.listModels)
        self._forget = Button("", self.tr("Delete the key"), look="outlined")
        self._forget.clicked.connect(self.deleteKey)
        self._get = Button("", self.tr("Get a key…"), look="outlined")
        self._get.clicked.connect(self.openKeyPage)
        self.buttons(self._save, self._test, self._models)
        self.buttons(self._forget, self._get)
        self._result = self.note("")
        self._hops = Examination(self._theme)
        self.wide(self._hops)
        for field in (self._address, self._key):
            field.returnPressed.connect(self.save)

    @Slot()
    def turn(self) -> None:
        """Turn to the provider that was chosen in the list; what is under way for another one ends."""
        self._stop()
        if self._adding is not None and self._current_id() != self._adding.id:
            self._adding = None
            self.fill()
        self._show_provider()

    def _show_provider(self) -> None:
        """Fill the fields."""
        provider, entry = self._provider(), self._entry()
        self._name.setText(provider.label if provider is not None else entry.name if entry is not None else "")
        self._address.setText(
            provider.base_url if provider is not None else entry.base_url if entry is not None else ""
        )
        self._key.clear()
        usual = (provider.default_model if provider is not None else entry.default_model if entry else None) or ""
        self._model.clear()
        self._model.setEditText(usual)
        self.say(self._result, "")
        self._hops.clear()
        own = provider is not None and provider.server is not None
        for field in (self._address, self._key, self._model, self._save):
            field.setDisabled(own)
        self._tell_key()

    @Slot()
    def noteAddress(self) -> None:
        """Say that another server wants a key of its own."""
        provider = self._provider()
        moved = provider is not None and not is_same_server(self._address.text().strip(), provider.base_url)
        has_key = provider is not None and bool(provider.api_key)
        asks = self.tr("This is another server: enter its key. The one that is there is not sent to it.")
        self.say(self._address_note, asks if moved and has_key else "")

    @Slot()
    def save(self) -> None:
        """Keep what was entered."""
        self._begin(self._saved())

    @Slot()
    def test(self) -> None:
        """Keep what was entered, and examine the connection."""
        self._begin(self._tested())

    @Slot()
    def listModels(self) -> None:
        """Keep what was entered, and ask the provider for its models."""
        self._begin(self._listed())

    @Slot()
    def deleteKey(self) -> None:
        """Forget the key of the provider that is shown."""
        if (provider := self._provider()) is not None:
            self._begin(self._forgotten(provider))

    @Slot()
    def openKeyPage(self) -> None:
        """Open the page where a key is made."""
        entry = self._entry()
        if entry is not None and entry.key_page:
            open_address(entry.key_page)

    @Slot()
    def openKeyStore(self) -> None:
        """Ask the key store again."""
        coroutines.start(self._services.keys.load())

    @Slot()
    def trustKeyStore(self) -> None:
        """Use a key store that is none of the system's."""
        coroutines.start(self._services.keys.trust())

    async def _saved(self) -> None:
        if await self._keep():
            self.say(self._result, self.tr("Saved."))

    async def _tested(self) -> None:
        if not await self._keep() or (provider := self._provider()) is None:
            return
        self.say(self._result, self.tr("Testing…"))
        steps = []
        async with aclosing(self._services.examine(provider)) as examination:
            async for step in examination:
                steps.append(step)
                self._hops.add(step)
        self.say(self._result, verdict(steps), trouble=any(step.outcome == "failed" for step in steps))

    async def _listed(self) -> None:
        if not await self._keep() or (provider := self._provider()) is None:
            return
        self.say(self._result, self.tr("Asking for the models…"))
        try:
            models = await self._services.models(provider)
        except LlmError as error:
            self.say(self._result, words.sentence(error), trouble=True)
            return
        usual = self._model.currentText()
        self._model.clear()
        self._model.addItems([model.id for model in models])
        self._model.setEditText(usual)
        self.say(self._result, self.tr("Models, listed under “Usual model”: {count}").format(count=len(models)))

    async def _forgotten(self, provider: Provider) -> None:
        if await self._services.keys.forget(account_of(provider.base_url)):
            self.say(self._result, self.tr("The key was deleted."))

    async def _keep(self) -> bool:
        """Keep what was entered; whether it could be."""
        provider = self._provider()
        if provider is not None and provider.server is not None:
            return True
        url, key, model = self._address.text(), self._key.text(), self._model.currentText()
        entered = Entered(url.strip().rstrip("/"), key.strip(), model.strip())
        if provider is not None and not entered.changes(provider):
            return True
        try:
            kept = keep(self._services, provider, self._entry(), entered)
        except InvalidRequestError as error:
            self.say(self._result, words.sentence(error), trouble=True)
            return False
        self._key.clear()
        self._adding = None
        self.fill(kept.id)
        return True

    # What is shown

    def _tell_key(self) -> None:
        provider, entry = self._provider(), self._entry()
        if provider is not None:
            sentence = key_sentence(provider, self._services.keys, self._services.environment)
            home = self._services.keys.home(account_of(provider.base_url))
        else:
            sentence, home = self.tr("It is kept in the key store of this system."), None
        self.say(self._key_note, sentence)
        has_key = home is not None or (provider is not None and bool(provider.api_key))
        self._key.setPlaceholderText("••••••••" if has_key else "")
        self._forget.setVisible(home is not None)
        self._get.setVisible(entry is not None and bool(entry.key_page))
        added = {each.id for each in self._services.settings.added}
        urls = {each.url for each in self._services.settings.endpoints}
        ours = provider is not None and (provider.id in added or provider.base_url in urls)
        self._remove.setEnabled(self._adding is not None or ours)

    def _provider(self) -> Provider | None:
        """The provider that is shown; None: one that is being added."""
        if self._adding is not None:
            return None
        shown = self._current_id()
        return next((each for each in self._services.providers if each.id == shown), None)

    def _current_id(self) -> str | None:
        row = self._list.currentRow()
        return None if row < 0 else str(self._list.item(row).data(_ID))

    def _entry(self) -> BuiltinProvider | None:
        provider = self._provider()
        return self._adding if provider is None else entry_of(provider.id)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._stop()
        self._hops.clear()
        self._task = coroutines.start(work)

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        self._hops.set_theme(theme)

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """Show what is there now."""
        super().showEvent(event)
        self.fill()


def _item(text: str, provider_id: str) -> QListWidgetItem:
    item = QListWidgetItem(text)
    item.setData(_ID, provider_id)
    return item
