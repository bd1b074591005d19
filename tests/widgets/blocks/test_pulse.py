from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCommonStyle, QStyle, QStyleHintReturn, QStyleOption, QWidget

from rillet.widgets.blocks.pulse import Pulse

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


class _Still(QCommonStyle):
    """A style of a desktop that asks for no motion."""

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        if hint == QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return super().styleHint(hint, option, widget, returnData)


def _moving(pulse: Pulse) -> bool:
    return pulse.moving


def test_dots_move_only_while_they_are_seen(qtbot: QtBot) -> None:
    pulse = Pulse()
    qtbot.addWidget(pulse)
    assert not _moving(pulse)
    pulse.show()
    assert _moving(pulse)
    before = pulse.grab().toImage()
    qtbot.waitUntil(lambda: pulse.grab().toImage() != before)
    pulse.hide()
    assert not _moving(pulse)


def test_dots_stand_still_where_motion_is_unwanted(qtbot: QtBot) -> None:
    pulse = Pulse()
    qtbot.addWidget(pulse)
    style = _Still()
    pulse.setStyle(style)
    pulse.show()
    assert not _moving(pulse)
