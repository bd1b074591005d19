"""What leaves this machine, and what does not. A page that only tells.

Above: ``page``. Every sentence here is held by a test elsewhere: that only chosen providers are contacted, that images
of answers are not fetched, that keys stand in no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.app.settings.page import Page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme


class PrivacyPage(Page):
    """What is sent where, in sentences."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.section(self.tr("Nothing is sent to the makers of Rillet"))
        self.note(
            self.tr(
                "There is no telemetry, no account and no search for updates. There is nothing to switch off. Where "
                "the program goes wrong, it writes the place in its code into a file on this machine, without anything "
                "of your chats: you can read it, and nobody is sent it."
            )
        )
        self.section(self.tr("What is sent, and to whom"))
        for sentence in (
            self.tr(
                "Your messages, with attachments and what was said before in the chat, go to the provider that you "
                "chose for it, and to nobody else. The built-in model runs on this machine: nothing leaves it."
            ),
            self.tr(
                "What looks like a secret key in the text of a question is sent only after you were asked about it."
            ),
            self.tr(
                "Lists of models are asked for from the providers that have a key, when you open the model menu. "
                "Servers of your own machine are looked for on this machine only."
            ),
            self.tr(
                "Images of answers are not loaded from the web by themselves. A link is opened by your browser, after "
                "you clicked it."
            ),
            self.tr(
                "Tools act only as you allow. A server of tools gets what a model calls it with, and no keys but those "
                "that you gave it."
            ),
        ):
            self.note(sentence)
        self.section(self.tr("What is kept, and where"))
        for sentence in (
            self.tr("Chats stand in one file on this machine, readable for your user only. They are not encrypted."),
            self.tr(
                "Keys stand in the key store of your system, never in a file of Rillet, and in no backup. They are "
                "taken out of error messages and logs."
            ),
        ):
            self.note(sentence)
