"""The strips around the list in the side bar: which section is shown, how many chats are marked, the ways elsewhere.

Know no chats. Below: ``sidebar`` shows them, and does what is wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme


class Strip(QWidget):
    """A line of text and buttons.

    Attributes:
        buttons: In their order.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self.buttons: list[Button] = []

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._text.setFont(small_font(theme))
        for button in self.buttons:
            button.set_theme(theme)

    def _add(self, icon: str, description: str, text: str = "") -> Button:
        button = Button(icon, text, description, self)
        self.buttons.append(button)
        self._row.addWidget(button)
        return button


class TopStrip(Strip):
    """Begins chats.

    Attributes:
        new_chat, temporary: Its buttons.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.new_chat = self._add("plus", self.tr("Start a new chat"), self.tr("New chat"))
        self._row.addWidget(self._text, 1)
        self.temporary = self._add("temporary", self.tr("Start a temporary chat, of which nothing is saved"))


class SectionStrip(Strip):
    """Says which section is shown, where that is not the chats.

    Attributes:
        back: Leads to the chats.
        clear: Empties the trash.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.back = self._add("chevron-left", self.tr("Back to the chats (Esc)"))
        self._row.addWidget(self._text, 1)
        self.clear = self._add("", self.tr("Delete everything in the trash for good"), self.tr("Empty the trash"))

    def tell(self, name: str, *, can_clear: bool) -> None:
        """Name the section."""
        self._text.setText(name)
        self.clear.setVisible(can_clear)


class MarkedStrip(Strip):
    """Says how many chats are marked, and what can be done with all of them.

    Attributes:
        move_: Opens the folders.
        archive, delete, restore, more, unmark: Its other buttons.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._row.setContentsMargins(10, 0, 0, 0)
        self._row.addWidget(self._text, 1)
        self.restore = self._add("retry", self.tr("Bring the marked chats back"))
        self.move_ = self._add("folder", self.tr("Move the marked chats to a folder"))
        self.archive = self._add("archive", self.tr("Archive the marked chats"))
        self.delete = self._add("delete", self.tr("Delete the marked chats"))
        self.more = self._add("more", self.tr("More for the marked chats"))
        self.unmark = self._add("cross", self.tr("Mark no chats (Esc)"))

    def tell(self, count: int, *, in_trash: bool, temporary: bool) -> None:
        """Say how many."""
        self._text.setText(self.tr("{count} chats marked").format(count=count))
        self.restore.setVisible(in_trash)
        for button in (self.move_, self.archive):
            button.setVisible(not in_trash and not temporary)
        self.more.setVisible(not in_trash)


class FootStrip(Strip):
    """Leads elsewhere.

    Attributes:
        settings, archive, trash: Its buttons.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.settings = self._add("settings", self.tr("Open the settings"), self.tr("Settings"))
        self._row.addWidget(self._text, 1)
        self.archive = self._add("archive", self.tr("Show the archive"))
        self.trash = self._add("delete", self.tr("Show the trash"))
