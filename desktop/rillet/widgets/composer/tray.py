"""What is attached: the chips above the text, and one undo for both.

Above: ``limits``, ``undo``, ``chips``, ``field``. Below: ``composer`` fills and empties it. Guarantees: what does not
fit is refused with a sentence; no two attachments have the same name; undo and redo take text and attachments in the
order in which they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.widgets.composer.limits import AttachmentRefused, Limits, check_room, distinct
from rillet.widgets.composer.undo import SideUndo

if TYPE_CHECKING:
    from PySide6.QtWidgets import QVBoxLayout

    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.composer.chips import ChipRow
    from rillet.widgets.composer.field import Field
    from rillet.widgets.theme.palette import Theme


class Tray(QObject):
    """The attachments of one field.

    Attributes:
        limits: What may be attached from now on.
        attachments: What is attached.

    Signals:
        changed(): Attachments came or went.
        refused(str): A sentence about what cannot be attached.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(self, field: Field, column: QVBoxLayout) -> None:
        super().__init__(field)
        self.limits = Limits()
        self.attachments: tuple[Attachment, ...] = ()
        self._field = field
        self._column = column
        self._undo: SideUndo[tuple[Attachment, ...]] = SideUndo()
        self._replaying = False
        self._theme: Theme | None = None
        self._chips: ChipRow | None = None
        field.textChanged.connect(self._text_changed)
        field.undoPressed.connect(self.undo)
        field.redoPressed.connect(self.redo)
        field.backedOut.connect(self._focus_last)

    @property
    def height(self) -> int:
        """Pixels that the chips take."""
        return self._chips.sizeHint().height() + self._column.spacing() if self._chips and self.attachments else 0

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        if self._chips is not None:
            self._chips.set_theme(theme)

    def attach(self, attachment: Attachment) -> bool:
        """Add one, if it fits; whether it did."""
        try:
            check_room(self.attachments, attachment, self.limits)
        except AttachmentRefused as refused:
            self.refused.emit(str(refused))
            return False
        taken = frozenset(each.name for each in self.attachments)
        if (name := distinct(attachment.name, taken)) != attachment.name:
            attachment = attachment.renamed(name)
        self._change((*self.attachments, attachment))
        return True

    @Slot(int)
    def remove(self, place: int) -> None:
        """Remove one; undo brings it back."""
        self._change(self.attachments[:place] + self.attachments[place + 1 :])

    def take(self) -> tuple[Attachment, ...]:
        """Empty text and attachments, as one step of undo: what was attached."""
        taken = self.attachments
        if taken:
            self._undo.record(self._height(), taken, (), with_text=bool(self._field.toPlainText()))
        self._replaying = True
        self._field.replace("")
        self._replaying = False
        self._field.part_steps()
        self._show(())
        return taken

    def reset(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Hold another draft, without a way back."""
        self._undo = SideUndo()
        self._field.setPlainText(text)  # leaves nothing to undo
        self._show(attachments)

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
            attachments, with_text = self._undo.redo()
            self._show(attachments)
        if with_text:
            self._field.redo()
        self._replaying = False

    def _height(self) -> int:
        return self._field.document().availableUndoSteps()

    def _change(self, attachments: tuple[Attachment, ...]) -> None:
        self._undo.record(self._height(), self.attachments, attachments)
        self._field.part_steps()
        self._show(attachments)

    def _show(self, attachments: tuple[Attachment, ...]) -> None:
        if attachments == self.attachments:
            return
        self.attachments = attachments
        self._row().show_attachments(attachments)
        self.changed.emit()

    def _row(self) -> ChipRow:
        """The chips; the first attachment makes them."""
        if self._chips is None:
            from rillet.widgets.composer.chips import ChipRow

            self._chips = ChipRow(self._field.parentWidget())
            self._chips.removed.connect(self.remove)
            self._chips.left.connect(self._field.setFocus)
            if self._theme is not None:
                self._chips.set_theme(self._theme)
            self._column.insertWidget(0, self._chips)
        return self._chips

    @Slot()
    def _focus_last(self) -> None:
        if self._chips is not None:
            self._chips.focus_last()

    @Slot()
    def _text_changed(self) -> None:
        if not self._replaying:
            self._undo.text_changed()
