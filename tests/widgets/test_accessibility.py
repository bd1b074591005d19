"""Everything on the screen has a role and a name, can be reached by the keyboard in order, and can be read."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from rillet.core.types import ChatMessage, FilePart, ReasoningPart, TextPart
from rillet.widgets import ChatView
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens, contrast
from rillet.widgets.transcript.tool import ApprovalRequest
from support.views import ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QAccessibleInterface, QAccessibleTextInterface, QTextDocument
    from pytestqt.qtbot import QtBot

THEMES = {"light": LIGHT, "dark": DARK, "high light": HIGH_LIGHT, "high dark": HIGH_DARK}
EVERYTHING = f"""{ANSWER}

~~Gone~~ and [https://bank.example](https://evil.example), ![a chart](https://example.org/c.png), `code` in text[^1]

[^1]: A note

- [x] done

```python
@decorated(1, "two")  # three
class Four(int): ...
```
"""


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    """One of everything that a chat can show, all of it in sight."""
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(900, 2600)
    made.addMessages(
        [
            ChatMessage("user", (TextPart("A question"), FilePart(b"text", media_type="text/plain", name="notes.txt"))),
            ChatMessage("assistant", (ReasoningPart("A thought"), TextPart(EVERYTHING))),
            ChatMessage.user("And a tool?"),
        ]
    )
    handle = made.beginAssistantStream()
    call = handle.toolCall(0, "get_weather")
    call.appendArguments('{"city": "Lisbon"}')
    call.finish("Sunny")
    asked = handle.toolCall(1, "shell")
    asked.appendArguments('{"command": "ls"}')
    asked.requestApproval(ApprovalRequest("1", "shell", '{"command": "ls"}', "Run this command?"))
    handle.appendText("Text after the cards")
    handle.fail("The answer broke off.")
    while handle.pending:
        handle.advance()
    made.show()
    made.activateWindow()
    assert QTest.qWaitForWindowActive(made)
    assert made.transcript.verticalScrollBar().maximum() == 0
    return made


def _interfaces(interface: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    if interface.state().invisible:
        return
    yield interface
    for index in range(interface.childCount()):
        child = interface.child(index)
        if child is not None:
            yield from _interfaces(child)


def _reads(interface: QAccessibleInterface) -> bool:
    """Whether it has text to be read."""
    text: QAccessibleTextInterface | None = interface.textInterface()  # None for most, whatever the binding declares
    return text is not None and text.characterCount() > 0


def test_everything_that_can_be_reached_or_says_something_has_a_role_and_a_name(view: ChatView) -> None:
    nameless = []
    roles = set()
    for interface in _interfaces(QAccessible.queryAccessibleInterface(view)):
        role, name = interface.role(), interface.text(QAccessible.Text.Name)
        roles.add(role)
        if interface.state().focusable and not name and not _reads(interface):
            nameless.append((role, interface.object()))
        if role in (QAccessible.Role.Grouping, QAccessible.Role.Button, QAccessible.Role.CheckBox) and not name:
            nameless.append((role, interface.object()))
    assert nameless == []
    assert {
        QAccessible.Role.Grouping,
        QAccessible.Role.StaticText,
        QAccessible.Role.Button,
        QAccessible.Role.CheckBox,
        QAccessible.Role.EditableText,
    } <= roles


def _reached(view: ChatView, key: Qt.Key) -> list[QWidget]:
    """What has the keyboard, one after the other, from the composer's field around to it again."""
    field = view.composer.focusProxy()
    assert field is not None
    field.setFocus()
    reached: list[QWidget] = []
    for _ in range(200):
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused is field and reached:
            return reached
        if not reached or reached[-1] is not focused:
            reached.append(focused)
        QTest.keyClick(focused, key)
    raise AssertionError(f"the keyboard does not come back: {reached[-5:]}")


def test_the_tab_key_reaches_everything_once_and_from_top_to_bottom(view: ChatView) -> None:
    reached = _reached(view, Qt.Key.Key_Tab)
    can_be = {
        widget
        for widget in view.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    assert {str(widget) for widget in can_be - set(reached)} == set()
    assert len(reached) == len(set(reached)) > 10
    transcript = [widget for widget in reached if view.transcript.viewport().isAncestorOf(widget)]
    tops = [widget.mapTo(view, QPoint(0, widget.height())).y() for widget in transcript]
    rows = [top for top, below in pairwise(tops) if below < top - 60]
    assert rows == []  # a jump upwards of more than a row


def test_an_answer_that_was_streamed_is_walked_through_as_it_reads(qtbot: QtBot) -> None:
    view = ChatView()
    qtbot.addWidget(view)
    view.resize(800, 900)
    view.show()
    view.addMessage(ChatMessage.user("Look"))
    handle = view.beginAssistantStream()
    handle.appendReasoning("Hm.")
    handle.appendText("See the [notes](https://example.org/).")
    handle.onToolCallDelta(0, "call", "read", "{}")
    handle.toolCall("call").finish("one", seconds=0.2)
    handle.appendText("So:\n\n```c\nint x;\n```\n")
    handle.finish()
    qtbot.waitUntil(lambda: not handle.pending)
    view.transcript._stage.frames[handle.entry].setFocus(Qt.FocusReason.OtherFocusReason)
    names = []
    while (focused := QApplication.focusWidget()) is not view.composer.focusProxy():
        assert focused is not None
        names.append(focused.accessibleName())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert names == [
        "Answer, 2 of 2",
        "Thought for 1 s, collapsed",
        "",
        "Tool read, 0.2 s, collapsed",
        "Line numbers",
        "Wrap long lines",
        "Copy code",
        "Copy message",
        "More actions",
    ]


def test_the_way_back_is_the_way_there(view: ChatView) -> None:
    there = _reached(view, Qt.Key.Key_Tab)
    back = _reached(view, Qt.Key.Key_Backtab)
    assert back[1:] == [widget for widget in there[:0:-1] if widget in back]
    # The actions of a message come into sight, and into the order, when the keyboard is in it: one step later here.
    assert {widget.accessibleName() for widget in there if widget not in back} <= {"Copy message", "More actions"}


def test_one_sees_where_the_keyboard_is(view: ChatView) -> None:
    for widget in _reached(view, Qt.Key.Key_Tab):
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        focused = view.grab().toImage()
        widget.clearFocus()
        QApplication.processEvents()
        assert view.grab().toImage() != focused, widget


def test_ctrl_up_and_down_walk_from_message_to_message(view: ChatView) -> None:
    view.composer.setFocus()
    seen = []
    for _ in range(4):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
        now = QApplication.focusWidget()
        assert now is not None
        seen.append(now.accessibleName())
    assert len(set(seen)) == len(seen) > 2
    assert all(" of 4" in name for name in seen)


def _colours(document: QTextDocument, ground: str) -> Iterator[tuple[str, str, str]]:
    """Text, ink and ground of everything in ``document``."""
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            form = iterator.fragment().charFormat()
            if iterator.fragment().text().strip("\ufffc\u2028 "):
                yield iterator.fragment().text(), _ink(form), _ground(form, ground)
            iterator += 1
        for span in block.layout().formats():
            if span.format.hasProperty(QTextCharFormat.Property.ForegroundBrush):
                text = block.text()[span.start : span.start + span.length]
                yield text, _ink(span.format), _ground(span.format, ground)
        block = block.next()


def _ink(form: QTextCharFormat) -> str:
    return form.foreground().color().name().upper()


def _ground(form: QTextCharFormat, otherwise: str) -> str:
    has = form.hasProperty(QTextCharFormat.Property.BackgroundBrush)
    return form.background().color().name().upper() if has else otherwise


@pytest.mark.parametrize("tokens", THEMES.values(), ids=THEMES)
def test_every_piece_of_text_on_the_screen_stands_out_from_its_ground(view: ChatView, tokens: Tokens) -> None:
    view.setTheme(Theme.of(tokens))
    wanted = 7.0 if tokens in (HIGH_LIGHT, HIGH_DARK) else 4.5
    pairs: dict[tuple[str, str], str] = {}
    for tile, block in view.transcript._stage.blocks.items():
        if block.text_view is None:
            continue
        ground = {"code": tokens.code, "plain": tokens.bubble}.get(tile.kind, tokens.window)
        for text, ink, behind in _colours(block.text_view.document(), ground):
            pairs[ink, behind] = text
    assert len(pairs) > 8
    assert {pair: text for pair, text in pairs.items() if contrast(*pair) < wanted} == {}
    assert all(QColor(ink).isValid() for ink, _ in pairs)
