"""A bar above the field that says that an earlier question is being changed, and the way out of it.

Knows neither store nor models. Below: ``session`` says what is changed, and sends it. Guarantee: what stood in the
field before comes back, whether the change is sent or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.composer import Composer
    from rillet.widgets.composer.draft import Draft
    from rillet.widgets.theme.palette import Theme

_RADIUS = 8


class Editing(QWidget):
    """What is being changed, if anything is.

    Attributes:
        message_id: The question that is changed; None: none is.

    Signals:
        ended(): No question is changed any more.
    """

    ended = Signal()

    def __init__(self, composer: Composer, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message_id: int | None = None
        self._composer = composer
        self._before: Draft | None = None
        self._original: Draft | None = None
        self._text = QLabel(self.tr("Editing an earlier question. What came after it stays as another version."), self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self.cancel = Button("cross", self.tr("Cancel"), self.tr("Leave the question as it is (Esc)"), self)
        self.cancel.clicked.connect(self.end)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text, 1)
        row.addWidget(self.cancel)
        self.set_theme(theme)
        self.hide()

    @property
    def draft(self) -> Draft:
        """What is to be kept of the field: the change, or what stood there before as long as nothing was changed."""
        now = self._composer.draft()
        if self._before is None or self._original is None:
            return now
        unchanged = (now.text, now.attachments) == (self._original.text, self._original.attachments)
        return self._before if unchanged else now

    def begin(self, message_id: int, draft: Draft) -> None:
        """Change this question."""
        if self.message_id is None:
            self._before = self._composer.draft()
        self.message_id = message_id
        self._original = draft
        self._composer.setDraft(draft)
        self.show()

    def end(self) -> None:
        """Change nothing any more. Harmless when nothing is changed."""
        if self._before is None:
            return
        before, self._before = self._before, None
        self.message_id = self._original = None
        self.hide()
        self._composer.setDraft(before)
        self._composer.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ended.emit()

    def renumber(self, ids: Mapping[int, int]) -> None:
        """The messages have other numbers now."""
        if self.message_id is not None:
            self.message_id = ids[self.message_id]

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._text.setFont(small_font(theme))
        self.cancel.set_theme(theme)

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card, in the colour of what is going on."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.accent), 1))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()
