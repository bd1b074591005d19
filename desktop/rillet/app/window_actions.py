"""What can be done in the window, by key or from the command palette.

Above: ``actions``. Below: ``window`` adds these once it is served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.app import coroutines
from rillet.app.actions import Action
from rillet.core.chat.context import spared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

translate = QCoreApplication.translate


def window_actions(window: MainWindow, services: Services) -> Iterator[Action]:
    """The actions, in the order in which a person finds them."""
    sessions = window.sessions

    def show_other(step: int) -> None:
        order = [chat.id for chat in services.library.chats if not chat.archived]
        if not order:
            return
        current = sessions.current.chat_id
        place = order.index(current) + step if current in order else 0
        sessions.open(order[place % len(order)])

    def answer_again() -> None:
        sessions.current.regenerate(window.view.handles()[-1])

    def has_answer() -> bool:
        history = window.view.history()
        return not sessions.current.is_answering and bool(history) and history[-1].role == "assistant"

    def has_chats() -> bool:
        return bool(services.library.chats)

    def find() -> None:
        window.view.showFindBar()

    def copy() -> None:
        window.view.copyConversation()

    def choose_model() -> None:
        sessions.current.picker.click()

    def choose_tools() -> None:
        sessions.current.tools.click()

    def set_parameters() -> None:
        sessions.current.parameters.click()

    def summarize() -> None:
        coroutines.start(sessions.current.horizon.summarize(), sessions.current)

    def may_summarize() -> bool:
        weighed = sessions.current.horizon.ledger
        idle = not sessions.current.is_answering and not sessions.current.horizon.is_summarizing
        return idle and weighed is not None and bool(spared(weighed).due)

    def zoom(step: int) -> None:
        window.view.setZoom(window.view.zoom() + step / 10 if step else 1.0)

    yield Action("chat.new", translate("Actions", "New chat"), window.newChat, "Ctrl+N")
    yield Action("chat.next", translate("Actions", "Next chat"), lambda: show_other(1), "Ctrl+PgDown", has_chats)
    yield Action("chat.previous", translate("Actions", "Previous chat"), lambda: show_other(-1), "Ctrl+PgUp", has_chats)
    yield Action("chat.search", translate("Actions", "Search all chats"), window.searchChats, "Ctrl+Shift+F")
    yield Action("chat.find", translate("Actions", "Find in this chat"), find, "Ctrl+F")
    yield Action(
        "chat.again", translate("Actions", "Answer the last question again"), answer_again, "Ctrl+Shift+R", has_answer
    )
    yield Action("chat.stop", translate("Actions", "Stop the answer and go on writing"), window.escape, "Esc")
    yield Action(
        "chat.copy",
        translate("Actions", "Copy the whole chat"),
        copy,
        when=lambda: bool(window.view.history()),
    )
    yield Action(
        "model.choose",
        translate("Actions", "Choose the model"),
        choose_model,
        "Ctrl+Shift+M",
    )
    yield Action("tools.choose", translate("Actions", "Choose tools"), choose_tools, "Ctrl+Shift+T")
    yield Action(
        "model.parameters", translate("Actions", "Set the parameters and the persona"), set_parameters, "Ctrl+Shift+P"
    )
    yield Action(
        "context.show",
        translate("Actions", "Show what is sent, and what it costs"),
        window.showContext,
        "Ctrl+Shift+X",
        lambda: sessions.current.horizon.ledger is not None,
    )
    yield Action(
        "context.summarize", translate("Actions", "Summarize the oldest questions"), summarize, when=may_summarize
    )
    yield Action(
        "window.sidebar", translate("Actions", "Show or hide the list of chats"), window.toggleSidebar, "Ctrl+B"
    )
    yield Action("window.larger", translate("Actions", "Larger text"), lambda: zoom(1), "Ctrl++")
    yield Action("window.smaller", translate("Actions", "Smaller text"), lambda: zoom(-1), "Ctrl+-")
    yield Action("window.unzoom", translate("Actions", "Text of ordinary size"), lambda: zoom(0), "Ctrl+0")
    yield Action("window.palette", translate("Actions", "Do anything by its name"), window.openPalette, "Ctrl+K")
    yield Action("window.settings", translate("Actions", "Settings"), window.openSettings, "Ctrl+,")
    yield Action("window.quit", translate("Actions", "Quit"), window.close, "Ctrl+Q")
