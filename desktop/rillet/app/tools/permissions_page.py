"""The page of permissions: all that was allowed, agreed to or denied for longer than once; and rules by hand.

Above: ``tools``, ``rule_dialog``. Below: ``settings/pages``. Guarantee: every grant that is applied is listed, with
what it means, where it holds and until when; so is every server that may start, and every folder that is trusted.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, Slot

from rillet.app.question import ask
from rillet.app.tools.parts import Held, Note, beside, button, stacked
from rillet.app.tools.tools_page import ToolsPage
from rillet.app.tools.words import of_scope, short_path
from rillet.core.visible import visible

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.tools.tools import Tools
    from rillet.core.tools.policy.grants import Grant
    from rillet.core.tools.policy.rules import Rule
    from rillet.widgets.theme.palette import Theme


class PermissionsPage(ToolsPage):
    """All grants."""

    def __init__(self, tools: Tools, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tools, theme, parent)
        self.section(
            self.tr("Permissions"),
            self.tr(
                "What writes, runs or reaches the network is asked about, unless it is listed here. After text from "
                "outside has come into a chat, only what was agreed to in that chat is not asked about again."
            ),
        )
        trouble = self.note("")
        self._grants = Held()
        self.wide(self._grants)
        add = button(theme, self.tr("Add a rule…"), icon="plus")
        add.clicked.connect(self.addRule)
        self._all = button(theme, self.tr("Revoke all…"))
        self._all.clicked.connect(self.askToRevokeAll)
        self.wide_buttons(add, self._all)
        self.section(self.tr("MCP servers"), self.tr("What may start, or be connected to, because you agreed to it."))
        self._agreements = Held()
        self.wide(self._agreements)
        self.section(self.tr("Trusted folders"), self.tr("Skills that stand in these folders are used."))
        self._folders = Held()
        self.wide(self._folders)
        tools.changed.connect(self.fill)
        self.follow(trouble)

    @Slot()
    def fill(self) -> None:
        """List what holds now."""
        self._fill_grants()
        self._fill_agreements()
        self._fill_folders()

    def _fill_grants(self) -> None:
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

    def _fill_agreements(self) -> None:
        state = self._tools.state
        column = self._agreements.renew()
        for agreement in () if state is None else state.agreements:
            name = visible(agreement.server)
            revoke = button(self._theme, self.tr("Revoke"), description=self.tr("Revoke: {0}").format(name))
            revoke.clicked.connect(partial(self._tools.revoke_server, agreement.server))
            said = [Note(self._theme, name, colour=self._theme.tokens.text)]
            said.append(Note(self._theme, "\n".join(map(visible, agreement.lines))))
            if agreement.tools:
                words = self.tr("Tools, as they described themselves then: {names}")
                said.append(Note(self._theme, words.format(names=", ".join(map(visible, agreement.tools)))))
            column.addLayout(beside(stacked(*said), revoke))
        if state is not None and not state.agreements:
            column.addWidget(Note(self._theme, self.tr("You agreed to none.")))
        self._agreements.put()

    def _fill_folders(self) -> None:
        column = self._folders.renew()
        for folder in self._tools.setup.trusted_folders:
            path = short_path(folder)
            revoke = button(self._theme, self.tr("Revoke"), description=self.tr("Revoke: {0}").format(path))
            revoke.clicked.connect(partial(self._tools.trust, folder, trusted=False))
            column.addLayout(beside(Note(self._theme, path, colour=self._theme.tokens.text), revoke))
        if not self._tools.setup.trusted_folders:
            column.addWidget(Note(self._theme, self.tr("You trust none.")))
        self._folders.put()

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
        ask(
            self,
            self.tr("Revoke all {count} permissions?").format(count=len(ids)),
            self.tr("What was denied can be asked about again, too."),
            self.tr("Revoke all"),
            partial(self._tools.revoke_grants, ids),
        )

    @Slot(object, bool, object, object)
    def _enter(self, rule: Rule, allowed: bool, folder: str | None, expires_at: float | None) -> None:
        self.complain("")
        self._tools.add_rule(rule, allowed=allowed, folder=folder, expires_at=expires_at)

    def _about(self, grant: Grant) -> str:
        made = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(grant.made_at)), QLocale.FormatType.ShortFormat)
        chat = "" if grant.chat is None else self._tools.chat_title(grant.chat)
        return self.tr("{where}. Since {time}.").format(where=of_scope(grant, chat), time=made)


def _rule_words(grant: Grant) -> str:
    tr = QCoreApplication.translate
    pattern = (
        tr("PermissionsPage", "Allowed: {0}") if grant.decision == "allow" else tr("PermissionsPage", "Never: {0}")
    )
    return pattern.format(visible(str(grant.rule)))
