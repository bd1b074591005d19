"""What happens when a chat outgrows the window: the rule, who summarizes, and how large the window is.

Above: ``plans``, ``popover``. Below: ``context_card``. Guarantees: what is chosen holds at once, for this chat alone;
what all chats do that say nothing themselves can be told from what this one does; a window that is entered holds for
the model that answers now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from rillet.app.chats.plans import summarizing_choice, window_for
from rillet.app.models.overflow_words import in_short, rules
from rillet.app.settings.fields import ChoiceBox
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from rillet.app.models.gauge import ContextGauge
    from rillet.app.models.offers import Offer
    from rillet.widgets.theme.palette import Theme

_USUAL: Final = "default"
"""The value of the choice to do as all chats do."""
LEAST: Final = 256
"""Tokens of the smallest window that can be entered."""


class OverflowForm(QWidget):
    """Three rows of the ledger's card."""

    def __init__(self, gauge: ContextGauge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gauge = gauge
        self._theme = theme
        self._rule = ChoiceBox()
        self._rule.offer((_USUAL, ""), *rules())
        self._rule.currentIndexChanged.connect(self.take_rule)
        self._who = Button("chevron-down", look="outlined", icon_last=True)
        self._who.clicked.connect(self.choose)
        self._other = Button("")
        self._other.clicked.connect(self.change)
        self._window = QLineEdit()
        self._window.editingFinished.connect(self.take_window)
        for button in (self._who, self._other):
            button.set_theme(theme)
        who = QVBoxLayout()
        who.setSpacing(0)
        who.addWidget(self._who)
        who.addWidget(self._other)
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
        usual = in_short(services.settings.overflow)
        self._rule.setItemText(0, self.tr("Default ({rule})").format(rule=usual))
        self._rule.show_value(values.get("rule", _USUAL))
        self._show_who()
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
        self._gauge.session.settings.set(rule=None if rule == _USUAL else rule)
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
    def change(self) -> None:
        """Have summaries written as in all chats; where they are, by whoever answers."""
        settings = self._gauge.session.settings
        settings.set(summarizer=None if "summarizer" in settings.values else {})
        self._who.setFocus()

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

    def _show_who(self) -> None:
        """Name who summarizes, and what the other button would do."""
        session, services = self._gauge.session, self._gauge.services
        values = session.settings.values
        chosen = summarizing_choice(services, values)
        is_own, has_usual = "summarizer" in values, services.settings.summary_model is not None
        name = (chosen or services.choice_for(values)).label
        if not is_own:
            name = self.tr("Default ({name})").format(name=name)
        elif chosen is None:
            name = self.tr("Whoever answers ({name})").format(name=name)
        self._who.setText(name)
        self._who.describe(self.tr("Summaries by {name}").format(name=name))
        self._who.updateGeometry()
        self._other.setText(self.tr("Do as in all chats") if is_own else self.tr("Let whoever answers do it"))
        self._other.describe(
            self.tr("Have summaries written as in all chats")
            if is_own
            else self.tr("Let whoever answers summarize this chat")
        )
        self._other.updateGeometry()
        self._other.setVisible(is_own or has_usual)

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
