"""The list in the side bar: a plain one without a frame, with keys for what is done most.

Knows neither chats nor hits. Below: ``sidebar``. Guarantees: a click or key that marks more than one row chooses none;
what was marked stays so when the model is reset, as far as it is still there; the list stays where it was scrolled to,
but for a current row that was in sight, which stays in sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QAbstractItemModel, QEvent
    from PySide6.QtWidgets import QWidget

_MARKING: Final = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class ChatList(QListView):
    """Rows that can be chosen, or marked one and all.

    Signals:
        chosen(QModelIndex): What is in this row is wanted.
        menuRequested(QPoint): A menu is wanted for what is marked, here.
        deletePressed(): What is marked is to be deleted.
        renamePressed(): What is marked is to get another name.
        leftUp(): Up was pressed in the first row.
        escaped(): Escape was pressed.
        marked(): Other rows are marked.
    """

    chosen = Signal(QModelIndex)
    menuRequested = Signal(QPoint)
    deletePressed = Signal()
    renamePressed = Signal()
    leftUp = Signal()
    escaped = Signal()
    marked = Signal()

    def __init__(
        self, key_of: Callable[[QModelIndex], Any], place_of: Callable[[Any], int | None], parent: QWidget
    ) -> None:
        """``key_of``: by what a row is known after a reset (None: by nothing); ``place_of``: where it stands then."""
        super().__init__(parent)
        self._key_of = key_of
        self._place_of = place_of
        self._marks = False
        self._keeps: QAbstractItemModel | None = None
        self._is_keeping = False
        self._kept: set[Any] = set()
        self._kept_current: Any = None
        self._anchor: tuple[Any, int] | None = None
        """What stood at the upper edge, and how far below it; None at the very beginning."""
        self._current_was_in_sight = False
        self.setAccessibleName(self.tr("Chats"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(True)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self._click)
        self.activated.connect(self._click)

    def keep_marks(self, model: QAbstractItemModel) -> None:
        """Mark again after each reset of this model what was marked before, whenever it is the list's model."""
        self._keeps = model
        self.setModel(model)

    def setModel(self, model: QAbstractItemModel) -> None:  # type: ignore[override]  # (never None)
        """Show another model. Our slots come behind the list's own, which are connected anew each time."""
        kept = self._keeps
        if kept is not None and self.model() is kept and self._is_keeping:
            kept.modelAboutToBeReset.disconnect(self._remember)
            kept.modelReset.disconnect(self._mark_again)
        super().setModel(model)
        self._is_keeping = model is kept
        if kept is not None and model is kept:
            kept.modelAboutToBeReset.connect(self._remember)
            kept.modelReset.connect(self._mark_again)

    def first_row(self) -> int | None:
        """The first row that can be chosen."""
        model = self.model()
        rows = range(model.rowCount())
        return next((row for row in rows if model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsSelectable), None)

    @Slot(QModelIndex)
    def _click(self, index: QModelIndex) -> None:
        if not self._marks:
            self.chosen.emit(index)

    @Slot()
    def _remember(self) -> None:
        indexes = self.selectionModel().selectedIndexes()
        self._kept = {key for index in indexes if (key := self._key_of(index)) is not None}
        self._kept_current = self._key_of(self.currentIndex())
        self._current_was_in_sight = self._is_in_sight(self.currentIndex())
        self._anchor = self._find_anchor() if self.verticalScrollBar().value() else None

    @Slot()
    def _mark_again(self) -> None:
        """Behind the list's own slot, which forgets everything."""
        model, flag = self.model(), QItemSelectionModel.SelectionFlag
        wanted = QItemSelection()
        for key in self._kept:
            if (place := self._place_of(key)) is not None:
                wanted.select(model.index(place, 0), model.index(place, 0))
        current = None if self._kept_current is None else self._place_of(self._kept_current)
        self.setAutoScroll(False)
        if current is not None:
            self.selectionModel().setCurrentIndex(model.index(current, 0), flag.NoUpdate)
        self.selectionModel().select(wanted, flag.ClearAndSelect)
        self.setAutoScroll(True)
        self._scroll_back()

    def _scroll_back(self) -> None:
        """To where it was before the reset."""
        place = None if self._anchor is None else self._place_of(self._anchor[0])
        if self._anchor is not None and place is not None:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(self.model().index(place, 0)).top() - self._anchor[1])
        if self._current_was_in_sight and self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    def _find_anchor(self) -> tuple[Any, int] | None:
        model = self.model()
        for row in range(max(0, self.indexAt(QPoint(1, 1)).row()), model.rowCount()):
            index = model.index(row, 0)
            if (key := self._key_of(index)) is not None and key != self._kept_current:
                return key, self.visualRect(index).top()
        return None

    def _is_in_sight(self, index: QModelIndex) -> bool:
        return index.isValid() and self.viewport().rect().intersects(self.visualRect(index))

    # Qt overrides

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell."""
        super().selectionChanged(selected, deselected)
        self.marked.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """With the mouse where it is, with the keyboard at the row."""
        place = event.pos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.visualRect(self.currentIndex()).center()
        self.menuRequested.emit(place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Note whether it marks."""
        self._marks = bool(event.modifiers() & _MARKING) or event.button() != Qt.MouseButton.LeftButton
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete, rename, and the ways out."""
        self._marks = False
        first = self.currentIndex().row() <= (self.first_row() or 0)
        if event.matches(QKeySequence.StandardKey.Delete):
            self.deletePressed.emit()
        elif event.key() == Qt.Key.Key_F2:
            self.renamePressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and first and not event.modifiers() & _MARKING:
            self.leftUp.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Escape is ours while the list has the keyboard."""
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and event.type() == event.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)
