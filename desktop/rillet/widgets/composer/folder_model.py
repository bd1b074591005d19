"""What was found in a folder, as a tree with a box before each file and folder.

Above: ``core/attachments/folder``. Below: ``folder_dialog``. Guarantees: adding a batch, ticking a folder and asking
for the sums each take a few milliseconds for a hundred thousand files, because all files stand in one row: entries come
parents first, so everything below a folder is one stretch of it.
"""

from __future__ import annotations

from array import array
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from rillet.core.attachments.folder import REASONS, Entry
from rillet.widgets.composer.limits import size_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtCore import QObject

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
_NAME, _ABOUT = range(2)
_NOTHING: Final = QModelIndex()


class _Folder:
    """A folder in its place. Files are no objects of their own: the garbage collector would look at each."""

    __slots__ = ("children", "end", "entry", "parent", "row", "start")

    def __init__(self, entry: Entry, parent: _Folder | None, row: int, start: int) -> None:
        self.entry = entry
        self.parent = parent
        self.row = row
        self.children: list[_Folder | Entry] = []
        """Files first."""
        self.start = start
        self.end = start
        """The stretch of files below it; its own ones are the first of them."""


class FolderModel(QAbstractItemModel):
    """The tree.

    Signals:
        ticksChanged(): Other files are chosen.
    """

    ticksChanged = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = _Folder(Entry("", is_folder=True), None, 0, 0)
        self._folders = {"": self._root}
        self._files: list[Entry] = []
        self._sizes = array("q")
        self._can = bytearray()
        self._plain = bytearray()
        """Whether nothing speaks against a file."""
        self._ticked = bytearray()

    def add(self, entries: Iterable[Entry]) -> None:
        """Take what was found, in the order in which it was."""
        run: list[Entry] = []
        above = ""
        for entry in entries:
            parent = entry.path.rpartition("/")[0]
            if run and parent != above:
                self._insert(above, run)
                run = []
            above = parent
            run.append(entry)
            if entry.is_folder:  # what comes next may be in it
                self._insert(above, run)
                run = []
        if run:
            self._insert(above, run)
        self.ticksChanged.emit()

    @property
    def found(self) -> int:
        """How many files there are."""
        return len(self._files)

    @property
    def ticked(self) -> int:
        """How many of them are chosen."""
        return self._ticked.count(1)

    @property
    def size(self) -> int:
        """Bytes of those."""
        return sum(compress(self._sizes, self._ticked))

    def chosen(self) -> tuple[str, ...]:
        """Their paths."""
        return tuple(entry.path for entry in compress(self._files, self._ticked))

    def _insert(self, above: str, run: Sequence[Entry]) -> None:
        parent = self._folders[above]
        first = len(parent.children)
        self.beginInsertRows(self._index_of(parent), first, first + len(run) - 1)
        for entry in run:
            if entry.is_folder:
                folder = _Folder(entry, parent, len(parent.children), self.found)
                parent.children.append(folder)
                self._folders[entry.path] = folder
            else:
                parent.children.append(entry)
                self._files.append(entry)
                self._sizes.append(entry.size)
                self._can.append(entry.can_be_taken)
                self._plain.append(not entry.why)
                self._ticked.append(not entry.why)
        around: _Folder | None = parent
        while around is not None:
            around.end = self.found
            around = around.parent
        self.endInsertRows()

    def _item(self, index: Index) -> tuple[Entry, int, int]:
        """A file or a folder, and the stretch of files that it is."""
        parent: _Folder = index.internalPointer()
        child = parent.children[index.row()]
        if isinstance(child, _Folder):
            return child.entry, child.start, child.end
        number = parent.start + index.row()
        return child, number, number + 1

    def _state(self, start: int, end: int) -> Qt.CheckState:
        ticked = self._ticked.count(1, start, end)
        if not ticked:
            return Qt.CheckState.Unchecked
        whole = ticked == self._can.count(1, start, end)
        return Qt.CheckState.Checked if whole else Qt.CheckState.PartiallyChecked

    def _about(self, entry: Entry) -> str:
        size = "" if entry.is_folder else size_text(entry.size)
        return " · ".join(filter(None, (size, self.reason(entry.why) if entry.why else "")))

    def reason(self, why: str) -> str:
        """Why something is not taken, in the language of the person."""
        match why:
            case "ignored":
                return self.tr("left out by .gitignore")
            case "secret":
                return self.tr("may hold keys or passwords")
            case "large":
                return self.tr("large")
            case "git":
                return self.tr("the history of git")
            case "packages":
                return self.tr("made by tools: packages, caches")
            case "binary":
                return self.tr("no text")
            case "image":
                return self.tr("an image: attach it by itself")
            case "link":
                return self.tr("leads elsewhere")
            case "closed":
                return self.tr("cannot be opened")
            case "deep":
                return self.tr("too many folders in each other")
            case "name":
                return self.tr("its name cannot be written")
            case "special":
                return self.tr("no file")
            case _:
                return REASONS.get(why, why)

    def _folder(self, index: Index) -> _Folder | None:
        """The folder at a place; None for a file."""
        if not index.isValid():
            return self._root
        parent: _Folder = index.internalPointer()
        child = parent.children[index.row()]
        return child if isinstance(child, _Folder) else None

    def _index_of(self, folder: _Folder) -> QModelIndex:
        return QModelIndex() if folder.parent is None else self.createIndex(folder.row, 0, folder.parent)

    # Qt overrides

    def columnCount(self, _parent: Index = _NOTHING) -> int:
        """The name, and what there is to say."""
        return 2

    def rowCount(self, parent: Index = _NOTHING) -> int:
        """What is in a folder."""
        folder = None if parent.column() > 0 else self._folder(parent)
        return 0 if folder is None else len(folder.children)

    def index(self, row: int, column: int, parent: Index = _NOTHING) -> QModelIndex:
        """A child of a folder."""
        folder = self._folder(parent)
        if folder is None or not 0 <= row < len(folder.children):
            return QModelIndex()
        return self.createIndex(row, column, folder)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # the other overload is QObject's
        """The folder around it."""
        return self._index_of(index.internalPointer()) if index.isValid() else QModelIndex()

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What cannot be chosen is grey."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        _, start, end = self._item(index)
        flags = Qt.ItemFlag.ItemIsSelectable
        if self._can.find(1, start, end) < 0:
            return flags
        return flags | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Name, box, and what there is to say."""
        if not index.isValid():
            return None
        entry, start, end = self._item(index)
        if role == Role.DisplayRole:
            return entry.path.rpartition("/")[2] if index.column() == _NAME else self._about(entry)
        if role == Role.CheckStateRole and index.column() == _NAME:
            return self._state(start, end)
        if role == Role.AccessibleTextRole:
            return ", ".join(filter(None, (entry.path.rpartition("/")[2], self._about(entry))))
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Choose a file, or all below a folder that can be chosen without overruling anything."""
        if role != Role.CheckStateRole or not index.isValid():
            return False
        entry, start, end = self._item(index)
        if Qt.CheckState(value) is Qt.CheckState.Unchecked:
            self._ticked[start:end] = bytes(end - start)
        elif entry.is_folder:
            self._ticked[start:end] = self._plain[start:end]
        else:
            self._ticked[start] = self._can[start]
        self._tell(index)
        return True

    def _tell(self, index: Index) -> None:
        """Boxes of it, of what is above it, and of what is below it look otherwise now.

        Of what is below only the first row is told: a view draws itself anew as a whole for that, and there may be
        thousands of folders.
        """
        roles = [int(Role.CheckStateRole)]
        around = self.index(index.row(), 0, index.parent())
        while around.isValid():
            self.dataChanged.emit(around, around, roles)
            around = around.parent()
        folder = self._folder(index)
        if folder is not None and folder.children:
            inner = self._index_of(folder)
            self.dataChanged.emit(self.index(0, 0, inner), self.index(len(folder.children) - 1, 0, inner), roles)
        self.ticksChanged.emit()
