"""One MCP server on the page of servers: what it is, what it does, and everything that can be done with it.

Above: ``core/chat/tool_state``. Below: ``servers_page`` makes a new one whenever a state changed. It knows not
how anything is done, and tells what is wanted.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout

from rillet.app.tools.parts import Note, Switch, beside, button, title
from rillet.app.tools.words import of_state, sentence, short
from rillet.core.tools.mcp.offer import Standing
from rillet.core.tools.mcp.server import State
from rillet.core.visible import visible
from rillet.widgets.blocks.button import button_row
from rillet.widgets.blocks.check_box import CheckBox

if TYPE_CHECKING:
    from rillet.core.chat.tool_state import ServerState
    from rillet.core.tools.mcp.offer import Entry
    from rillet.core.types.suspension import Request
    from rillet.widgets.blocks.button import Button
    from rillet.widgets.theme.palette import Theme


class ServerCard(QFrame):
    """A server.

    Signals:
        wanted(str): What is to be done: "start", "stop", "log", "edit", "remove", "sign in", "cancel sign-in", "open",
            "tools" (show or hide them).
        consentWanted(object): A ``Consent`` is to be shown.
        enabled(bool): The server is switched on or off.
        toolSwitched(str, bool): A tool of it is, by the server's own name.
    """

    wanted = Signal(str)
    consentWanted = Signal(object)
    enabled = Signal(bool)
    toolSwitched = Signal(str, bool)

    def __init__(self, server: ServerState, theme: Theme, *, shows_tools: bool) -> None:
        super().__init__()
        self.server = server
        self._theme = theme
        self.setObjectName("server")
        self.setAccessibleName(visible(server.name))
        tokens = theme.tokens
        self.setStyleSheet(
            f"QFrame#server {{ background: {tokens.surface}; border: 1px solid {tokens.border};"
            f" border-radius: {tokens.radius}px; }}"
        )
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 12, 16, 12)
        self._column.setSpacing(8)
        self._add_head()
        self._add_questions()
        if server.sign_in is not None:
            self._add_sign_in(server.sign_in)
        self._column.addLayout(button_row(*self._actions()))
        if server.tools:
            self._add_tools(shows_tools=shows_tools)

    def _add_head(self) -> None:
        server = self.server
        on = CheckBox(self.tr("On"))
        on.setAccessibleName(self.tr("{server} on").format(server=visible(server.name)))
        on.setChecked(server.state is not State.DISABLED or bool(server.reason))
        on.clicked.connect(self.enabled)
        row = beside(title(visible(server.name), self._theme))
        row.addWidget(on)
        self._column.addLayout(row)
        self._column.addWidget(Note(self._theme, visible(server.where)))
        tokens = self._theme.tokens
        colours = {State.READY: tokens.good, State.FAILED: tokens.danger, State.NEEDS_CONSENT: tokens.warning}
        colour = colours.get(server.state, tokens.warning if server.state is State.NEEDS_SIGN_IN else tokens.muted)
        words = of_state(server.state)
        if server.reason and server.state is not State.NEEDS_CONSENT:
            words = f"{words}. {sentence(server.reason)}"
        self._column.addWidget(Note(self._theme, words, colour=colour))

    def _add_questions(self) -> None:
        start = self.server.to_start
        for consent in self.server.asked:
            text = self.tr("Look at what would start…") if consent is start else self.tr("Look at what is new…")
            if consent is start and self.server.where.startswith(("http://", "https://")):
                text = self.tr("Look at what it would be…")
            look = button(self._theme, text, filled=True)
            look.clicked.connect(partial(self.consentWanted.emit, consent))
            if consent is start:
                self._column.addLayout(button_row(look))
                continue
            said = self.tr("{tool} is new or has changed. It is not offered.")
            tool = visible(consent.subject.removeprefix("tool "))
            self._column.addLayout(
                beside(Note(self._theme, said.format(tool=tool), colour=self._theme.tokens.warning), look)
            )

    def _add_sign_in(self, request: Request) -> None:
        self._column.addWidget(Note(self._theme, visible(request.prompt)))
        link = Note(self._theme, visible(request.url or ""), colour=self._theme.tokens.accent)
        link.setAccessibleName(self.tr("Address of the sign-in"))
        self._column.addWidget(link)
        self._column.addLayout(
            button_row(
                self._button(self.tr("Open in the browser"), "open", filled=True),
                self._button(self.tr("Cancel"), "cancel sign-in"),
            )
        )

    def _actions(self) -> list[Button]:
        state = self.server.state
        made = []
        if state in (State.STOPPED, State.FAILED):
            made.append(self._button(self.tr("Start"), "start"))
        if state is State.READY:
            made.append(self._button(self.tr("Restart"), "start"))
        if state in (State.READY, State.STARTING):
            made.append(self._button(self.tr("Stop"), "stop"))
        if state is State.NEEDS_SIGN_IN:
            made.append(self._button(self.tr("Sign in…"), "sign in", filled=True))
        made.append(self._button(self.tr("Log…"), "log"))
        made.append(self._button(self.tr("Change…"), "edit"))
        made.append(self._button(self.tr("Remove…"), "remove"))
        return made

    def _button(self, text: str, action: str, *, filled: bool = False) -> Button:
        description = self.tr("{action}: {server}").format(action=text, server=visible(self.server.name))
        made = button(self._theme, text, description=description, filled=filled)
        made.clicked.connect(partial(self.wanted.emit, action))
        return made

    def _add_tools(self, *, shows_tools: bool) -> None:
        tools = self.server.tools
        offered = sum(tool.standing is Standing.OFFERED for tool in tools)
        text = self.tr("{offered} of {all} tools").format(offered=offered, all=len(tools))
        fold = button(self._theme, text, icon="down" if shows_tools else "chevron-right")
        fold.clicked.connect(partial(self.wanted.emit, "tools"))
        self._column.addLayout(button_row(fold))
        if shows_tools:
            for tool in tools:
                self._column.addWidget(self._switch(tool))

    def _switch(self, tool: Entry) -> Switch:
        reason = "" if tool.standing in (Standing.OFFERED, Standing.OFF) else sentence(tool.reason)
        note = " ".join(filter(None, (short(tool.description), reason)))
        switch = Switch(self._theme, visible(tool.tool), note, on=tool.standing in (Standing.OFFERED, Standing.HELD))
        switch.box.setAccessibleName(visible(tool.tool))
        switch.box.setEnabled(tool.standing is not Standing.REFUSED)
        switch.box.clicked.connect(partial(self._tell_switch, tool.tool, switch.box))
        return switch

    def _tell_switch(self, tool: str, box: CheckBox) -> None:
        self.toolSwitched.emit(tool, box.checkState() is Qt.CheckState.Checked)
