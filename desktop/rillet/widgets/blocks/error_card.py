"""Why an answer failed: a sentence, a way to try again, and what support may ask for, folded.

    ┌ OpenAI refused the key. …                    ↻ Try again ┐
    └ ▸ Details                                                ┘

Above: ``button``, ``text``. Below: ``footer``. Guarantees: every word is plain text, and an address of any length is
broken, not clipped.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QTextDocument, QTextOption
from PySide6.QtWidgets import QWidget

from rillet.widgets.blocks.button import PADDING, Button, size_with
from rillet.widgets.blocks.text import TextView

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Foot

_X, _Y = 14, 10
_BESIDE = 8
_NARROWEST = 300
"""Pixels of the sentence below which the button stands under it: beside each other both would be squeezed."""
_LOWEST = 44
_RADIUS = 8


def height(foot: Foot, width: int, theme: Theme, *, expanded: bool) -> int:
    """Pixels that the card of ``foot`` needs at ``width``."""
    below = _fold_height(theme) if foot.details else 0
    if foot.details and expanded:
        below += _height_of(_details_document(foot, width, theme)) + _Y // 2
    return _head_height(_sentence_document(foot, width, theme), foot, width, theme) + below


class ErrorCard(QWidget):
    """The card.

    Signals:
        retryClicked(): The answer is wanted once more.
        detailsClicked(): The fold was clicked.
    """

    retryClicked = Signal()
    detailsClicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
        self._foot: Foot | None = None
        self._expanded = False
        self._documents: list[QTextDocument] = []
        self.sentence = TextView(self)
        self.sentence.setAccessibleName(self.tr("Error"))
        self._details = TextView(self)
        self._details.setAccessibleName(self.tr("Details"))
        self._retry = Button("retry", _retry_text(), parent=self, look="outlined")
        self._retry.clicked.connect(self.retryClicked)
        self._fold = Button("chevron-right", self.tr("Details"), parent=self)
        self._fold.clicked.connect(self.detailsClicked)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for view in (self.sentence, self._details):
            view.set_theme(theme)
        for button in (self._retry, self._fold):
            button.set_theme(theme)

    def show_foot(self, foot: Foot | None, *, expanded: bool = False) -> None:
        """Show the error of ``foot``; None shows nothing."""
        self._foot = foot
        self._expanded = expanded
        self._lay_out()

    def _lay_out(self) -> None:
        self.sentence.show_document(None)
        self._details.show_document(None)
        for document in self._documents:
            document.deleteLater()
        self._documents = []
        if self._foot is None or self._theme is None:
            return
        foot, width = self._foot, self.width()
        sentence = _sentence_document(foot, width, self._theme)
        self._documents = [sentence]
        self.sentence.show_document(sentence)
        head = _head_height(sentence, foot, width, self._theme)
        self._place_head(_height_of(sentence), head, self._theme)
        self._fold.setVisible(bool(foot.details))
        self._fold.set_icon("chevron-down" if self._expanded else "chevron-right")
        state = self.tr("expanded") if self._expanded else self.tr("collapsed")
        self._fold.setAccessibleName(f"{self._fold.text()}, {state}")
        fold = self._fold.sizeHint().boundedTo(QSize(width - _X, _fold_height(self._theme)))
        self._fold.setGeometry(QRect(QPoint(_X - PADDING, head - _Y // 2), fold))
        unfolded = self._expanded and bool(foot.details)
        self._details.setVisible(unfolded)
        if unfolded:
            details = _details_document(foot, width, self._theme)
            self._documents.append(details)
            self._details.show_document(details)
            top = head - _Y // 2 + _fold_height(self._theme)
            self._details.setGeometry(_X, top, width - 2 * _X, _height_of(details))
        for document in self._documents:
            document.setParent(self)
        self.update()

    def _place_head(self, text: int, head: int, theme: Theme) -> None:
        """Put sentence and button side by side, or one below the other."""
        assert self._foot is not None
        width = self.width()
        stacked = _is_stacked(self._foot, width, theme)
        y = _Y if stacked else (head - text) // 2
        self.sentence.setGeometry(_X, y, _sentence_width(self._foot, width, theme), text)
        size = _retry_size(theme).boundedTo(QSize(width - 2 * _Y, head))
        y = head - size.height() - _Y if stacked else (head - size.height()) // 2
        self._retry.setGeometry(QRect(QPoint(width - size.width() - _Y, y), size))
        self._retry.setVisible(self._foot.retry)

    # Qt overrides

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Break the text anew."""
        self._lay_out()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        if self._foot is None or self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.danger), 1))
        painter.setBrush(QColor(self._theme.tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()


def _sentence_document(foot: Foot, width: int, theme: Theme) -> QTextDocument:
    return _document(foot.error, _sentence_width(foot, width, theme), theme.body)


def _details_document(foot: Foot, width: int, theme: Theme) -> QTextDocument:
    return _document(foot.details, width - 2 * _X, theme.mono)


def _document(text: str, width: int, font: QFont) -> QTextDocument:
    """Plain text, laid out; a document breaks addresses that a label would clip."""
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setDefaultFont(font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setPlainText(text)
    document.setTextWidth(width)
    return document


def _height_of(document: QTextDocument) -> int:
    return math.ceil(document.size().height())


def _sentence_width(foot: Foot, width: int, theme: Theme) -> int:
    stacked = _is_stacked(foot, width, theme)
    return max(80, width - 2 * _X - (_room_of_retry(theme) if foot.retry and not stacked else 0))


def _is_stacked(foot: Foot, width: int, theme: Theme) -> bool:
    """Whether the button stands below the sentence."""
    return foot.retry and width - 2 * _X - _room_of_retry(theme) < _NARROWEST


def _head_height(sentence: QTextDocument, foot: Foot, width: int, theme: Theme) -> int:
    below = _retry_size(theme).height() + _BESIDE if _is_stacked(foot, width, theme) else 0
    return max(_LOWEST, _height_of(sentence) + below + 2 * _Y)


def _room_of_retry(theme: Theme) -> int:
    """Pixels that the button takes from the sentence beside it: its own edge is nearer to that of the card."""
    return _retry_size(theme).width() + _BESIDE + _Y - _X


def _retry_size(theme: Theme) -> QSize:
    return size_with("retry", _retry_text(), theme)


def _fold_height(theme: Theme) -> int:
    return size_with("chevron-right", "", theme).height()


def _retry_text() -> str:
    return QCoreApplication.translate("ErrorCard", "Try again")
