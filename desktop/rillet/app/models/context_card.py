"""The ledger of a chat: what goes along with the next question, how much room each thing takes, and what was spent.

Above: ``kinds_form``, ``overflow_form``, ``overlay``. Below: ``gauge`` opens it and weighs. Turns are switched off and
pinned here, kinds of things are switched off, and it is chosen what happens when there is no room for all.
Guarantees: estimates are called so; what is not known is called unknown, and never counted as nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from rillet.app import coroutines
from rillet.app.models.figures import spent
from rillet.app.models.kinds_form import KindsForm
from rillet.app.models.overflow_form import OverflowForm
from rillet.app.models.words import tokens
from rillet.app.overlay import Overlay
from rillet.core.chat.context import spared
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.check_rows import CheckRows
from rillet.widgets.icons import icon
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from rillet.app.models.gauge import ContextGauge
    from rillet.core.chat.context import Ledger, Turn
    from rillet.widgets.theme.palette import Theme

SIZE: Final = QSize(440, 660)
_LONGEST: Final = 120
"""Letters of a question that are shown, at most."""


class ContextCard(Overlay):
    """Shows the ``ledger`` of a gauge, and follows it."""

    def __init__(self, gauge: ContextGauge, theme: Theme) -> None:
        super().__init__(gauge, theme, SIZE)
        self._gauge = gauge
        self._theme = theme
        self.card.setAccessibleName(self.tr("What goes along with the next question"))
        self.card.setStyleSheet(self.card.styleSheet() + _style(theme))
        self._head = self._label(wraps=True)
        head = QFont(theme.body)
        head.setWeight(QFont.Weight.DemiBold)
        self._head.setFont(head)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(self.tr("The share of the window that is taken"))
        self._kinds = KindsForm(gauge, theme)
        self._items: list[QTreeWidgetItem] = []
        self._turns = self._make_list()
        self._pin = Button("pin", self.tr("Pin"), self.tr("Keep the chosen question when there is no room for all"))
        self._pin.set_theme(theme)
        self._pin.clicked.connect(self.pin)
        self._now = Button("", self.tr("Summarize now"), self.tr("Summarize the oldest questions now"))
        self._now.set_theme(theme)
        self._now.clicked.connect(self.summarize)
        self._overflow = OverflowForm(gauge, theme)
        self._rule = self._label(muted=True, wraps=True)
        self._spent = self._label(muted=True, wraps=True)
        self._arrange()
        gauge.weighed.connect(self.refresh)
        self.refresh()
        self._turns.setCurrentItem(self._items[-1])
        self._turns.itemChanged.connect(self.switch)
        self._turns.currentItemChanged.connect(self._name_pin)
        self._name_pin()
        self.open(self._turns)

    @property
    def _ledger(self) -> Ledger:
        assert self._gauge.ledger is not None
        return self._gauge.ledger

    @Slot()
    def refresh(self) -> None:
        """Show what goes along now."""
        weighed = self._ledger
        self._show_head(weighed)
        self._kinds.refresh()
        self._turns.blockSignals(True)
        while len(self._items) > len(weighed.turns):
            self._items.pop()
            self._turns.takeTopLevelItem(len(self._items))
        while len(self._items) < len(weighed.turns):
            self._items.append(QTreeWidgetItem(self._turns))
        for item, turn in zip(self._items, weighed.turns, strict=True):
            self._fill(item, turn, is_last=turn is weighed.turns[-1])
        self._turns.blockSignals(False)
        session = self._gauge.session
        idle = not session.is_answering and not session.horizon.is_summarizing
        self._now.setEnabled(idle and bool(spared(weighed).due))
        self._overflow.refresh()
        self._rule.setText(self._rule_of(weighed))
        self._spent.setText(spent(self._gauge.spending) if self._gauge.spending is not None else "")
        self._name_pin()

    @Slot(QTreeWidgetItem, int)
    def switch(self, item: QTreeWidgetItem, _column: int) -> None:
        """Send a question and its answers along, or do not."""
        turn = self._turn_of(item)
        off = {each.id for each in self._ledger.turns if each.standing == "off"} - {turn.id}
        if item.checkState(0) is Qt.CheckState.Unchecked:
            off.add(turn.id)
        self._gauge.session.settings.set(off=sorted(off) or None)

    @Slot()
    def pin(self) -> None:
        """Keep the chosen question whatever there is room for, or do not."""
        item = self._turns.currentItem()
        if item is None:
            return
        turn = self._turn_of(item)
        pinned = {each.id for each in self._ledger.turns if each.is_pinned} ^ {turn.id}
        self._gauge.session.settings.set(pinned=sorted(pinned) or None)

    @Slot()
    def summarize(self) -> None:
        """Have the oldest questions summarized now; the bar above the field says how far that is."""
        coroutines.start(self._gauge.session.horizon.summarize())
        self.close()

    @Slot()
    def _name_pin(self) -> None:
        item = self._turns.currentItem()
        pinned = item is not None and self._turn_of(item).is_pinned
        self._pin.setText(self.tr("Unpin") if pinned else self.tr("Pin"))
        self._pin.updateGeometry()

    def _turn_of(self, item: QTreeWidgetItem) -> Turn:
        return self._ledger.turns[self._turns.indexOfTopLevelItem(item)]

    def _show_head(self, weighed: Ledger) -> None:
        self._bar.setVisible(weighed.window is not None)
        if weighed.window is None:
            words = self.tr("About {used} tokens. The model's window is not known")
        else:
            words = self.tr("About {used} of {window} tokens")
            self._bar.setRange(0, weighed.window)
            self._bar.setValue(min(weighed.used, weighed.window))
        self._head.setText(words.format(used=tokens(weighed.used), window=tokens(weighed.window or 0)))

    def _fill(self, item: QTreeWidgetItem, turn: Turn, *, is_last: bool) -> None:
        colours = self._theme.tokens
        text = " ".join(turn.text[:_LONGEST].split()) or self.tr("(no text)")
        states = {
            "sent": "",
            "off": self.tr("switched off"),
            "left out": self.tr("left out: the window is full"),
            "summarized": self.tr("summarized"),
            "due": self.tr("about to be summarized"),
        }
        state = states[turn.standing]
        item.setText(0, f"{text} · {state}" if state and turn.standing != "off" else text)
        item.setText(1, f"{turn.tokens:,}")
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setCheckState(0, Qt.CheckState.Unchecked if turn.standing == "off" else Qt.CheckState.Checked)
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        item.setFlags(flags if is_last else flags | Qt.ItemFlag.ItemIsUserCheckable)
        ink = QColor(colours.text if turn.standing in ("sent", "due") else colours.muted)
        for column in (0, 1):
            item.setForeground(column, ink)
        item.setIcon(0, icon("pin", QColor(colours.accent), size=14) if turn.is_pinned else QIcon())
        said = [text, f"{turn.tokens:,}", state, self.tr("pinned") if turn.is_pinned else ""]
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, ", ".join(each for each in said if each))

    def _rule_of(self, weighed: Ledger) -> str:
        left_out = len(weighed.standing("left out"))
        if weighed.window is None:
            rule = self.tr("Everything that is ticked is sent.")
        elif left_out:
            rule = self.tr("The window is full: {count} of the oldest questions that are not pinned are left out.")
        elif weighed.due:
            rule = self.tr(
                "The window is full: {count} of the oldest questions are summarized before the next is sent."
            )
        elif weighed.excess:
            rule = self.tr("There may be no room for an answer any more.")
        else:
            rule = self.tr("There is room for all that is ticked. What is pinned always goes along.")
        counted = self.tr("The provider counted {count} when it was asked last.")
        told = [] if weighed.counted is None else [counted.format(count=f"{weighed.counted:,}")]
        return " ".join([rule.format(count=left_out or len(weighed.due)), self.tr("Figures are estimates."), *told])

    def _make_list(self) -> QTreeWidget:
        turns = QTreeWidget()
        turns.setColumnCount(2)
        turns.setHeaderHidden(True)
        turns.setRootIsDecorated(False)
        turns.setUniformRowHeights(True)
        turns.setItemDelegate(CheckRows(self._theme, turns))
        turns.setFrameShape(QFrame.Shape.NoFrame)
        turns.setAccessibleName(self.tr("Questions with their answers"))
        turns.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        turns.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        turns.setTabKeyNavigation(False)
        turns.header().setStretchLastSection(False)
        turns.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        turns.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        return turns

    def _arrange(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self._pin)
        foot.addStretch(1)
        foot.addWidget(self._now)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        column.addWidget(self._head)
        column.addWidget(self._bar)
        column.addWidget(self._kinds)
        column.addWidget(self._turns, 1)
        column.addLayout(foot)
        column.addWidget(self._overflow)
        column.addWidget(self._rule)
        column.addWidget(self._spent)

    def _label(self, text: str = "", *, muted: bool = False, wraps: bool = False) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(wraps)
        if muted:
            label.setFont(small_font(self._theme))
            tint(label, self._theme.tokens.muted)
        return label


def _style(theme: Theme) -> str:
    colours = theme.tokens
    return f"""
QProgressBar {{ background: {colours.pressed}; border: none; border-radius: 3px; }}
QProgressBar::chunk {{ background: {colours.accent}; border-radius: 3px; }}
QTreeWidget {{ background: {colours.surface}; border: 1px solid {colours.border}; border-radius: {colours.radius}px;
    outline: none; padding: 4px; }}
QTreeWidget:focus {{ border: 2px solid {colours.accent}; padding: 3px; }}
QTreeWidget::item {{ padding: 4px; }}
QTreeWidget::indicator:unchecked {{ width: 12px; height: 12px; background: {colours.surface};
    border: 1px solid {colours.outline}; border-radius: 2px; }}
QTreeWidget::item:hover {{ background: {colours.hover}; }}
QTreeWidget::item:selected {{ background: {colours.accent_soft}; }}
"""
