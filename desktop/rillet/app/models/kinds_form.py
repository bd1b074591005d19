"""What goes along with a question beside the turns of the chat, kind by kind: tokens, and a box to leave it away.

Above: ``core/chat/context``. Below: ``context_card``. Guarantees: what is not known is called so; what is switched off
holds for this chat alone, and from the next question on.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from rillet.widgets.blocks.button import small_font
from rillet.widgets.blocks.check_box import INDENT, CheckBox
from rillet.widgets.labels import tint
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from rillet.app.models.gauge import ContextGauge
    from rillet.core.chat.plan import Kind
    from rillet.widgets.theme.palette import Theme


class KindsForm(QWidget):
    """The figures of the ledger."""

    def __init__(self, gauge: ContextGauge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gauge = gauge
        self._theme = theme
        self._boxes: dict[Kind, CheckBox] = {}
        self._values: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._add(self.tr("System prompt"), "system")
        self._add(self.tr("Skills"), "skills")
        self._add(self.tr("Descriptions of tools"), "tools", self.tr("Without, no tool can be used"))
        self._add(self.tr("Summary of what was said first"))
        self._add(self.tr("Conversation"))
        earlier = self.tr("Without, those of earlier questions are not sent again")
        self._add(self.tr("Images and files"), "attachments", earlier)
        self._add(self.tr("Thoughts, where the model wants them back"), "reasoning", earlier)

    def refresh(self) -> None:
        """Show what goes along now."""
        weighed, values = self._gauge.ledger, self._gauge.session.settings.values
        if weighed is None:
            return
        sent, without = weighed.standing("sent", "due"), values.get("without", ())
        counts: tuple[int | None, ...] = (
            weighed.system,
            weighed.skills,
            weighed.tools,
            weighed.summed,
            sum(turn.history for turn in sent),
            sum(turn.attachments for turn in sent),
            sum(turn.reasoning for turn in sent),
        )
        for value, count in zip(self._values, counts, strict=True):
            value.setText(self.tr("not known yet") if count is None else f"{count:,}")
        for kind, box in self._boxes.items():
            blocker = QSignalBlocker(box)
            box.setChecked(kind not in without)
            del blocker

    def switch(self, kind: Kind, on: bool) -> None:
        """Have it go along, or leave it away."""
        settings = self._gauge.session.settings
        without = {each for each in settings.values.get("without", ()) if each != kind}
        settings.set(without=sorted(without if on else {*without, kind}) or None)

    def _add(self, text: str, kind: Kind | None = None, hint: str = "") -> None:
        row = self._grid.rowCount()
        name: QWidget
        if kind is None:
            name = self._label(text)
            name.setMinimumHeight(CheckBox().sizeHint().height())
            name.setContentsMargins(INDENT, 0, 0, 0)  # (in line with the words behind boxes)
        else:
            box = name = self._boxes[kind] = CheckBox(text)
            box.setFont(small_font(self._theme))
            box.setToolTip(tool_tip(hint) if hint else "")
            box.toggled.connect(partial(self.switch, kind))
        value = self._label("")
        self._values.append(value)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(value, row, 1, Qt.AlignmentFlag.AlignRight)

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
        label.setFont(small_font(self._theme))
        tint(label, self._theme.tokens.muted)
        return label
