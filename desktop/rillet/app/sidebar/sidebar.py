"""The side bar: new chat, search, the list of chats, settings.

Above: ``model``, ``delegate``, ``library``. Below: ``window`` puts it beside the chat and follows its signals. It opens
nothing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QVBoxLayout, QWidget

from rillet.app.sidebar.delegate import ChatDelegate
from rillet.app.sidebar.model import CHAT, ChatsModel
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from rillet.app.library import Library
    from rillet.widgets.theme.palette import Theme

WIDTH: Final = 264


class Sidebar(QWidget):
    """The list of chats and what stands around it.

    Signals:
        newChatRequested(): An empty chat is wanted.
        chatChosen(int): A chat is wanted.
        settingsRequested(): The settings are wanted.
    """

    newChatRequested = Signal()
    chatChosen = Signal(int)
    settingsRequested = Signal()

    def __init__(self, library: Library, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ChatsModel(library)
        self._delegate = ChatDelegate(theme, self)
        self._new_chat = Button("plus", self.tr("New chat"), self.tr("Start a new chat"), self)
        self._new_chat.clicked.connect(self.newChatRequested)
        self._settings = Button("settings", self.tr("Settings"), self.tr("Open the settings"), self)
        self._settings.clicked.connect(self.settingsRequested)
        self.list = _ChatList(self)
        self.list.setModel(self._model)
        self.list.setItemDelegate(self._delegate)
        self._shown: int | None = None
        self._model.modelReset.connect(self._mark)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(4)
        column.addWidget(self._new_chat, 0)
        column.addWidget(self.list, 1)
        column.addWidget(self._settings, 0)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._delegate.set_theme(theme)
        self._new_chat.set_theme(theme)
        self._settings.set_theme(theme)
        self.list.viewport().update()

    @Slot(object)
    def show_chat(self, chat_id: int | None) -> None:
        """Mark the chat that is shown, also when it comes into the list later."""
        self._shown = chat_id
        self._mark()

    @Slot()
    def _mark(self) -> None:
        row = None if self._shown is None else self._model.row_of(self._shown)
        if row is None:
            self.list.clearSelection()
            return
        index = self._model.index(row)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        if (chat := index.data(CHAT)) is not None:
            self.chatChosen.emit(chat.id)


class _ChatList(QListView):
    """A plain list without a frame."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Chats"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
