"""A window that shows what was sent for a message, what came, and when; for questions to a provider's support.

Above: ``wire_words``, ``core/net/exchange_log``. Below: ``window`` opens it. Guarantee: it holds no key, nor does what
is copied from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QTabWidget, QVBoxLayout

from rillet.app import wire_words
from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.sheet import settings_style_sheet
from rillet.app.sizes import resize_to_fit
from rillet.core.net.exchange_log import KEPT
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from rillet.core.net.exchange_log import Exchange
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.theme.tokens import Tokens


class WireView(QDialog):
    """The requests of one message; not modal."""

    def __init__(self, exchanges: Sequence[Exchange], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exchanges = exchanges
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What was sent and received"))
        resize_to_fit(self, QSize(820, 620))
        self._which = ChoiceBox()
        self._which.setAccessibleName(self.tr("Request"))
        self._which.addItems([wire_words.title(each) for each in exchanges])
        self._which.setMinimumContentsLength(20)
        self._which.currentIndexChanged.connect(self.turn)
        self._summary = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._summary.setFont(small_font(theme))
        tint(self._summary, theme.tokens.muted)
        self._sent, self._received = _text(self.tr("Sent"), theme), _text(self.tr("Received"), theme)
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.addTab(self._sent, self.tr("Sent"))
        tabs.addTab(self._received, self.tr("Received"))
        self._curl = Button("copy", self.tr("Copy as curl"), self.tr("Copy as a curl command, without the key"))
        self._curl.clicked.connect(self.copyCurl)
        copy = Button("copy", self.tr("Copy everything"))
        copy.clicked.connect(self.copyAll)
        buttons = QHBoxLayout()
        for button in (self._curl, copy):
            button.set_theme(theme)
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(10)
        column.addWidget(self._which)
        column.addWidget(self._summary)
        column.addWidget(tabs, 1)
        column.addLayout(buttons)
        self.setStyleSheet(settings_style_sheet(theme.tokens) + _tab_rules(theme.tokens))
        if exchanges:
            self._which.setCurrentIndex(len(exchanges) - 1)
            self.turn(len(exchanges) - 1)
            return
        words = self.tr("Nothing is kept of this answer: only the last {count} requests are, until you quit.")
        self._summary.setText(words.format(count=KEPT))
        for part in (self._which, tabs, self._curl, copy):
            part.hide()
        self.resize(480, 120)

    @Slot(int)
    def turn(self, place: int) -> None:
        """Show another request."""
        exchange = self._exchanges[place]
        self._summary.setText(wire_words.summary(exchange))
        self._sent.setPlainText(wire_words.sent(exchange))
        self._received.setPlainText(wire_words.received(exchange))
        self._curl.setEnabled(exchange.is_whole)

    @Slot()
    def copyCurl(self) -> None:
        """Put the request on the clipboard, as a command."""
        QGuiApplication.clipboard().setText(wire_words.curl(self._exchanges[self._which.currentIndex()]))

    @Slot()
    def copyAll(self) -> None:
        """Put everything that is shown on the clipboard."""
        parts = (self._summary.text(), self._sent.toPlainText(), self._received.toPlainText())
        QGuiApplication.clipboard().setText("\n\n".join(parts))


def _tab_rules(tokens: Tokens) -> str:
    return f"""
QTabWidget::pane {{ border: none; }}
QTabBar::tab {{ color: {tokens.muted}; border: none; border-bottom: 2px solid transparent; padding: 6px 12px;
    margin-right: 4px; }}
QTabBar::tab:hover {{ color: {tokens.text}; }}
QTabBar::tab:selected {{ color: {tokens.text}; border-bottom-color: {tokens.accent}; }}
QTabBar::tab:selected:focus {{ background: {tokens.accent_soft}; }}
"""


def _text(name: str, theme: Theme) -> QPlainTextEdit:
    text = QPlainTextEdit()
    text.setReadOnly(True)
    text.setTabChangesFocus(True)
    text.setAccessibleName(name)
    text.setFont(theme.mono)
    return text
