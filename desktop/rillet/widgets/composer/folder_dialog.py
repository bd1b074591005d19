"""A preview of a folder: everything in it as a tree, what of it will be sent, how much that is.

Above: ``folder_model``, ``core/attachments/folder_scan`` (which looks, in a process of its own), ``qt/errands``. Below:
``composer`` opens it. Guarantees: nothing is read of a file until the person has chosen; closing it ends the search;
what may hold keys is chosen only by hand.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from rillet.core.attachments.caps import Caps
from rillet.core.attachments.folder import FolderChoice
from rillet.core.attachments.folder_scan import scan
from rillet.core.attachments.problems import Unreadable
from rillet.qt.errands import Errands
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.check_rows import CheckRows
from rillet.widgets.composer.chip import short_number
from rillet.widgets.composer.folder_model import FolderModel
from rillet.widgets.composer.incoming import sentence
from rillet.widgets.composer.limits import size_text

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.theme.tokens import Tokens

_BYTES_PER_TOKEN: Final = 4
_TELL_MS: Final = 60
"""Between two looks at the sums while files are being found."""
_MOST: Final = Caps().text


class FolderDialog(QDialog):
    """One folder.

    Signals:
        chosen(object): These files are to be attached: a ``FolderChoice``.
    """

    chosen = Signal(object)

    def __init__(self, path: Path, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._tokens = theme.tokens
        self._is_looking = True
        self._problem = ""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Attach files of {name}").format(name=path.name or str(path)))
        self.resize(680, 560)
        self.model = FolderModel(self)
        self._sums = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._note = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._note.setFont(small_font(theme))
        self.tree = self._made_tree(theme)
        self._cancel = Button("", self.tr("Cancel"))
        self._cancel.clicked.connect(self.reject)
        self._attach = Button("", self.tr("Attach"), look="filled")
        self._attach.clicked.connect(self.accept)
        for button in (self._cancel, self._attach):
            button.set_theme(theme)
        foot = QHBoxLayout()
        foot.addWidget(self._note, 1)
        foot.addWidget(self._cancel)
        foot.addWidget(self._attach)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        column.addWidget(self._sums)
        column.addWidget(self.tree, 1)
        column.addLayout(foot)
        self._timer = QTimer(self, singleShot=True, interval=_TELL_MS)
        self._timer.timeout.connect(self._tell)
        self.model.ticksChanged.connect(self._tell_soon)
        self._errands = Errands(self, "folder")
        self._errands.follow(partial(scan, str(path)), self.model.add).onResult(self._end)
        self._tell()
        self.tree.setFocus()

    def _made_tree(self, theme: Theme) -> QTreeView:
        tree = QTreeView()
        tree.setModel(self.model)
        tree.setUniformRowHeights(True)
        tree.setHeaderHidden(True)
        tree.setAllColumnsShowFocus(True)
        tree.setAccessibleName(self.tr("Files of the folder"))
        tree.setItemDelegate(_Rows(theme, tree))
        tree.header().setStretchLastSection(False)
        tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        tree.header().resizeSection(1, 34 * QFontMetrics(small_font(theme)).averageCharWidth())
        tree.setStyleSheet(_style_sheet(theme.tokens))
        return tree

    @property
    def is_looking(self) -> bool:
        """Whether there may be more than is shown."""
        return self._is_looking

    @Slot()
    def _tell_soon(self) -> None:
        """Once for many changes while files are being found; at once for what a person does."""
        if not self._is_looking:
            self._tell()
        elif not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _tell(self) -> None:
        ticked, size = self.model.ticked, self.model.size
        words = self.tr("{ticked} of {found} files will be sent: {size}, about {tokens} tokens (an estimate)")
        self._sums.setText(
            words.format(
                ticked=f"{ticked:,}",
                found=f"{self.model.found:,}",
                size=size_text(size),
                tokens=short_number(size // _BYTES_PER_TOKEN),
            )
        )
        is_wrong = True
        if self._problem:
            note = self._problem
        elif size > _MOST:
            note = self.tr("At most {most} go with one attachment: choose fewer.").format(most=size_text(_MOST))
        else:
            is_wrong = False
            note = self.tr("Looking…") if self._is_looking else ""
        self._note.setText(note)
        colours = self._note.palette()
        colours.setColor(self._note.foregroundRole(), QColor(self._tokens.danger if is_wrong else self._tokens.muted))
        self._note.setPalette(colours)
        self._attach.setEnabled(bool(ticked) and size <= _MOST and not self._is_looking)

    def _end(self, _value: None, error: Exception | None) -> None:
        from shiboken6 import isValid

        if not isValid(self):
            return
        self._is_looking = False
        if isinstance(error, Unreadable):
            self._problem = sentence(error)
        self._timer.stop()
        self._tell()

    # Qt overrides

    def accept(self) -> None:
        """Attach what is chosen."""
        self.chosen.emit(FolderChoice(str(self._path), self.model.chosen()))
        super().accept()

    def done(self, result: int) -> None:
        """End the search."""
        self._errands.close()
        super().done(result)


class _Rows(CheckRows):
    """Files and folders."""

    # Qt overrides

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """What there is to say is small and quiet; names keep their ends."""
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        if index.column():
            option.font = small_font(self._theme)
            option.displayAlignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _style_sheet(tokens: Tokens) -> str:
    return f"""
QTreeView {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    outline: none; padding: 4px; }}
QTreeView:focus {{ border: 2px solid {tokens.accent}; padding: 3px; }}
QTreeView::item:selected {{ background: {tokens.accent_soft}; color: {tokens.text}; }}
QTreeView::item:disabled {{ color: {tokens.muted}; }}
"""
