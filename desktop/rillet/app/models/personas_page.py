"""The page of personas.

Above: ``entries_page``, ``personas``, ``services``. Below: the settings list it. Model, tools and parameters are taken
from a chat (``parameters``); here they are told, and the prompt is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPixmap

from rillet.app.models.entries_page import EntriesPage, Words
from rillet.app.models.personas import describe
from rillet.core.config.settings import Persona

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme

_SIZE: Final = 20
_SCALE: Final = 3


class PersonasPage(EntriesPage[Persona]):
    """The library of personas."""

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        self._services = services
        note = self.tr(
            "How a chat is answered, under a name: a system prompt, and with it a model, tools and parameters. Set up "
            "a chat as you like it and choose Save as persona in its parameters; choose it there in the next one."
        )
        nothing = self.tr("No personas yet. Save one in the parameters of a chat, or add it here.")
        words = Words(self.tr("Personas"), note, self.tr("System &prompt"), self.tr("Add a persona"), nothing)
        super().__init__(theme, words, parent)

    def entries(self) -> Sequence[Persona]:
        """All personas."""
        return self._services.settings.personas

    def put(self, entries: Sequence[Persona]) -> None:
        """Keep these personas."""
        self._services.change(personas=tuple(entries))

    def changed(self, entry: Persona | None, name: str, text: str | None) -> Persona:
        """The same with another name and prompt."""
        settings = {} if entry is None else dict(entry.settings)
        if text is not None:
            settings["system_prompt"] = text.strip()
        return Persona(name, {part: value for part, value in settings.items() if value != ""})

    def text_of(self, entry: Persona) -> str:
        """Its prompt."""
        return str(entry.settings.get("system_prompt") or "")

    def usual_name(self) -> str:
        """The name of a new persona."""
        return self.tr("Persona")

    def about(self, entry: Persona) -> str:
        """What it sets beside its prompt."""
        return self.tr("Also sets: {parts}").format(parts=parts) if (parts := describe(entry)) else ""

    def icon_of(self, entry: Persona) -> QIcon:
        """The first letter of its name."""
        return letter_icon(entry.name, self._theme)


def letter_icon(name: str, theme: Theme) -> QIcon:
    """The first letter of a name, on a round ground."""
    pixmap = QPixmap(_SIZE * _SCALE, _SIZE * _SCALE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.scale(_SCALE, _SCALE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = QRectF(0, 0, _SIZE, _SIZE)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.tokens.accent))
    painter.drawEllipse(area)
    font = QFont(theme.body)
    font.setPixelSize(_SIZE * 3 // 5)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(theme.tokens.on_accent))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name.strip()[:1].upper())
    painter.end()
    pixmap.setDevicePixelRatio(_SCALE)
    icon = QIcon()
    icon.addPixmap(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon
