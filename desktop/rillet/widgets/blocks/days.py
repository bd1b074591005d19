"""The line between two days: a date between two hairlines.

Above: ``button``. Below: ``frame`` draws it above the message that the day begins with.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from rillet.widgets.blocks.button import small_font

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

_GAP = 12


def day_name(day: date, today: date) -> str:
    """How one speaks of ``day``: "Today", "Yesterday", a weekday within the last week, else the date of the locale."""
    if day == today:
        return QCoreApplication.translate("Days", "Today")
    if day == today - timedelta(days=1):
        return QCoreApplication.translate("Days", "Yesterday")
    locale = QLocale()
    if timedelta(0) < today - day < timedelta(days=7):
        return locale.standaloneDayName(day.isoweekday())
    return locale.toString(QDate(day.year, day.month, day.day), QLocale.FormatType.LongFormat)


def draw_day(painter: QPainter, area: QRect, day: date, theme: Theme) -> None:
    """Write the name of ``day`` into the middle of ``area``, with a hairline on both sides."""
    name = day_name(day, date.today())
    painter.setFont(small_font(theme))
    half = painter.fontMetrics().horizontalAdvance(name) // 2 + _GAP
    middle = area.center()
    painter.setPen(QPen(QColor(theme.tokens.border), 1))
    painter.drawLine(area.left(), middle.y(), middle.x() - half, middle.y())
    painter.drawLine(middle.x() + half, middle.y(), area.right(), middle.y())
    painter.setPen(QColor(theme.tokens.muted))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name)
