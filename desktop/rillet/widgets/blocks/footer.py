"""What stands under a message: what is going on, how it ended, and what can be done with it.

    ··· starting the built-in model…          while an answer is awaited
    ┌ OpenAI refused the key. … ── Try again ┐ when it failed, under the text that was kept
    Stopped by you                 ↻ Try again  when it ended otherwise than usual
    ⧉ ↻ ‹ 2/3 › ⋯   412 tokens · 38 tok/s     actions and figures, while the mouse or the keyboard is at the message

Above: ``button``, ``pulse``, ``actions``, ``error_card``. Below: ``transcript/layout`` asks for the height,
``transcript/stage`` lends it to tiles. Guarantee: the row keeps its height whatever it shows, so that nothing moves
when an answer begins or ends; only an error adds to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from rillet.widgets.blocks import error_card
from rillet.widgets.blocks.actions import FOR_ANSWERS, FOR_QUESTIONS, ActionRow
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.error_card import ErrorCard
from rillet.widgets.blocks.pulse import Pulse
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from PySide6.QtGui import QResizeEvent

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Foot, Tile

_ANSWER_ROW, _QUESTION_ROW = 32, 28
"""A question's is lower: together with the space above its answer it keeps the two apart."""
_CARD_GAP = 4
OVERHANG = 16
"""Pixels left and right of the text column, for the ring and the ground of a button whose icon is in line with it."""
_SPACING, _BESIDE_FIGURES, _BESIDE_BUTTON = 8, 12, 8


def height(entry: Entry, width: int, theme: Theme) -> int:
    """Pixels that the foot of ``entry`` needs at ``width``."""
    row = _row_height(entry)
    if not entry.foot.error:
        return row
    return _CARD_GAP + error_card.height(entry.foot, width, theme, expanded=entry.details_open) + row


