"""The page of keys: every action of the window, its keys, and others for it.

Above: ``actions``. Guarantees: what takes keys from another action says so before it does; everything goes back to how
it was at first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHeaderView, QKeySequenceEdit, QTreeWidget, QTreeWidgetItem

from rillet.app.settings.page import Page
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.actions import Action, Actions
    from rillet.widgets.theme.palette import Theme

LIST_HEIGHT: Final = 320
PADDING: Final = 5
"""Pixels above and below the text of a row."""
_ID: Final = Qt.ItemDataRole.UserRole
_PORTABLE: Final = QKeySequence.SequenceFormat.PortableText
_NATIVE: Final = QKeySequence.SequenceFormat.NativeText


class ShortcutsPage(Page):
    """A table, and the keys of the chosen action under it."""

    def __init__(self, actions: Actions, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._actions = actions
        self.section(self.tr("Shortcuts"), self.tr("Choose an action, then press the keys that it is to have."))
        self._table = QTreeWidget()
        self._table.setAccessibleName(self.tr("Actions and their keys"))
        self._table.setHeaderLabels([self.tr("Action"), self.tr("Keys")])
        self._table.setRootIsDecorated(False)
        self._table.setUniformRowHeights(True)
        self._table.setFixedHeight(LIST_HEIGHT)
        self._table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._table.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._table.currentItemChanged.connect(self.showAction)
        self.wide(self._table)
        self._keys = QKeySequenceEdit()
        self._keys.setMaximumSequenceLength(1)
        self._keys.setClearButtonEnabled(True)
        self._keys.keySequenceChanged.connect(self.noteConflict)
        self._note = self.row(self.tr("&New keys"), self._keys)
        self._use = Button("", self.tr("Use these"), look="filled")
        self._use.clicked.connect(self.use)
        self._default = Button("", self.tr("As at first"), look="outlined")
        self._default.clicked.connect(self.restoreDefault)
        self._all = Button("", self.tr("All as at first"), look="outlined")
        self._all.clicked.connect(self.restoreAll)
        self.buttons(self._use, self._default, self._all)
        actions.changed.connect(self.fill)
        self.fill()

    @Slot()
    def fill(self) -> None:
        """List what there is now."""
        current = self._action()
        self._table.blockSignals(True)
        self._table.clear()
        for action in self._actions:
            item = QTreeWidgetItem([action.label, self._actions.keys(action.id).toString(_NATIVE)])
            item.setData(0, _ID, action.id)
            item.setSizeHint(0, QSize(0, self.fontMetrics().height() + 2 * PADDING))
            self._table.addTopLevelItem(item)
            if current is None or action.id == current.id:
                self._table.setCurrentItem(item)
                current = action
        self._table.blockSignals(False)
        self._all.setEnabled(bool(self._actions.bound))
        self.showAction()

    @Slot()
    def showAction(self) -> None:
        """Show the keys of the action that was chosen."""
        action = self._action()
        self._keys.setKeySequence(QKeySequence() if action is None else self._actions.keys(action.id))
        self._default.setEnabled(action is not None and action.id in self._actions.bound)
        self.noteConflict()

    @Slot()
    def noteConflict(self) -> None:
        """Say whose keys these are."""
        action, holder = self._action(), self._actions.holder(self._entered)
        taken = holder is not None and action is not None and holder.id != action.id
        asks = self.tr("“{action}” has these keys now, and would have none.")
        self.say(self._note, asks.format(action=holder.label) if holder is not None and taken else "")
        held = "" if action is None else self._actions.keys(action.id).toString(_PORTABLE)
        self._use.setEnabled(action is not None and self._entered != held)

    @Slot()
    def use(self) -> None:
        """Give the chosen action the keys that were pressed; none, where the field is empty."""
        if (action := self._action()) is not None:
            self._actions.bind(action.id, self._entered)

    @Slot()
    def restoreDefault(self) -> None:
        """Give the chosen action the keys that it had at first."""
        if (action := self._action()) is not None:
            self._actions.bind(action.id, None)

    @Slot()
    def restoreAll(self) -> None:
        """Give every action the keys that it had at first."""
        self._actions.reset()

    @property
    def _entered(self) -> str:
        return self._keys.keySequence().toString(_PORTABLE)

    def _action(self) -> Action | None:
        item = self._table.currentItem()
        if item is None:
            return None
        return next((each for each in self._actions if each.id == item.data(0, _ID)), None)
