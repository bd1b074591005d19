"""What the model picker opens: a search over everything that can be chosen, and the ways to more.

Above: ``offer_list``, ``overlay``, ``services``. Below: ``picker``. Guarantees: the search has the keyboard, and from
there everything can be done (arrows, Return, Ctrl+D for favourites); the lists are loaded while it is open, without
blocking it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout

from rillet.app.models.offer_list import ROW, OfferList
from rillet.app.models.offers import Offer, rows
from rillet.app.overlay import Overlay
from rillet.widgets.blocks.button import Button
from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Choice, Services
    from rillet.widgets.theme.palette import Theme

WIDTH: Final = 420
LEAST: Final = 230
HIGHEST: Final = 460
_STEPS: Final = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 6, Qt.Key.Key_PageUp: -6}


class ModelPopover(Overlay):
    """Closes when something was chosen.

    Signals:
        chosen(object): The ``Offer`` that was chosen.
        addressWanted(): The address of a server is to be added.
        providersWanted(): Keys and providers are to be set up.
    """

    chosen = Signal(object)
    addressWanted = Signal()
    providersWanted = Signal()

    def __init__(self, services: Services, choice: Choice, theme: Theme, button: QWidget) -> None:
        super().__init__(button, theme, QSize(WIDTH, HIGHEST))
        self._services = services
        self.card.setAccessibleName(self.tr("Choose a model"))
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search models, or type the name of one"))
        self._search.setAccessibleName(self.tr("Search models"))
        glass = icon("search", QColor(theme.tokens.muted), size=16)
        self._search.addAction(glass, QLineEdit.ActionPosition.LeadingPosition)
        self._search.setToolTip(self.tr("Return chooses, Ctrl+D marks a favourite"))
        self._search.textChanged.connect(self.search)
        self._search.installEventFilter(self)
        self._list = OfferList(theme)
        self._list.setAccessibleName(self.tr("Models"))
        self._list.offers.chosen = choice
        self._list.clicked.connect(self.choose)
        self._list.starred.connect(self.star)
        address = Button("plus", self.tr("Add an address…"))
        address.clicked.connect(self._leave_for_address)
        providers = Button("settings", self.tr("Providers…"), self.tr("Set up providers and keys"))
        providers.clicked.connect(self._leave_for_providers)
        foot = QHBoxLayout()
        foot.setSpacing(4)
        for way in (address, providers):
            way.set_theme(theme)
            foot.addWidget(way)
        foot.addStretch(1)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(9, 9, 9, 9)
        column.setSpacing(8)
        column.addWidget(self._search)
        column.addWidget(self._list, 1)
        column.addLayout(foot)
        services.catalogue.changed.connect(self.refresh)
        services.catalogue.refresh()
        self.refresh()
        if not any(map(services.catalogue.is_loading, services.providers)):
            self.want_height(self._fitting_height())
        self.open(self._search)

    @Slot()
    def refresh(self) -> None:
        """Show what is known now; what is highlighted stays so."""
        self._list.show_rows(rows(self._services, self._search.text()), keep=True)

    @Slot(str)
    def search(self, text: str) -> None:
        """Show what fits."""
        self._list.show_rows(rows(self._services, text), keep=False)

    @Slot(QModelIndex)
    def choose(self, index: QModelIndex) -> None:
        """Take what was clicked."""
        self._take(index.data(ROW))

    @Slot(object)
    def star(self, offer: Offer) -> None:
        """Make it a favourite, or none any more."""
        self._services.catalogue.set_favourite(offer.name, favourite=not offer.is_favourite)

    def _fitting_height(self) -> int:
        """Pixels of the card with all that is listed, within limits: it does not change while somebody looks at it."""
        beside = self.card.sizeHint().height() - self._list.sizeHint().height()
        return max(LEAST, min(HIGHEST, beside + self._list.height_of_rows(HIGHEST)))

    def _take(self, row: object) -> None:
        if isinstance(row, Offer):
            self.close()
            self.chosen.emit(row)

    @Slot()
    def _leave_for_address(self) -> None:
        self.close()
        self.addressWanted.emit()

    @Slot()
    def _leave_for_providers(self) -> None:
        self.close()
        self.providersWanted.emit()

    # Qt overrides

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move through the list while the search has the keyboard."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and self._press(event):
            return True
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> bool:
        key, offer = Qt.Key(event.key()), self._list.highlighted
        if key in _STEPS:
            self._list.step(_STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(offer)
        elif key is Qt.Key.Key_D and event.modifiers() == Qt.KeyboardModifier.ControlModifier and offer is not None:
            self.star(offer)
        else:
            return False
        return True
