"""The button at the composer's foot: how many tools this chat is offered; pressed, it opens their list.

Above: ``chat_settings``. Below: ``session`` puts it there. The list and all that it needs are imported when it is first
opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot

from rillet.core.visible import visible
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.services import Services
    from rillet.app.tools.popover import ToolsPopover
    from rillet.widgets.theme.palette import Theme


class ToolsButton(Button):
    """Opens the tools of a chat.

    Signals:
        settingsRequested(str): A page of the settings is wanted.
    """

    settingsRequested = Signal(str)

    def __init__(self, services: Services, settings: ChatSettings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("tool", parent=parent)
        self._services = services
        self._settings = settings
        self._shown_theme = theme
        self._popover: ToolsPopover | None = None
        self.clicked.connect(self.open)
        settings.changed.connect(self.refresh)
        self.set_theme(theme)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts; a list that is open closes."""
        self._shown_theme = theme
        super().set_theme(theme)
        if self._popover is not None:
            self._popover.close()

    @Slot()
    def refresh(self) -> None:
        """Say how many tools there are now."""
        tools = self._settings.values.get("tools")
        count = len(tools or ())
        if tools == "all":
            text = self.tr("All tools")
        elif not count:
            text = self.tr("No tools")
        else:
            text = self.tr("1 tool") if count == 1 else self.tr("{count} tools").format(count=count)
        self.setText(text)
        self.describe(self.tr("Tools of this chat: {tools}").format(tools=text))
        self.updateGeometry()

    @Slot()
    def open(self) -> None:
        """Show the list above the button."""
        from rillet.app.tools.popover import ToolsPopover

        if self._popover is not None:
            self._popover.close()
        popover = self._popover = ToolsPopover(self._services.tools, self._settings, self._shown_theme, self)
        popover.settingsRequested.connect(self.settingsRequested)
        popover.folderWanted.connect(self.askForFolder)
        popover.closed.connect(self.forget)

    @Slot()
    def askForFolder(self) -> None:
        """Let the person look for a folder that the chat may work in, and then choose among the tools for it."""
        from PySide6.QtWidgets import QFileDialog

        begin = self._settings.values.get("workspace") or str(Path.home())
        chooser = QFileDialog(self.window(), self.tr("The folder that this chat may work in"), begin)
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setOption(QFileDialog.Option.ShowDirsOnly)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.takeFolder)
        chooser.open()

    @Slot(str)
    def takeFolder(self, folder: str) -> None:
        """Have the chat work in a folder, or say why that cannot be."""
        from rillet.app.question import say
        from rillet.app.tools.popover import take_folder

        try:
            take_folder(self._services.tools, self._settings, folder)
        except ValueError as error:
            say(self.window(), self.tr("This folder cannot be used: {why}.").format(why=visible(str(error))))
        else:
            self.open()

    @Slot()
    def forget(self) -> None:
        """The list was closed."""
        self._popover = None
