"""The side bar: new chat, search, the list of chats, settings.

Above: ``model``, ``hits``, ``delegate``, ``menu``. Below: ``window`` puts it beside the chat and follows its signals.
It opens nothing itself. Guarantee: what was searched for last is what is shown, whatever search ends last.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLabel, QLineEdit, QListView, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.sidebar.delegate import ChatDelegate, HitDelegate
from rillet.app.sidebar.hits import HIT, HitsModel
from rillet.app.sidebar.menu import ChatActions
from rillet.app.sidebar.model import CHAT, ChatsModel
from rillet.core.store import search
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    import asyncio

    from rillet.app.library import Library
    from rillet.core.store.chats import Chat
    from rillet.qt.desk import DeskClient
    from rillet.widgets.theme.palette import Theme

SEARCH_MS: Final = 120
"""How long nothing is typed before the search begins."""
_SIDE: Final = 8


class Sidebar(QWidget):
    """The list of chats and what stands around it.

    Attributes:
        chat_actions: What can be done with the chats that are marked.

    Signals:
        newChatRequested(): An empty chat is wanted.
        chatChosen(int): A chat is wanted.
        hitChosen(int, int): A chat, and the message in it that was found.
        settingsRequested(): The settings are wanted.
    """

    newChatRequested = Signal()
    chatChosen = Signal(int)
    hitChosen = Signal(int, int)
    settingsRequested = Signal()

    def __init__(self, library: Library, desk: DeskClient, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._shown: int | None = None
        self._searching: asyncio.Task[None] | None = None
        self.chat_actions = ChatActions(library, self)
        self._model = ChatsModel(library)
        self._hits = HitsModel(self)
        self._delegate = ChatDelegate(theme, self)
        self._hit_delegate = HitDelegate(theme, self)
        self._new_chat = Button("plus", self.tr("New chat"), self.tr("Start a new chat"), self)
        self._new_chat.clicked.connect(self.newChatRequested)
        self._settings = Button("settings", self.tr("Settings"), self.tr("Open the settings"), self)
        self._settings.clicked.connect(self.settingsRequested)
        self.field = SearchField(theme, self)
        self.field.textChanged.connect(self._type)
        self.list = ChatList(self)
        self.list.setModel(self._model)
        self.list.setItemDelegate(self._delegate)
        self._model.modelReset.connect(self._mark)  # (behind the list's own slot, which forgets what was marked)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.menuRequested.connect(self._open_menu)
        self.list.deletePressed.connect(self._delete)
        self.list.renamePressed.connect(self._rename)
        self.field.leftDown.connect(self._enter_list)
        self._nothing = QLabel(self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(18, 8, 18, 8)
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._timer.timeout.connect(self._search)
        self.chat_actions.renameRequested.connect(self.rename)
        self._build()
        self.set_theme(theme)
        self._tell_nothing()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(4)
        for widget in (self._new_chat, self.field):
            row = QVBoxLayout()
            row.setContentsMargins(_SIDE, 0, _SIDE, 0)
            row.addWidget(widget)
            column.addLayout(row)
        column.addWidget(self._nothing)
        column.addWidget(self.list, 1)
        row = QVBoxLayout()
        row.setContentsMargins(_SIDE, 0, _SIDE, 0)
        row.addWidget(self._settings)
        column.addLayout(row)
        for before, after in pairwise((self._new_chat, self.field, self.list, self._settings)):
            QWidget.setTabOrder(before, after)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._delegate.set_theme(theme)
        self._hit_delegate.set_theme(theme)
        self._nothing.setFont(small_font(theme))
        for part in (self._new_chat, self._settings, self.field):
            part.set_theme(theme)
        self.list.viewport().update()

    @property
    def marked(self) -> list[Chat]:
        """The chats that are marked, in the order of the list."""
        rows = sorted(self.list.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [chat for index in rows if (chat := index.data(CHAT)) is not None]

    @Slot(object)
    def show_chat(self, chat_id: int | None) -> None:
        """Mark the chat that is shown, also when it comes into the list later."""
        self._shown = chat_id
        self._mark()

    @Slot()
    def focus_search(self) -> None:
        """Go to the search field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    @Slot(int)
    def rename(self, chat_id: int) -> None:
        """Let a person write another title, where it stands."""
        row = self._model.row_of(chat_id)
        if row is not None and self.list.model() is self._model:
            self.list.edit(self._model.index(row))

    @Slot()
    def _mark(self) -> None:
        self._tell_nothing()
        if self.list.model() is not self._model:
            return
        row = None if self._shown is None else self._model.row_of(self._shown)
        if row is None:
            self.list.clearSelection()
            return
        index = self._model.index(row)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    # Searching

    @Slot()
    def _type(self) -> None:
        if self.field.text().strip():
            self._timer.start()
        else:
            self._timer.stop()
            self._stop_searching()
            self._use(self._model)

    @Slot()
    def _search(self) -> None:
        self._stop_searching()
        self._searching = coroutines.start(self._show_hits(self.field.text()))

    async def _show_hits(self, text: str) -> None:
        found = await self._desk.read(search.search, text)
        self._hits.show(found.hits)
        self._use(self._hits)

    def _stop_searching(self) -> None:
        if self._searching is not None:
            self._searching.cancel()
            self._searching = None

    def _use(self, model: ChatsModel | HitsModel) -> None:
        if self.list.model() is not model:
            self.list.setModel(model)
            self.list.setItemDelegate(self._delegate if model is self._model else self._hit_delegate)
        self._mark()

    def _tell_nothing(self) -> None:
        """One sentence where there is nothing to be seen."""
        searching = self.list.model() is self._hits
        empty = self.list.model().rowCount() == 0
        nothing = self.tr("Nothing was found.") if searching else self.tr("Your chats will be listed here.")
        self._nothing.setText(nothing)
        self._nothing.setVisible(empty)

    # Choosing

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        if (chat := index.data(CHAT)) is not None:
            self.chatChosen.emit(chat.id)
        elif (hit := index.data(HIT)) is not None:
            self.chatChosen.emit(hit.chat_id)
            if hit.message_id is not None:
                self.hitChosen.emit(hit.chat_id, hit.message_id)

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        if chats := self.marked:
            menu = self.chat_actions.menu(chats, self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.list.viewport().mapToGlobal(place))

    @Slot()
    def _delete(self) -> None:
        if chats := self.marked:
            self.chat_actions.trash([chat.id for chat in chats])

    @Slot()
    def _rename(self) -> None:
        if len(chats := self.marked) == 1:
            self.rename(chats[0].id)

    @Slot()
    def _enter_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
        if self.list.model().rowCount():
            self.list.setCurrentIndex(self.list.model().index(0, 0))


