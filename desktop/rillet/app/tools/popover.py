"""The tools of one chat: the folder that it may work in, and a switch for each tool, server and set.

Above: ``tools``, ``chosen``, ``chat_settings``. Below: ``button`` opens it. What is switched holds from the next answer
on. Guarantees: nothing is started by looking; without a folder no tool that needs one is offered, and it says so.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QMenu, QScrollArea, QToolButton, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.settings.page import button_row
from rillet.app.tools.chosen import Chosen, known_tools
from rillet.app.tools.parts import Note, Switch, beside, button, title
from rillet.app.tools.words import BUILTIN, NEED_FOLDER, SKILL, of_builtin, of_state, short, short_path
from rillet.core.tools.mcp.offer import Standing
from rillet.core.tools.mcp.server import State
from rillet.core.visible import visible
from rillet.widgets.blocks.button import Button
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.tools.tools import Tools
    from rillet.core.chat.tool_state import ServerState
    from rillet.widgets.theme.palette import Theme

WIDTH: Final = 400
HIGHEST: Final = 520
MARGIN: Final = 16
EDGE: Final = 8
"""Least space to the edges of the window."""


class ToolsPopover(QWidget):
    """The list, over the whole of its window: a press beside it closes it.

    Signals:
        settingsRequested(str): A page of the settings is wanted.
        closed(): It is gone.
    """

    settingsRequested = Signal(str)
    closed = Signal()

    def __init__(self, tools: Tools, settings: ChatSettings, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self._tools = tools
        self._settings = settings
        self._theme = theme
        self._switches: list[tuple[Switch, tuple[str, ...]]] = []
        self._card = QFrame(self)
        self._card.setAccessibleName(self.tr("Tools of this chat"))
        self._card.setObjectName("tools")
        self._card.setStyleSheet(_style_sheet(theme))
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll = scroll
        outer = QVBoxLayout(self._card)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.setSpacing(0)
        outer.addWidget(scroll, 1)
        outer.addLayout(self._foot())
        self._bottom = QPoint()
        self._holds_outside = False
        self._looking: asyncio.Task[None] | None = None
        self._complaint = ""
        tools.changed.connect(self.rebuild)
        tools.setupChanged.connect(self.rebuild)
        settings.changed.connect(self.refresh)
        tools.look()
        window.installEventFilter(self)
        self._build()
        if settings.chat_id is not None:
            self._looking = coroutines.start(self._look_outside(settings.chat_id))

    @property
    def folder(self) -> str | None:
        """The folder that the chat may work in."""
        folder = self._settings.values.get("workspace")
        return folder if isinstance(folder, str) else None

    @property
    def chosen(self) -> Chosen:
        """The tools that the chat is offered."""
        return Chosen.of(self._settings.values.get("tools"))

    def open_above(self, place: QPoint) -> None:
        """Show it with its lower left corner here, in the window."""
        self._bottom = place
        self.setGeometry(self._window.rect())
        self._place()
        self.show()
        self.raise_()
        self._folder.setFocus(Qt.FocusReason.PopupFocusReason)

    @Slot()
    def rebuild(self) -> None:
        """There are other tools now: list them, and leave the focus where it was."""
        focus = next((switch.box.accessibleName() for switch, _ in self._switches if switch.box.hasFocus()), None)
        self._build()
        for switch, _ in self._switches:
            if switch.box.accessibleName() == focus:
                switch.box.setFocus()

    @Slot()
    def refresh(self) -> None:
        """Show what is chosen now."""
        chosen, folder = self.chosen, self.folder
        self._folder.setText(self.tr("None") if folder is None else short_path(folder))
        for switch, names in self._switches:
            lacking = folder is None and all(name in NEED_FOLDER for name in names)
            share = chosen.share(names)
            switch.box.blockSignals(True)
            switch.box.setTristate(share == "some")
            switch.box.setCheckState(
                Qt.CheckState.Unchecked
                if share == "none"
                else Qt.CheckState.Checked
                if share == "all"
                else Qt.CheckState.PartiallyChecked
            )
            switch.box.setEnabled(not lacking)
            switch.box.blockSignals(False)

    @Slot(str)
    def chooseFolder(self, folder: str) -> None:
        """Have the chat work in this folder, if it can be one; "" is none."""
        if not folder:
            self._settings.set(workspace=None)
            self._complain("")
            return
        from rillet.core.tools.workspace import Workspace

        try:
            root = str(Workspace(folder).root)
        except ValueError as error:
            self._complain(self.tr("This folder cannot be used: {why}.").format(why=visible(str(error))))
            return
        self._complain("")
        self._settings.set(workspace=root)
        self._tools.note_folder(root)

    @Slot()
    def askForFolder(self) -> None:
        """Let the person look for a folder."""
        from PySide6.QtWidgets import QFileDialog

        window = self._window
        chooser = QFileDialog(window, self.tr("The folder that this chat may work in"), self.folder or str(Path.home()))
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setOption(QFileDialog.Option.ShowDirsOnly)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tools, settings = self._tools, self._settings  # (this list closes when the chooser opens)
        chooser.fileSelected.connect(partial(_take_folder, tools, settings, window))
        chooser.open()
        self.close()

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
        self._add_sets()
        self._add_builtin()
        for server in () if self._tools.state is None else self._tools.state.servers:
            if server.state is not State.DISABLED:
                self._add_server(server)
        self._column.addStretch(1)
        self.refresh()
        at = self._scroll.verticalScrollBar().value()
        self._scroll.setWidget(inside)
        self._scroll.verticalScrollBar().setValue(at)
        self._place()

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
        if server.state is State.STOPPED:
            start = button(self._theme, self.tr("Start"), description=self.tr("Start {0}").format(server.name))
            start.clicked.connect(partial(self._tools.start_server, server.name))
            self._column.addLayout(beside(said, start))
        else:
            self._column.addWidget(said)

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
        menu.addAction(self.tr("None"), partial(self.chooseFolder, ""))
        for folder in self._tools.setup.folders:
            menu.addAction(short_path(folder).replace("&", "&&"), partial(self.chooseFolder, folder))
        menu.addSeparator()
        menu.addAction(self.tr("Choose a folder…"), self.askForFolder)
        return menu

    def _foot(self) -> QVBoxLayout:
        keep = button(self._theme, self.tr("Save as set…"))
        keep.clicked.connect(self.saveSet)
        more = button(self._theme, self.tr("Servers…"), description=self.tr("Set up servers and skills"))
        more.clicked.connect(self.openSettings)
        rights = button(self._theme, self.tr("Permissions…"))
        rights.clicked.connect(self.openPermissions)
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

    @Slot()
    def openSettings(self) -> None:
        """Show the page of the servers."""
        self.close()
        self.settingsRequested.emit("servers")

    @Slot()
    def openPermissions(self) -> None:
        """Show the page of what is allowed."""
        self.close()
        self.settingsRequested.emit("permissions")

    def _complain(self, sentence: str) -> None:
        if sentence != self._complaint:
            self._complaint = sentence
            self.rebuild()

    async def _look_outside(self, chat_id: int) -> None:
        self._holds_outside = await self._tools.holds_outside(chat_id, self.folder)
        self.rebuild()

    def _place(self) -> None:
        """As high as the list, up to a limit, and within the window."""
        width = min(WIDTH, self.width() - 2 * EDGE)
        content = self._column.heightForWidth(width - 2) if self._column.hasHeightForWidth() else 0
        foot = self._card.sizeHint().height() - self._scroll.sizeHint().height()
        height = min(content + foot + EDGE, HIGHEST, max(0, self._bottom.y() - EDGE))
        left = max(EDGE, min(self._bottom.x(), self.width() - width - EDGE))
        self._card.setGeometry(left, self._bottom.y() - height, width, height)

    def _stops(self) -> list[QWidget]:
        """What Tab goes through, from top to bottom."""
        return [
            each
            for each in self._card.findChildren(QWidget)
            if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isEnabled() and each.isVisible()
        ]

    # Qt overrides

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Tab goes round in here."""
        stops = sorted(self._stops(), key=lambda each: each.mapTo(self, QPoint()).toTuple()[::-1])
        focused = self.focusWidget()
        at = stops.index(focused) if focused in stops else -1
        stop = stops[(at + (1 if forwards else -1)) % len(stops)]
        stop.setFocus(Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason)
        self._scroll.ensureWidgetVisible(stop)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes; the arrows go through the switches as Tab does."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Escape is ours, whatever it means to the window."""
        if event.type() is QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press beside the list closes it."""
        if not self._card.geometry().contains(event.position().toPoint()):
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A window of another size has the button elsewhere."""
        if watched is self._window and event.type() is QEvent.Type.Resize:
            self.close()
        return super().eventFilter(watched, event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell that it is gone."""
        super().closeEvent(event)
        if self._looking is not None:
            self._looking.cancel()
        self.closed.emit()


def _take_folder(tools: Tools, settings: ChatSettings, window: QWidget, folder: str) -> None:
    """Have a chat work in a folder that was looked for, or say why it cannot."""
    from PySide6.QtWidgets import QMessageBox

    from rillet.core.tools.workspace import Workspace

    try:
        root = str(Workspace(folder).root)
    except ValueError as error:
        box = QMessageBox(window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(visible(str(error)))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
        return
    settings.set(workspace=root)
    tools.note_folder(root)


def _keep_set(tools: Tools, names: frozenset[str], name: str) -> None:
    if name.strip() and names:
        tools.put_set(name.strip(), names)


def _style_sheet(theme: Theme) -> str:
    tokens = theme.tokens
    return (
        dialog_style_sheet(tokens)
        + f"""
QFrame#tools {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: 12px; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; }}
"""
    )
