"""The list of the model picker: headings, models with what is known about them, and a star for favourites.

Above: ``offers``. Below: ``popover``. Guarantees: what is highlighted stays so while lists arrive; everything that a
row shows is said to a screen reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from rillet.app.models.offers import Heading, Offer
from rillet.widgets.blocks.button import small_font
from rillet.widgets.icons import icon
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Choice
    from rillet.widgets.theme.palette import Theme

ROW: Final = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_PADDING, _RADIUS, _STAR, _CHECK, _LEAST = 10, 8, 16, 16, 28


class OfferModel(QAbstractListModel):
    """The rows of ``offers.rows``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Heading | Offer] = ()
        self.chosen: Choice | None = None

    def show(self, rows: Sequence[Heading | Offer]) -> None:
        """Show these instead."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def is_chosen(self, offer: Offer) -> bool:
        """Whether the next message goes there."""
        chosen = self.chosen
        if chosen is None or chosen.provider.id != offer.provider.id:
            return False
        default = offer.provider.default_model
        return (offer.model or default) == (chosen.model or default)

    # Qt overrides

    def rowCount(self, parent: _Index | None = None) -> int:
        """As many as there are."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row says."""
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._said(row)
            case Qt.ItemDataRole.ToolTipRole if isinstance(row, Offer):
                return tool_tip(row.more)
            case Qt.ItemDataRole.UserRole:
                return row
            case _:
                return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Only models can be chosen."""
        if isinstance(self._rows[index.row()], Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def _said(self, row: Heading | Offer) -> str:
        if isinstance(row, Heading):
            return row.text
        marks = [self.tr("chosen")] * self.is_chosen(row) + [self.tr("favourite")] * row.is_favourite
        return ", ".join(part for part in (row.text, row.provider.label, row.detail, *marks) if part)


class OfferDelegate(QStyledItemDelegate):
    """Draws the rows from tokens."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        tokens = self._tokens = theme.tokens
        self._font = QFont(theme.body)
        self._small = small_font(theme)
        self._star = icon("star", QColor(tokens.muted), size=_STAR)
        self._favourite = icon("star-filled", QColor(tokens.accent), size=_STAR)
        self._check = icon("check", QColor(tokens.accent), size=_CHECK)

    # Qt overrides

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        """One line for headings, two for models of which something is known."""
        row = index.data(ROW)
        small = QFontMetrics(self._small).height()
        if isinstance(row, Heading):
            return QSize(0, small + (8 if row.is_note else 16))
        return QSize(0, max(_LEAST, QFontMetrics(self._font).height() + (small + 2 if row.detail else 0) + 12))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw it."""
        row: Heading | Offer = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            self._draw_heading(painter, option.rect, row)
        else:
            model = index.model()
            assert isinstance(model, OfferModel)
            self._draw_offer(painter, option.rect, option.state, row, chosen=model.is_chosen(row))
        painter.restore()

    def _draw_heading(self, painter: QPainter, area: QRect, row: Heading) -> None:
        painter.setFont(self._small)
        painter.setPen(QColor(self._tokens.muted))
        inner = area.adjusted(_PADDING, 0, -_PADDING, -4)
        shown = QFontMetrics(self._small).elidedText(row.text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, shown)

    def _draw_offer(self, painter: QPainter, area: QRect, state: QStyle.StateFlag, row: Offer, *, chosen: bool) -> None:
        tokens = self._tokens
        highlighted = bool(state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))
        if highlighted:
            selected = bool(state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), _RADIUS, _RADIUS)
        if row.is_favourite or highlighted:
            (self._favourite if row.is_favourite else self._star).paint(painter, _star(area))
        inner = area.adjusted(_PADDING, 6, -_PADDING - _STAR - 8, -6)
        if chosen:
            mark = QRect(inner.right() - _CHECK, area.center().y() - _CHECK // 2, _CHECK, _CHECK)
            self._check.paint(painter, mark)
            inner.setRight(mark.left() - 8)
        name = QFontMetrics(self._font)
        painter.setFont(self._font)
        painter.setPen(QColor(tokens.text))
        top = QRect(inner.left(), inner.top(), inner.width(), name.height() if row.detail else inner.height())
        shown = name.elidedText(row.text, Qt.TextElideMode.ElideMiddle, top.width())
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        if row.detail:
            painter.setFont(self._small)
            painter.setPen(QColor(tokens.muted))
            below = inner.adjusted(0, name.height() + 2, 0, 0)
            shown = QFontMetrics(self._small).elidedText(row.detail, Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class OfferList(QListView):
    """The rows, one of which is highlighted.

    Signals:
        starred(object): The ``Offer`` is to become a favourite, or to be none any more.
    """

    starred = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offers = OfferModel(self)
        self.setModel(self.offers)
        self.setItemDelegate(OfferDelegate(theme, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)

    @property
    def highlighted(self) -> Offer | None:
        """What Return would choose."""
        row = self.currentIndex().data(ROW) if self.currentIndex().isValid() else None
        return row if isinstance(row, Offer) else None

    def show_rows(self, rows: Sequence[Heading | Offer], *, keep: bool) -> None:
        """Show these. ``keep``: stay at what is highlighted, if it is still there; else go to the first one.

        What was only typed gives way to what is listed by now.
        """
        before, place = self.highlighted, self.verticalScrollBar().value()
        self.offers.show(rows)
        offers = [(at, row) for at, row in enumerate(rows) if isinstance(row, Offer)]
        if before is not None and not before.is_listed and offers and offers[0][1].is_listed:
            before, keep = None, False
        same = (at for at, row in offers if keep and before is not None and row.name == before.name)
        chosen = (at for at, row in offers if keep and self.offers.is_chosen(row))
        at = next(same, None)
        if at is not None:
            self.setCurrentIndex(self.offers.index(at))
            self.verticalScrollBar().setValue(place)
        elif offers:
            self.setCurrentIndex(self.offers.index(next(chosen, offers[0][0])))

    def height_of_rows(self, most: int) -> int:
        """Pixels that all rows take; once they take ``most``, the rest is not looked at."""
        height = 0
        for at in range(self.offers.rowCount()):
            if height >= most:
                break
            height += self.sizeHintForRow(at)
        return height

    def step(self, count: int) -> None:
        """Highlight an offer further down, or up; at the ends it stays."""
        places = [at for at in range(self.offers.rowCount()) if isinstance(self.offers.index(at).data(ROW), Offer)]
        if not places:
            return
        now = self.currentIndex().row()
        at = places.index(now) if now in places else -1
        self.setCurrentIndex(self.offers.index(places[max(0, min(len(places) - 1, at + count))]))
        if places[0] == self.currentIndex().row():
            self.scrollToTop()

    # Qt overrides

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on a star is not one on its row."""
        if self._starred_at(event) is None:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the star."""
        offer = self._starred_at(event)
        if offer is None:
            super().mouseReleaseEvent(event)
        else:
            self.starred.emit(offer)

    def _starred_at(self, event: QMouseEvent) -> Offer | None:
        at = event.position().toPoint()
        index = self.indexAt(at)
        row = index.data(ROW) if index.isValid() else None
        return row if isinstance(row, Offer) and _star(self.visualRect(index)).contains(at) else None


def _star(area: QRect) -> QRect:
    return QRect(area.right() - _PADDING - _STAR + 1, area.center().y() - _STAR // 2, _STAR, _STAR)
