"""The tools of one chat: the folder that it may work in, and a switch for each tool, server and set.

Above: ``overlay``, ``tools``, ``chosen``, ``chat_settings``. Below: ``button`` opens it. What is switched holds from
the next answer on. Guarantees: nothing is started by looking; without a folder no tool that needs one is offered, and
it says so.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QMenu, QScrollArea, QToolButton, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.overlay import Overlay
from rillet.app.tools.chosen import Chosen, Share, known_tools
from rillet.app.tools.parts import Note, Switch, beside, button, title
from rillet.app.tools.words import BUILTIN, NEED_FOLDER, SKILL, of_builtin, of_state, short, short_path
from rillet.core.tools.mcp.offer import Standing
from rillet.core.tools.mcp.server import State
from rillet.core.visible import visible
from rillet.widgets.blocks.button import Button, button_row
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from PySide6.QtGui import QCloseEvent, QKeyEvent

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.tools.tools import Tools
    from rillet.core.chat.tool_state import ServerState
    from rillet.widgets.theme.palette import Theme

WIDTH: Final = 400
HIGHEST: Final = 520
MARGIN: Final = 16
_STATES: Final[dict[Share, Qt.CheckState]] = {
    "none": Qt.CheckState.Unchecked,
    "some": Qt.CheckState.PartiallyChecked,
    "all": Qt.CheckState.Checked,
}


class ToolsPopover(Overlay):
    """The list.

    Signals:
        settingsRequested(str): A page of the settings is wanted.
        folderWanted(): The person wants to look for a folder.
        closed(): It is gone.
    """

    settingsRequested = Signal(str)
    folderWanted = Signal()
    closed = Signal()

    def __init__(self, tools: Tools, settings: ChatSettings, theme: Theme, button: QWidget) -> None:
        super().__init__(button, theme, QSize(WIDTH, HIGHEST))
        self._tools = tools
        self._settings = settings
        self._theme = theme
        self._switches: list[tuple[Switch, tuple[str, ...]]] = []
        self.card.setAccessibleName(self.tr("Tools of this chat"))
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer = QVBoxLayout(self.card)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.setSpacing(0)
        outer.addWidget(self._scroll, 1)
        outer.addLayout(self._foot())
        self._holds_outside = False
        self._untrusted_skills: tuple[str, ...] = ()
        self._looking: asyncio.Task[None] | None = None
        self._complaint = ""
        tools.changed.connect(self.rebuild)
        tools.setupChanged.connect(self.rebuild)
        settings.changed.connect(self.refresh)
        tools.look()
        self._build()
        self._look()
        self.open(self._folder)

    @property
    def folder(self) -> str | None:
        """The folder that the chat may work in."""
        folder = self._settings.values.get("workspace")
        return folder if isinstance(folder, str) else None

    @property
    def chosen(self) -> Chosen:
        """The tools that the chat is offered."""
        return Chosen.of(self._settings.values.get("tools"))

    @Slot()
    def rebuild(self) -> None:
        """There are other tools now: list them, and leave the focus where it was."""
        had_folder = self._folder.hasFocus()
        focus = next((switch.box.accessibleName() for switch, _ in self._switches if switch.box.hasFocus()), None)
        self._build()
        if had_folder:
            self._folder.setFocus()
        for switch, _ in self._switches:
            if switch.box.accessibleName() == focus:
                switch.box.setFocus()

    @Slot()
    def refresh(self) -> None:
        """Show what is chosen now."""
        chosen, folder = self.chosen, self.folder
        self._folder.setText(self.tr("Choose a folder…") if folder is None else short_path(folder))
        for switch, names in self._switches:
            lacking = folder is None and all(name in NEED_FOLDER for name in names)
            share = chosen.share(names)
            switch.box.blockSignals(True)
            switch.box.setTristate(share == "some")
            switch.box.setCheckState(_STATES[share])
            switch.box.setEnabled(not lacking)
            switch.box.blockSignals(False)

    @Slot(str)
    def chooseFolder(self, folder: str) -> None:
        """Have the chat work in this folder, if it can be one; "" is none."""
        try:
            take_folder(self._tools, self._settings, folder)
        except ValueError as error:
            self._complain(self.tr("This folder cannot be used: {why}.").format(why=visible(str(error))))
        else:
            self._complain("")
            self._untrusted_skills = ()
            self.rebuild()
            self._look()

    @Slot()
    def askForFolder(self) -> None:
        """Give way to the dialog in which a folder is looked for."""
        self.close()
        self.folderWanted.emit()

    # Inside

    def _build(self) -> None:
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(MARGIN, MARGIN, MARGIN, 0)
        self._column.setSpacing(8)
        self._switches = []
        self._folder = Button("folder", "", look="outlined")
        self._folder.set_theme(self._theme)
        self._folder.setAccessibleName(self.tr("Folder of this chat"))
        if self.folder is None and not self._tools.setup.folders:
            self._folder.clicked.connect(self.askForFolder)
        else:
            self._folder.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            self._folder.setMenu(self._folder_menu())
        self._column.addLayout(beside(title(self.tr("Folder"), self._theme), self._folder))
        if self._complaint:
            self._column.addWidget(Note(self._theme, self._complaint, colour=self._theme.tokens.danger))
        if self.folder is None:
            self._column.addWidget(
                Note(self._theme, self.tr("Tools for files and commands need one."), selectable=False)
            )
        if self._holds_outside:
            said = self.tr("This chat holds text from outside: whatever writes or reaches the network always asks.")
            self._column.addWidget(Note(self._theme, said, colour=self._theme.tokens.warning))
        if self._untrusted_skills:
            self._add_trust()
        self._add_sets()
        self._add_builtin()
        for server in () if self._tools.state is None else self._tools.state.servers:
            if server.state is not State.DISABLED:
                self._add_server(server)
        self._column.addStretch(1)
        self.refresh()
        at = self._scroll.verticalScrollBar().value()
        self._scroll.setWidget(inside)
        inside.setAutoFillBackground(False)
        self._scroll.verticalScrollBar().setValue(at)

    def _add_trust(self) -> None:
        """Skills that came with the folder are named, and wait for the person."""
        said = self.tr("This folder brings skills, which are not used: {names}.")
        names = ", ".join(map(visible, self._untrusted_skills))
        trust = button(self._theme, self.tr("Trust…"), description=self.tr("Decide whether to trust this folder"))
        trust.clicked.connect(partial(self._leave_for, "skills"))
        note = Note(self._theme, said.format(names=names), colour=self._theme.tokens.warning)
        self._column.addLayout(beside(note, trust))

    def _add_sets(self) -> None:
        known = known_tools(self._tools.setup, self._tools.state)
        self._column.addWidget(title(self.tr("Tools"), self._theme))
        self._add(self.tr("All tools"), "", known)
        for name, tools in self._tools.setup.sets.items():
            note = ", ".join(map(visible, tools))
            self._add(self.tr("Set: {name}").format(name=visible(name)), short(note), tools)

    def _add_builtin(self) -> None:
        self._column.addWidget(title(self.tr("Built in"), self._theme))
        for name in (*BUILTIN, SKILL):
            if name not in self._tools.setup.off and (name != SKILL or self._tools.setup.skill_folders or self.folder):
                self._add(name, of_builtin(name), (name,))

    def _add_server(self, server: ServerState) -> None:
        offered = [tool for tool in server.tools if tool.standing is Standing.OFFERED]
        self._column.addWidget(title(visible(server.name), self._theme))
        if offered:
            self._add(self.tr("All of {server}").format(server=visible(server.name)), "", [t.name for t in offered])
            for tool in offered:
                self._add(visible(tool.tool), short(tool.description), (tool.name,))
            return
        said = Note(self._theme, of_state(server.state), selectable=False)
        if server.state in (State.STARTING, State.READY):
            self._column.addWidget(said)
            return
        name = visible(server.name)
        if server.state is State.STOPPED:
            act = button(self._theme, self.tr("Start"), description=self.tr("Start {0}").format(name))
            act.clicked.connect(partial(self._tools.start_server, server.name))
        else:
            act = button(self._theme, self.tr("Look…"), description=self.tr("Look at what {0} needs").format(name))
            act.clicked.connect(partial(self._leave_for, "servers"))
        self._column.addLayout(beside(said, act))

    def _add(self, text: str, note: str, names: Sequence[str]) -> None:
        switch = Switch(self._theme, text, note)
        switch.box.setAccessibleName(text)
        switch.box.clicked.connect(partial(self._switch, tuple(names), switch.box))
        self._switches.append((switch, tuple(names)))
        self._column.addWidget(switch)

    def _switch(self, names: tuple[str, ...], box: QCheckBox) -> None:
        on = box.isChecked()
        known = known_tools(self._tools.setup, self._tools.state)
        if set(names) == set(known):
            self._settings.set(tools="all" if on else None)
        else:
            self._settings.set(tools=self.chosen.switched(names, known, on=on).value)

    def _folder_menu(self) -> QMenu:
        menu = QMenu(self._folder)
        for folder in self._tools.setup.folders:
            menu.addAction(short_path(folder).replace("&", "&&"), partial(self.chooseFolder, folder))
        menu.addSeparator()
        menu.addAction(self.tr("Choose a folder…"), self.askForFolder)
        if self.folder is not None:
            menu.addAction(self.tr("No folder"), partial(self.chooseFolder, ""))
        return menu

    def _foot(self) -> QVBoxLayout:
        keep = button(self._theme, self.tr("Save as set…"))
        keep.clicked.connect(self.saveSet)
        more = button(self._theme, self.tr("Servers…"), description=self.tr("Set up servers and skills"))
        more.clicked.connect(partial(self._leave_for, "servers"))
        rights = button(self._theme, self.tr("Permissions…"))
        rights.clicked.connect(partial(self._leave_for, "permissions"))
        foot = QVBoxLayout()
        foot.setContentsMargins(MARGIN, 8, MARGIN, 12)
        foot.addLayout(button_row(keep, more, rights))
        return foot

    @Slot()
    def saveSet(self) -> None:
        """Give the tools that are chosen a name."""
        from PySide6.QtWidgets import QInputDialog

        names = self.chosen.names
        chosen = frozenset(known_tools(self._tools.setup, self._tools.state)) if names is None else names
        dialog = QInputDialog(self._window)
        dialog.setStyleSheet(dialog_style_sheet(self._theme.tokens))
        dialog.setWindowTitle(self.tr("Save as set"))
        dialog.setLabelText(self.tr("A name for these {count} tools:").format(count=len(chosen)))
        dialog.setOkButtonText(self.tr("Save"))
        dialog.textValueSelected.connect(partial(_keep_set, self._tools, chosen))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        self.close()

    def _leave_for(self, page: str) -> None:
        """Show a page of the settings instead."""
        self.close()
        self.settingsRequested.emit(page)

    def _complain(self, sentence: str) -> None:
        if sentence != self._complaint:
            self._complaint = sentence
            self.rebuild()

    def _look(self) -> None:
        """Find out what the chat and its folder hold."""
        if self._looking is not None:
            self._looking.cancel()
        self._looking = coroutines.start(self._learn())

    async def _learn(self) -> None:
        chat, folder = self._settings.chat_id, self.folder
        self._holds_outside = chat is not None and await self._tools.holds_outside(chat, folder)
        is_trusted = folder is None or folder in self._tools.setup.trusted_folders
        self._untrusted_skills = () if folder is None or is_trusted else await self._tools.brought_skills(folder)
        if self._holds_outside or self._untrusted_skills:
            self.rebuild()

    # Qt overrides

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Scroll to what has the focus then."""
        moved = super().focusNextPrevChild(forward)
        for switch, _ in self._switches:
            if switch.box.hasFocus():
                self._scroll.ensureWidgetVisible(switch)
        return moved

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows go through the switches as Tab does."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell that it is gone."""
        super().closeEvent(event)
        if self._looking is not None:
            self._looking.cancel()
        self.closed.emit()


def take_folder(tools: Tools, settings: ChatSettings, folder: str) -> None:
    """Have a chat work in a folder; "" is none. One that has no tools is offered those that need a folder.

    Raises:
        ValueError: it can be no workspace.
    """
    if not folder:
        settings.set(workspace=None)
        return
    from rillet.core.tools.workspace import Workspace
    from rillet.core.types.saved import whole

    root = str(Workspace(folder).root)
    if whole(root) != root:
        raise ValueError("its path has bytes that are no letters, so that no model could name what is in it")
    chosen = settings.values.get("tools") or sorted(NEED_FOLDER - set(tools.setup.off)) or None
    settings.set(workspace=root, tools=chosen)
    tools.note_folder(root)


def _keep_set(tools: Tools, names: frozenset[str], name: str) -> None:
    if name.strip() and names:
        tools.put_set(name.strip(), names)
