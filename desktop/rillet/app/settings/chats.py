"""The page of chats: how they get their titles.

Above: ``services``, ``models/popover``. Below: ``pages``; ``chats/naming`` follows what is chosen. Guarantee: what is
chosen holds for the next chat that has no title; titles that there are stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from rillet.app.chats.naming import naming_choice
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.page import Page
from rillet.core.config.settings import ModelName
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from rillet.app.models.offers import Offer
    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme


class ChatsPage(Page):
    """Who names a chat, and whether anybody does."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._services = services
        self.section(
            self.tr("Titles"),
            self.tr("A chat is named after its first answer. A title that you wrote yourself stays."),
        )
        self._way = ChoiceBox()
        self._way.offer(
            ("words", self.tr("From the words of the first question")),
            ("model", self.tr("By a model")),
            ("off", self.tr("Not by themselves")),
        )
        self._way.currentIndexChanged.connect(self.takeWay)
        self.row(self.tr("Chats are named"), self._way)
        self._who = Button("chevron-down", look="outlined", icon_last=True)
        self._who.clicked.connect(self.choose)
        self._own = Button("cross", description=self.tr("Let whoever answers name the chat"))
        self._own.clicked.connect(self.forget)
        both = QWidget()
        line = QHBoxLayout(both)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        for button in (self._who, self._own):
            button.set_theme(theme)
            line.addWidget(button)
        line.addStretch(1)
        told = self.tr("It is sent the first question and its answer, once. A small model is quick and cheap.")
        self.row(self.tr("Named by"), both, told)
        services.providersChanged.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what holds now."""
        blocker = QSignalBlocker(self._way)
        self._way.show_value(self._services.settings.titles)
        del blocker
        choice = naming_choice(self._services)
        by_model = self._services.settings.titles == "model"
        name = self.tr("Whoever answers") if choice is None else choice.label
        self._who.setText(name)
        self._who.describe(self.tr("Titles by: {name}").format(name=name))
        self._who.setEnabled(by_model)
        self._who.updateGeometry()
        self._own.setVisible(by_model and choice is not None)

    @Slot()
    def takeWay(self) -> None:
        """Name chats as was chosen."""
        self._services.change(titles=self._way.value)
        self.refresh()

    @Slot()
    def choose(self) -> None:
        """Let somebody be chosen who names chats."""
        from rillet.app.models.popover import ModelPopover

        choice = naming_choice(self._services) or self._services.choice
        popover = ModelPopover(self._services, choice, self._theme, self._who)
        popover.chosen.connect(self.take)

    @Slot(object)
    def take(self, offer: Offer) -> None:
        """Have chats named by this model."""
        self._services.change(title_model=ModelName(offer.provider.id, offer.model))
        self.refresh()

    @Slot()
    def forget(self) -> None:
        """Have whoever answers name the chat."""
        self._services.change(title_model=None)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        for button in (self._who, self._own):
            button.set_theme(theme)