class FooterBlock(QWidget):
    """The foot of one message.

    Signals:
        actionChosen(str, object): An action (see ``actions``; also ``retry`` and ``continue``) and the entry.
        detailsClicked(object): The entry whose error is to be unfolded, or folded.
        grown(): There are widgets in it that were not there before.
    """

    text_view: ClassVar[TextView | None] = None
    actionChosen = Signal(str, object)
    detailsClicked = Signal(object)
    grown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self._theme: Theme | None = None
        self._active = False
        self._offered: AbstractSet[str] = frozenset()
        self._made_card: ErrorCard | None = None
        self._row = QWidget(self)
        self._pulse = Pulse()
        self._status = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._actions = ActionRow()
        self._actions.chosen.connect(self._choose)
        self._figures = QLabel(textFormat=Qt.TextFormat.PlainText)
        for label in (self._status, self._figures):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._again = Button("retry", self.tr("Try again"), parent=self, look="outlined")
        self._again.clicked.connect(self._ask_again)
        self._resume = Button("continue", self.tr("Continue"), parent=self, look="outlined")
        self._resume.clicked.connect(self._go_on)
        row = QHBoxLayout(self._row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_SPACING)
        for widget in (self._pulse, self._status, self._actions, self._figures):
            row.addWidget(widget)
        row.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for part in (self._made_card, self._again, self._resume, self._actions, self._pulse):
            if part is not None:
                part.set_theme(theme)
        for label in (self._status, self._figures):
            label.setFont(small_font(theme))

    def bind(self, entry: Entry, tile: Tile, _document: object) -> None:
        """Show the foot of ``entry``."""
        self.tile = tile
        self._entry = entry
        self._row.setLayoutDirection(_side(entry))
        self._actions.set_height(_row_height(entry))
        self._show_foot()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None
        self._actions.reset()
        self._show_card(None)

    def set_active(self, active: bool, offered: AbstractSet[str]) -> None:
        """Whether the message has the attention of mouse or keyboard, and which actions it offers then."""
        if (active, offered) != (self._active, self._offered):
            self._active = active
            self._offered = offered
            if self._entry is not None:
                self._show_actions()
                self._place()

    def _show_foot(self) -> None:
        assert self._entry is not None
        foot = self._entry.foot
        self._pulse.setVisible(self._entry.waiting or (foot.busy and bool(foot.status)))
        self._status.setVisible(bool(self._said))
        self._figures.setText(foot.figures)
        self._again.setVisible(foot.retry and not foot.error)
        self._show_actions()
        self._place()
        self._show_card(foot if foot.error else None, expanded=self._entry.details_open)

    @property
    def _card(self) -> ErrorCard:
        """Made for the first error: it is nearly half of what a foot costs, and most have none."""
        if self._made_card is None:
            self._made_card = ErrorCard(self)
            self._made_card.lower()  # (before the row, as the eye meets it)
            self._made_card.retryClicked.connect(self._ask_again)
            self._made_card.detailsClicked.connect(self._toggle_details)
            if self._theme is not None:
                self._made_card.set_theme(self._theme)
            self.grown.emit()
        return self._made_card

    def _show_card(self, foot: Foot | None, *, expanded: bool = False) -> None:
        if foot is not None or self._made_card is not None:
            self._card.setVisible(foot is not None)
            self._card.show_foot(foot, expanded=expanded)

    def _show_actions(self) -> None:
        assert self._entry is not None
        entry, foot = self._entry, self._entry.foot
        self._resume.setVisible(foot.resume and "continue" in self._offered and not foot.busy)
        shown = self._active and not foot.busy
        offered = self._offered - (FOR_ANSWERS if entry.role == "user" else FOR_QUESTIONS)
        if not entry.has_source:
            offered -= {"copy"}
        if foot.retry:
            offered -= {"regenerate"}  # "Try again" is the same
        self._actions.setVisible(shown and bool(offered))
        self._actions.offer(offered, foot.version, foot.versions)
        self._figures.setVisible(shown and bool(foot.figures) and self._room_for_figures())

    def _room_for_figures(self) -> bool:
        needed = 0 if self._actions.isHidden() else self._actions.sizeHint().width() + _BESIDE_FIGURES
        if self._said:
            needed += self._status.fontMetrics().horizontalAdvance(self._said) + _BESIDE_FIGURES
        buttons = [button for button in (self._again, self._resume) if not button.isHidden()]
        beside = sum(button.sizeHint().width() + _BESIDE_BUTTON for button in buttons)
        return needed + self._figures.sizeHint().width() + beside <= self._inner_width

    @property
    def _inner_width(self) -> int:
        """As wide as the text above."""
        return self.width() - 2 * OVERHANG

    def _place(self) -> None:
        assert self._entry is not None
        assert self._theme is not None
        foot, width = self._entry.foot, self._inner_width
        row = QRect(OVERHANG, 0, width, _row_height(self._entry))
        if foot.error:
            card = error_card.height(foot, width, self._theme, expanded=self._entry.details_open)
            self._card.setGeometry(OVERHANG, _CARD_GAP, width, card)
            row.moveTop(_CARD_GAP + card)
        beside = 0
        for button in (self._again, self._resume):
            size = button.sizeHint()
            place = QPoint(row.right() + 1 - beside - size.width(), row.y() + (row.height() - size.height()) // 2)
            button.setGeometry(QRect(place, size))
            beside += 0 if button.isHidden() else size.width() + _BESIDE_BUTTON
        if self._status.isHidden() and self._pulse.isHidden():
            # The icon, not the invisible edge of its button, stands in line with the text.
            inset = min(OVERHANG, self._actions.inset)
            row.translate(inset if self._row.layoutDirection() == Qt.LayoutDirection.RightToLeft else -inset, 0)
        row.setWidth(row.width() - beside)
        self._row.setGeometry(row)
        self._fit_status(row.width())

    @property
    def _said(self) -> str:
        """What is going on, or how it ended."""
        assert self._entry is not None
        return self._entry.foot.status or self._entry.foot.note

    def _fit_status(self, width: int) -> None:
        """Elide what is said where actions and buttons leave too little room for it: they must not be covered."""
        others = [widget for widget in (self._pulse, self._actions, self._figures) if not widget.isHidden()]
        room = width - sum(widget.sizeHint().width() + _SPACING for widget in others)
        shown = self._status.fontMetrics().elidedText(self._said, Qt.TextElideMode.ElideRight, max(0, room))
        self._status.setText(shown)
        self._status.setAccessibleName(self._said)
        self._status.setToolTip(tool_tip(self._said) if shown != self._said else "")

    @Slot()
    def _ask_again(self) -> None:
        self.actionChosen.emit("retry", self._entry)

    @Slot()
    def _go_on(self) -> None:
        self.actionChosen.emit("continue", self._entry)

    @Slot(str)
    def _choose(self, action: str) -> None:
        self.actionChosen.emit(action, self._entry)

    @Slot()
    def _toggle_details(self) -> None:
        self.detailsClicked.emit(self._entry)

    # Qt overrides

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Put the children into their places."""
        if self._entry is not None:
            self._show_foot()


def _row_height(entry: Entry) -> int:
    return _QUESTION_ROW if entry.role == "user" else _ANSWER_ROW


def _side(entry: Entry) -> Qt.LayoutDirection:
    """Actions stand on the side where the message stands."""
    return Qt.LayoutDirection.RightToLeft if entry.role == "user" else Qt.LayoutDirection.LeftToRight
