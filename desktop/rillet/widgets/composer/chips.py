"""What is attached, seen: a row of chips that scrolls sideways.

Above: ``chip``. Below: ``tray`` fills it. Guarantee: a chip is reached with Tab and the arrow keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from rillet.widgets.blocks.button import small_font
from rillet.widgets.composer.attachment import Attachment
from rillet.widgets.composer.chip import LEAST_HEIGHT, Chip, chip_height

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

    from rillet.widgets.composer.draft import Item
    from rillet.widgets.theme.palette import Theme


class ChipRow(QScrollArea):
    """The chips, in one row that scrolls sideways.

    Signals:
        removed(int): The attachment at this place is to be removed.
        retried(int): The one at this place, which failed, is to be read once more.
        formChosen(int, bool): The document at this place is to be sent as text, or as a file.
        previewed(object): This ``Attachment`` is to be shown as it will be sent.
        left(): The keyboard is to go back to the text.
    """

    removed = Signal(int)
    retried = Signal(int)
    formChosen = Signal(int, bool)
    previewed = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[Chip] = []
        self._theme: Theme | None = None
        self._takes_files = False
        self._sees = True
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(LEAST_HEIGHT)
        self.setWidgetResizable(True)
        self.setAccessibleName(self.tr("Attachments"))
        self.viewport().setAutoFillBackground(False)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        self._row = QHBoxLayout(inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self.setWidget(inside)
        inside.setAutoFillBackground(False)  # setWidget switched it on

    def show_items(self, items: tuple[Item, ...]) -> None:
        """Show these, keeping the chips of those that stay."""
        had = next((place for place, chip in enumerate(self._chips) if chip.has_focus()), None)
        kept = {id(chip.item): chip for chip in self._chips}
        self._chips = [kept.pop(id(each)) if id(each) in kept else self._made(each) for each in items]
        for chip in kept.values():
            chip.hide()
            chip.deleteLater()
        for place, chip in enumerate(self._chips):
            chip.refresh()
            self._row.insertWidget(place, chip)
            chip.show()  # at once: it may be given the keyboard before the layout shows it
        self.setVisible(bool(self._chips))
        if had is None:
            return
        if self._chips:
            self._chips[min(had, len(self._chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def focus_last(self) -> None:
        """Give the keyboard to the last chip."""
        if self._chips:
            self._chips[-1].setFocus(Qt.FocusReason.BacktabFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setFixedHeight(chip_height(QFontMetrics(small_font(theme))))
        for chip in self._chips:
            chip.set_theme(theme)

    def set_abilities(self, takes_files: bool, sees: bool) -> None:
        """Say whether the model takes documents as they are, and looks at images."""
        self._takes_files, self._sees = takes_files, sees
        for chip in self._chips:
            chip.set_abilities(takes_files, sees)

    def step(self, chip: Chip, by: int) -> None:
        """Go on to a neighbour of ``chip``; behind the last comes the text."""
        place = self._chips.index(chip) + by
        if place >= len(self._chips):
            self.left.emit()
        elif place >= 0:
            self._chips[place].setFocus(Qt.FocusReason.TabFocusReason)

    def remove(self, chip: Chip) -> None:
        """Ask for the end of ``chip``."""
        self.removed.emit(self._chips.index(chip))

    def retry(self, chip: Chip) -> None:
        """Ask that what failed is read once more."""
        self.retried.emit(self._chips.index(chip))

    def choose_form(self, chip: Chip, as_text: bool) -> None:
        """Ask that a document is sent as text, or as a file."""
        self.formChosen.emit(self._chips.index(chip), as_text)

    def preview(self, chip: Chip) -> None:
        """Ask to see what will be sent of it."""
        if isinstance(chip.item, Attachment):
            self.previewed.emit(chip.item)

    def _made(self, item: Item) -> Chip:
        chip = Chip(item, self, takes_files=self._takes_files, sees=self._sees)
        if self._theme is not None:
            chip.set_theme(self._theme)
        return chip

    # Qt overrides

    def sizeHint(self) -> QSize:
        """As high as a chip."""
        return QSize(200, self.minimumHeight())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways, whichever way the wheel turns."""
        turned = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (turned.x() or turned.y()))
        event.accept()
