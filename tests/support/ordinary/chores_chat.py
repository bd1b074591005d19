"""What a person does in a chat and with the list of chats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QTabWidget

from rillet.app.sidebar.hits import HIT
from rillet.app.wire_view import WireView
from support.ordinary.person import CTRL, SHIFT

if TYPE_CHECKING:
    from rillet.widgets.message_handle import MessageHandle
    from support.ordinary.person import Hands, Steps


def ask_and_read(hands: Hands) -> Steps:
    """A new chat, an answer with everything in it, and a second question."""
    yield from hands.new_chat()
    yield from hands.ask("rich text, please")
    yield from hands.scroll(hands.view.transcript.viewport(), 12)
    yield from hands.scroll(hands.view.transcript.viewport(), -12)
    yield from hands.ask("And the tides?")


def read_code(hands: Hands) -> Steps:
    yield from hands.new_chat()
    yield from hands.ask("code of 300 lines")
    yield from hands.scroll(hands.view.transcript.viewport(), 20)


def stop_and_retry(hands: Hands) -> Steps:
    yield from hands.new_chat()
    yield from hands.ask("endless story", wait=False)
    yield 1.5
    hands.press(Qt.Key.Key_Escape)
    yield hands.is_settled
    yield from hands.ask("fail please")
    hands.view.retryRequested.emit(hands.view.handles()[-1])
    yield hands.is_settled


def queue(hands: Hands) -> Steps:
    """Ask twice more while the answer is written."""
    yield from hands.new_chat()
    yield from hands.ask("rich text once more", wait=False)
    for text in ("What of lakes?", "And of wells?"):
        yield from hands.type(text, hands.view.composer.focusProxy())
        hands.press(Qt.Key.Key_Return, at=hands.view.composer.focusProxy())
    yield lambda: len(hands.session.queue) == 0 and len(hands.view.handles()) >= 6 and hands.is_settled()


def several_at_once(hands: Hands) -> Steps:
    """Three answers at a time, and switching between their chats."""
    chats = []
    for text in ("rich text here", "code there", "endless words"):
        yield from hands.new_chat()
        yield from hands.ask(text, wait=False)
        yield lambda: hands.session.chat_id is not None
        chats.append(hands.session.chat_id)
    for _ in range(2):
        for chat in chats:
            assert chat is not None
            hands.window.sessions.open(chat)
            yield 0.4
    hands.press(Qt.Key.Key_Escape)
    yield lambda: not any(chat is not None and hands.services.library.is_answering(chat) for chat in chats)


def edit_and_versions(hands: Hands) -> Steps:
    yield from ask_once(hands)
    for action in ("regenerate", "previous", "next"):
        _act(hands, action, hands.view.handles()[-1])
        yield 0.3
        yield hands.is_settled
    _act(hands, "edit", hands.view.handles()[0])
    yield 0.3
    yield from hands.ask(" differently")
    _act(hands, "previous", hands.view.handles()[0])
    yield 0.5


def fork_continue_delete(hands: Hands) -> Steps:
    yield from hands.new_chat()
    yield from hands.ask("cut it short")
    _act(hands, "continue", hands.view.handles()[-1])
    yield 0.3
    yield hands.is_settled
    before = hands.session.chat_id
    _act(hands, "fork", hands.view.handles()[-1])
    yield lambda: hands.session.chat_id != before
    yield lambda: bool(hands.view.handles())
    _act(hands, "delete", hands.view.handles()[-1])
    yield hands.window._toast.isVisible
    hands.push("Undo")
    yield 0.4


def see_the_wire(hands: Hands) -> Steps:
    yield from ask_once(hands)
    _act(hands, "details", hands.view.handles()[-1])
    yield lambda: hands.find(WireView) is not None or bool(hands.window.findChildren(WireView))
    shown = hands.window.findChildren(WireView)[-1]
    tabs = shown.findChild(QTabWidget)
    assert tabs is not None
    yield 0.2
    tabs.setCurrentIndex(1)
    yield 0.2
    hands.push("Copy as curl", shown)
    hands.push("Copy everything", shown)
    yield 0.2
    shown.close()


def copy(hands: Hands) -> Steps:
    """The whole of a long chat, and a part of it that was marked."""
    yield from open_titled(hands, "Long")
    hands.view.copyConversation()
    yield lambda: len(QGuiApplication.clipboard().text()) > 1000
    viewport = hands.view.transcript.viewport()
    for kind, place in (("press", QPoint(120, 80)), ("move", QPoint(300, 300)), ("release", QPoint(320, 500))):
        {"press": QTest.mousePress, "release": QTest.mouseRelease}.get(kind, _move)(
            viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
        )
        yield 0.1
    hands.press(Qt.Key.Key_A, CTRL, hands.view.transcript)
    yield 0.2
    hands.press(Qt.Key.Key_C, CTRL, hands.view.transcript)
    yield 0.2
    QGuiApplication.clipboard().clear()


def find(hands: Hands) -> Steps:
    yield from open_titled(hands, "Long")
    hands.press(Qt.Key.Key_F, CTRL, hands.view.composer.focusProxy())
    yield 0.2
    field = hands.named(QLineEdit, "Find in this chat")
    yield from hands.type("integral", field)
    for _ in range(6):
        hands.press(Qt.Key.Key_Return, at=field)
        yield 0.15
    hands.press(Qt.Key.Key_Escape, at=field)
    yield 0.1


def read_a_long_chat(hands: Hands) -> Steps:
    yield from open_titled(hands, "Long")
    bar = hands.view.transcript.verticalScrollBar()
    yield from hands.scroll(hands.view.transcript.viewport(), 40)
    for share in (0.0, 0.5, 0.9, 0.1, 1.0):
        bar.setValue(int(bar.maximum() * share))
        yield 0.3
    for key in (Qt.Key.Key_Up,) * 5 + (Qt.Key.Key_Down,) * 3:
        hands.press(key, CTRL, hands.view.composer.focusProxy())
        yield 0.1
    yield from open_titled(hands, "One long answer")
    yield from hands.scroll(hands.view.transcript.viewport(), 30)


def switch_chats(hands: Hands) -> Steps:
    for key in (Qt.Key.Key_PageDown,) * 8 + (Qt.Key.Key_PageUp,) * 4:
        hands.press(key, CTRL, hands.view.composer.focusProxy())
        yield 0.2
    rows = hands.window._sidebar.list
    yield from hands.scroll(rows.viewport(), -40)
    for row in (40, 41, 60):
        QTest.mouseClick(
            rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(rows.model().index(row, 0)).center()
        )
        yield 0.3
    rows.verticalScrollBar().setValue(rows.verticalScrollBar().maximum())
    yield 0.2
    yield from hands.scroll(rows.viewport(), 60)
    rows.verticalScrollBar().setValue(0)


def search(hands: Hands) -> Steps:
    bar = hands.window._sidebar
    for text in ("matrix", "quetz", "日本語", "the"):
        hands.press(Qt.Key.Key_F, CTRL | SHIFT, hands.view.composer.focusProxy())
        bar.field.clear()
        yield from hands.type(text, bar.field)
        yield lambda: bar.list.model().rowCount() > 0 and bar.list.model().index(0, 0).data(HIT) is not None
        hands.press(Qt.Key.Key_Return, at=bar.field)
        yield 0.6
    hands.press(Qt.Key.Key_F, CTRL | SHIFT, hands.view.composer.focusProxy())
    hands.press(Qt.Key.Key_Escape, at=bar.field)
    yield 0.3


def sort_chats(hands: Hands) -> Steps:
    """Rename, pin, mark, archive, delete many at a time, and bring them back."""
    yield from ask_once(hands)
    rows = hands.window._sidebar.list
    rows.setFocus()
    yield lambda: rows.currentIndex().isValid()
    hands.press(Qt.Key.Key_F2, at=rows)
    yield lambda: rows.findChild(QLineEdit) is not None
    editor = rows.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    yield from hands.type("Another title", editor)
    hands.press(Qt.Key.Key_Return, at=editor)
    yield 0.3
    for words in ("Pin", "Mark as unread", "Unpin", "Archive"):
        _from_menu(hands, words)
        yield 0.4
    rows.setFocus()
    rows.setCurrentIndex(rows.model().index(3, 0))
    for _ in range(27):
        hands.press(Qt.Key.Key_Down, SHIFT, rows)
        yield 0.02
    hands.press(Qt.Key.Key_Delete, at=rows)
    yield hands.window._toast.isVisible
    yield 0.3
    hands.push("Undo")
    yield 0.8


def ask_once(hands: Hands) -> Steps:
    yield from hands.new_chat()
    yield from hands.ask("How do tides work?")


def open_titled(hands: Hands, title: str) -> Steps:
    """Show one of the chats that were there before."""
    chat = next(each for each in hands.services.library.chats if each.title == title)
    hands.window.sessions.open(chat.id)
    yield lambda: hands.session.chat_id == chat.id and bool(hands.view.handles())
    yield 0.4


def _act(hands: Hands, action: str, handle: MessageHandle) -> None:
    hands.view.messageActionRequested.emit(action, handle)


def _move(viewport: object, _button: object, _modifiers: object, place: QPoint) -> None:
    QTest.mouseMove(viewport, place)  # type: ignore[call-overload]  # (a widget)


def _from_menu(hands: Hands, words: str) -> None:
    bar = hands.window._sidebar
    chosen = bar.list.currentIndex()
    if not chosen.isValid():
        bar.list.setCurrentIndex(bar.list.model().index(0, 0))
    bar.list.menuRequested.emit(bar.list.visualRect(bar.list.currentIndex()).center())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), "no menu opened"
    action = next((each for each in menu.actions() if each.text() == words), None)
    menu.close()
    assert action is not None, [each.text() for each in menu.actions()]
    action.trigger()


CHORES = (
    ask_and_read,
    read_code,
    stop_and_retry,
    queue,
    several_at_once,
    edit_and_versions,
    fork_continue_delete,
    see_the_wire,
    copy,
    find,
    read_a_long_chat,
    switch_chats,
    search,
    sort_chats,
)
