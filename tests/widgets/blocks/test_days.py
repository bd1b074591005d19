from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QLocale

from rillet.widgets.blocks.days import day_name
from rillet.widgets.transcript.layout import ABOVE_FIRST, ABOVE_QUESTION, DAY
from rillet.widgets.transcript.model import Entry, Section
from support.views import text_views, transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

TODAY = date(2026, 3, 4)


@pytest.fixture
def british() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_GB"))
    yield
    QLocale.setDefault(before)


@pytest.mark.usefixtures("british")
@pytest.mark.parametrize(
    ("day", "name"),
    [
        (TODAY, "Today"),
        (date(2026, 3, 3), "Yesterday"),
        (date(2026, 3, 1), "Sunday"),
        (date(2026, 2, 26), "Thursday"),
        (date(2026, 2, 25), "Wednesday 25 February 2026"),
        (date(2026, 3, 5), "Thursday 5 March 2026"),
    ],
)
def test_a_day_is_named_as_one_speaks_of_it(day: date, name: str) -> None:
    assert day_name(day, TODAY).replace(",", "") == name


def _said(text: str, time: datetime | None) -> Entry:
    return Entry("user", [Section("plain", text)], time=time)


def test_a_line_stands_where_the_day_changes(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    noon = datetime(2026, 3, 3, 12)
    view.reset(
        [
            _said("unknown", None),
            _said("first", noon),
            _said("same day", noon + timedelta(hours=1)),
            _said("unknown again", None),
            _said("still the same", noon + timedelta(hours=2)),
            _said("next day", noon + timedelta(days=1)),
        ]
    )
    assert [entry.day for entry in view.entries] == [None, date(2026, 3, 3), None, None, None, date(2026, 3, 4)]
    view.truncate(5)
    view.append(_said("next day once more", noon + timedelta(days=1)))
    assert view.entries[-1].day == date(2026, 3, 4)
    view.truncate(1)
    view.append(_said("first once more", noon))
    assert view.entries[-1].day == date(2026, 3, 3)


def test_the_line_has_room_above_its_message(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([_said("one", None), _said("two", datetime(2026, 3, 3, 12))])
    plain, dated = (view._stage.frames[entry] for entry in view.entries)
    first, second = text_views(view)
    above = [
        frame.mapFromGlobal(text.mapToGlobal(text.rect().topLeft())).y()
        for frame, text in zip((plain, dated), (first, second), strict=True)
    ]
    assert above[1] - above[0] == DAY + ABOVE_QUESTION - ABOVE_FIRST
    image = dated.grab().toImage()
    middle = DAY // 2
    ground = image.pixelColor(2, 2)
    drawn = [
        x for x in range(image.width()) if any(image.pixelColor(x, y) != ground for y in range(middle - 8, middle + 8))
    ]
    assert len(drawn) > 500
    assert min(drawn) >= view._layout.column.x - 1
