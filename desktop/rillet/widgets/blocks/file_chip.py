"""A file of a message: its name, its size, and an icon of its kind; a click asks to see what is in it.

Above: ``transcript/attachments``. Below: ``transcript/layout`` asks for the size, ``transcript/stage`` lends it to
tiles. Guarantee: the name is plain text in one line, with invisible characters made visible, and its end, which tells
the kind, is never elided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QAbstractButton

from rillet.core.visible import visible
from rillet.core.wire.attachments import FOLDER_TYPE
from rillet.widgets.blocks.button import small_font
from rillet.widgets.icons import icon
from rillet.widgets.transcript.attachments import FileSection

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QPaintEvent, QTextDocument
    from PySide6.QtWidgets import QWidget

    from rillet.core.types import FilePart
    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

translate = QCoreApplication.translate

_LOWEST = 48
_WIDEST, _SIDE, _GAP, _ICON, _RADIUS = 320, 12, 10, 20, 8
_KILO = 1000


def height(theme: Theme) -> int:
    """Pixels that a chip needs: two lines and the space around them."""
    lines = QFontMetrics(theme.body).height() + QFontMetrics(small_font(theme)).height()
    return max(_LOWEST, lines + _GAP)


def width(section: FileSection, available: int, theme: Theme) -> int:
    """Pixels that the chip needs, at most ``available``."""
    text = max(
        QFontMetrics(theme.body).horizontalAdvance(file_name(section.part)),
        QFontMetrics(small_font(theme)).horizontalAdvance(file_facts(section.part)),
    )
    return min(available, _WIDEST, text + 2 * _SIDE + _ICON + _GAP + 2)


class FileChip(QAbstractButton):
    """One file.

    Signals:
        openRequested(object): The ``FilePart`` is to be seen.
    """

    text_view: ClassVar[TextView | None] = None
    openRequested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self._theme: Theme | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._open)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.update()

    def bind(self, _entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Show the file of ``tile``."""
        self.tile = tile
        section = _section(tile)
        name = self.tr("File {name}, {facts}").format(name=file_name(section.part), facts=file_facts(section.part))
        self.setAccessibleName(name)
        self.update()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None

    @Slot()
    def _open(self) -> None:
        if self.tile is not None:
            self.openRequested.emit(_section(self.tile).part)

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens it, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the chip."""
        if self.tile is None or self._theme is None:
            return
        section, tokens = _section(self.tile), self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = 2 if self.hasFocus() else 1
        painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.border), line))
        painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.surface))
        inset = line / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)
        mark = icon(_icon_of(section), QColor(tokens.accent), size=_ICON)
        pixmap = mark.pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF())
        painter.drawPixmap(_SIDE, (self.height() - _ICON) // 2, pixmap)
        half = self.height() // 2
        left = _SIDE + _ICON + _GAP
        room = self.width() - left - _SIDE
        painter.setFont(self._theme.body)
        painter.setPen(QColor(tokens.text))
        shown = painter.fontMetrics().elidedText(file_name(section.part), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRect(left, 4, room, half - 2), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(small_font(self._theme))
        painter.setPen(QColor(tokens.muted))
        painter.drawText(QRect(left, half, room, half - 5), Qt.AlignmentFlag.AlignVCenter, file_facts(section.part))
        painter.end()


def file_name(part: FilePart) -> str:
    """The name of the file in one line, without folders; what it is when it has none."""
    name = (part.name or "").replace("\\", "/").rsplit("/", 1)[-1]
    return visible(" ".join(name.split())) or translate("FileChip", "File")


def file_size(size: int) -> str:
    """``size`` bytes for people, in powers of a thousand as file managers count."""
    if size < _KILO:
        few = translate("FileChip", "1 byte") if size == 1 else translate("FileChip", "{count} bytes")
        return few.format(count=size)
    value, unit = size / _KILO, "kB"
    for larger in ("MB", "GB"):
        if value >= _KILO - 0.5:
            value, unit = value / _KILO, larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def file_facts(part: FilePart) -> str:
    """Of what kind it is, and how large."""
    return f"{_kind(part)} · {file_size(len(part.data))}"


def _kind(part: FilePart) -> str:
    """The kind of file in a word: its ending, or the second half of its type."""
    if part.media_type == FOLDER_TYPE:
        return translate("FileChip", "Folder")
    name = file_name(part)
    ending = name.rsplit(".", 1)[-1] if "." in name.strip(".") else ""
    if ending.isalnum() and len(ending) <= 5:
        return ending.upper()
    kind = part.media_type.partition(";")[0].rpartition("/")[2]
    return visible(kind)[:16].upper() or translate("FileChip", "File").upper()


def _icon_of(section: FileSection) -> str:
    if section.part.media_type == FOLDER_TYPE:
        return "folder"
    match section.part.media_type.partition("/")[0]:
        case "text":
            return "file-text"
        case "audio":
            return "audio"
        case "image" | "video":
            return "image"
        case _:
            return "file"


def _section(tile: Tile) -> FileSection:
    assert isinstance(tile.section, FileSection)
    return tile.section
