"""What an empty chat says: one sentence, and three prompts to begin with.

Below: ``chat_view`` shows it until there is a message. A prompt fills the composer; it is never sent by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from rillet.widgets.theme.palette import Theme

_TITLE_SCALE = 1.5
_PROMPT_HEIGHT = 36
_NARROWEST = 160
_BELOW_SENTENCE = 16


class Welcome(QWidget):
    """The sentence and the prompts, in the middle.

    Signals:
        promptChosen(str): A prompt that is to be put into the composer.
    """

    promptChosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._sentence.setText(self.tr("What would you like to know?"))
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)  # a low window may clip it
        self._prompts: list[Button] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 24, 24, 24)
        self._column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        self._column.setSpacing(8)
        self._column.addStretch(2)
        self._column.addWidget(self._sentence)
        self._column.addSpacing(_BELOW_SENTENCE)
        self._column.addStretch(3)
        self._theme: Theme | None = None
        self.setPrompts(
            [
                self.tr("Explain how a hash map works, with a short example"),
                self.tr("Write a friendly reminder for an unpaid invoice"),
                self.tr("Plan three quiet days in Lisbon"),
            ]
        )

    def prompts(self) -> list[str]:
        """What is offered."""
        return [button.text() for button in self._prompts]

    def setPrompts(self, prompts: Sequence[str]) -> None:
        """Offer these prompts."""
        for old in self._prompts:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._prompts = [
            Button("", prompt, self.tr("Write: {prompt}").format(prompt=prompt), self, look="outlined", round_ends=True)
            for prompt in prompts
        ]
        for place, button in enumerate(self._prompts):
            button.setMinimumHeight(_PROMPT_HEIGHT)
            button.clicked.connect(self._choose)
            self._column.insertWidget(3 + place, button, 0, Qt.AlignmentFlag.AlignHCenter)
            if self._theme is not None:
                button.set_theme(self._theme)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        font = QFont(theme.body)
        font.setPointSizeF(theme.body.pointSizeF() * _TITLE_SCALE)
        font.setWeight(QFont.Weight.DemiBold)
        self._sentence.setFont(font)
        for button in self._prompts:
            button.set_theme(theme)
        self._fit()

    def _fit(self) -> None:
        """Show as many prompts as there is room for: in a low window they would lie on top of each other."""
        margins = self._column.contentsMargins()
        sentence = self._sentence.heightForWidth(max(1, self.width() - margins.left() - margins.right()))
        room = self.height() - margins.top() - sentence - _BELOW_SENTENCE - margins.bottom()
        for button in self._prompts:
            room -= _PROMPT_HEIGHT + self._column.spacing()
            button.setVisible(room >= 0)

    @Slot()
    def _choose(self) -> None:
        button = self.sender()
        if isinstance(button, Button):
            self.promptChosen.emit(button.text())

    # Qt overrides

    def minimumSizeHint(self) -> QSize:
        """Hardly anything: what does not fit is not shown."""
        return QSize(_NARROWEST, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See how many prompts fit."""
        super().resizeEvent(event)
        self._fit()
