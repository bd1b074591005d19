"""How a chat is answered: its system prompt and the parameters of its requests, in a card over the composer.

Above: ``entered``, ``personas``, ``overlay``. Below: ``parameters_button`` opens it. Guarantees: what is valid
holds at once, so there is nothing to confirm; what is not says why, and what held before goes on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from rillet.app.models import entered
from rillet.app.models.personas import persona_of, settings_of, without_persona
from rillet.app.models.personas_page import letter_icon
from rillet.app.models.words import tokens
from rillet.app.overlay import Overlay
from rillet.app.settings.fields import ChoiceBox
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.labels import tint
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QCloseEvent

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.services import Services
    from rillet.core.types import Model
    from rillet.widgets.theme.palette import Theme

SIZE: Final = QSize(460, 680)
SAVE_MS: Final = 300
"""How long nothing is typed before it holds."""
_TEXT, _JSON, _SCHEMA = range(3)


class ParametersCard(Overlay):
    """The parameters of one chat."""

    def __init__(
        self, services: Services, settings: ChatSettings, model: Model | None, theme: Theme, button: QWidget
    ) -> None:
        super().__init__(button, theme, SIZE)
        self._services = services
        self._settings = settings
        self._theme = theme
        self._complaints: dict[QWidget, QLabel] = {}
        self._readers: list[tuple[str, QWidget, Callable[[], Any]]] = []
        self._timer = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._timer.timeout.connect(self.save)
        self.card.setAccessibleName(self.tr("Parameters of this chat"))
        self._persona = ChoiceBox()
        self._make_fields()
        self._arrange(model)
        self._list_personas()
        self._show(settings.values)
        self._listen()
        self.open(self._prompt)

    @Slot()
    def save(self) -> None:
        """Let hold what is valid; say of the rest why it is not."""
        self._timer.stop()
        values: dict[str, Any] = {}
        for name, field, read in self._readers:
            problem = ""
            try:
                values[name] = read()
            except ValueError as error:
                problem = str(error)
            complaint = self._complaints[field]
            complaint.setText(problem)
            complaint.setVisible(bool(problem))
        self._settings.set(**values)

    @Slot()
    def reset(self) -> None:
        """Have everything as the model has it."""
        self._settings.set(persona=None, **dict.fromkeys(name for name, _, _ in self._readers))
        self._show({})
        self._prompt.setFocus()

    @Slot()
    def takePersona(self) -> None:
        """Have the chat answered as the chosen persona says."""
        name = self._persona.currentData()
        persona = next((each for each in self._services.settings.personas if each.name == name), None)
        self._settings.set(**(without_persona() if persona is None else settings_of(persona)))
        self._show(self._settings.values)

    @Slot()
    def askForName(self) -> None:
        """Make a persona of what is set; one of that name becomes this one."""
        from PySide6.QtWidgets import QInputDialog

        self.save()
        dialog = QInputDialog(self.window())
        dialog.setStyleSheet(dialog_style_sheet(self._theme.tokens))
        dialog.setWindowTitle(self.tr("Save as persona"))
        dialog.setLabelText(self.tr("A name for this prompt with its model, tools and parameters:"))
        dialog.setTextValue(self._settings.values.get("persona") or "")
        dialog.setOkButtonText(self.tr("Save"))
        dialog.textValueSelected.connect(self.savePersona)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(str)
    def savePersona(self, name: str) -> None:
        """Keep what is set under this name."""
        name = name.strip()
        if not name:
            return
        personas = self._services.settings.personas
        made = persona_of(name, self._settings.values)
        kept = [made if each.name == name else each for each in personas]
        self._services.change(personas=tuple(kept if made in kept else [*kept, made]))
        self._settings.set(persona=name)
        self._list_personas()
        self._show(self._settings.values)

    @Slot(int)
    def showSchema(self, form: int) -> None:
        """The field of the schema is there for those who want one."""
        self._schema.setVisible(form == _SCHEMA)
        if form != _SCHEMA:
            self._complaints[self._schema].hide()

    def _make_fields(self) -> None:
        self._prompt = QPlainTextEdit()
        self._prompt.setPlaceholderText(self.tr("What the model is to know and to keep to in this chat"))
        self._temperature = QLineEdit()
        self._longest = QLineEdit()
        for field in (self._temperature, self._longest):
            field.setPlaceholderText(self.tr("Default"))
        self._thinking = ChoiceBox()
        for text, value in (
            (self.tr("Default"), None),
            (self.tr("Low"), "low"),
            (self.tr("Medium"), "medium"),
            (self.tr("High"), "high"),
        ):
            self._thinking.addItem(text, value)
        self._stop = QPlainTextEdit()
        self._stop.setPlaceholderText(self.tr("One in each line: the answer ends before it"))
        self._form = ChoiceBox()
        self._form.addItems([self.tr("Text"), self.tr("JSON"), self.tr("JSON by a schema")])
        self._schema = QPlainTextEdit()
        self._schema.setFont(QFont(self._theme.mono))
        self._schema.setPlaceholderText('{"type": "object", "properties": {…}}')
        self._schema.hide()
        for area, rows in ((self._prompt, 5), (self._stop, 2), (self._schema, 6)):
            area.setTabChangesFocus(True)
            area.setFixedHeight(area.fontMetrics().lineSpacing() * rows + 18)
        self._readers = [
            ("system_prompt", self._prompt, lambda: self._prompt.toPlainText().strip() or None),
            ("temperature", self._temperature, lambda: entered.temperature(self._temperature.text())),
            ("max_tokens", self._longest, lambda: entered.longest(self._longest.text())),
            ("reasoning", self._thinking, self._thinking.currentData),
            ("stop", self._stop, lambda: entered.stops(self._stop.toPlainText())),
            ("schema", self._schema, self._read_schema),
        ]

    def _read_schema(self) -> Any:
        form = self._form.currentIndex()
        if form == _SCHEMA:
            return entered.schema(self._schema.toPlainText())
        return "json" if form == _JSON else None

    def _arrange(self, model: Model | None) -> None:
        sheet = QWidget()
        column = QVBoxLayout(sheet)
        column.setContentsMargins(16, 16, 16, 8)
        column.setSpacing(4)
        self._add(column, self.tr("Persona"), self._persona)
        self._add(column, self.tr("System prompt"), self._prompt)
        row = QGridLayout()
        row.setHorizontalSpacing(12)
        for at, (text, field) in enumerate(
            (
                (self.tr("Temperature"), self._temperature),
                (self.tr("Longest answer"), self._longest),
                (self.tr("Thinking"), self._thinking),
            )
        ):
            cell = QVBoxLayout()
            cell.setSpacing(4)
            self._add(cell, text, field)
            cell.addStretch(1)
            row.addLayout(cell, 0, at)
            row.setColumnStretch(at, 1)
        column.addLayout(row)
        self._add(column, self.tr("Stop sequences"), self._stop)
        self._add(column, self.tr("Form of the answer"), self._form)
        self._add(column, "", self._schema)
        self._schema.setAccessibleName(self.tr("Schema"))
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(sheet)
        scroll.viewport().setAutoFillBackground(False)
        sheet.setAutoFillBackground(False)
        outer = QVBoxLayout(self.card)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.setSpacing(0)
        outer.addWidget(scroll, 1)
        outer.addLayout(self._foot())
        if model is not None:
            self._tell(model)

    def _add(self, column: QVBoxLayout, text: str, field: QWidget) -> None:
        """A field under its label, its complaint under it."""
        if text:
            label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(small_font(self._theme))
            label.setBuddy(field)
            tint(label, self._theme.tokens.muted)
            field.setAccessibleName(text)
            column.addWidget(label)
        column.addWidget(field)
        complaint = QLabel(textFormat=Qt.TextFormat.PlainText)
        complaint.setTextFormat(Qt.TextFormat.PlainText)
        complaint.setWordWrap(True)
        complaint.setFont(small_font(self._theme))
        complaint.hide()
        tint(complaint, self._theme.tokens.danger)
        self._complaints[field] = complaint
        column.addWidget(complaint)
        column.addSpacing(6)

    def _foot(self) -> QHBoxLayout:
        reset = Button("", self.tr("Reset"), self.tr("Have everything as the model has it"))
        reset.clicked.connect(self.reset)
        reset.set_theme(self._theme)
        note = QLabel(self.tr("Holds from the next answer on"), textFormat=Qt.TextFormat.PlainText)
        note.setFont(small_font(self._theme))
        tint(note, self._theme.tokens.muted)
        keep = Button("", self.tr("Save as persona…"))
        keep.clicked.connect(self.askForName)
        keep.set_theme(self._theme)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 8, 8, 8)
        foot.addWidget(note, 1)
        foot.addWidget(keep)
        foot.addWidget(reset)
        return foot

    def _tell(self, model: Model) -> None:
        """Say what is known about the model's limits."""
        if model.output_limit is not None:
            self._longest.setPlaceholderText(self.tr("Up to {count}").format(count=tokens(model.output_limit)))
        if model.reasoning is False:
            self._thinking.setEnabled(False)
            self._thinking.setToolTip(self.tr("This model does not think before it answers"))

    def _list_personas(self) -> None:
        self._persona.blockSignals(True)
        self._persona.clear()
        self._persona.addItem(self.tr("None"), None)
        for persona in self._services.settings.personas:
            self._persona.addItem(letter_icon(persona.name, self._theme), persona.name, persona.name)
        self._persona.blockSignals(False)

    def _show(self, values: Mapping[str, Any]) -> None:
        """Show these settings, without taking that for an entry."""
        fields = (self._persona, *(field for _, field, _ in self._readers), self._form)
        for field in fields:
            field.blockSignals(True)
        schema = values.get("schema")
        self._persona.setCurrentIndex(max(0, self._persona.findData(values.get("persona"))))
        self._prompt.setPlainText(values.get("system_prompt") or "")
        self._temperature.setText(_number(values.get("temperature")))
        self._longest.setText(_number(values.get("max_tokens")))
        self._thinking.setCurrentIndex(max(0, self._thinking.findData(values.get("reasoning"))))
        self._stop.setPlainText("\n".join(values.get("stop") or ()))
        self._form.setCurrentIndex(_TEXT if schema is None else _JSON if schema == "json" else _SCHEMA)
        self._schema.setPlainText(json.dumps(schema, indent=2, ensure_ascii=False) if isinstance(schema, dict) else "")
        self.showSchema(self._form.currentIndex())
        for field in fields:
            field.blockSignals(False)
        self._timer.stop()
        for complaint in self._complaints.values():
            complaint.hide()

    def _listen(self) -> None:
        for text in (self._prompt, self._stop, self._schema):
            text.textChanged.connect(self._typed)
        for line in (self._temperature, self._longest):
            line.textChanged.connect(self._typed)
        for choice in (self._thinking, self._form):
            choice.currentIndexChanged.connect(self.save)
        self._form.currentIndexChanged.connect(self.showSchema)
        self._persona.currentIndexChanged.connect(self.takePersona)

    @Slot()
    def _typed(self) -> None:
        self._timer.start()

    # Qt overrides

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what was typed last."""
        if self._timer.isActive():
            self.save()
        super().closeEvent(event)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
