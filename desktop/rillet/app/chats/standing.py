"""A strip above the field of a chat that is not like the others: it is temporary, archived, or in the trash.

Says so, and what can be done about it. Above: ``store/chats``. Below: ``session`` says what is the case, and does what
is wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from PySide6.QtCore import QDateTime, QLocale, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from rillet.core.store.trash import KEPT_SECONDS
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme

Kind: TypeAlias = Literal["ordinary", "temporary", "archived", "trashed"]

_ICONS: Final[dict[Kind, str]] = {"temporary": "temporary", "archived": "archive", "trashed": "delete"}
_RADIUS: Final = 8


class Standing(QWidget):
    """What sort of chat this is; nothing is shown for an ordinary one.

    Attributes:
        kind: What is shown.

    Signals:
        keepRequested(): A temporary chat is to be kept, an archived one to go back into the list, a deleted one to be
            brought back.
        closeRequested(): A temporary chat is to be closed, a deleted one to be deleted for good.
    """

    keepRequested = Signal()
    closeRequested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind: Kind = "ordinary"
        self._icon = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self._text = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.keep = Button("", parent=self, look="outlined")
        self.keep.clicked.connect(self.keepRequested)
        self.close_ = Button("", parent=self)
        self.close_.clicked.connect(self.closeRequested)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.keep)
        row.addWidget(self.close_)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def tell(self, kind: Kind, *, begun: bool = True, keeping: bool = False, trashed_at: float = 0.0) -> None:
        """Say what is the case.

        ``begun``: there is something to keep; ``keeping``: that is on its way; ``trashed_at``: seconds since the epoch.
        """
        self.kind = kind
        match kind:
            case "temporary" if keeping:
                self._say(self.tr("This chat will be kept as soon as the answer is over."))
            case "temporary":
                words = self.tr("Temporary chat: nothing of it is saved, and it is gone when you close it or quit.")
                self._say(words, self.tr("Keep this chat") if begun else "", self.tr("Close"))
            case "archived":
                self._say(self.tr("This chat is archived."), self.tr("Take out of the archive"))
            case "trashed":
                day = QDateTime.fromSecsSinceEpoch(round(trashed_at + KEPT_SECONDS)).date()
                words = self.tr("This chat is in the trash. It will be deleted for good on {day}.")
                shown = QLocale().toString(day, QLocale.FormatType.LongFormat)
                self._say(words.format(day=shown), self.tr("Bring back"), self.tr("Delete for good"))
            case "ordinary":
                pass
        self._show_icon()
        self.setVisible(kind != "ordinary")

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._text.setFont(small_font(theme))
        self.keep.set_theme(theme)
        self.close_.set_theme(theme)
        self._show_icon()

    def _say(self, words: str, keep: str = "", close: str = "") -> None:
        self._text.setText(words)
        for button, text in ((self.keep, keep), (self.close_, close)):
            button.setText(text)
            button.describe(text)
            button.setVisible(bool(text))

    def _show_icon(self) -> None:
        if (name := _ICONS.get(self.kind)) is not None:
            self._icon.setPixmap(icon(name, QColor(self._theme.tokens.muted)).pixmap(16, 16))

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card; that of a chat that is not saved has a broken edge."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(tokens.outline), 1)
        if self.kind == "temporary":
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()
