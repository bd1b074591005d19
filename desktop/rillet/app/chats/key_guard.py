"""A bar above the field that asks before a text is sent in which there seems to be a secret key.

Above: ``core/key_shapes``, ``notice``. Below: ``session`` puts it there. Knows neither store nor models. Guarantees:
such a text is sent by the button here and by nothing else, so that no second Enter sends it unread; until then it stays
in the field as it is; what was agreed to is not asked again in this chat, and is written down nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication

from rillet.app.chats.notice import Notice
from rillet.core.key_shapes import keys_in

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.core.key_shapes import FoundKey
    from rillet.widgets.composer import Composer
    from rillet.widgets.theme.palette import Theme

SEND: Final = "send"
EDIT: Final = "edit"
"""What can be done."""


class KeyGuard(Notice):
    """Of one chat."""

    def __init__(self, composer: Composer, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._composer = composer
        self._asked: list[FoundKey] = []
        self._agreed: set[str] = set()
        composer.setSendGuard(self.admits)
        composer.draftChanged.connect(self.follow)
        self.chosen.connect(self.act)

    def admits(self, text: str) -> bool:
        """Whether this may be sent; if not, it is asked."""
        self._ask([key for key in keys_in(text) if key.text not in self._agreed])
        return not self._asked

    @Slot()
    def follow(self) -> None:
        """The text is another one: is there still something to ask?"""
        if self._asked:
            text = self._composer.text()
            self._ask([key for key in self._asked if key.text in text])

    @Slot(str)
    def act(self, action: str) -> None:
        """Do what was chosen."""
        asked = self._asked
        self._ask([])
        if action == SEND:
            self._agreed.update(key.text for key in asked)
            QGuiApplication.inputMethod().commit()
            self._composer.setFocus()
            self._composer.send()
        elif asked:
            self._composer.select(asked[0].text)

    def _ask(self, keys: list[FoundKey]) -> None:
        is_new = bool(keys) and not self._asked
        self._asked = keys
        if not keys:
            self.say()
            return
        self.say(self._words(keys), ((EDIT, self.tr("Edit")), (SEND, self.tr("Send anyway"))))
        if is_new and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.text))

    def _words(self, keys: list[FoundKey]) -> str:
        begins, maker = keys[0].begins, keys[0].shape.maker
        if len(keys) > 1:
            shown = ", ".join(f"{begins}…" for begins in dict.fromkeys(key.begins for key in keys))
            what = self.tr("{count} words of this ({shown}) look like secret keys.")
            what = what.format(count=len(keys), shown=shown)
            return f"{what} {self.tr('If you send them, the model and whoever runs it can read them.')}"
        if maker:
            what = self.tr("{begins}… looks like a secret key of {maker}.").format(begins=begins, maker=maker)
        else:
            what = self.tr("{begins}… looks like a secret key.").format(begins=begins)
        return f"{what} {self.tr('If you send it, the model and whoever runs it can read it.')}"
