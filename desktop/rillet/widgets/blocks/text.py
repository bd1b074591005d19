"""Text on the screen: a read-only view of one small document that never scrolls by itself.

``TextView`` is the base of everything that shows a document; ``TextBlock`` is the block of flowing text. Knows nothing
of messages. Above: ``markdown`` builds documents. Below: ``transcript/stage`` lends blocks to tiles. Guarantees: it
opens nothing by itself (a link is only reported, and only where ``links`` allows it), loads nothing, and what it gives
to the clipboard is plain text, formulas as their source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, QSignalBlocker, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QColor, QKeySequence, QPainter, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QFrame, QMenu, QTextBrowser, QTextEdit

from rillet.widgets.blocks.found import Found
from rillet.widgets.links import IMAGE, allowed
from rillet.widgets.markdown.document import nothing
from rillet.widgets.markdown.lines import block_rect, offset_under
from rillet.widgets.markdown.math import SOURCE, text_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QImage, QKeyEvent, QPaintEvent, QShowEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.blocks.found import Span
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

_QUOTE = QTextFormat.Property.BlockQuoteLevel
_QUOTE_BAR = 3
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


class TextView(QTextBrowser):
    """A document, selectable, with working links. As high as it is told to be; the wheel belongs to its parent.

    Attributes:
        found: What is marked as found in the document.

    Signals:
        linkActivated(QUrl): A link was clicked, or Return was pressed on it; http, https or mailto.
        imageRequested(QUrl): The same with the placeholder of a picture from the net; http or https.
        linkShown(str, bool): The mouse or (True) the keyboard came to a link; its address, or "" when it left.
        copyMessageRequested(): The context menu asks for the whole message.
        menuOpening(object): The context menu is about to open; whoever owns the selection adds to it.
    """

    linkActivated = Signal(QUrl)
    imageRequested = Signal(QUrl)
    linkShown = Signal(str, bool)
    copyMessageRequested = Signal()
    menuOpening = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, wrap: bool = True) -> None:
        super().__init__(parent)
        self._blank = QTextDocument(self)
        self._wrap = wrap
        self._bar_colour = QColor(Qt.GlobalColor.gray)
        self._quotes = False
        self._link = ""
        self.found = Found()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLineWrapMode(QTextEdit.LineWrapMode.WidgetWidth if wrap else QTextEdit.LineWrapMode.NoWrap)
        self.setOpenLinks(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.viewport().setAutoFillBackground(False)
        self.anchorClicked.connect(self._activate)
        self.highlighted.connect(self._hover)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of quote bars and hits; all others come from the palette and the document."""
        self.found.set_tokens(theme.tokens)
        self._bar_colour = QColor(theme.tokens.border)
        self.viewport().update()

    def show_document(self, document: QTextDocument | None) -> None:
        """Show ``document``, which stays its owner's; None lets go of the one shown."""
        shown = document or self._blank
        if self.document() is not shown:
            self.setExtraSelections([])
            self.mark_found((), None)
            self._show_link("", by_keyboard=False)
            self.setDocument(shown)
        self.look()

    def look(self) -> None:
        """Look what is in the document: with links it takes part in the tab order, with quotes it has bars to draw."""
        formats = self.document().allFormats()
        links = any(style.isCharFormat() and style.toCharFormat().isAnchor() for style in formats)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        self._quotes = any(style.hasProperty(_QUOTE) for style in formats)
        formulas = any(style.hasProperty(SOURCE) for style in formats)
        end = self.document().characterCount() - 1
        self.setAccessibleDescription(text_between(self.document(), 0, end) if formulas else "")

    def mark_found(self, spans: Sequence[Span], current: Span | None) -> None:
        """Mark these places of the document as found, and ``current`` as the one that one has come to."""
        if (spans, current) != (self.found.spans, self.found.current):
            self.found.spans, self.found.current = spans, current
            self.viewport().update()

    def offset_under(self, place: QPoint) -> int:
        """The place in the text (UTF-16 units) that is nearest to ``place`` in the viewport."""
        return offset_under(self.document(), QPointF(place + QPoint(self.horizontalScrollBar().value(), 0)))

    def menu_at(self, place: QPoint) -> QMenu:
        """Qt's own menu (copy, copy link, select all), and copying the message."""
        # None where Qt has nothing to offer: there is no link, and the selection is not its own.
        made = cast(
            "QMenu | None", self.createStandardContextMenu(place + QPoint(self.horizontalScrollBar().value(), 0))
        )
        menu = made or QMenu(self)
        if self.anchorAt(place).startswith(IMAGE):
            menu.removeAction(next(action for action in menu.actions() if action.objectName() == "link-copy"))
        self.menuOpening.emit(menu)
        menu.addSeparator()
        self.extend_menu(menu)
        action = QAction(self.tr("Copy message"), menu)
        action.triggered.connect(self.copyMessageRequested)
        menu.addAction(action)
        return menu

    @Slot(QUrl)
    def _activate(self, url: QUrl) -> None:
        address = url.toString(_ENCODED)
        if not allowed(address.removeprefix(IMAGE)):
            return
        if address.startswith(IMAGE):
            self.imageRequested.emit(QUrl(address.removeprefix(IMAGE)))
        else:
            self.linkActivated.emit(url)

    @Slot(QUrl)
    def _hover(self, url: QUrl) -> None:
        self._show_link(url.toString(_ENCODED), by_keyboard=False)

    def _show_link(self, address: str, *, by_keyboard: bool) -> None:
        if address != self._link:
            self._link = address
            self.linkShown.emit(address, by_keyboard)

    def _focused_link(self) -> str:
        """The address of the link that the keyboard is on."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return ""
        cursor.setPosition(cursor.selectionStart() + 1)
        return QUrl(cursor.charFormat().anchorHref()).toString(_ENCODED)

    # Qt overrides

    def createMimeDataFromSelection(self) -> QMimeData:
        """Plain text: formats carry this window's colours, which are of no use elsewhere."""
        data = QMimeData()
        cursor = self.textCursor()
        data.setText(text_between(self.document(), cursor.selectionStart(), cursor.selectionEnd()))
        return data

    def extend_menu(self, menu: QMenu) -> None:
        """Add what is special to the kind of text, between Qt's own actions and those for the message."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done here."""
        menu = self.menu_at(event.pos())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def loadResource(self, kind: int, _name: QUrl | str) -> QImage | str:
        """Nothing. (A ``SafeDocument`` does not even ask.)"""
        return nothing(kind)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go to the next link, and out behind the last one."""
        stays = super().focusNextPrevChild(forward)
        self._show_link(self._focused_link() if stays else "", by_keyboard=True)
        return stays

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin with the first link, or the last: without it one would not see where the keyboard is."""
        super().focusInEvent(event)
        forward = event.reason() == Qt.FocusReason.TabFocusReason
        if forward or event.reason() == Qt.FocusReason.BacktabFocusReason:
            self.moveCursor(QTextCursor.MoveOperation.Start if forward else QTextCursor.MoveOperation.End)
            self.focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keyboard is on no link any more."""
        super().focusOutEvent(event)
        self._show_link("", by_keyboard=True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep the keys of selection, copying and links; scrolling is the transcript's."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        ours = event.matches(QKeySequence.StandardKey.Copy) or event.matches(QKeySequence.StandardKey.SelectAll)
        if ours or shift or event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def showEvent(self, event: QShowEvent) -> None:
        """Stay where it is scrolled to: a text edit shows its cursor when it is seen for the first time."""
        bar = self.horizontalScrollBar()
        x = bar.value()
        with QSignalBlocker(bar):
            super().showEvent(event)
            bar.setValue(x)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, what was found in it, and a bar beside each level of a quote."""
        super().paintEvent(event)
        if not self._quotes and not self.found:
            return
        painter = QPainter(self.viewport())
        if self._quotes:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._bar_colour)
            self._draw_quote_bars(painter)
        if self.found:
            x = self.horizontalScrollBar().value()
            painter.translate(-x, 0)
            self.found.draw(painter, self.document(), self.palette(), QRectF(event.rect().translated(x, 0)))
        painter.end()

    def _draw_quote_bars(self, painter: QPainter) -> None:
        """One bar for each level, through all of its neighbouring blocks and the space between them.

        It stands where reading begins: on the right of Hebrew and Arabic.
        """
        document = self.document()
        indent, edge = document.indentWidth(), document.rootFrame().frameFormat().leftMargin()
        block = document.begin()
        above: list[tuple[bool, float]] = []
        while block.isValid():
            level = block.blockFormat().intProperty(_QUOTE)
            backwards = block.textDirection() is Qt.LayoutDirection.RightToLeft
            rect = block_rect(document, block) if level else QRectF()
            frame = QTextCursor(block).currentFrame() if level else None
            if frame is not None and frame is not document.rootFrame():
                rect |= document.documentLayout().frameBoundingRect(frame)  # code, with the space around it
            for depth in range(level):
                joins = depth < len(above) and above[depth][0] == backwards
                top = above[depth][1] if joins else rect.top()
                left = edge + indent * depth + 2
                x = document.textWidth() - left - _QUOTE_BAR if backwards else left
                painter.drawRect(QRectF(x, top, _QUOTE_BAR, rect.bottom() - top))
            above = [(backwards, rect.bottom())] * level
            block = block.next()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways over text that does not wrap; everything else goes to the transcript."""
        delta = event.angleDelta() if event.pixelDelta().isNull() else event.pixelDelta()
        sideways, vertical = delta.x(), delta.y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not sideways:
            sideways, vertical = vertical, 0
        bar = self.horizontalScrollBar()
        if self._wrap or bar.maximum() == 0 or abs(sideways) <= abs(vertical):
            event.ignore()
        else:
            bar.setValue(bar.value() - sideways)
            event.accept()


class TextBlock(TextView):
    """Flowing text of an answer, or a person's text inside its bubble (which the message's frame paints)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None

    @property
    def text_view(self) -> TextView:
        """The view that shows the document."""
        return self

    def bind(self, _entry: Entry, tile: Tile, document: QTextDocument | None) -> None:
        """Show ``tile``."""
        self.tile = tile
        self.show_document(document)

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self.show_document(None)
