"""A page about tools: filled anew whenever they change, with a place where it says what went wrong.

Above: ``settings/page``, ``tools``. Below: the pages of servers and of permissions. Guarantee: the engine is asked only
once somebody looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from rillet.app.settings.page import Page
from rillet.app.tools.words import sentence

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QLabel, QWidget

    from rillet.app.tools.tools import Tools
    from rillet.widgets.theme.palette import Theme


class ToolsPage(Page):
    """Sub-classes build their places, call ``follow`` at the end of that, and override ``fill``."""

    def __init__(self, tools: Tools, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._tools = tools
        self._trouble: QLabel | None = None

    def fill(self) -> None:
        """Show what there is now."""
        raise NotImplementedError  # (sub-classes say it; no ABC: its metaclass and Qt's exclude each other)

    def follow(self, trouble: QLabel) -> None:
        """Show what there is, from now on; what goes wrong is said in ``trouble``."""
        self._trouble = trouble
        self._tools.setupChanged.connect(self._renew)
        self._tools.troubled.connect(self.complain)
        self.fill()

    @Slot(str)
    def complain(self, words: str) -> None:
        """Say what went wrong; nothing: it is over."""
        if self._trouble is not None:
            self.say(self._trouble, sentence(words), trouble=True)

    @Slot()
    def _renew(self) -> None:
        self.fill()

    # Overrides

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        self.fill()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask the engine, from now on."""
        super().showEvent(event)
        self._tools.look()
