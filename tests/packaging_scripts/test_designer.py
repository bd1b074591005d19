"""The chat view works in forms: Qt Designer can be told of it, and a form sets its properties."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QBuffer, QByteArray

from rillet.widgets import ChatView

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

SCRIPT = Path(__file__).parents[2] / "packaging" / "designer" / "register_rillet.py"


def test_a_form_makes_a_chat_view_and_sets_its_properties(qtbot: QtBot) -> None:
    tools = pytest.importorskip("PySide6.QtUiTools")
    form = """<ui version="4.0"><widget class="QWidget" name="Form"><layout class="QVBoxLayout"><item>
      <widget class="ChatView" name="chat">
        <property name="placeholder"><string>Ask away</string></property>
        <property name="readOnly"><bool>true</bool></property>
      </widget></item></layout></widget></ui>"""
    loader = tools.QUiLoader()
    loader.registerCustomWidget(ChatView)
    buffer = QBuffer()
    buffer.setData(QByteArray(form.encode()))
    buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    window = loader.load(buffer)
    qtbot.addWidget(window)
    view = window.findChild(ChatView, "chat")
    assert view is not None
    assert view.placeholderText() == "Ask away"
    assert view.isReadOnly()


def test_designer_is_told_of_a_widget_that_its_form_can_make(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    designer = pytest.importorskip("PySide6.QtDesigner")
    told: list[tuple[object, dict[str, str]]] = []

    class Collection:
        @staticmethod
        def registerCustomWidget(widget: object, **about: str) -> None:
            told.append((widget, about))

    monkeypatch.setattr(designer, "QPyDesignerCustomWidgetCollection", Collection)
    runpy.run_path(str(SCRIPT))
    ((widget, about),) = told
    assert widget is ChatView
    assert about["module"] == "rillet.widgets"
    view = ChatView()
    qtbot.addWidget(view)
    properties = view.metaObject()
    assert all(properties.indexOfProperty(name) >= 0 for name in ("placeholder", "readOnly"))
    assert 'class="ChatView"' in about["xml"]
