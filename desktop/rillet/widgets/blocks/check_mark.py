"""A check box as it is drawn: from tokens, because the edge of Qt's own can hardly be seen in the dark.

Above: ``icons``. Below: check boxes and trees. Guarantee: box and mark stand at least 3:1 against their ground, in
every state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen

from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from rillet.widgets.theme.tokens import Tokens

BOX: Final = 16
"""Pixels of its side."""
_MARK: Final = 12


def draw_check_mark(
    painter: QPainter,
    left: float,
    middle: float,
    state: Qt.CheckState,
    tokens: Tokens,
    *,
    enabled: bool,
    hovered: bool = False,
) -> None:
    """Draw a box whose left edge is at ``left`` and whose middle is at the height ``middle``."""
    is_marked = state is not Qt.CheckState.Unchecked
    edge = tokens.accent if is_marked else tokens.muted if hovered else tokens.outline
    if not enabled:
        edge = tokens.disabled
    box = QRectF(left + 0.5, middle - BOX / 2 + 0.5, BOX - 1, BOX - 1)
    painter.setPen(QPen(QColor(edge), 1))
    painter.setBrush(QColor(edge if is_marked else tokens.surface))
    painter.drawRoundedRect(box, 4, 4)
    if is_marked:
        name = "check" if state is Qt.CheckState.Checked else "minus"
        ink = tokens.on_accent if enabled else tokens.surface
        inset = (BOX - _MARK) / 2 - 0.5
        place = box.adjusted(inset, inset, -inset, -inset).toRect()
        icon(name, QColor(ink), size=_MARK).paint(painter, place)
