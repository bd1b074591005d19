"""What a host sets on a chat view: read-only, placeholder, looks; and what is dropped on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.core.types import ChatMessage
from rillet.widgets import ChatView
from rillet.widgets.theme.accent import with_accent
from rillet.widgets.theme.options import ThemeOptions
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.theme.typography import Typography
from support.drags import drag_enter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

COPY, LEFT, NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> Iterator[ChatView]:
    font, colours, sheet = qapp.font(), qapp.palette(), qapp.styleSheet()
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    yield made
    qapp.setProperty("_rillet_theme", None)
    qapp.setStyleSheet(sheet)
    qapp.setPalette(colours)
    qapp.setFont(font)


def _files(path: Path) -> QMimeData:
    path.write_text("x")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def test_a_file_need_not_be_aimed_at_the_composer(view: ChatView, tmp_path: Path, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Hi"))
    data = _files(tmp_path / "a.txt")
    QApplication.sendEvent(view.transcript.viewport(), drag_enter(COPY, data, LEFT, NONE))
    assert view.composer._dropping
    QApplication.sendEvent(view, QDropEvent(QPointF(5, 5), COPY, data, LEFT, NONE))
    qtbot.waitUntil(lambda: [each.name for each in view.composer.attachments()] == ["a.txt"])


def test_a_read_only_view_has_no_composer_and_takes_no_keys_and_no_files(view: ChatView, tmp_path: Path) -> None:
    view.setReadOnly(True)
    assert view.isReadOnly()
    assert not view.composer.isVisible()
    QTest.keyClicks(view, "typed")
    event = drag_enter(COPY, _files(tmp_path / "a.txt"), LEFT, NONE)
    event.ignore()
    QApplication.sendEvent(view, event)
    assert not event.isAccepted()
    view.setReadOnly(False)
    assert view.composer.isVisible()
    assert view.composer.text() == ""


def test_the_placeholder_is_the_hosts(view: ChatView) -> None:
    view.setPlaceholderText("Ask away")
    assert view.placeholderText() == view.composer._field.placeholderText() == "Ask away"
    assert view.property("placeholder") == "Ask away"
    assert view.setProperty("readOnly", True)
    assert view.isReadOnly()


def test_a_view_follows_the_accent_of_the_application(view: ChatView, qapp: QApplication, qtbot: QtBot) -> None:
    apply(qapp, DARK)
    tokens = with_accent(DARK, "#FF0000")
    apply(qapp, tokens)
    qtbot.waitUntil(
        lambda: view._theme.tokens == tokens and view.composer._theme == view._theme,
        timeout=30_000,
    )


def test_a_view_follows_size_and_density_although_no_colour_changes(
    view: ChatView, qapp: QApplication, qtbot: QtBot
) -> None:
    apply(qapp, LIGHT)
    qtbot.waitUntil(lambda: view._theme.tokens is LIGHT)
    before = view._theme
    options = ThemeOptions(scheme="light", typography=Typography(density="compact"))
    apply(qapp, options.tokens("light"), options.typography)
    qtbot.waitUntil(lambda: view._theme.line < before.line)
    apply(qapp, LIGHT, Typography(points=20.0))
    qtbot.waitUntil(lambda: view._theme.body.pointSizeF() == pytest.approx(20.0))
    assert view.composer._field.font().pointSizeF() == pytest.approx(20.0)
