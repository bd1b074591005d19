"""The model picker at the foot of the composer: a menu of everybody who can be talked to.

Above: ``services``. Below: ``window`` shows it. Live lists of models are loaded when the menu opens, without blocking
it, and again when they failed.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QMenu, QToolButton

from rillet.app import coroutines
from rillet.app.models.words import describe
from rillet.widgets.blocks.button import Button
from rillet.widgets.plain import tool_tip
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Choice, Services
    from rillet.core.providers.builtin import BuiltinProvider
    from rillet.core.providers.provider import Provider
    from rillet.core.types import Model
    from rillet.widgets.theme.palette import Theme

LIST_LIMIT = 60
"""Models shown per provider; the rest can be typed."""


class ModelPicker(Button):
    """Shows whom the next message goes to, and lets one change it."""

    def __init__(self, theme: Theme, label: str = "", parent: QWidget | None = None) -> None:
        super().__init__("chevron-down", label, parent=parent, icon_size=12, icon_last=True)
        self._known: Services | None = None
        self._models: dict[str, list[Model]] = {}
        self._problems: dict[str, str] = {}
        self._loading: set[str] = set()
        self._submenus: dict[str, QMenu] = {}
        self._is_looking = False
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setAccessibleName(self.tr("Model"))
        self.setMenu(QMenu(self))
        self.menu().setToolTipsVisible(True)
        self.menu().aboutToShow.connect(self.fill)
        self.menu().aboutToShow.connect(self.lookAround)
        self.menu().aboutToHide.connect(self.lookForMouse)
        self.set_theme(theme)

    def serve(self, services: Services) -> None:
        """Offer everybody whom ``services`` knows."""
        self._known = services
        services.choiceChanged.connect(self.showChoice)
        self.showChoice(services.choice)

    @property
    def _services(self) -> Services:
        assert self._known is not None, "serve() comes first"
        return self._known

    @Slot(object)
    def showChoice(self, choice: Choice) -> None:
        """Show the name of the chosen model."""
        self.setText(choice.label)
        tip = self.tr("{model} at {provider}").format(model=choice.label, provider=choice.provider.label)
        self.setToolTip(tool_tip(choice.description or tip))

    @Slot()
    def fill(self) -> None:
        """Make the menu anew and load the lists that are not there yet."""
        menu = self.menu()
        menu.clear()
        while self._submenus:
            self._submenus.popitem()[1].deleteLater()
        if self._known is None:
            return
        self._add_local(menu, self._services.providers[0])
        separator = menu.addSeparator()
        if keyless := self._services.keyless:
            more = self._submenus[""] = menu.addMenu(self.tr("More providers"))
            for entry in keyless:
                variable = entry.key_variables[0]
                text = self.tr("{name}: set {variable}").format(name=entry.name, variable=variable)
                more.addAction(text, partial(self._explain_key, entry))
        menu.addAction(self.tr("Add an address…"), self.addEndpoint)
        self._add_providers(separator)

    @Slot()
    def lookForMouse(self) -> None:
        """Qt does not notice that the mouse left the button while its menu was open."""
        self.setAttribute(
            Qt.WidgetAttribute.WA_UnderMouse, self.rect().contains(self.mapFromGlobal(self.cursor().pos()))
        )
        self.update()

    @Slot()
    def lookAround(self) -> None:
        """Look for servers on this machine, unless that is under way."""
        if self._known is not None and not self._is_looking:
            self._is_looking = True
            coroutines.start(self._find_servers())

    async def _find_servers(self) -> None:
        try:
            has_changed = await self._services.look_for_local_servers()
        finally:
            self._is_looking = False
        if has_changed and self.menu().isVisible():
            separator = next(action for action in self.menu().actions() if action.isSeparator())
            self._add_providers(separator)

    @Slot()
    def addEndpoint(self) -> None:
        """Ask for the address of a server, and choose it."""
        from rillet.app.models.endpoint_dialog import EndpointDialog

        assert self._theme is not None
        EndpointDialog(self._services, self._theme, self.window()).open()

    async def _load(self, provider: Provider) -> None:
        from rillet.core.errors import LlmError
        from rillet.widgets import words

        try:
            self._models[provider.id] = await self._services.models(provider)
            self._problems.pop(provider.id, None)
        except LlmError as error:
            self._problems[provider.id] = words.sentence(error)
        finally:
            self._loading.discard(provider.id)
        if (submenu := self._submenus.get(provider.id)) is not None:
            self._fill_submenu(submenu, provider)

    def _add_local(self, menu: QMenu, provider: Provider) -> None:
        if self._services.local_server.is_available:
            self._add_choice(menu, provider.label, provider, None)
        else:
            menu.addAction(self.tr("Built-in model: not installed…"), self.explainMissingModel)

    @Slot()
    def explainMissingModel(self) -> None:
        """Say how to get the built-in model."""
        missing = self._services.local_server.missing or ""
        self._explain(
            self.tr("The built-in model cannot start: {missing}.").format(missing=missing),
            self.tr("Every other provider works without it: choose one from the list."),
        )

    def _explain_key(self, entry: BuiltinProvider) -> None:
        self._explain(
            self.tr("{name} needs a key.").format(name=entry.name),
            self.tr("Set the environment variable {variable} to it, then start Rillet again.").format(
                variable=entry.key_variables[0]
            ),
        )

    def _explain(self, sentence: str, advice: str = "") -> None:
        """Say something that needs more room than a menu has."""
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(self.window())
        box.setStyleSheet(self._dialog_sheet)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle("Rillet")
        box.setText(sentence)
        box.setInformativeText(advice)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _add_providers(self, before: QAction) -> None:
        """Add those that are not in the menu yet. What is open or highlighted in it stays so."""
        for provider in self._services.providers:
            if provider.server is not None or provider.id in self._submenus:
                continue
            submenu = self._submenus[provider.id] = QMenu(provider.label, self.menu())
            submenu.setToolTipsVisible(True)
            self._fill_submenu(submenu, provider)
            self.menu().insertMenu(before, submenu)
            if provider.id not in self._models and provider.id not in self._loading:
                self._loading.add(provider.id)
                coroutines.start(self._load(provider))

    def _fill_submenu(self, submenu: QMenu, provider: Provider) -> None:
        submenu.clear()
        submenu.menuAction().setCheckable(True)
        submenu.menuAction().setChecked(self._services.choice.provider.id == provider.id)
        models = {model.id: model for model in self._models.get(provider.id, ())}
        default = provider.default_model
        for name in dict.fromkeys([*([default] if default else []), *islice(models, LIST_LIMIT)]):
            known = models.get(name)
            self._add_choice(submenu, name, provider, name, "" if known is None else describe(known))
        if provider.id not in self._models:
            if problem := self._problems.get(provider.id):
                why = submenu.addAction(self.tr("The list could not be loaded…"), partial(self._explain, problem))
                why.setToolTip(tool_tip(problem))
            else:
                submenu.addAction(self.tr("Loading models…")).setEnabled(False)
        submenu.addSeparator()
        submenu.addAction(self.tr("Other model…"), partial(self._ask_model, provider))

    def _add_choice(self, menu: QMenu, text: str, provider: Provider, model: str | None, description: str = "") -> None:
        action = menu.addAction(text.replace("&", "&&"), partial(self._services.choose, provider, model))
        action.setCheckable(True)
        action.setChecked(self._services.is_chosen(provider, model))
        action.setToolTip(tool_tip(description or self._services.describe(provider)))

    def _ask_model(self, provider: Provider) -> None:
        from PySide6.QtWidgets import QInputDialog

        dialog = QInputDialog(self.window())
        dialog.setStyleSheet(self._dialog_sheet)
        dialog.setWindowTitle(self.tr("Other model"))
        dialog.setLabelText(self.tr("The model's name at {name}:").format(name=provider.label))
        dialog.setOkButtonText(self.tr("Choose"))
        dialog.textValueSelected.connect(partial(self._choose_named, provider))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _choose_named(self, provider: Provider, name: str) -> None:
        if name.strip():
            self._services.choose(provider, name.strip())

    @property
    def _dialog_sheet(self) -> str:
        assert self._theme is not None
        return dialog_style_sheet(self._theme.tokens)
