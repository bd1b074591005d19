"""What is attached: the chips above the text, and one undo for both.

Above: ``limits``, ``undo``, ``incoming``, ``chips``, ``field``. Below: ``composer`` fills and empties it. Guarantees:
what does not fit is refused with a sentence; no two attachments have the same name; undo and redo take text and
attachments in the order in which they came; only what is seen is being read.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.widgets.composer.draft import is_read
from rillet.widgets.composer.limits import AttachmentRefused, Limits, check_count, check_room, distinct
from rillet.widgets.composer.undo import SideUndo

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from PySide6.QtWidgets import QVBoxLayout

    from rillet.core.attachments.folder import FolderChoice
    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.composer.chips import ChipRow
    from rillet.widgets.composer.draft import Item
    from rillet.widgets.composer.field import Field
    from rillet.widgets.composer.incoming import Incoming, Source
    from rillet.widgets.theme.palette import Theme


class Tray(QObject):
    """The attachments of one field.

    Attributes:
        limits: What may be attached from now on.
        items: What is attached, what is being read and what failed.
        takes_files: Whether the model that will be asked takes documents as they are.
        sees: Whether it looks at images, as far as that is known.

    Signals:
        changed(): Attachments came or went, or one was read.
        refused(str): A sentence about what cannot be attached.
        folderFound(object): What was to be attached turned out to be a folder: its ``Path``.
        previewed(object, bool): An ``Attachment`` is to be shown as it will be sent to a model that takes documents
            as they are, or does not.
    """

    changed = Signal()
    refused = Signal(str)
    folderFound = Signal(object)
    previewed = Signal(object, bool)

    def __init__(self, field: Field, column: QVBoxLayout) -> None:
        super().__init__(field)
        self.limits = Limits()
        self.items: tuple[Item, ...] = ()
        self.takes_files = False
        self.sees = True
        self._field = field
        self._column = column
        self._undo: SideUndo[tuple[Item, ...]] = SideUndo()
        self._replaying = False
        self._theme: Theme | None = None
        self._chips: ChipRow | None = None
        field.textChanged.connect(self._text_changed)
        field.undoPressed.connect(self.undo)
        field.redoPressed.connect(self.redo)
        field.backedOut.connect(self._focus_last)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What is attached and read."""
        return tuple(each for each in self.items if is_read(each))

    @property
    def incoming(self) -> tuple[Incoming, ...]:
        """What is being read, and what failed."""
        return tuple(each for each in self.items if not is_read(each))

    @property
    def height(self) -> int:
        """Pixels that the chips take."""
        return self._chips.sizeHint().height() + self._column.spacing() if self._chips and self.items else 0

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        if self._chips is not None:
            self._chips.set_theme(theme)

    def set_abilities(self, takes_files: bool, sees: bool) -> None:
        """Say whether the model takes documents as they are, and looks at images."""
        if (takes_files, sees) != (self.takes_files, self.sees):
            self.takes_files, self.sees = takes_files, sees
            if self._chips is not None:
                self._chips.set_abilities(takes_files, sees)
            if self.items:
                self.changed.emit()

    def attach(self, attachment: Attachment) -> bool:
        """Add one, if it fits; whether it did."""
        try:
            check_room(self.attachments, attachment, self.limits, self.takes_files)
            check_count(len(self.items), attachment.name, self.limits)
        except AttachmentRefused as refused:
            self.refused.emit(str(refused))
            return False
        if (name := self._distinct(attachment.name)) != attachment.name:
            attachment = attachment.renamed(name)
        self._change((*self.items, attachment))
        return True

    def read(self, source: Source, name: str) -> bool:
        """Add one that is yet to be read; whether there is a place for it."""
        from rillet.widgets.composer.incoming import Incoming

        try:
            check_count(len(self.items), name, self.limits)
        except AttachmentRefused as refused:
            self.refused.emit(str(refused))
            return False
        incoming = Incoming(source, self._distinct(name), self.limits.each, self)
        incoming.settled.connect(self._settled)
        self._change((*self.items, incoming))
        return True

    def read_files(self, paths: Iterable[Path]) -> None:
        """Add files that are yet to be read, as many as there are places for."""
        for path in paths:
            if not self.read(path, path.name):
                return

    def read_again(self, sources: Iterable[tuple[Source, str]]) -> None:
        """Add what was attached once and not read, each with its name; a folder has its own."""
        from rillet.core.attachments.folder import FolderChoice

        for source, name in sources:
            if isinstance(source, FolderChoice):
                self.read_folder(source)
            else:
                self.read(source, name)

    @Slot(object)
    def read_folder(self, choice: FolderChoice) -> None:
        """Add the files of a folder that were chosen, as one thing."""
        name = PurePath(choice.root).name or choice.root
        words = self.tr("{name} (1 file)") if len(choice.paths) == 1 else self.tr("{name} ({count} files)")
        self.read(choice, words.format(name=name, count=len(choice.paths)))

    @Slot(int)
    def remove(self, place: int) -> None:
        """Remove one; undo brings it back."""
        self._change(self.items[:place] + self.items[place + 1 :])

    @Slot(int)
    def retry(self, place: int) -> None:
        """Read once more what failed."""
        item = self.items[place]
        if not is_read(item):
            item.retry()
            self._settled()

    @Slot(int, bool)
    def choose_form(self, place: int, as_text: bool) -> None:
        """Send a document as text, or as a file; undo takes it back."""
        item = self.items[place]
        assert is_read(item)
        self._change((*self.items[:place], item.as_text(as_text), *self.items[place + 1 :]))

    def take(self) -> tuple[Attachment, ...]:
        """Empty text and attachments, as one step of undo: what was attached."""
        taken = self.attachments
        if self.items:
            self._undo.record(self._height(), self.items, (), with_text=bool(self._field.toPlainText()))
        self._replaying = True
        self._field.replace("")
        self._replaying = False
        self._field.part_steps()
        self._show(())
        return taken

    def reset(self, text: str, items: tuple[Item, ...]) -> None:
        """Hold another draft, without a way back."""
        self._undo = SideUndo()
        self._field.setPlainText(text)  # leaves nothing to undo
        self._show(items)

    @Slot()
    def undo(self) -> None:
        """Take back the last change of the text or of the attachments."""
        self._replaying = True
        attached = self._undo.is_next(self._height())
        if not attached:
            self._field.undo()
            attached = self._undo.is_next_with_text(self._height())
        if attached:
            self._show(self._undo.undo())
        self._replaying = False

    @Slot()
    def redo(self) -> None:
        """Make it again."""
        self._replaying = True
        with_text = True
        if self._undo.can_redo(self._height()):
            items, with_text = self._undo.redo()
            self._show(items)
        if with_text:
            self._field.redo()
        self._replaying = False

    def _height(self) -> int:
        return self._field.document().availableUndoSteps()

    def _distinct(self, name: str) -> str:
        return distinct(name, frozenset(each.name for each in self.items))

    def _change(self, items: tuple[Item, ...]) -> None:
        self._undo.record(self._height(), self.items, items)
        self._field.part_steps()
        self._show(items)

    def _show(self, items: tuple[Item, ...]) -> None:
        items = tuple(_as_read(each) for each in items if is_read(each) or each.folder is None)
        if items == self.items:
            return
        kept = {id(each) for each in items}
        for each in self.incoming:
            if id(each) not in kept:
                each.stop()
        self.items = items
        self._row().show_items(items)
        self.changed.emit()
        for each in self.incoming:
            each.start()

    @Slot()
    def _settled(self) -> None:
        """One was read or failed: what was read takes its place, if it fits."""
        others: list[Attachment] = [*self.attachments]
        for each in self.incoming:
            if each.attachment is not None:
                try:
                    check_room(tuple(others), each.attachment, self.limits, self.takes_files)
                    others.append(each.attachment)
                except AttachmentRefused as refused:
                    each.refuse(str(refused))
        folders = [each.folder for each in self.incoming if each.folder is not None]
        before = self.items
        self._show(self.items)
        for folder in folders:
            self.folderFound.emit(folder)
        if self.items == before:  # it failed: the same items, one of which looks otherwise
            self._row().show_items(self.items)
            self.changed.emit()

    def _row(self) -> ChipRow:
        """The chips; the first attachment makes them."""
        if self._chips is None:
            from rillet.widgets.composer.chips import ChipRow

            self._chips = ChipRow(self._field.parentWidget())
            self._chips.removed.connect(self.remove)
            self._chips.retried.connect(self.retry)
            self._chips.formChosen.connect(self.choose_form)
            self._chips.previewed.connect(self._preview)
            self._chips.set_abilities(self.takes_files, self.sees)
            self._chips.left.connect(self._field.setFocus)
            if self._theme is not None:
                self._chips.set_theme(self._theme)
            self._column.insertWidget(0, self._chips)
        return self._chips

    @Slot(object)
    def _preview(self, attachment: Attachment) -> None:
        self.previewed.emit(attachment, self.takes_files)

    @Slot()
    def _focus_last(self) -> None:
        if self._chips is not None:
            self._chips.focus_last()

    @Slot()
    def _text_changed(self) -> None:
        if not self._replaying:
            self._undo.text_changed()


def _as_read(item: Item) -> Item:
    """What was read instead of what is being read, also where undo brings that back."""
    if is_read(item) or item.attachment is None:
        return item
    return item.attachment
