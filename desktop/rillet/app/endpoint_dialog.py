"""Asks for the address of a server. Above: nothing. Below: ``picker`` acts on it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget


class EndpointDialog(QDialog):
    """Address, key and model. What is entered survives a second ``exec``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Add an address"))
        self.setMinimumWidth(440)
        self._url = QLineEdit()
        self._url.setPlaceholderText("http://localhost:8080/v1")
        self._key = QLineEdit()
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setPlaceholderText(self.tr("if the server asks for one; kept until you quit"))
        self._model = QLineEdit()
        self._model.setPlaceholderText(self.tr("as the server calls it"))
        self._problem = QLabel()
        self._problem.setTextFormat(Qt.TextFormat.PlainText)
        self._problem.setWordWrap(True)
        self._problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._ok.setText(self.tr("Add"))
        self._ok.setEnabled(False)
        self._url.textChanged.connect(self.noteUrl)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        intro = QLabel(
            self.tr("Any server that speaks OpenAI's Chat Completions, such as llama.cpp, LM Studio or vLLM.")
        )
        intro.setTextFormat(Qt.TextFormat.PlainText)
        intro.setWordWrap(True)
        form = QFormLayout()
        form.addRow(self.tr("&Address"), self._url)
        form.addRow(self.tr("&Key"), self._key)
        form.addRow(self.tr("&Model"), self._model)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        layout.addWidget(intro)
        layout.addLayout(form)
        layout.addWidget(self._problem)
        layout.addWidget(buttons)

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

    def showProblem(self, sentence: str) -> None:
        """Say under the fields why this cannot be added."""
        self._problem.setText(sentence)
        self._problem.show()

    @Slot()
    def noteUrl(self) -> None:
        """An address is the one thing that is needed."""
        self._ok.setEnabled(bool(self.url))
