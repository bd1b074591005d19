"""One thing that is attached, seen: a small picture or the suffix, the name, how it stands, and a cross.

Above: ``attachment``, ``thumbnail``, ``blocks.button``. Below: ``chips``. Guarantees: it is removed with Delete or
Backspace and previewed with Enter; every figure of tokens is said to be an estimate.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QAction, QColor, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QMenu, QWidget

from rillet.core.wire.attachments import FOLDER_TYPE
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.composer.attachment import Attachment
from rillet.widgets.composer.limits import size_text
from rillet.widgets.composer.thumbnail import Thumbnail
from rillet.widgets.icons import icon
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from rillet.widgets.composer.chips import ChipRow
    from rillet.widgets.composer.draft import Item
    from rillet.widgets.theme.palette import Theme

LEAST_HEIGHT = 48
_PICTURE, _PAD, _CROSS, _GAP = 36, 6, 22, 8
_LETTERS = 26
_ICON = 20
_REMOVES = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_OPENS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Chip(QWidget):
    """One attachment.

    Attributes:
        item: What is attached, or being read.
    """

    def __init__(self, item: Item, row: ChipRow, *, takes_files: bool, sees: bool = True) -> None:
        super().__init__()
        self.item = item
        self._row = row
        self._takes_files = takes_files
        self._sees = sees
        self._theme: Theme | None = None
        self._thumbnail = self._made_thumbnail()
        if not isinstance(item, Attachment):
            item.progressed.connect(self.refresh)
        self._detail = ""
        self._retry = Button("retry", "", self.tr("Try again"), self, icon_size=12)
        self._retry.setFixedSize(_CROSS, _CROSS)
        self._retry.clicked.connect(self._try_again)
        self._form = Button("chevron-down", "", "", self, icon_size=12, icon_last=True)
        self._form.clicked.connect(self._choose)
        self._cross = Button("cross", "", self.tr("Remove {name}").format(name=item.name), self, icon_size=12)
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._cross.clicked.connect(self._remove)
        for button in (self._retry, self._form, self._cross):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chip itself has the keyboard
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def _made_thumbnail(self) -> Thumbnail | None:
        if not isinstance(self.item, Attachment) or not self.item.is_image:
            return None
        thumbnail = Thumbnail(self.item.data, _PICTURE, self)
        thumbnail.changed.connect(self.update)
        return thumbnail

    @property
    def attachment(self) -> Attachment | None:
        """What will be sent; None as long as it is not read."""
        return self.item if isinstance(self.item, Attachment) else None

    @property
    def problem(self) -> str:
        """Why it cannot be sent, or not be understood; empty: nothing speaks against it."""
        if not isinstance(self.item, Attachment):
            return self.item.problem
        if self.item.needs_eyes and not self._takes_files:
            words = self.tr(
                "{name} has pages but no text, and this model does not take PDF files. "
                "Choose another model, or attach pictures of the pages."
            )
            return words.format(name=self.item.name)
        if self.item.is_image and not self._sees:
            words = self.tr("This model does not look at images. Choose another one, or remove {name}.")
            return words.format(name=self.item.name)
        return ""

    def has_focus(self) -> bool:
        """Whether the keyboard is here."""
        return self.hasFocus() or self._cross.hasFocus()

    def set_abilities(self, takes_files: bool, sees: bool) -> None:
        """Say whether the model takes documents as they are, and looks at images."""
        self._takes_files = takes_files
        self._sees = sees
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.setFont(small_font(theme))
        for button in (self._retry, self._form, self._cross):
            button.set_theme(theme)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Say how it stands now."""
        item = self.item
        self._detail = self._told()
        kind = self.tr("Image {name}, {facts}") if self._is_image else self.tr("File {name}, {facts}")
        self.setAccessibleName(kind.format(name=item.name, facts=self.problem or self._heard()))
        self.setAccessibleDescription(self.tr("Enter shows what will be sent, Delete removes it"))
        self.setToolTip(tool_tip(self.problem or item.name))
        self._retry.setVisible(not isinstance(item, Attachment) and bool(item.problem))
        has_choice = isinstance(item, Attachment) and item.has_choice and self._takes_files
        self._form.setVisible(has_choice)
        if has_choice:
            assert isinstance(item, Attachment)
            text = self.tr("as text") if item.goes_as_text(self._takes_files) else self.tr("as file")
            self._form.setText(text)
            self._form.describe(self.tr("{name} is sent {form}: choose").format(name=item.name, form=text))
        if self._theme is not None:
            self._lay_out()
            self.update()

    @property
    def _is_image(self) -> bool:
        return isinstance(self.item, Attachment) and self.item.is_image

    @property
    def _is_folder(self) -> bool:
        if isinstance(self.item, Attachment):
            return self.item.part.media_type == FOLDER_TYPE
        return self.item.is_folder

    def _told(self) -> str:
        if not isinstance(self.item, Attachment):
            if self.item.problem:
                return self.tr("Cannot be attached")
            if (progress := self.item.progress) is not None:
                return self._page(progress.page, progress.pages)
            return self.tr("Reading…")
        if self.problem:
            return self.tr("Not seen by this model") if self._is_image else self.tr("No text in it")
        size, tokens = self.item.sent_size(self._takes_files), self.item.tokens(self._takes_files)
        words = self.tr("{size} · about {tokens} tokens")
        if self.item.is_cut and self.item.goes_as_text(self._takes_files):
            words = self.tr("a part: {size} · about {tokens} tokens")
        return words.format(size=size_text(size), tokens=short_number(tokens))

    def _page(self, page: int, pages: int) -> str:
        return self.tr("Reading page {page} of {pages}…").format(page=f"{page:,}", pages=f"{pages:,}")

    def _heard(self) -> str:
        """How it stands, for a screen reader, to which not every page is news."""
        if isinstance(self.item, Attachment) or (progress := self.item.progress) is None:
            return self._detail
        return self.tr("Reading, {share}").format(share=f"{progress.page * 10 // progress.pages / 10:.0%}")

    def _lay_out(self) -> None:
        metrics = self.fontMetrics()
        text = max(metrics.horizontalAdvance(self.item.name), metrics.horizontalAdvance(self._detail))
        right = _PAD + _CROSS
        for button in (self._form, self._retry):
            if not button.isHidden():
                right += button.sizeHint().width() + 4 if button is self._form else _CROSS + 4
        self._text_width = min(_LETTERS * metrics.averageCharWidth(), text) + 2
        if not isinstance(self.item, Attachment) and (progress := self.item.progress) is not None:
            longest = self._page(progress.pages, progress.pages)  # (as wide at the first page as at the last)
            self._text_width = max(self._text_width, metrics.horizontalAdvance(longest) + 2)
        self.setFixedSize(_PAD + _PICTURE + _GAP + self._text_width + 4 + right, chip_height(metrics))
        middle = self.height() // 2
        self._cross.move(self.width() - _CROSS - _PAD, middle - _CROSS // 2)
        self._retry.move(self._cross.x() - _CROSS - 4, middle - _CROSS // 2)
        self._form.resize(self._form.sizeHint())
        self._form.move(self._cross.x() - self._form.width() - 4, middle - self._form.height() // 2)

    @Slot()
    def _remove(self) -> None:
        self._row.remove(self)

    @Slot()
    def _try_again(self) -> None:
        self._row.retry(self)

    @Slot()
    def _preview(self) -> None:
        self._row.preview(self)

    def menu(self, *, forms_only: bool = False) -> QMenu:
        """What can be done with it, by its name. Deletes itself once it was closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not self._form.isHidden():
            self._offer_forms(menu)
            menu.addSeparator()
        if forms_only:
            return menu
        if isinstance(self.item, Attachment):
            menu.addAction(self.tr("Show what will be sent")).triggered.connect(self._preview)
        if not self._retry.isHidden():
            menu.addAction(self.tr("Try again")).triggered.connect(self._try_again)
        menu.addAction(self.tr("Remove")).triggered.connect(self._remove)
        return menu

    @Slot()
    def _choose(self) -> None:
        """Offer both forms, each with what it costs."""
        self.menu(forms_only=True).popup(self._form.mapToGlobal(self._form.rect().bottomLeft()))

    def _offer_forms(self, menu: QMenu) -> None:
        item = self.item
        assert isinstance(item, Attachment)
        for as_text, words in (
            (False, self.tr("As a file, with pictures of its pages · about {tokens} tokens")),
            (True, self.tr("As text · about {tokens} tokens")),
        ):
            tokens = item.as_text(as_text).tokens(self._takes_files)
            action = menu.addAction(words.format(tokens=short_number(tokens)))
            action.setCheckable(True)
            action.setChecked(item.goes_as_text(self._takes_files) == as_text)
            action.setData(as_text)
        menu.triggered.connect(self._chosen)

    @Slot(QAction)
    def _chosen(self, action: QAction) -> None:
        as_text = action.data()
        if isinstance(as_text, bool) and isinstance(self.item, Attachment):
            self._row.choose_form(self, as_text)

    # Qt overrides

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer everything that can be done with it."""
        self.menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk along the row, look at this one, or remove it."""
        match event.key():
            case key if key in _REMOVES:
                self._remove()
            case key if key in _OPENS:
                self._preview()
            case Qt.Key.Key_Left:
                self._row.step(self, -1)
            case Qt.Key.Key_Right:
                self._row.step(self, 1)
            case Qt.Key.Key_Escape | Qt.Key.Key_Down:
                self._row.left.emit()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Come into view."""
        super().focusInEvent(event)
        self._row.ensureWidgetVisible(self, 0, 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click shows what will be sent; the middle button removes, as it closes tabs."""
        if not self.rect().contains(event.position().toPoint()):
            return
        if event.button() is Qt.MouseButton.MiddleButton:
            self._remove()
        elif event.button() is Qt.MouseButton.LeftButton:
            self._preview()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card, the picture, the name and how it stands."""
        if self._theme is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2 if self.hasFocus() else 1
        edge = tokens.accent if self.hasFocus() else tokens.danger if self.problem else tokens.border
        painter.setPen(QPen(QColor(edge), width))
        painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.window))
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 8, 8)
        self._draw_picture(painter, QRectF(_PAD, (self.height() - _PICTURE) / 2, _PICTURE, _PICTURE))
        left = _PAD + _PICTURE + _GAP
        metrics, middle = self.fontMetrics(), self.height() / 2
        name = metrics.elidedText(self.item.name, Qt.TextElideMode.ElideMiddle, self._text_width)
        painter.setPen(QColor(tokens.text))
        painter.drawText(QRectF(left, middle - metrics.height(), self._text_width, metrics.height()), 0, name)
        painter.setPen(QColor(tokens.danger if self.problem else tokens.muted))
        detail = metrics.elidedText(self._detail, Qt.TextElideMode.ElideRight, self._text_width)
        painter.drawText(QRectF(left, middle, self._text_width, metrics.height()), 0, detail)
        painter.end()

    def _draw_picture(self, painter: QPainter, box: QRectF) -> None:
        assert self._theme is not None
        path = QPainterPath()
        path.addRoundedRect(box, 6, 6)
        painter.save()
        painter.setClipPath(path)
        painter.fillRect(box, QColor(self._theme.tokens.accent_soft))
        if self._thumbnail is None or self._thumbnail.pixmap.isNull():
            if self._is_folder:
                ink = QColor(self._theme.tokens.text)
                icon("folder", ink, size=_ICON).paint(painter, box.toRect().adjusted(8, 8, -8, -8))
                painter.restore()
                return
            suffix = PurePath(self.item.name).suffix[1:5].upper() or "FILE"
            font = self.font()
            font.setPixelSize(_PICTURE // 3 if len(suffix) < 4 else _PICTURE // 4 + 1)
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(QColor(self._theme.tokens.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, suffix)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            # Fill the square, cutting what is longer on both sides.
            size = self._thumbnail.pixmap.size()
            least = min(size.width(), size.height())
            cut = QRectF((size.width() - least) / 2, (size.height() - least) / 2, least, least)
            painter.drawPixmap(box, self._thumbnail.pixmap, cut)
        painter.restore()


def chip_height(metrics: QFontMetrics) -> int:
    """Two lines and the picture fit into it."""
    return max(LEAST_HEIGHT, 2 * metrics.height() + 2 * _PAD)


def short_number(number: int) -> str:
    """Two digits that count: more would claim more than an estimate knows."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    rounded = round(number / step) * step
    if rounded >= 1_000_000:
        return f"{rounded / 1_000_000:g}M"
    return f"{rounded / 1000:g}k" if rounded >= 10_000 else f"{rounded:,}"
