"""The model picker at the foot of the composer: shows whom the next message of a chat goes to, and lets one change it.

Above: ``services``, ``chat_settings``. Below: ``session`` puts it there. What it opens is imported when it is first
opened. Guarantee: what is chosen holds for this chat, and for chats that are begun later.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot

from rillet.core.config.settings import ModelName
from rillet.widgets.blocks.button import Button
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.models.offers import Offer
    from rillet.app.models.popover import ModelPopover
    from rillet.app.services import Choice, Services
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme


class ModelPicker(Button):
    """Names the model of a chat; pressed, it opens the list of all.

    Signals:
        settingsRequested(str): A page of the settings is wanted.
    """

    settingsRequested = Signal(str)

    def __init__(self, services: Services, settings: ChatSettings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("chevron-down", parent=parent, icon_size=12, icon_last=True)
        self._services = services
        self._settings = settings
        self._popover: ModelPopover | None = None
        self.clicked.connect(self.open)
        services.choiceChanged.connect(self.refresh)
        services.providersChanged.connect(self.refresh)
        settings.changed.connect(self.refresh)
        self.set_theme(theme)
        self.refresh()

    @property
    def choice(self) -> Choice:
        """Whom the next message goes to."""
        return self._services.choice_for(self._settings.values)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts; a list that is open closes."""
        self._shown_theme = theme
        super().set_theme(theme)
        if self._popover is not None:
            self._popover.close()

    @Slot()
    def refresh(self) -> None:
        """Show the name of the chosen model."""
        choice = self.choice
        self.setText(choice.label)
        self.setAccessibleName(self.tr("Model: {name}").format(name=choice.label))
        tip = self.tr("{model} at {provider}").format(model=choice.label, provider=choice.provider.label)
        self.setToolTip(tool_tip(choice.description or tip))
        self.updateGeometry()

    @Slot()
    def open(self) -> None:
        """Show what can be chosen."""
        from rillet.app.models.popover import ModelPopover

        popover = self._popover = ModelPopover(self._services, self.choice, self._shown_theme, self)
        popover.chosen.connect(self.take)
        popover.addressWanted.connect(self.addEndpoint)
        popover.providersWanted.connect(partial(self.settingsRequested.emit, "providers"))
        popover.destroyed.connect(self.forget)

    def open_for(self, then: Callable[[], object]) -> None:
        """Show what can be chosen, and do something once somebody was."""
        self.open()
        assert self._popover is not None
        self._popover.chosen.connect(lambda _: then())

    @Slot(object)
    def take(self, offer: Offer) -> None:
        """Take a model of the list."""
        self.choose(offer.provider, offer.model)

    def choose(self, provider: Provider, model: str | None = None) -> None:
        """Have this chat, and those that are begun later, answered by somebody else."""
        self._services.choose(provider, model)
        self._services.catalogue.note_use(ModelName(provider.id, model))
        self._settings.set(provider=provider.id, model=model)

    @Slot()
    def addEndpoint(self) -> None:
        """Ask for the address of a server, and choose it."""
        from rillet.app.models.endpoint_dialog import EndpointDialog

        dialog = EndpointDialog(self._services, self._shown_theme, self.window())
        dialog.added.connect(self.choose)
        dialog.open()

    @Slot()
    def forget(self) -> None:
        """The list was closed."""
        self._popover = None
