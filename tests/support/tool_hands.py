"""What a person does with tools in the window: open the list, switch, choose a folder, answer cards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from rillet.app.tools.popover import ToolsPopover
from rillet.widgets.blocks.approval import ApprovalCard
from support.chatting import PATIENCE
from support.fake_server import sse, sse_end, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.window import MainWindow
    from support.fake_server import Script


def calling(name: str, id: str = "c1", **arguments: Any) -> Script:
    """A model that calls a tool."""
    call = {"index": 0, "id": id, "function": {"name": name, "arguments": json.dumps(arguments)}}
    return stream(sse({"choices": [{"delta": {"tool_calls": [call]}}]}), sse_end())


def open_tools(window: MainWindow) -> ToolsPopover:
    """Press the button at the composer's foot."""
    window.sessions.current.tools.click()
    popover = window.findChild(ToolsPopover)
    assert popover is not None
    return popover


def box(popover: ToolsPopover, name: str) -> QCheckBox:
    """The switch of this name."""
    boxes = popover.findChildren(QCheckBox)
    return next(each for each in boxes if each.accessibleName() == name and each.isVisibleTo(popover))


def says(widget: QWidget, words: str) -> bool:
    """Whether a label that can be seen says this."""
    return any(words in label.text() and label.isVisible() for label in widget.findChildren(QLabel))


def ask(window: MainWindow, text: str) -> None:
    """Write into the composer, and send."""
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def card_of(qtbot: QtBot, window: MainWindow) -> ApprovalCard:
    """The card that asks, once it takes an answer."""

    def shown() -> ApprovalCard | None:
        return next((each for each in window.view.findChildren(ApprovalCard) if each.isVisible() and each.tile), None)

    qtbot.waitUntil(lambda: shown() is not None)
    card = shown()
    assert card is not None
    qtbot.waitUntil(lambda: card.armed)
    return card


def wait_for_text(qtbot: QtBot, window: MainWindow, text: str) -> None:
    """Until the chat ends with this answer."""
    view = window.view
    qtbot.waitUntil(
        lambda: not view.composer.isBusy() and bool(view.history()) and view.history()[-1].text == text,
        timeout=PATIENCE,
    )