class SearchField(QLineEdit):
    """Where one types what to look for.

    Signals:
        leftDown(): Down or Return was pressed: on to what was found.
    """

    leftDown = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(self.tr("Search"))
        self.setAccessibleName(self.tr("Search chats and messages"))
        self._glass = self.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        self._clear = self.addAction(QIcon(), QLineEdit.ActionPosition.TrailingPosition)
        self._clear.setText(self.tr("Empty the search"))
        self._clear.triggered.connect(self.clear)
        self._clear.setVisible(False)
        self.textChanged.connect(lambda text: self._clear.setVisible(bool(text)))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setFont(small_font(theme))
        self._glass.setIcon(icon("search", QColor(theme.tokens.muted), size=16))
        self._clear.setIcon(icon("cross", QColor(theme.tokens.muted)))
        tokens = theme.tokens
        self.setStyleSheet(
            f"QLineEdit {{ background: {tokens.surface}; color: {tokens.text}; border: 1px solid {tokens.outline};"
            f" border-radius: {tokens.radius}px; padding: 5px 7px; }}"
            f" QLineEdit:focus {{ border: 2px solid {tokens.accent}; padding: 4px 6px; }}"
        )

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape empties it, Down and Return lead on."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.leftDown.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Escape is ours while there is something to empty."""
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if event.type() == QEvent.Type.ShortcutOverride and escape and self.text():
            event.accept()
            return True
        return super().event(event)


class ChatList(QListView):
    """A plain list without a frame.

    Signals:
        menuRequested(QPoint): A menu is wanted for what is marked, here.
        deletePressed(): What is marked is to be deleted.
        renamePressed(): What is marked is to get another name.
    """

    menuRequested = Signal(QPoint)
    deletePressed = Signal()
    renamePressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Chats"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)

    # Qt overrides

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """With the mouse where it is, with the keyboard at the row."""
        place = event.pos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.visualRect(self.currentIndex()).center()
        self.menuRequested.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete and rename."""
        if event.matches(QKeySequence.StandardKey.Delete):
            self.deletePressed.emit()
        elif event.key() == Qt.Key.Key_F2:
            self.renamePressed.emit()
        else:
            super().keyPressEvent(event)
