"""What happens when a chat outgrows the window: the rule, who summarizes, and how large the window is.

Above: ``plans``, ``popover``. Below: ``context_card``. Guarantees: what is chosen holds at once, for this chat alone; a
window that is entered holds for the model that answers now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from rillet.app.chats.plans import summarizing_choice, window_for
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.page import tint
from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from rillet.app.models.gauge import ContextGauge
    from rillet.app.models.offers import Offer
    from rillet.widgets.theme.palette import Theme

LEAST: Final = 256
"""Tokens of the smallest window that can be entered."""


class OverflowForm(QWidget):
    """Three rows of the ledger's card."""

    def __init__(self, gauge: ContextGauge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gauge = gauge
        self._theme = theme
        self._rule = ChoiceBox()
        self._rule.offer(
            ("trim", self.tr("Leave out the oldest")),
            ("summarize", self.tr("Summarize the oldest")),
            ("keep", self.tr("Send everything, and warn me")),
        )
        self._rule.currentIndexChanged.connect(self.take_rule)
        self._who = Button("chevron-down", look="outlined", icon_last=True)
        self._who.clicked.connect(self.choose)
        self._own = Button("cross", description=self.tr("Let whoever answers summarize"))
        self._own.clicked.connect(self.forget)
        self._window = QLineEdit()
        self._window.editingFinished.connect(self.take_window)
        for button in (self._who, self._own):
            button.set_theme(theme)
        who = QHBoxLayout()
        who.setSpacing(4)
        who.addWidget(self._who)
        who.addWidget(self._own)
        who.addStretch(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self._add(self.tr("When the window is full"), self._rule)
        self._label(self.tr("Summaries by"))
        self._grid.addLayout(who, self._grid.rowCount() - 1, 1)
        self._add(self.tr("Window, in tokens"), self._window)

    @Slot()
    def refresh(self) -> None:
        """Show what holds now."""
        session, services = self._gauge.session, self._gauge.services
        values, weighed = session.settings.values, self._gauge.ledger
        blockers = [QSignalBlocker(each) for each in (self._rule, self._window)]
        self._rule.show_value(values.get("rule", "trim"))
        chosen = summarizing_choice(services, values)
        name = (chosen or services.choice_for(values)).label
        self._who.setText(name)
        self._who.describe(self.tr("Summaries by {name}").format(name=name))
        self._who.updateGeometry()
        self._own.setVisible(chosen is not None)
        known = self._known
        own = weighed is not None and weighed.window not in (None, known)
        if not self._window.hasFocus():
            self._window.setText(str(weighed.window) if weighed is not None and own else "")
        told = self.tr("Not known") if known is None else self.tr("{count} (the model's)").format(count=f"{known:,}")
        self._window.setPlaceholderText(told)
        del blockers

    @Slot()
    def take_rule(self) -> None:
        """Follow the rule that was chosen."""
        rule = self._rule.value
        self._gauge.session.settings.set(rule=None if rule == "trim" else rule)
        self._gauge.refresh()

    @Slot()
    def choose(self) -> None:
        """Let somebody be chosen who summarizes."""
        from rillet.app.models.popover import ModelPopover

        session, services = self._gauge.session, self._gauge.services
        choice = summarizing_choice(services, session.settings.values) or services.choice_for(session.settings.values)
        popover = ModelPopover(services, choice, self._theme, self._who)
        popover.chosen.connect(self.take)
        popover.providersWanted.connect(self.set_up)
        popover.addressWanted.connect(self.set_up)

    @Slot(object)
    def take(self, offer: Offer) -> None:
        """Have summaries written by this model."""
        self._gauge.session.settings.set(summarizer={"provider": offer.provider.id, "model": offer.model})

    @Slot()
    def forget(self) -> None:
        """Have summaries written by whoever answers."""
        self._gauge.session.settings.set(summarizer=None)

    @Slot()
    def set_up(self) -> None:
        """Leave for the page of providers."""
        self._gauge.session.picker.settingsRequested.emit("providers")

    @Slot()
    def take_window(self) -> None:
        """Take the window of the model that answers for as large as was entered; for what it is, if nothing was."""
        session = self._gauge.session
        text = "".join(letter for letter in self._window.text() if letter.isalnum())
        count = int(text) if text.isdecimal() else None
        if count is not None and count < LEAST:
            count = None
        choice = self._gauge.services.choice_for(session.settings.values)
        session.settings.set(window=None if count in (None, self._known) else window_for(choice, count or LEAST))

    @property
    def _known(self) -> int | None:
        """How large the window is known to be."""
        services = self._gauge.services
        choice = services.choice_for(self._gauge.session.settings.values)
        name = choice.model or choice.provider.default_model
        return services.catalogue.model(choice.provider, name).context_window if name else None

    def _add(self, text: str, field: QWidget) -> None:
        self._label(text).setBuddy(field)
        field.setAccessibleName(text)
        self._grid.addWidget(field, self._grid.rowCount() - 1, 1)

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
        label.setFont(small_font(self._theme))
        tint(label, self._theme.tokens.muted)
        self._grid.addWidget(label, self._grid.rowCount(), 0)
        return label
