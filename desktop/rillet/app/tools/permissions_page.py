"""The page of permissions: all that was allowed or denied for longer than once, to be revoked, and rules by hand.

Above: ``tools``, ``rule_dialog``. Below: ``settings/pages``. Guarantee: every grant that is applied is listed, with
what it means, where it holds and until when.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, Qt, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from rillet.app.settings.page import Page
from rillet.app.tools.parts import Held, Note, beside, button, stacked
from rillet.app.tools.words import of_scope, sentence
from rillet.core.visible import visible

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from rillet.app.tools.tools import Tools
    from rillet.core.tools.policy.grants import Grant
    from rillet.core.tools.policy.rules import Rule
    from rillet.widgets.theme.palette import Theme


class PermissionsPage(Page):
    """All grants."""

    def __init__(self, tools: Tools, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._tools = tools
        self.section(
            self.tr("Permissions"),
            self.tr(
                "What writes, runs or reaches the network is asked about, unless it is listed here. After text from "
                "outside has come into a chat, only what was agreed to in that chat is not asked about again."
            ),
        )
        self._trouble = self.note("")
        self._grants = Held()
        self.wide(self._grants)
        add = button(theme, self.tr("Add a rule…"), icon="plus")
        add.clicked.connect(self.addRule)
        self._all = button(theme, self.tr("Revoke all…"))
        self._all.clicked.connect(self.askToRevokeAll)
        self.wide_buttons(add, self._all)
        tools.changed.connect(self.fill)
        tools.troubled.connect(self.complain)
        self.fill()

    @Slot()
    def fill(self) -> None:
        """List what holds now."""
        state = self._tools.state
        grants = () if state is None else state.grants
        column = self._grants.renew()
        for grant in grants:
            revoke = button(
                self._theme, self.tr("Revoke"), description=self.tr("Revoke: {0}").format(visible(str(grant.rule)))
            )
            revoke.clicked.connect(partial(self._tools.revoke_grants, (grant.id,)))
            tokens = self._theme.tokens
            colour = tokens.text if grant.decision == "allow" else tokens.danger
            column.addLayout(
                beside(
                    stacked(
                        Note(self._theme, _rule_words(grant), colour=colour), Note(self._theme, self._about(grant))
                    ),
                    revoke,
                )
            )
        if state is not None and not grants:
            column.addWidget(Note(self._theme, self.tr("Nothing is allowed or denied for longer than once.")))
        self._grants.put()
        self._all.setEnabled(bool(grants))

    @Slot()
    def addRule(self) -> None:
        """Ask for a rule."""
        from rillet.app.tools.rule_dialog import RuleDialog

        dialog = RuleDialog(self._theme, self._tools.setup.folders, self.window())
        dialog.entered.connect(self._enter)
        dialog.open()

    @Slot()
    def askToRevokeAll(self) -> None:
        """Ask once; then everything is asked about again."""
        state = self._tools.state
        ids = () if state is None else tuple(grant.id for grant in state.grants)
        box = QMessageBox(self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Revoke all {count} permissions?").format(count=len(ids)))
        box.setInformativeText(self.tr("What was denied can be asked about again, too."))
        revoke = box.addButton(self.tr("Revoke all"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        revoke.clicked.connect(partial(self._tools.revoke_grants, ids))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    @Slot(str)
    def complain(self, words: str) -> None:
        """Say what went wrong."""
        self.say(self._trouble, sentence(words), trouble=True)

    @Slot(object, bool, object, object)
    def _enter(self, rule: Rule, allowed: bool, folder: str | None, expires_at: float | None) -> None:
        self.say(self._trouble, "")
        self._tools.add_rule(rule, allowed=allowed, folder=folder, expires_at=expires_at)

    def _about(self, grant: Grant) -> str:
        made = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(grant.made_at)), QLocale.FormatType.ShortFormat)
        chat = "" if grant.chat is None else self._tools.chat_title(grant.chat)
        return self.tr("{where}. Since {time}.").format(where=of_scope(grant, chat), time=made)

    # Overrides

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        self.fill()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask the engine, from now on."""
        super().showEvent(event)
        self._tools.look()


def _rule_words(grant: Grant) -> str:
    tr = QCoreApplication.translate
    pattern = (
        tr("PermissionsPage", "Allowed: {0}") if grant.decision == "allow" else tr("PermissionsPage", "Never: {0}")
    )
    return pattern.format(visible(str(grant.rule)))
