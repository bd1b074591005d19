"""A question before something that cannot be taken back. The button that does nothing has the focus.

Knows nothing of what is asked. Below: whoever deletes for good, and ``leaving``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from rillet.widgets.theme.palette import applied, dialog_style_sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

_STRONG: Final = "QLabel#qt_msgbox_label { font-weight: 600; }"
"""The question itself stands out, on every system as on a Mac. (The name is Qt's.)"""


def ask(
    parent: QWidget, question: str, more: str, yes: str, then: Callable[[], object], *, no: str = ""
) -> QMessageBox:
    """Ask, and do ``then`` if ``yes`` (what its button says) is pressed. Does not wait.

    ``no`` is what the other button says, "Cancel" if nothing. What is returned tells when it is ``finished``, which
    closing it from outside does too; it is gone then.
    """
    box = _box(parent, question)
    box.setWindowTitle(parent.window().windowTitle())
    box.setInformativeText(more)
    accept = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    accept.clicked.connect(then)
    stay = box.addButton(QMessageBox.StandardButton.Cancel)
    if no:
        stay.setText(no)
    box.setDefaultButton(stay)
    box.open()
    return box


def say(parent: QWidget, sentence: str) -> None:
    """Say something that has no other place. Does not wait."""
    _box(parent, sentence).open()


def _box(parent: QWidget, text: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setStyleSheet(dialog_style_sheet(applied(parent.palette()).tokens) + _STRONG)
    box.setText(text)
    return box
