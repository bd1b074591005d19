"""A card that a button opens over its window: a press beside it closes it, and so do Escape and a window that changes.

Not a window of the system's: where those may stand, and whether they get the keyboard, every desktop decides otherwise.
Above: ``widgets/theme``. Below: the lists of models and of what is sent. Guarantees: it stays within the window; Tab
stays within it; the focus goes back to where it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QFrame, QWidget
from shiboken6 import createdByPython, isValid

from rillet.app.settings.sheet import settings_style_sheet

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent

    from rillet.widgets.theme.palette import Theme

EDGE: Final = 8
"""Least space to the edges of the window."""
GAP: Final = 6
"""Space between the card and the button."""


class Overlay(QWidget):
    """Covers the window of ``button`` with nothing but its ``card``, which sub-classes fill.

    Attributes:
        card: What is to be seen.
    """

    def __init__(self, button: QWidget, theme: Theme, wanted: QSize) -> None:
        window = button.window()
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self._wanted = wanted
        self._before = _lasting(QApplication.focusWidget(), window) or button
        corner = button.mapTo(window, QPoint(0, 0))
        self._button = QRect(corner, button.size())
        tokens = theme.tokens
        self.card = QFrame(self)
        self.card.setObjectName("card")
        self.card.setStyleSheet(
            settings_style_sheet(tokens)
            + f"QFrame#card {{ background: {tokens.surface}; border: 1px solid {tokens.border};"
            f" border-radius: {tokens.radius}px; }}"
        )
        window.installEventFilter(self)

    def open(self, first: QWidget) -> None:
        """Show it, ``first`` with the focus."""
        self.setGeometry(self._window.rect())
        self.card.setGeometry(self._place())
        self.show()
        self.raise_()
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def want_height(self, height: int) -> None:
        """Have the card so high, in pixels, where there is room; before ``open``."""
        self._wanted.setHeight(height)

    def _place(self) -> QRect:
        """Over the button where there is more room, else under it."""
        above = self._button.top() - GAP - EDGE
        below = self.height() - self._button.bottom() - GAP - EDGE
        width = min(self._wanted.width(), self.width() - 2 * EDGE)
        height = min(self._wanted.height(), max(above, below))
        left = max(EDGE, min(self._button.left(), self.width() - width - EDGE))
        top = self._button.top() - GAP - height if above >= below else self._button.bottom() + GAP
        return QRect(left, top, width, height)

    # Qt overrides

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close when the window gets another size or other colours: the card would fit neither."""
        if watched is self._window and event.type() in (QEvent.Type.Resize, QEvent.Type.PaletteChange):
            self.close()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close when something beside the card is pressed."""
        if not self.card.geometry().contains(event.position().toPoint()):
            self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Take Escape before the window does, which would stop the answer."""
        if event.type() is QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # (a key event)
            event.accept()
            return True
        return super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Keep Tab within the card."""
        stops = [
            each
            for each in self.card.findChildren(QWidget)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isEnabled() and each.isVisible()
        ]
        now = QApplication.focusWidget()
        if stops and now is not None:
            at = stops.index(now) if now in stops else -1
            stops[(at + (1 if forward else -1)) % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def closeEvent(self, event: QCloseEvent) -> None:
        """Give the focus back."""
        self._window.removeEventFilter(self)
        if isValid(self._before):
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        super().closeEvent(event)


def _lasting(focused: QWidget | None, window: QWidget) -> QWidget | None:
    """What of a window has the focus, or holds what has it: of the kind of which Python is told when it is gone.

    It is not told of widgets that Qt makes for itself, such as the field in a list in which a name is edited or the
    parts of its file dialog: to touch one of these that is gone crashes, ``isValid`` or not.
    """
    while focused is not None and not createdByPython(focused):
        focused = focused.parentWidget()
    return focused if focused is not None and focused.window() is window else None
