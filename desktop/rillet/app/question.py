"""A question before something that cannot be taken back. The button that does nothing has the focus.

Knows nothing of what is asked. Below: whoever deletes for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget


def ask(parent: QWidget, question: str, more: str, yes: str, then: Callable[[], object]) -> None:
    """Ask, and do ``then`` if ``yes`` (what its button says) is pressed. Does not wait."""
    box = _box(parent, question)
    box.setWindowTitle(parent.window().windowTitle())
    box.setInformativeText(more)
    accept = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    accept.clicked.connect(then)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.open()


def say(parent: QWidget, sentence: str) -> None:
    """Say something that has no other place. Does not wait."""
    _box(parent, sentence).open()


def _box(parent: QWidget, text: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    return box
