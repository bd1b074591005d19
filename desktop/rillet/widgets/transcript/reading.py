"""What a reader does with a transcript besides scrolling it: select, copy and find.

Above: ``selecting``, ``copying``, ``finder``, ``marks``. Below: ``view`` owns one and passes keys to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QClipboard, QGuiApplication

from rillet.widgets.transcript.copying import Copied, pieces_in, pieces_of
from rillet.widgets.transcript.finder import Finder
from rillet.widgets.transcript.marks import Marks
from rillet.widgets.transcript.selecting import Selector

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.model import Entry
    from rillet.widgets.transcript.stage import Stage
    from rillet.widgets.transcript.view import Transcript


class Reading(QObject):
    """Selection, clipboard and search of one transcript.

    Attributes:
        marks: What is coloured in the text that is in sight.
        selector: What is selected.
        finder: What was looked for.
    """

    def __init__(self, view: Transcript, documents: Documents, stage: Stage, theme: Theme) -> None:
        super().__init__(view)
        self._documents = documents
        self.marks = Marks(stage, theme)
        self.selector = Selector(view, documents, stage, self.marks)
        self.selector.copyRequested.connect(self.copy)
        self.selector.finished.connect(self._offer)
        self.finder = Finder(view, documents, self.marks)

    @property
    def _view(self) -> Transcript:
        """What this is of; not kept, or both would outlive the widget in a cycle."""
        return cast("Transcript", self.parent())

    def truncate(self, count: int) -> None:
        """Only the first ``count`` entries are left."""
        self.selector.truncate(count)
        self.finder.recount()

    @Slot()
    def copy(self) -> None:
        """Put what is selected on the clipboard, as plain text, Markdown and HTML."""
        selection = self.selector.selection
        if selection is not None:
            pieces = pieces_in(selection, self._view.entries, self._documents)
            QGuiApplication.clipboard().setMimeData(Copied(pieces))

    @Slot(object)
    def copy_entry(self, entry: Entry) -> None:
        """Put a message on the clipboard."""
        QGuiApplication.clipboard().setMimeData(Copied(pieces_of([entry])))

    def copy_all(self) -> None:
        """Put the whole conversation on the clipboard."""
        QGuiApplication.clipboard().setMimeData(Copied(pieces_of(self._view.entries)))

    @Slot()
    def _offer(self) -> None:
        """What was dragged over can be pasted with the middle button, where there is such a thing."""
        clipboard, selection = QGuiApplication.clipboard(), self.selector.selection
        if clipboard.supportsSelection() and selection is not None:
            pieces = pieces_in(selection, self._view.entries, self._documents)
            clipboard.setMimeData(Copied(pieces), QClipboard.Mode.Selection)
