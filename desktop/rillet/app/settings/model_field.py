"""A field of the settings that names a model which does something, or says that whoever answers does it.

Above: ``models/popover``. Below: ``chats``. Knows nothing of what the model does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from rillet.app.models.offers import Offer
    from rillet.app.services import Choice, Services
    from rillet.widgets.theme.palette import Theme


class ModelField(QWidget):
    """A button with the name of the model, and one that takes it back.

    Attributes:
        who: Opens the list of models.
        nobody: Takes the choice back.

    Signals:
        chosen(object): Of this ``ModelName``; None: whoever answers.
    """

    chosen = Signal(object)

    def __init__(self, services: Services, words: str, undo: str, theme: Theme, parent: QWidget | None = None) -> None:
        """``words`` say what {name} does; ``undo`` what taking the choice back brings about."""
        super().__init__(parent)
        self._services = services
        self._words = words
        self._theme = theme
        self._choice: Choice | None = None
        self.who = Button("chevron-down", look="outlined", icon_last=True)
        self.who.clicked.connect(self.choose)
        self.nobody = Button("cross", description=undo)
        self.nobody.clicked.connect(self.forget)
        self.setFocusProxy(self.who)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        for button in (self.who, self.nobody):
            button.set_theme(theme)
            line.addWidget(button)
        line.addStretch(1)

    def show_choice(self, choice: Choice | None, *, matters: bool = True) -> None:
        """Name who it is (None: whoever answers); one whose choice does not matter now cannot be changed."""
        self._choice = choice
        name = self.tr("Whoever answers") if choice is None else choice.label
        self.who.setText(name)
        self.who.describe(self._words.format(name=name))
        self.who.setEnabled(matters)
        self.who.updateGeometry()
        self.nobody.setVisible(matters and choice is not None)

    @Slot()
    def choose(self) -> None:
        """Let somebody be chosen."""
        from rillet.app.models.popover import ModelPopover

        popover = ModelPopover(self._services, self._choice or self._services.choice, self._theme, self.who)
        popover.chosen.connect(self.take)

    @Slot(object)
    def take(self, offer: Offer) -> None:
        """It is this model."""
        self.chosen.emit(offer.name)

    @Slot()
    def forget(self) -> None:
        """It is whoever answers."""
        self.chosen.emit(None)
        self.who.setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for button in (self.who, self.nobody):
            button.set_theme(theme)
