"""The page of prompts.

Above: ``entries_page``, ``services``. Below: the settings list it. Guarantee: every name can be typed as a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.app.models.entries_page import EntriesPage, Words
from rillet.core.config.settings import Prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme


class PromptsPage(EntriesPage[Prompt]):
    """The library of prompts."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        self._services = services
        note = self.tr(
            "Questions under a name. Type / in an empty message to choose one. A name in double braces, such as "
            "{{language}}, is asked for when the prompt is used."
        )
        nothing = self.tr("No prompts yet. Add what you ask again and again.")
        words = Words(self.tr("Prompts"), note, self.tr("&Text"), self.tr("Add a prompt"), nothing)
        super().__init__(theme, words, parent)

    def entries(self) -> Sequence[Prompt]:
        """All prompts."""
        return self._services.settings.prompts

    def put(self, entries: Sequence[Prompt]) -> None:
        """Keep these prompts."""
        self._services.set_prompts(tuple(entries))

    def changed(self, entry: Prompt | None, name: str, text: str | None) -> Prompt:
        """A prompt is its name and its text."""
        return Prompt(name, text if text is not None else self.text_of(entry) if entry is not None else "")

    def text_of(self, entry: Prompt) -> str:
        """What it says."""
        return entry.text

    def usual_name(self) -> str:
        """The name of a new prompt."""
        return self.tr("prompt")

    def problem_of(self, name: str) -> str:
        """A command is one word."""
        if any(character.isspace() for character in name) or name.startswith("/"):
            return self.tr("A name has no spaces and no / at its start, so that it can be typed as a command.")
        return ""
