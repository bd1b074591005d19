"""Where one types what to look for in the side bar.

Knows no store. Below: ``sidebar``. Guarantee: Escape empties it, and is nobody else's while there is something in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from rillet.widgets.blocks.button import small_font
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme


class SearchField(QLineEdit):
    """A field with a button that empties it.

    Signals:
        leftDown(): Down was pressed: on to what was found.

    ``returnPressed`` of Qt comes too: the first of it is wanted.
    """

    leftDown = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._glass = self.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        self._clear = self.addAction(QIcon(), QLineEdit.ActionPosition.TrailingPosition)
        self._clear.setText(self.tr("Empty the search"))
        self._clear.triggered.connect(self.clear)
        self._clear.setVisible(False)
        self.textChanged.connect(lambda text: self._clear.setVisible(bool(text)))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setFont(small_font(theme))
        self._glass.setIcon(icon("search", QColor(theme.tokens.muted), size=16))
        self._clear.setIcon(icon("cross", QColor(theme.tokens.muted)))
        tokens = theme.tokens
        self.setStyleSheet(
            f"QLineEdit {{ background: {tokens.surface}; color: {tokens.text}; border: 1px solid {tokens.outline};"
            f" border-radius: {tokens.radius}px; padding: 5px 7px; }}"
            f" QLineEdit:focus {{ border: 2px solid {tokens.accent}; padding: 4px 6px; }}"
        )

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape empties it, Down leads on."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.leftDown.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Escape is ours while there is something to empty."""
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if event.type() == QEvent.Type.ShortcutOverride and escape and self.text():
            event.accept()
            return True
        return super().event(event)
