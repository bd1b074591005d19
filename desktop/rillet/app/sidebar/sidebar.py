"""The side bar: new chat, search, the list of chats or the archive or the trash, settings.

Above: ``model``, ``hits``, ``delegate``, ``menu``, ``chat_list``, ``strips``. Below: ``window`` puts it beside the chat
and follows its signals. It opens nothing itself. Guarantees: what was searched for last is what is shown, whatever
search ends last; what is marked stays marked, whatever happens in other chats.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.sidebar.chat_list import ChatList
from rillet.app.sidebar.delegate import ChatDelegate, HitDelegate
from rillet.app.sidebar.hits import HIT, HitsModel
from rillet.app.sidebar.menu import ChatActions
from rillet.app.sidebar.model import CHAT, FOLDED, FOLDER, ChatsModel
from rillet.app.sidebar.search_field import SearchField
from rillet.app.sidebar.strips import FootStrip, MarkedStrip, SectionStrip, TopStrip
from rillet.core.store import search
from rillet.core.store.temporary import is_temporary
from rillet.widgets.blocks.button import small_font
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable

    from PySide6.QtWidgets import QMenu

    from rillet.app.library import Library
    from rillet.app.sidebar.rows import Section
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
        temporaryChatRequested(): One of which nothing is kept.
        chatChosen(int): A chat is wanted.
        hitChosen(int, int, str): A chat, the message in it that holds what was looked for, and how that is written.
        settingsRequested(): The settings are wanted.
        foldedChanged(object): Of other folders (ids) only the headings are shown now.
        left(): The person is done here.
    """

    newChatRequested = Signal()
    temporaryChatRequested = Signal()
    chatChosen = Signal(int)
    hitChosen = Signal(int, int, str)
    settingsRequested = Signal()
    foldedChanged = Signal(object)
    left = Signal()

    def __init__(
        self,
        library: Library,
        desk: DeskClient,
        theme: Theme,
        folded: Iterable[int] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._desk = desk
        self._shown: int | None = None
        self._awaited = False
        """Whether the chat that is shown is to be marked as soon as it is in the list."""
        self._searching: asyncio.Task[None] | None = None
        self.chat_actions = ChatActions(library, self)
        self._model = ChatsModel(library, folded)
        self._hits = HitsModel(self)
        self._delegate = ChatDelegate(theme, self)
        self._hit_delegate = HitDelegate(theme, self)
        self._top = TopStrip(self)
        self._section = SectionStrip(self)
        self._marked = MarkedStrip(self)
        self._foot = FootStrip(self)
        self.field = SearchField(theme, self)
        self.list = ChatList(_key_of, self._place_of, self)
        self.list.keep_marks(self._model)
        self.list.setItemDelegate(self._delegate)
        self._nothing = QLabel(self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(18, 8, 18, 8)
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._timer.timeout.connect(self._search)
        self._connect()
        self._build()
        self.set_theme(theme)
        self.show_section("chats")

    def _connect(self) -> None:
        self._top.new_chat.clicked.connect(self.newChatRequested)
        self._top.temporary.clicked.connect(self.temporaryChatRequested)
        self._section.back.clicked.connect(partial(self.show_section, "chats"))
        self._section.clear.clicked.connect(self._empty_trash)
        self._foot.settings.clicked.connect(self.settingsRequested)
        self._foot.archive.clicked.connect(partial(self._toggle, "archive"))
        self._foot.trash.clicked.connect(partial(self._toggle, "trash"))
        self._marked.restore.clicked.connect(lambda: self.chat_actions.untrash(self._marked_ids()))
        self._marked.archive.clicked.connect(self._archive)
        self._marked.delete.clicked.connect(self._delete)
        self._marked.move_.clicked.connect(self._open_folders)
        self._marked.more.clicked.connect(self._open_more)
        self._marked.unmark.clicked.connect(self._mark_shown)
        self.field.textChanged.connect(self._type)
        self.field.leftDown.connect(self._enter_list)
        self.field.returnPressed.connect(self._find)
        self.list.chosen.connect(self._choose)
        self.list.menuRequested.connect(self._open_menu)
        self.list.deletePressed.connect(self._delete)
        self.list.renamePressed.connect(self._rename)
        self.list.leftUp.connect(self.focus_search)
        self.list.escaped.connect(self._escape)
        self.list.marked.connect(self._tell_marked)
        self._delegate.closeEditor.connect(self._model.release)
        self._model.modelReset.connect(self._follow)
        self.chat_actions.renameRequested.connect(self.rename)
        self.chat_actions.folderRenameRequested.connect(self.rename_folder)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(4)

        def add(widget: QWidget) -> None:
            row = QHBoxLayout()
            row.setContentsMargins(_SIDE, 0, _SIDE, 0)
            row.addWidget(widget)
            column.addLayout(row)

        add(self._top)
        add(self.field)
        add(self._section)
        column.addWidget(self._nothing)
        column.addWidget(self.list, 1)
        add(self._marked)
        add(self._foot)
        stops = (*self._top.buttons, self.field, *self._section.buttons, self.list)
        for before, after in pairwise((*stops, *self._marked.buttons, *self._foot.buttons)):
            QWidget.setTabOrder(before, after)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._delegate.set_theme(theme)
        self._hit_delegate.set_theme(theme)
        self._nothing.setFont(small_font(theme))
        tint(self._nothing, theme.tokens.muted)
        for part in (self._top, self._section, self._marked, self._foot, self.field):
            part.set_theme(theme)
        self.list.viewport().update()

    @property
    def marked(self) -> list[Chat]:
        """The chats that are marked, in the order of the list; also those in which something was found."""
        found: dict[int, Chat] = {}
        for index in sorted(self.list.selectionModel().selectedIndexes(), key=lambda index: index.row()):
            chat, hit = index.data(CHAT), index.data(HIT)
            if chat is None and hit is not None:
                chat = self._library.find(hit.chat_id)
            if chat is not None:
                found[chat.id] = chat
        return list(found.values())

    @property
    def section(self) -> Section:
        """What is shown."""
        return self._model.section

    # What is shown

    @Slot(object)
    def show_chat(self, chat_id: int | None) -> None:
        """Mark the chat that is shown, also when it comes into the list later."""
        if chat_id != self._shown:
            self._shown = chat_id
            self._mark_shown()

    def show_section(self, section: Section) -> None:
        """Show the chats, the archive or the trash."""
        names = {"chats": "", "archive": self.tr("Archive"), "trash": self.tr("Trash")}
        hints = {
            "chats": self.tr("Search"),
            "archive": self.tr("Search the archive"),
            "trash": self.tr("Search the trash"),
        }
        self.field.clear()
        self.field.setPlaceholderText(hints[section])
        self.field.setAccessibleName(hints[section] if section != "chats" else self.tr("Search chats and messages"))
        self._use(self._model)
        self._model.show_section(section)
        self._section.setVisible(section != "chats")
        self._section.tell(names[section], can_clear=section == "trash" and bool(self._library.trashed))
        self._mark_shown()

    @Slot()
    def focus_search(self) -> None:
        """Go to the search field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    @Slot()
    def focus_list(self) -> None:
        """Go to the list."""
        self._enter_list()

    def reveal(self, chat_id: int) -> bool:
        """Make sure that a chat is to be seen in the list; whether it is."""
        chat = self._library.find(chat_id)
        if chat is None:
            return False
        self.show_section("trash" if chat.trashed_at is not None else "archive" if chat.archived else "chats")
        if chat.folder_id is not None and not chat.archived:
            self._fold(chat.folder_id, folded=False)
        row = self._model.row_of(chat_id)
        if row is not None:
            self.list.scrollTo(self._model.index(row))
        return row is not None

    @Slot(int)
    def rename(self, chat_id: int) -> None:
        """Let a person write another title, where it stands."""
        if self.reveal(chat_id):
            self._edit(self._model.row_of(chat_id))

    @Slot(int)
    def rename_folder(self, folder_id: int) -> None:
        """Let a person write another name for a folder, where it stands."""
        self.show_section("chats")
        self._edit(self._model.row_of_folder(folder_id))

    def _edit(self, row: int | None) -> None:
        if row is not None:
            index = self._model.index(row)
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._model.hold()
            self.list.edit(index)

    def _place_of(self, key: Any) -> int | None:
        kind, id = key
        return self._model.row_of(id) if kind == "chat" else self._model.row_of_folder(id)

    @Slot()
    def _follow(self) -> None:
        """The rows are others: mark what is shown, if it has come into the list meanwhile."""
        self._tell_nothing()
        if self._awaited:
            self._mark_shown()
        self._tell_marked()

    @Slot()
    def _mark_shown(self) -> None:
        self._tell_nothing()
        self._awaited = False
        if self.list.model() is not self._model:
            return
        row = None if self._shown is None else self._model.row_of(self._shown)
        if row is None:
            self._awaited = self._shown is not None
            self.list.clearSelection()
            return
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.list.selectionModel().setCurrentIndex(self._model.index(row), flag)

    @Slot()
    def _tell_marked(self) -> None:
        chats = self.marked
        self._marked.setVisible(len(chats) > 1)
        temporary = any(is_temporary(chat.id) for chat in chats)
        self._marked.tell(len(chats), in_trash=self.section == "trash", temporary=temporary)

    def _tell_nothing(self) -> None:
        """One sentence where there is nothing to be seen."""
        empty = self.list.model().rowCount() == 0
        if self.list.model() is self._hits:
            nothing = self.tr("Nothing was found.")
        elif self.section == "archive":
            nothing = self.tr("The archive is empty. What you archive is out of the way here, and is still found.")
        elif self.section == "trash":
            nothing = self.tr("The trash is empty. Deleted chats stay here for 30 days.")
        else:
            nothing = self.tr("Your chats will be listed here.")
        self._nothing.setText(nothing)
        self._nothing.setVisible(empty)
        self._section.clear.setVisible(self.section == "trash" and bool(self._library.trashed))

    # Searching

    @Slot()
    def _type(self) -> None:
        if self.field.text().strip():
            self._timer.start()
        else:
            self._timer.stop()
            self._stop_searching()
            self._use(self._model)
            self._mark_shown()

    @Slot()
    def _search(self) -> None:
        self._stop_searching()
        self._searching = coroutines.start(self._show_hits(self.field.text()))

    @Slot()
    def _find(self) -> None:
        """Open the first hit, once it is known."""
        if not self.field.text().strip():
            self._enter_list()
            return
        self._timer.stop()
        self._stop_searching()
        self._searching = coroutines.start(self._open_first(self.field.text()))

    async def _open_first(self, text: str) -> None:
        await self._show_hits(text)
        if self.list.first_row() is not None:
            self._enter_list()
            self._choose(self.list.currentIndex())

    async def _show_hits(self, text: str) -> None:
        found = await self._desk.read(search.search, text, among=self.section)
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
            if model is self._model:
                self._model.modelReset.disconnect(self._follow)
                self._model.modelReset.connect(self._follow)  # (behind the slots of the list once more)
                self._mark_shown()
        self._tell_nothing()
        self._tell_marked()

    # Choosing

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        if (folder := index.data(FOLDER)) is not None:
            self._fold(folder.id, folded=not index.data(FOLDED))
        elif (chat := index.data(CHAT)) is not None:
            self.chatChosen.emit(chat.id)
        elif (hit := index.data(HIT)) is not None:
            self.chatChosen.emit(hit.chat_id)
            if hit.message_id is not None:
                self.hitChosen.emit(hit.chat_id, hit.message_id, hit.found)

    def _fold(self, folder_id: int, *, folded: bool) -> None:
        self._model.fold(folder_id, folded=folded)
        self.foldedChanged.emit(self._model.folded)

    @Slot()
    def _escape(self) -> None:
        """One step back: marks, the search, the section, the list."""
        if len(self.marked) > 1:
            self._mark_shown()
        elif self.field.text():
            self.field.clear()
        elif self.section != "chats":
            self.show_section("chats")
        else:
            self.left.emit()

    def _toggle(self, section: Section) -> None:
        self.show_section("chats" if self.section == section else section)

    @Slot()
    def _enter_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
        if not self.list.selectionModel().selectedIndexes():
            row = self.list.first_row()
            if row is not None:
                self.list.setCurrentIndex(self.list.model().index(row, 0))

    # Doing something with what is marked

    def _marked_ids(self) -> list[int]:
        return [chat.id for chat in self.marked]

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        folder = self.list.indexAt(place).data(FOLDER)
        if folder is not None:
            self._pop_up(self.chat_actions.folder_menu(folder, self), self.list.viewport(), place)
        elif chats := self.marked:
            self._pop_up(self.chat_actions.menu(chats, self), self.list.viewport(), place)

    @Slot()
    def _open_more(self) -> None:
        self._pop_up(self.chat_actions.menu(self.marked, self), self._marked.more, QPoint())

    @Slot()
    def _open_folders(self) -> None:
        self._pop_up(self.chat_actions.folders_menu(self._marked_ids(), self), self._marked.move_, QPoint())

    def open_folders(self, ids: list[int]) -> None:
        """Let the person choose a folder for these chats."""
        self._pop_up(self.chat_actions.folders_menu(ids, self), self.list, QPoint(_SIDE, _SIDE))

    @staticmethod
    def _pop_up(menu: QMenu, over: QWidget, place: QPoint) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(over.mapToGlobal(place))

    @Slot()
    def _archive(self) -> None:
        if chats := self.marked:
            self.chat_actions.archive(self._marked_ids(), archived=not all(chat.archived for chat in chats))

    @Slot()
    def _delete(self) -> None:
        folder = self.list.currentIndex().data(FOLDER)
        if ids := self._marked_ids():
            (self.chat_actions.purge if self.section == "trash" else self.chat_actions.trash)(ids)
        elif folder is not None:
            self.chat_actions.remove_folder(folder.id)

    @Slot()
    def _rename(self) -> None:
        folder = self.list.currentIndex().data(FOLDER)
        if len(chats := self.marked) == 1 and self.section != "trash":
            self.rename(chats[0].id)
        elif folder is not None:
            self.rename_folder(folder.id)

    @Slot()
    def _empty_trash(self) -> None:
        if ids := [chat.id for chat in self._library.trashed]:
            self.chat_actions.purge(ids)


def _key_of(index: QModelIndex) -> tuple[str, int] | None:
    """What a row of the model is known by."""
    chat, folder = index.data(CHAT), index.data(FOLDER)
    if chat is not None:
        return "chat", chat.id
    return None if folder is None else ("folder", folder.id)
