"""The page of chats: how they get their titles, and what is done when one outgrows the window of its model.

Above: ``services``, ``model_field``. Below: ``pages``; ``chats/naming`` and ``chats/plans`` follow what is chosen.
Guarantees: what is chosen holds for the next chat that has no title, and titles that there are stay; of the window it
holds from the next question on, in every chat that does not say otherwise itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Slot

from rillet.app.chats.naming import naming_choice
from rillet.app.chats.plans import summarizing_choice
from rillet.app.models.overflow_words import rules
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.model_field import ModelField
from rillet.app.settings.page import Page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.core.config.settings import ModelName
    from rillet.widgets.theme.palette import Theme


class ChatsPage(Page):
    """Who names a chat, and whether anybody does; what happens to one that is long."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._services = services
        self._add_titles()
        self._add_overflow()
        services.providersChanged.connect(self.refresh)
        services.overflowChanged.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what holds now."""
        settings = self._services.settings
        blockers = [QSignalBlocker(each) for each in (self._way, self._rule)]
        self._way.show_value(settings.titles)
        self._rule.show_value(settings.overflow)
        del blockers
        self._namer.show_choice(naming_choice(self._services), matters=settings.titles == "model")
        self._summarizer.show_choice(summarizing_choice(self._services, {}))

    @Slot()
    def takeWay(self) -> None:
        """Name chats as was chosen."""
        self._services.change(titles=self._way.value)
        self.refresh()

    @Slot(object)
    def takeNamer(self, model: ModelName | None) -> None:
        """Have chats named by this model; None: by whoever answers."""
        self._services.change(title_model=model)
        self.refresh()

    @Slot()
    def takeRule(self) -> None:
        """Follow the chosen rule in all chats that have none of their own."""
        self._services.change(overflow=self._rule.value)

    @Slot(object)
    def takeSummarizer(self, model: ModelName | None) -> None:
        """Have summaries written by this model; None: by whoever answers."""
        self._services.change(summary_model=model)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        self._namer.set_theme(theme)
        self._summarizer.set_theme(theme)

    def _add_titles(self) -> None:
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
        self._namer = ModelField(
            self._services, self.tr("Titles by: {name}"), self.tr("Let whoever answers name the chat"), self._theme
        )
        self._namer.chosen.connect(self.takeNamer)
        told = self.tr("It is sent the first question and its answer, once. A small model is quick and cheap.")
        self.row(self.tr("Named by"), self._namer, told)

    def _add_overflow(self) -> None:
        self.section(
            self.tr("Long chats"),
            self.tr(
                "What is done when a chat outgrows the window of its model. A chat, and a persona, can have a way of "
                "its own: press the gauge at the top of the chat. Nothing is ever deleted from the chat itself."
            ),
        )
        self._rule = ChoiceBox()
        self._rule.offer(*rules())
        self._rule.currentIndexChanged.connect(self.takeRule)
        self.row(self.tr("When the window is full"), self._rule)
        self._summarizer = ModelField(
            self._services, self.tr("Summaries by: {name}"), self.tr("Let whoever answers summarize"), self._theme
        )
        self._summarizer.chosen.connect(self.takeSummarizer)
        told = self.tr("It is sent the oldest questions and their answers, also when you have a summary made by hand.")
        self.row(self.tr("Summaries by"), self._summarizer, told)
