"""What can be done with a message, as a row of small buttons that stays out of the way.

    ⧉ ↻ ✎ ‹ 2/3 › ⋯    copy, regenerate, edit, versions; the rest in a menu

Knows no messages: it shows what is offered and says what was chosen. Above: ``button``. Below: ``footer``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from rillet.widgets.theme.palette import Theme

FOR_ANSWERS: Final = frozenset({"regenerate", "regenerate-with", "details", "continue"})
FOR_QUESTIONS: Final = frozenset({"edit"})
COPIES: Final = ("copy-text", "copy-markdown", "copy-rich")
_COPIED_MS = 1500
_FURTHER = ("regenerate-with", "fork", "details", "delete")


class ActionRow(QWidget):
    """The buttons.

    Signals:
        chosen(str): An action: ``copy``, one of ``COPIES``, ``regenerate``, ``regenerate-with`` (another model),
            ``edit``, ``previous``, ``next``, ``fork``, ``details`` or ``delete``.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: AbstractSet[str] = frozenset()
        self._copy = self._button("copy", "copy", self.tr("Copy message"))
        self._regenerate = self._button("regenerate", "retry", self.tr("Answer again"))
        self._edit = self._button("edit", "edit", self.tr("Edit message"))
        self._previous = self._button("previous", "chevron-left", self.tr("Previous version"))
        self._place = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._place.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._next = self._button("next", "chevron-right", self.tr("Next version"))
        self._more = Button("more", "", self.tr("More actions"))
        self._more.clicked.connect(self._open_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for widget in self._widgets():
            row.addWidget(widget)
        self._copied = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._copied.timeout.connect(self._show_copy)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._place.setFont(small_font(theme))
        for widget in self._widgets():
            if isinstance(widget, Button):
                widget.set_theme(theme)

    def set_height(self, height: int) -> None:
        """No button is taller than this."""
        for widget in self._widgets():
            widget.setMaximumHeight(height)

    @property
    def inset(self) -> int:
        """Pixels between the edge of the outermost button and its icon."""
        return (self._copy.sizeHint().width() - self._copy.iconSize().width()) // 2

    def offer(self, offered: AbstractSet[str], version: int, versions: int) -> None:
        """Show what is in ``offered``; arrows only where there are several versions."""
        self._offered = offered
        self._copy.setVisible("copy" in offered)
        self._regenerate.setVisible("regenerate" in offered)
        self._edit.setVisible("edit" in offered)
        several = "versions" in offered and versions > 1
        for widget in (self._previous, self._place, self._next):
            widget.setVisible(several)
        self._place.setText(f"{version}/{versions}")
        self._place.setAccessibleName(self.tr("Version {0} of {1}").format(version, versions))
        self._previous.setEnabled(version > 1)
        self._next.setEnabled(version < versions)
        self._more.setVisible(bool(self._menu_actions()))

    def reset(self) -> None:
        """Forget that something was just copied."""
        self._copied.stop()
        self._show_copy()

    def menu(self) -> QMenu:
        """The further actions, as a menu that deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        labels = {
            "copy-text": self.tr("Copy as plain text"),
            "copy-markdown": self.tr("Copy as Markdown"),
            "copy-rich": self.tr("Copy as rich text"),
            "regenerate-with": self.tr("Answer again with another model…"),
            "fork": self.tr("Continue in a new chat from here"),
            "details": self.tr("Details"),
            "delete": self.tr("Delete"),
        }
        for name in self._menu_actions():
            if name == self._first_of_ours() or (name == "delete" and len(menu.actions()) > 0):
                menu.addSeparator()
            action = QAction(labels[name], menu)
            action.setData(name)
            menu.addAction(action)
        menu.triggered.connect(self._take_action)
        return menu

    def _first_of_ours(self) -> str | None:
        """What comes behind the ways to copy."""
        return next((name for name in _FURTHER[:2] if name in self._offered), None)

    def _menu_actions(self) -> list[str]:
        copies = COPIES if "copy" in self._offered else ()
        return [*copies, *(name for name in _FURTHER if name in self._offered)]

    def _button(self, name: str, icon_name: str, description: str) -> Button:
        button = Button(icon_name, "", description)
        button.setObjectName(name)
        button.clicked.connect(self._take_click)
        return button

    def _widgets(self) -> tuple[QWidget, ...]:
        return (self._copy, self._regenerate, self._edit, self._previous, self._place, self._next, self._more)

    @Slot()
    def _take_click(self) -> None:
        sender = self.sender()
        if sender is self._copy:
            self._copy.set_icon("check")
            self._copied.start()
        if sender is not None:
            self.chosen.emit(sender.objectName())

    @Slot(QAction)
    def _take_action(self, action: QAction) -> None:
        self.chosen.emit(action.data())

    @Slot()
    def _open_menu(self) -> None:
        self.menu().popup(self._more.mapToGlobal(QPoint(0, self._more.height() + 2)))

    @Slot()
    def _show_copy(self) -> None:
        self._copy.set_icon("copy")
