"""Asks for the address of a server, tries it, and adds it.

Above: ``services``. Below: ``picker`` opens it. Guarantee: what was entered stays until it has worked, and an address
that did not answer is not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.widgets.labels import tint
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    import asyncio

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme

WIDTH = 480


class EndpointDialog(QDialog):
    """Address, key and model. Without a model it is the first that the server lists, and so the server must answer.

    Signals:
        added(object, object): A ``Provider`` that is there now, and the name of its model.
    """

    added = Signal(object, object)

    def __init__(self, services: Services, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._task: asyncio.Task[None] | None = None
        self._tokens = theme.tokens
        self.setWindowTitle(self.tr("Add an address"))
        self.setMinimumWidth(WIDTH)
        self.setStyleSheet(dialog_style_sheet(theme.tokens))
        self._url = QLineEdit()
        self._url.setPlaceholderText("http://localhost:8080/v1")
        self._key = QLineEdit()
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setPlaceholderText(self.tr("If the server asks for one"))
        self._model = QLineEdit()
        self._model.setPlaceholderText(self.tr("The first that the server lists"))
        self._note = QLabel()
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._note.hide()
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._ok = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._ok.setText(self.tr("Add"))
        self._ok.setEnabled(False)
        self._url.textChanged.connect(self.noteUrl)
        self._buttons.accepted.connect(self.submit)
        self._buttons.rejected.connect(self.reject)
        self.finished.connect(self.deleteLater)
        self._arrange()

    @property
    def url(self) -> str:
        """The address as entered."""
        return self._url.text().strip()

    @property
    def api_key(self) -> str:
        """The key as entered."""
        return self._key.text().strip()

    @property
    def model(self) -> str:
        """The model as entered."""
        return self._model.text().strip()

    @Slot()
    def noteUrl(self) -> None:
        """An address is the one thing that is needed."""
        self._ok.setEnabled(bool(self.url))

    @Slot()
    def submit(self) -> None:
        """Try what was entered; if it works, add it and close."""
        self._tell("" if self.model else self.tr("Asking the server for its models…"))
        self._task = coroutines.start(self._add())

    async def _add(self) -> None:
        from rillet.app.keys import account_of
        from rillet.core.errors import LlmError
        from rillet.widgets import words

        model = self.model
        try:
            if not model:
                models = await self._services.models_at(self.url, self.api_key)
                if not models:
                    self._complain(self.tr("The server lists no models. Enter the name of one."))
                    return
                model = models[0].id
            provider = self._services.enter_endpoint(self.url, self.api_key, model)
        except LlmError as error:
            self._complain(words.sentence(error))
            return
        if self.api_key:
            coroutines.start(self._services.keys.keep(account_of(provider.base_url), self.api_key))
        self.accept()
        self.added.emit(provider, model)

    def _tell(self, sentence: str) -> None:
        """Say what is being waited for; meanwhile only Cancel works."""
        self._say(sentence, self._tokens.muted)
        self._set_busy(busy=True)

    def _complain(self, sentence: str) -> None:
        """Say under the fields why this cannot be added."""
        self._say(sentence, self._tokens.danger)
        self._set_busy(busy=False)

    def _arrange(self) -> None:
        intro = QLabel(
            self.tr("Any server that speaks OpenAI's Chat Completions, such as llama.cpp, LM Studio or vLLM.")
        )
        intro.setTextFormat(Qt.TextFormat.PlainText)
        intro.setWordWrap(True)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignVCenter)
        form.addRow(self.tr("&Address"), self._url)
        form.addRow(self.tr("&Key"), self._key)
        form.addRow(self.tr("&Model"), self._model)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 20)
        layout.setSpacing(16)
        layout.addWidget(intro)
        layout.addLayout(form)
        layout.addWidget(self._note)
        layout.addWidget(self._buttons)

    def _say(self, sentence: str, colour: str) -> None:
        tint(self._note, colour)
        self._note.setText(sentence)
        self._note.setVisible(bool(sentence))
        self.adjustSize()

    def _set_busy(self, *, busy: bool) -> None:
        for field in (self._url, self._key, self._model):
            field.setReadOnly(busy)
        self._ok.setEnabled(not busy)

    # Qt overrides

    def reject(self) -> None:
        """Close, and stop trying."""
        if self._task is not None:
            self._task.cancel()
        super().reject()
