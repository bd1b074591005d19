"""Days are named as people do, at every edge."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QLocale

from rillet.app.sidebar.rows import Days

NOW = datetime(2026, 11, 30, 15, 30)


@pytest.mark.parametrize(
    ("moment", "heading"),
    [
        (NOW, "Today"),
        (NOW + timedelta(days=3), "Today"),
        (datetime(2026, 11, 30), "Today"),
        (datetime(2026, 11, 29, 23, 59, 59), "Yesterday"),
        (datetime(2026, 11, 29), "Yesterday"),
        (datetime(2026, 11, 28, 23, 59), "Last seven days"),
        (datetime(2026, 11, 24), "Last seven days"),
        (datetime(2026, 11, 23, 23, 59), QLocale().standaloneMonthName(11)),
        (datetime(2026, 1, 1), QLocale().standaloneMonthName(1)),
        (datetime(2025, 12, 31, 23, 59), "2025"),
        (datetime(2024, 2, 29), "2024"),
    ],
)
def test_a_moment_has_the_name_of_its_day(moment: datetime, heading: str) -> None:
    assert Days(NOW).heading(moment.timestamp()) == heading


def test_the_name_does_not_depend_on_what_was_asked_before() -> None:
    days = Days(NOW)
    moments = [NOW - timedelta(hours=hours) for hours in range(0, 24 * 500, 7)]
    forwards = [days.heading(moment.timestamp()) for moment in moments]
    backwards = [days.heading(moment.timestamp()) for moment in reversed(moments)]
    assert forwards == backwards[::-1] == [Days(NOW).heading(moment.timestamp()) for moment in moments]
