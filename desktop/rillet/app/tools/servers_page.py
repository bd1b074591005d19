"""The page of tools: MCP servers with everything that can be done with them, built-in tools, and sets.

Above: ``tools``, ``server_card`` and the dialogs. Below: ``settings/pages``. Guarantees: looking at the page starts
nothing; nothing is agreed to here, only in the dialog that shows what it is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from rillet.app.opening import open_address
from rillet.app.question import ask
from rillet.app.tools.parts import Held, Note, Switch, beside, button, title
from rillet.app.tools.server_card import ServerCard
from rillet.app.tools.tools_page import ToolsPage
from rillet.app.tools.words import BUILTIN, of_builtin, sentence
from rillet.core.tools.mcp.config import read_config
from rillet.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from PySide6.QtWidgets import QCheckBox, QWidget

    from rillet.app.tools.server_dialog import ServerDialog
    from rillet.app.tools.tools import Tools
    from rillet.core.tools.mcp.consent import Consent
    from rillet.widgets.theme.palette import Theme


class ServersPage(ToolsPage):
    """Servers, built-in tools, sets."""

    def __init__(self, tools: Tools, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tools, theme, parent)
        self._unfolded: set[str] = set()
        """Servers whose tools are shown."""
        self.section(
            self.tr("MCP servers"),
            self.tr(
                "Programs and addresses that bring tools. None starts before you have seen exactly what would run and "
                "agreed; then it starts when a chat wants its tools."
            ),
        )
        trouble = self.note("")
        self._servers = Held()
        self.wide(self._servers)
        add = button(theme, self.tr("Add a server…"), icon="plus")
        add.clicked.connect(self.addServer)
        paste = button(theme, self.tr("Paste JSON…"), description=self.tr("Add servers as a README shows them"))
        paste.clicked.connect(self.pasteServers)
        self.wide_buttons(add, paste)
        self.section(self.tr("Built-in tools"), self.tr("What is off here is offered in no chat."))
        self._builtin = Held()
        self.wide(self._builtin)
        self.section(
            self.tr("Sets"), self.tr("Tools that are switched together. A set is made from the tools of a chat.")
        )
        self._sets = Held()
        self.wide(self._sets)
        tools.changed.connect(self.fillServers)
        self.follow(trouble)

    def fill(self) -> None:
        """Show what is set up."""
        self.fillServers()
        column = self._builtin.renew()
        for name in BUILTIN:
            switch = Switch(self._theme, name, of_builtin(name), on=name not in self._tools.setup.off)
            switch.box.setAccessibleName(name)
            switch.box.clicked.connect(partial(self._switch_builtin, name, switch.box))
            column.addWidget(switch)
        self._builtin.put()
        self._fill_sets()

    @Slot()
    def fillServers(self) -> None:
        """Show what servers do now; the focus stays at what it was on."""
        state = self._tools.state
        column = self._servers.renew()
        for server in () if state is None else state.servers:
            card = ServerCard(server, self._theme, shows_tools=server.name in self._unfolded)
            card.wanted.connect(partial(self._act, server.name))
            card.consentWanted.connect(self.showConsent)
            card.enabled.connect(partial(self._enable, server.name))
            card.toolSwitched.connect(partial(self._switch, server.name))
            column.addWidget(card)
        if state is not None and not state.servers:
            column.addWidget(Note(self._theme, self.tr("There are none yet.")))
        for problem in () if state is None else state.problems:
            column.addWidget(Note(self._theme, sentence(problem), colour=self._theme.tokens.danger))
        self._servers.put()

    @Slot(object)
    def showConsent(self, consent: Consent) -> None:
        """Show what is asked; agreeing is done there."""
        from rillet.app.tools.consent_dialog import ConsentDialog

        dialog = ConsentDialog(consent, self._theme, self.window())
        dialog.agreed.connect(self._tools.approve)
        dialog.open()

    @Slot()
    def addServer(self) -> None:
        """Ask for a server."""
        self._ask_server("", None)

    @Slot()
    def pasteServers(self) -> None:
        """Ask for JSON, as most READMEs show it."""
        self._ask_server("", None).paste()

    def _ask_server(self, name: str, entry: Mapping[str, Any] | None) -> ServerDialog:
        from rillet.app.tools.server_dialog import ServerDialog

        dialog = ServerDialog(self._theme, self._tools.setup.servers.keys(), name, entry, self.window())
        dialog.entered.connect(partial(self._take, name if entry is not None else None))
        dialog.open()
        return dialog

    def _take(self, instead_of: str | None, entries: Mapping[str, Any]) -> None:
        """Put servers, and ask about those that are new or different: their starts, nothing of which happens yet."""
        self._tools.put_servers(entries, instead_of)
        for server in read_config({"mcpServers": dict(entries)}).servers:
            if server.enabled:
                self._tools.start_server(server.name)

    def _act(self, name: str, action: str) -> None:
        match action:
            case "start":
                self._tools.start_server(name)
            case "stop":
                self._tools.stop_server(name)
            case "sign in":
                self._tools.sign_in(name)
            case "cancel sign-in":
                self._tools.cancel_sign_in(name)
            case "open":
                self._open_sign_in(name)
            case "edit":
                self._ask_server(name, self._tools.setup.servers[name])
            case "log":
                self._show_log(name)
            case "remove":
                self._ask_removal(name)
            case "tools":
                self._unfolded ^= {name}
                self.fillServers()

    def _enable(self, name: str, on: bool) -> None:
        self._tools.enable_server(name, on=on)

    def _switch(self, server: str, tool: str, on: bool) -> None:
        self._tools.switch_server_tool(server, tool, on=on)

    def _switch_builtin(self, name: str, box: QCheckBox) -> None:
        self._tools.switch_tool(name, on=box.isChecked())

    def _open_sign_in(self, name: str) -> None:
        """Open what was shown. The engine has made sure that it is https, or on this machine."""
        state = self._tools.state
        for server in () if state is None else state.servers:
            if server.name == name and server.sign_in is not None and server.sign_in.url is not None:
                open_address(server.sign_in.url)

    def _show_log(self, name: str) -> None:
        from rillet.app.tools.log_dialog import LogDialog

        LogDialog(self._tools, name, self._theme, self.window()).show()

    def _ask_removal(self, name: str) -> None:
        ask(
            self,
            self.tr("Remove the server {name}?").format(name=visible(name)),
            self.tr("Its secrets and what you agreed to about it are forgotten."),
            self.tr("Remove"),
            partial(self._tools.remove_server, name),
        )

    def _fill_sets(self) -> None:
        column = self._sets.renew()
        for name, tools in self._tools.setup.sets.items():
            remove = button(
                self._theme,
                self.tr("Remove"),
                description=self.tr("Remove the set {name}").format(name=visible(name)),
            )
            remove.clicked.connect(partial(self._tools.remove_set, name))
            column.addLayout(beside(title(visible(name), self._theme), remove))
            column.addWidget(Note(self._theme, ", ".join(map(visible, tools))))
        if not self._tools.setup.sets:
            column.addWidget(Note(self._theme, self.tr("There are none yet.")))
        self._sets.put()
