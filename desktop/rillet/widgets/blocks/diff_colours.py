"""Colours the lines of a unified diff in a plain text document.

Knows nothing of what changes. Below: ``approval``. Plus and minus stay: colour never says anything alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QSyntaxHighlighter

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.theme.palette import Theme


class DiffColours(QSyntaxHighlighter):
    """Green for what comes, red for what goes, muted for where."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._theme: Theme | None = None
        self._on = False

    def set_theme(self, theme: Theme) -> None:
        """Take colours."""
        self._theme = theme
        self.rehighlight()

    def switch(self, *, on: bool) -> None:
        """Whether the text that comes next begins with a diff."""
        self._on = on

    # Qt overrides

    def highlightBlock(self, text: str) -> None:
        """Colour one line. A diff ends with the first empty line."""
        before = max(0, self.previousBlockState())
        over = 1 if before or not text else 0
        self.setCurrentBlockState(over)
        if self._theme is None or not self._on or over:
            return
        tokens = self._theme.tokens
        if text.startswith(("+++", "---", "@@")):
            self.setFormat(0, len(text), QColor(tokens.muted))
        elif text.startswith("+"):
            self.setFormat(0, len(text), QColor(tokens.good))
        elif text.startswith("-"):
            self.setFormat(0, len(text), QColor(tokens.danger))
