"""A page for a library of named texts: a list of them, and the fields of the one that is chosen.

Above: ``settings/page``. Below: ``prompts_page``, ``personas_page`` say what the entries are. Guarantees: what is valid
is kept as it is typed; a name that cannot be one says why and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QPlainTextEdit

from rillet.app.settings.page import Page
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QIcon, QPaintEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme

_LIST_HEIGHT, _TEXT_HEIGHT, _MARGIN = 168, 168, 24


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """Unlike that of every other one."""


Entry = TypeVar("Entry", bound=Named)


@dataclass(frozen=True, slots=True)
class Words:
    """What the page of one library says.

    Attributes:
        title: What there is in it.
        note: What that is for.
        text: The label of an entry's text.
        add: What the button says that begins one.
        nothing: What the list says while there is none.
    """

    title: str
    note: str
    text: str
    add: str
    nothing: str


class EntriesPage(Page, Generic[Entry]):
    """The library. Sub-classes say where it is kept, and what an entry is made of."""

    def __init__(self, theme: Theme, words: Words, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.section(words.title, words.note)
        self._list = _List(words.nothing)
        self._list.setAccessibleName(words.title)
        self._list.setFixedHeight(_LIST_HEIGHT)
        self._list.currentRowChanged.connect(self._show)
        self.wide(self._list)
        self._new = Button("plus", words.add, look="outlined")
        self._new.clicked.connect(self.add)
        begin = self.tr("Begin a new one from the chosen one")
        self._copy = Button("copy", self.tr("Duplicate"), begin, look="outlined")
        self._copy.clicked.connect(self.duplicate)
        self._delete = Button("delete", self.tr("Delete"), self.tr("Delete the chosen one"), look="outlined")
        self._delete.clicked.connect(self.remove)
        self.wide_buttons(self._new, self._copy, self._delete)
        self._name = QLineEdit()
        self._name.textEdited.connect(self.keep)
        self._complaint = self.row(self.tr("&Name"), self._name, " ")
        self._text = QPlainTextEdit()
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(_TEXT_HEIGHT)
        self._text.textChanged.connect(self.keep)
        self._about = self.row(words.text, self._text, " ")

    # What sub-classes say (no ABC: its metaclass and Qt's exclude each other)

    def entries(self) -> Sequence[Entry]:
        """All that there are."""
        raise NotImplementedError

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep these, and no others."""
        raise NotImplementedError

    def changed(self, entry: Entry | None, name: str, text: str | None) -> Entry:
        """An entry (None: a new one) with this name and text; None: the text that it has."""
        raise NotImplementedError

    def text_of(self, entry: Entry) -> str:
        """Its text."""
        raise NotImplementedError

    def usual_name(self) -> str:
        """The name of one that has none yet."""
        raise NotImplementedError

    def problem_of(self, name: str) -> str:
        """Why this cannot be a name, beyond being taken or empty; empty: it can."""
        return ""

    def about(self, entry: Entry) -> str:
        """What else there is to say of one, under its text."""
        return ""

    def icon_of(self, entry: Entry) -> QIcon | None:
        """What stands before its name."""
        return None

    # What a person does

    def fill(self, row: int) -> None:
        """List what there is, and choose one."""
        self._list.blockSignals(True)
        self._list.clear()
        for entry in self.entries():
            item = QListWidgetItem(entry.name, self._list)
            if (icon := self.icon_of(entry)) is not None:
                item.setIcon(icon)
        self._list.setCurrentRow(min(row, self._list.count() - 1))
        self._list.blockSignals(False)
        self._show(self._list.currentRow())

    @Slot()
    def add(self) -> None:
        """Begin another one."""
        self._append(self.changed(None, self._free(self.usual_name()), ""))

    @Slot()
    def duplicate(self) -> None:
        """Begin another one from the chosen one."""
        if (entry := self._chosen()) is not None:
            self._append(self.changed(entry, self._free(entry.name), None))

    @Slot()
    def remove(self) -> None:
        """Delete the chosen one."""
        row, entries = self._list.currentRow(), list(self.entries())
        if 0 <= row < len(entries):
            del entries[row]
            self.put(entries)
            self.fill(max(0, row - (row == len(entries))))
            self._list.setFocus()

    @Slot()
    def keep(self) -> None:
        """Keep what is written, if it can be kept."""
        row, entries = self._list.currentRow(), list(self.entries())
        if not 0 <= row < len(entries):
            return
        name = self._name.text().strip()
        problem = self._problem(name, {entry.name for at, entry in enumerate(entries) if at != row})
        self.say(self._complaint, problem, trouble=True)
        if problem:
            return
        entries[row] = self.changed(entries[row], name, self._text.toPlainText())
        self.put(entries)
        item = self._list.item(row)
        item.setText(name)
        if (icon := self.icon_of(entries[row])) is not None:
            item.setIcon(icon)

    def _append(self, entry: Entry) -> None:
        entries = [*self.entries(), entry]
        self.put(entries)
        self.fill(len(entries) - 1)
        self._name.setFocus()
        self._name.selectAll()

    def _chosen(self) -> Entry | None:
        row, entries = self._list.currentRow(), self.entries()
        return entries[row] if 0 <= row < len(entries) else None

    def _problem(self, name: str, others: set[str]) -> str:
        if not name:
            return self.tr("A name is needed.")
        if name in others:
            return self.tr("Another one has this name.")
        return self.problem_of(name)

    def _free(self, name: str) -> str:
        """This name, or one like it that nothing has."""
        taken = {entry.name for entry in self.entries()}
        likes = (f"{name}-{number}" for number in range(2, len(taken) + 3))
        return name if name not in taken else next(each for each in likes if each not in taken)

    @Slot(int)
    def _show(self, _row: int) -> None:
        entry = self._chosen()
        self._text.blockSignals(True)
        self._name.setText("" if entry is None else entry.name)
        self._text.setPlainText("" if entry is None else self.text_of(entry))
        self._text.blockSignals(False)
        for part in (self._name, self._text, self._copy, self._delete):
            part.setEnabled(entry is not None)
        self.say(self._complaint, "")
        self.say(self._about, "" if entry is None else self.about(entry))

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """List what there is now."""
        self.fill(max(0, self._list.currentRow()))
        super().showEvent(event)


class _List(QListWidget):
    """A list that says why there is nothing in it."""

    def __init__(self, nothing: str) -> None:
        super().__init__()
        self._nothing = nothing
        self.setAccessibleDescription(nothing)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the entries, or the sentence."""
        super().paintEvent(event)
        if self.count():
            return
        painter = QPainter(self.viewport())
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.viewport().rect().adjusted(_MARGIN, 0, -_MARGIN, 0), flags, self._nothing)
        painter.end()
