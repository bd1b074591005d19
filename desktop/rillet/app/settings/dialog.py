"""The settings window: a list of pages with a search at the left, the page at the right.

Knows no page: ``pages`` lists them. Above: ``page``. Below: ``window`` opens it. Guarantees: what is set holds at
once, so there is nothing to confirm; everything can be reached by keyboard; a page is built when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from rillet.app.settings.pages import entries
from rillet.app.settings.sheet import settings_style_sheet
from rillet.app.sizes import resize_to_fit
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from rillet.app.settings.page import Context, Page
    from rillet.widgets.theme.palette import Theme

SIDE: Final = 208


class SettingsDialog(QDialog):
    """Not modal: what is changed can be watched in the window behind."""

    def __init__(self, context: Context, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._theme = theme
        self._entries = entries(context)
        self._pages: dict[str, Page] = {}
        self._dressed: set[Page] = set()
        self.setWindowTitle(self.tr("Settings"))
        self.setMinimumSize(760, 400)  # (the pages fit; on a smaller screen they scroll sideways)
        resize_to_fit(self, QSize(900, 640))
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search settings"))
        self._search.setAccessibleName(self.tr("Search settings"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self.search)
        self._search.returnPressed.connect(self.goToFound)
        self._search.installEventFilter(self)
        self._list = QListWidget()
        self._list.setObjectName("pages")
        self._list.setAccessibleName(self.tr("Pages"))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        for entry in self._entries:
            self._list.addItem(QListWidgetItem(entry.title))
        self._list.currentRowChanged.connect(self._show)
        self._stack = QStackedWidget()
        self._builder = QTimer(self, singleShot=True, interval=0)
        self._builder.timeout.connect(self.buildNext)
        side = self._side = QWidget()
        side.setFixedWidth(SIDE)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 16, 12, 12)
        column.setSpacing(12)
        column.addWidget(self._search)
        column.addWidget(self._list, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self._stack, 1)
        find = QAction(self)
        find.setShortcut(Qt.Modifier.CTRL | Qt.Key.Key_F)
        find.triggered.connect(self._search.setFocus)
        self.addAction(find)
        self._glass = QAction(self)
        self._search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.set_theme(theme)
        self._list.setCurrentRow(0)
        self._list.setFocus()

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return self._built(self._list.currentRow())

    def open_page(self, page_id: str) -> None:
        """Show the page with this id; an unknown one changes nothing."""
        for row, entry in enumerate(self._entries):
            if entry.id == page_id:
                self._search.clear()
                self._list.setCurrentRow(row)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        # Each part has the sheet for itself: pages that are not shown get theirs when they are.
        self._side.setStyleSheet(settings_style_sheet(theme.tokens))
        self._list.ensurePolished()
        self._list.doItemsLayout()  # (rows that were measured before keep their height otherwise)
        self._glass.setIcon(icon("search", QColor(theme.tokens.muted), size=16))
        self._dressed.clear()
        if (page := self._stack.currentWidget()) is not None:
            self._dress(cast("Page", page))

    @Slot(str)
    def search(self, text: str) -> None:
        """List the pages that say what is looked for, and show the first; those that are not built yet follow."""
        words = text.casefold().split()
        matches = []
        for row in range(len(self._entries)):
            found = not words or self._found(row, words) is not None
            self._list.item(row).setHidden(not found)
            if found:
                matches.append(row)
        if matches and self._list.currentRow() not in matches:
            self._list.setCurrentRow(matches[0])
        if words and len(self._pages) < len(self._entries):
            self._builder.start()

    @Slot()
    def buildNext(self) -> None:
        """Build a page that nobody has looked at yet, and search it: all at once would be felt."""
        row = next((row for row, entry in enumerate(self._entries) if entry.id not in self._pages), None)
        if row is not None:
            self._built(row)
        self.search(self._search.text())

    @Slot()
    def goToFound(self) -> None:
        """Go to what was found on the page that is shown."""
        place = self._found(self._list.currentRow(), self._search.text().casefold().split())
        if self._search.text().strip() and place is not None:
            self.page.reveal(place)

    @Slot(int)
    def _show(self, row: int) -> None:
        if row >= 0:
            page = self._built(row)
            self._dress(page)
            self._stack.setCurrentWidget(page)

    def _found(self, row: int, words: list[str]) -> QWidget | None:
        title = self._entries[row].title.casefold()
        page = self._pages.get(self._entries[row].id)
        if page is None:
            return self._list if all(word in title for word in words) else None
        return page if all(word in title for word in words) else page.seek(words)

    def _built(self, row: int) -> Page:
        entry = self._entries[row]
        page = self._pages.get(entry.id)
        if page is None:
            page = self._pages[entry.id] = entry.make(self._context, self._theme)
            page.setAccessibleName(entry.title)
            self._stack.addWidget(page)
        return page

    def _dress(self, page: Page) -> None:
        """Give a page the colours and fonts of now."""
        if page not in self._dressed:
            self._dressed.add(page)
            page.setStyleSheet(settings_style_sheet(self._theme.tokens))
            page.set_theme(self._theme)

    # Qt overrides

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search the arrow down leads into the list."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Down:
            self._list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape empties the search first. Return belongs to the fields: there is nothing to confirm."""
        if event.key() == Qt.Key.Key_Escape and self._search.text():
            self._search.clear()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground of the list, and its edge."""
        painter = QPainter(self)
        painter.fillRect(0, 0, SIDE, self.height(), QColor(self._theme.tokens.sidebar))
        painter.fillRect(SIDE - 1, 0, 1, self.height(), QColor(self._theme.tokens.border))
        painter.end()
