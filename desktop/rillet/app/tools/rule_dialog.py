"""Enters a rule by hand: a command, files or a web host, allowed or never, in a folder or everywhere, for how long.

Above: ``core/tools/policy/rules``. Below: ``permissions_page`` opens it. Guarantee: what is no rule is not taken, and
the dialog says why; it opens on the narrower of two choices.
"""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.sheet import settings_style_sheet
from rillet.app.tools.parts import Note
from rillet.app.tools.words import sentence, short_path
from rillet.core.tools.policy.rules import CommandRule, HostRule, PathRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.tools.policy.rules import Rule
    from rillet.widgets.theme.palette import Theme

WIDTH: Final = 480
DAY: Final = 86_400.0
_LASTING: Final = (DAY, 7 * DAY, 30 * DAY, None)


class RuleDialog(QDialog):
    """One rule.

    Signals:
        entered(object, bool, object, object): The rule, whether it allows, a folder or None, and until when (seconds
            since the epoch) or None.
    """

    entered = Signal(object, bool, object, object)

    def __init__(self, theme: Theme, folders: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Add a rule"))
        self.setStyleSheet(settings_style_sheet(theme.tokens))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(WIDTH)
        self._folders = tuple(folders)
        self.decision, self.kind, self.where, self.lasting = (ChoiceBox() for _ in range(4))
        self.decision.addItems([self.tr("Never"), self.tr("Allow")])
        self.kind.addItems(
            [self.tr("Command"), self.tr("Reading files"), self.tr("Writing files"), self.tr("Fetching from a host")]
        )
        self.kind.currentIndexChanged.connect(self.explain)
        self.where.addItems([*map(short_path, folders), self.tr("Everywhere")])
        self.lasting.addItems(
            [self.tr("One day"), self.tr("One week"), self.tr("One month"), self.tr("Until it is revoked")]
        )
        self.what = QLineEdit()
        self._said = Note(theme, colour=theme.tokens.danger)
        self._said.hide()
        self._explanation = Note(theme)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow(self.tr("&Decision"), self.decision)
        form.addRow(self.tr("&Kind"), self.kind)
        form.addRow(self.tr("&What"), self.what)
        form.addRow("", self._explanation)
        form.addRow(self.tr("W&here"), self.where)
        form.addRow(self.tr("How &long"), self.lasting)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Add"))
        buttons.accepted.connect(self.submit)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self._said)
        column.addWidget(buttons)
        self.explain(0)
        self.what.setFocus()

    @Slot(int)
    def explain(self, kind: int) -> None:
        """Say what a rule of this kind holds."""
        texts = (
            (self.tr("git status"), self.tr("A program, and its subcommand where it has them. Not a shell text.")),
            (self.tr("docs/**"), self.tr("Paths in the folder; * stands for a part of a name, ** for folders.")),
            (self.tr("docs/**"), self.tr("Paths in the folder; * stands for a part of a name, ** for folders.")),
            (self.tr("docs.python.org"), self.tr("A host, or *.example.com for those below it.")),
        )
        self.what.setPlaceholderText(texts[kind][0])
        self._explanation.setText(texts[kind][1])

    @Slot()
    def submit(self) -> None:
        """Take the rule, if it is one."""
        allows = self.decision.currentIndex() == 1
        try:
            rule = self._rule()
            if allows and isinstance(rule, CommandRule) and rule.lacks:
                words = self.tr("The command {command} does not say what it does; name one of {all}")
                raise ValueError(words.format(command=" ".join(rule.words), all=", ".join(rule.lacks)))
        except ValueError as error:
            self._said.setText(sentence(str(error)))
            self._said.show()
            return
        place = self.where.currentIndex()
        folder = self._folders[place] if place < len(self._folders) else None
        seconds = _LASTING[self.lasting.currentIndex()]
        self.entered.emit(rule, allows, folder, None if seconds is None else time.time() + seconds)
        self.accept()

    def _rule(self) -> Rule:
        what = self.what.text().strip()
        if not what:
            raise ValueError(self.tr("Say what the rule is about"))
        match self.kind.currentIndex():
            case 0:
                return CommandRule(tuple(shlex.split(what)))
            case 1:
                return PathRule("read", what)
            case 2:
                return PathRule("write", what)
            case _:
                return HostRule(what)
