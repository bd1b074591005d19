"""The button at the composer's foot that opens the parameters of a chat, and says how many are set.

Above: ``chat_settings``. Below: ``session`` puts it there. The card is imported when it is first opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme

NAMES = ("system_prompt", "temperature", "reasoning", "max_tokens", "stop", "schema")
"""The settings of a chat that are parameters."""


class ParametersButton(Button):
    """Opens the parameters of a chat."""

    def __init__(self, services: Services, settings: ChatSettings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("sliders", parent=parent)
        self._services = services
        self._settings = settings
        self.clicked.connect(self.open)
        settings.changed.connect(self.refresh)
        self.set_theme(theme)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Say how many are set."""
        count = sum(name in self._settings.values for name in NAMES)
        self.setText(str(count) if count else "")
        said = self.tr("{count} set").format(count=count) if count else self.tr("all as the model has them")
        self.describe(self.tr("Parameters of this chat: {said}").format(said=said))
        self.updateGeometry()

    @Slot()
    def open(self) -> None:
        """Show them above the button."""
        from rillet.app.models.parameters import ParametersCard

        assert self._theme is not None
        choice = self._services.choice_for(self._settings.values)
        name = choice.model or choice.provider.default_model
        model = self._services.catalogue.model(choice.provider, name) if name else None
        ParametersCard(self._services, self._settings, model, self._theme, self)
