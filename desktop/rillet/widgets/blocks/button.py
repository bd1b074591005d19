"""Our push button: flat, with an icon of ours, a hover shade and a focus ring.

Painted here rather than by a style sheet, because a sheet on one widget makes Qt restyle all of its children. Above:
``icons``, ``theme``. Below: blocks, the composer, the transcript's jump button.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton

from rillet.widgets.icons import icon
from rillet.widgets.plain import tool_tip

if TYPE_CHECKING:
    from PySide6.QtCore import QRect
    from PySide6.QtGui import QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme

Look: TypeAlias = Literal["flat", "outlined", "filled", "floating"]

PADDING = 10
"""Space left and right of a button's contents, when it has text."""
_ROUND_PADDING = 16
_NARROWEST = 96
"""The least width of a button with text."""
_ICON, _GAP, _RING, _LOWEST = 16, 6, 2, 28


def small_font(theme: Theme) -> QFont:
    """The font of buttons and labels that step back."""
    font = QFont(theme.body)
    font.setPointSizeF(theme.body.pointSizeF() * 0.87)
    return font


def size_with(icon_name: str, text: str, theme: Theme) -> QSize:
    """What a button with this icon and text measures, for those who have to know before there is one."""
    return _size(_ICON if icon_name else 0, text, QFontMetrics(small_font(theme)), PADDING)


def button_row(*buttons: Button) -> QHBoxLayout:
    """Buttons beside each other, at the left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row


class Button(QToolButton):
    """A button with an icon, a text, or both.

    Looks: flat (only its contents until the mouse is over it), outlined (a border), filled (the accent colour),
    floating (outlined, on an opaque ground). ``round_ends`` makes the ends half circles; ``icon_last`` puts the icon
    behind the text, as a sign that a menu opens.
    """

    def __init__(
        self,
        icon_name: str,
        text: str = "",
        description: str = "",
        parent: QWidget | None = None,
        *,
        look: Look = "flat",
        icon_size: int = _ICON,
        round_ends: bool = False,
        icon_last: bool = False,
    ) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
        self._icon_name = icon_name
        self._look = look
        self._round = round_ends
        self._icon_last = icon_last
        self.setIconSize(QSize(icon_size, icon_size))
        self.setText(text)
        self.describe(description or text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def describe(self, description: str) -> None:
        """Say what the button does, to a screen reader and in a tool tip where there is no text."""
        self.setAccessibleName(description)
        self.setToolTip("" if self.text() else tool_tip(description))

    def set_icon(self, name: str) -> None:
        """Show another icon."""
        if name != self._icon_name:
            self._icon_name = name
            self._tint()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and font."""
        self._theme = theme
        self.setFont(small_font(theme))
        self._tint()

    def _tint(self) -> None:
        if self._theme is not None and self._icon_name:
            self.setIcon(icon(self._icon_name, self._ink(), size=self.iconSize().width()))
        self.update()

    def _ink(self) -> QColor:
        assert self._theme is not None
        tokens = self._theme.tokens
        if not self.isEnabled():
            return QColor(tokens.disabled)
        return QColor({"filled": tokens.on_accent, "flat": tokens.muted}.get(self._look, tokens.text))

    def _ground(self) -> QColor:
        assert self._theme is not None
        tokens = self._theme.tokens
        filled = self._look == "filled"
        if not self.isEnabled():
            return QColor(tokens.pressed) if filled else QColor(0, 0, 0, 0)
        if self.isDown():
            return QColor(tokens.accent_pressed if filled else tokens.pressed)
        if self.underMouse():
            return QColor(tokens.accent_hover if filled else tokens.hover)
        return QColor(tokens.accent) if filled else QColor(0, 0, 0, 0)

    def _contents(self) -> tuple[int, int]:
        """Widths of icon and text."""
        mark = self.iconSize().width() if self._icon_name else 0
        return mark, self.fontMetrics().horizontalAdvance(self.text()) if self.text() else 0

    @property
    def _padding(self) -> int:
        return _ROUND_PADDING if self._round else PADDING

    # Qt overrides

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icon anew when the button is switched on or off."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._tint()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click is one click: the second half would press what the first half has put in its place."""
        event.accept()

    def sizeHint(self) -> QSize:
        """As small as contents and padding allow."""
        mark, _ = self._contents()
        return _size(mark, self.text(), self.fontMetrics(), self._padding)

    def minimumSizeHint(self) -> QSize:
        """An icon is never clipped; a long text gives way and is elided."""
        full = self.sizeHint()
        return QSize(min(full.width(), _NARROWEST), full.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground, border, focus ring, icon and text."""
        if self._theme is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = box.height() / 2 if self._round else 6.0
        bordered = self._look in ("outlined", "floating")
        stands_out = self._look == "outlined" and not self._round and self.isEnabled()
        edge = QColor(tokens.outline if stands_out else tokens.border)
        painter.setPen(QPen(edge, 1) if bordered else Qt.PenStyle.NoPen)
        if self._look == "floating":
            painter.setBrush(QColor(tokens.surface))
            painter.drawRoundedRect(box, radius, radius)
        painter.setBrush(self._ground())
        painter.drawRoundedRect(box, radius, radius)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.text if self._look == "filled" else tokens.accent), _RING))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), max(0.0, radius - 1), max(0.0, radius - 1))
        self._draw_contents(painter, self.rect())
        painter.end()

    def _draw_contents(self, painter: QPainter, area: QRect) -> None:
        mark, text = self._contents()
        gap = _GAP if mark and text else 0
        shown = self.text()
        if (room := max(0, area.width() - 2 * self._padding - mark - gap)) < text:
            # Names of models differ at their ends.
            mode = Qt.TextElideMode.ElideMiddle if self._icon_last else Qt.TextElideMode.ElideRight
            shown, text = self.fontMetrics().elidedText(shown, mode, room), room
        left = area.x() + (area.width() - mark - text - gap) // 2
        mark_at, text_at = (left + text + gap, left) if self._icon_last else (left, left + mark + gap)
        if mark:
            y = area.y() + (area.height() - self.iconSize().height()) // 2
            painter.drawPixmap(mark_at, y, self.icon().pixmap(self.iconSize(), self.devicePixelRatioF()))
        if text:
            painter.setPen(self._ink())
            painter.drawText(area.adjusted(text_at - area.x(), 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, shown)


def _size(mark: int, text: str, metrics: QFontMetrics, padding: int) -> QSize:
    height = max(_LOWEST, metrics.height() + 10)
    if not text:
        return QSize(height, height)
    return QSize(mark + (_GAP if mark else 0) + metrics.horizontalAdvance(text) + 2 * padding, height)
