"""The prompts of a person as commands of a composer: one that is chosen is written out, its gaps asked for before.

Above: ``core/chat/prompts``, ``services``. Below: ``session`` makes one for its composer. The dialog is imported when
it is first needed. Guarantee: nothing is sent by itself; what a prompt says stands in the composer first.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPersistentModelIndex, Slot

from rillet.core.chat.prompts import fill, gaps

if TYPE_CHECKING:
    from rillet.app.services import Services
    from rillet.core.config.settings import Prompt
    from rillet.widgets.composer.composer import Composer


class PromptCommands(QObject):
    """Offers the prompts of the settings behind a ``/`` at the start."""

    def __init__(self, services: Services, composer: Composer) -> None:
        super().__init__(composer)
        self._services = services
        self._composer = composer
        self._offered: tuple[Prompt, ...] = ()
        composer.completed.connect(self.take)
        services.promptsChanged.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Offer what there is now."""
        prompts = self._services.settings.prompts
        if prompts != self._offered:
            self._offered = prompts
            self._composer.setCommands([(prompt.name, brief(prompt)) for prompt in prompts] or None)

    @Slot(object)
    def take(self, index: QPersistentModelIndex) -> None:
        """Write out the prompt that was chosen."""
        name = str(index.data())
        prompt = next((each for each in self._offered if each.name == name), None)
        if prompt is None or not self._composer.text().startswith(f"/{name}"):
            return
        self.use(prompt)

    def use(self, prompt: Prompt) -> None:
        """Write out this prompt, before what else was written; its gaps are asked for before."""
        if names := gaps(prompt.text):
            from rillet.app.models.prompt_form import PromptForm

            form = PromptForm(prompt.name, names, self._composer.window())
            form.filled.connect(partial(self._write, prompt))
            form.open()
        else:
            self._write(prompt, {})

    def _write(self, prompt: Prompt, values: dict[str, str]) -> None:
        """Put it in the place of its name, before what else was written."""
        rest = self._composer.text().removeprefix(f"/{prompt.name}").strip()
        text = fill(prompt.text, values)
        self._composer.setText(f"{text}\n\n{rest}" if rest else text)
        self._composer.setFocus()


def brief(prompt: Prompt) -> str:
    """What a prompt says, in one line."""
    return " ".join(prompt.text.split())[:100]
