"""What the connection doctor found, hop by hop, under one sentence that says how it ended.

Above: ``core/providers/doctor``. Below: ``providers`` shows it. Guarantee: what was found is told by words, never by
colour or sign alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from rillet.widgets.blocks.button import small_font
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.providers.doctor import Outcome, Step
    from rillet.widgets.theme.palette import Theme


def verdict(steps: Sequence[Step]) -> str:
    """How an examination ended, in a sentence."""
    failed = next((step.sentence for step in steps if step.outcome == "failed"), None)
    if failed is not None:
        return failed
    listed = next((step.sentence for step in steps if step.name == "endpoint"), "")
    return " ".join((QCoreApplication.translate("Examination", "It works."), listed)).strip()


class Examination(QWidget):
    """The hops, a row each."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[tuple[QLabel, QLabel, Outcome]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.hide()

    def clear(self) -> None:
        """Show nothing."""
        for labels in self._rows:
            for label in labels[:2]:
                self._grid.removeWidget(label)
                label.deleteLater()
        self._rows.clear()
        self.hide()

    def add(self, step: Step) -> None:
        """Show one more step."""
        names = {
            "lookup": self.tr("Name"),
            "connect": self.tr("Connection"),
            "proxy": self.tr("Proxy"),
            "tls": self.tr("Encryption"),
            "http": self.tr("Answer"),
            "endpoint": self.tr("Model server"),
            "key": self.tr("Key"),
            "model": self.tr("Model"),
        }
        signs = {"ok": "✓", "failed": "✗", "skipped": "–"}
        name = QLabel(f"{signs[step.outcome]}  {names[step.name]}", textFormat=Qt.TextFormat.PlainText)
        said = QLabel(step.sentence, textFormat=Qt.TextFormat.PlainText)
        for label in (name, said):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        said.setWordWrap(True)
        said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = len(self._rows)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(said, row, 1)
        self._rows.append((name, said, step.outcome))
        self._paint(name, said, step.outcome)
        self.show()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for name, said, outcome in self._rows:
            self._paint(name, said, outcome)

    def _paint(self, name: QLabel, said: QLabel, outcome: Outcome) -> None:
        tokens = self._theme.tokens
        colour = {"ok": tokens.good, "failed": tokens.danger, "skipped": tokens.muted}[outcome]
        tint(name, colour)
        tint(said, tokens.muted if outcome == "skipped" else tokens.text)
        for label in (name, said):
            label.setFont(small_font(self._theme))
