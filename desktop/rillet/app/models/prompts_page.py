"""The page of prompts: a list of them, and the fields of the one that is chosen.

Above: ``services``, ``settings/page``. Below: the settings list it. Guarantees: what is valid is kept as it is typed; a
name that cannot be a command says why and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QListWidget, QPlainTextEdit

from rillet.app.settings.page import Page
from rillet.core.config.settings import Prompt
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme

_LIST_HEIGHT, _TEXT_HEIGHT = 168, 168


class PromptsPage(Page):
    """The library of prompts."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._services = services
        self.section(
            self.tr("Prompts"),
            self.tr(
                "What you ask again and again. Type / in an empty message to choose one. A name in double braces, such "
                "as {{language}}, is asked for when the prompt is used."
            ),
        )
        self._list = QListWidget()
        self._list.setAccessibleName(self.tr("Prompts"))
        self._list.setFixedHeight(_LIST_HEIGHT)
        self._list.currentRowChanged.connect(self._show)
        self.wide(self._list)
        self._new = Button("plus", self.tr("New prompt"))
        self._new.clicked.connect(self.add)
        self._delete = Button("delete", self.tr("Delete"), self.tr("Delete the chosen prompt"))
        self._delete.clicked.connect(self.remove)
        self.buttons(self._new, self._delete)
        self._name = QLineEdit()
        self._name.textEdited.connect(self.keep)
        self._complaint = self.row(self.tr("&Name"), self._name, " ")
        self._text = QPlainTextEdit()
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(_TEXT_HEIGHT)
        self._text.textChanged.connect(self.keep)
        self.row(self.tr("&Text"), self._text)

    def fill(self, row: int) -> None:
        """List what there is, and choose one."""
        self._list.blockSignals(True)
        self._list.clear()
        self._list.addItems([prompt.name for prompt in self._services.settings.prompts])
        self._list.setCurrentRow(min(row, self._list.count() - 1))
        self._list.blockSignals(False)
        self._show(self._list.currentRow())

    @Slot()
    def add(self) -> None:
        """Begin another prompt."""
        prompts = self._services.settings.prompts
        names = {prompt.name for prompt in prompts}
        name = next(name for name in self._names() if name not in names)
        self._services.set_prompts((*prompts, Prompt(name, "")))
        self.fill(len(prompts))
        self._name.setFocus()
        self._name.selectAll()

    @Slot()
    def remove(self) -> None:
        """Delete the chosen prompt."""
        row, prompts = self._list.currentRow(), list(self._services.settings.prompts)
        if row >= 0:
            del prompts[row]
            self._services.set_prompts(tuple(prompts))
            self.fill(row)
            self._list.setFocus()

    @Slot()
    def keep(self) -> None:
        """Keep what is written, if it can be a prompt."""
        row, prompts = self._list.currentRow(), list(self._services.settings.prompts)
        if row < 0:
            return
        name = self._name.text().strip()
        problem = self._problem(name, [prompt.name for at, prompt in enumerate(prompts) if at != row])
        self.say(self._complaint, problem, trouble=True)
        if problem:
            return
        prompts[row] = Prompt(name, self._text.toPlainText())
        self._services.set_prompts(tuple(prompts))
        item = self._list.item(row)
        item.setText(name)

    def _problem(self, name: str, others: list[str]) -> str:
        """Why this cannot be the name of a prompt; empty: it can."""
        if not name:
            return self.tr("A prompt needs a name.")
        if any(character.isspace() for character in name) or name.startswith("/"):
            return self.tr("A name has no spaces and no / at its start, so that it can be typed as a command.")
        if name in others:
            return self.tr("Another prompt has this name.")
        return ""

    def _names(self) -> list[str]:
        """Names for a prompt that has none: more than there are prompts."""
        usual = self.tr("prompt")
        count = len(self._services.settings.prompts)
        return [usual, *(f"{usual}-{number}" for number in range(2, count + 3))]

    @Slot(int)
    def _show(self, row: int) -> None:
        prompts = self._services.settings.prompts
        chosen = prompts[row] if 0 <= row < len(prompts) else None
        self._text.blockSignals(True)
        self._name.setText("" if chosen is None else chosen.name)
        self._text.setPlainText("" if chosen is None else chosen.text)
        self._text.blockSignals(False)
        for field in (self._name, self._text, self._delete):
            field.setEnabled(chosen is not None)
        self.say(self._complaint, "")

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """List what there is now."""
        self.fill(max(0, self._list.currentRow()))
        super().showEvent(event)
