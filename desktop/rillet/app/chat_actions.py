"""What can be done with the chat that is shown, and with the list of chats, by key or from the command palette.

Above: ``actions``. Below: ``window`` adds these once it is served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.app.actions import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.app.services import Services
    from rillet.app.sidebar.rows import Section
    from rillet.app.window import MainWindow
    from rillet.core.store.chats import Chat

translate = QCoreApplication.translate


def chat_actions(window: MainWindow, services: Services) -> Iterator[Action]:
    """The actions, in the order in which a person finds them."""
    yield from _of_temporary_chats(window)
    yield from _of_the_chat(window, services)
    yield from _of_the_list(window, services)


def _of_temporary_chats(window: MainWindow) -> Iterator[Action]:
    sessions = window.sessions

    def is_temporary() -> bool:
        return sessions.current.is_temporary

    def keep() -> None:
        sessions.current.restore()

    yield Action("chat.temporary", translate("Actions", "New temporary chat"), window.newTemporaryChat, "Ctrl+Shift+N")
    yield Action(
        "chat.keep",
        translate("Actions", "Keep this temporary chat"),
        keep,
        when=lambda: is_temporary() and sessions.current.chat_id is not None,
    )
    yield Action(
        "chat.close",
        translate("Actions", "Close this temporary chat"),
        lambda: window.closeChat(sessions.current),
        when=is_temporary,
    )


def _of_the_chat(window: MainWindow, services: Services) -> Iterator[Action]:
    library, deeds = services.library, window.sidebar.chat_actions

    def chat() -> Chat | None:
        """The one that is shown, unless nothing was said in it."""
        id = window.sessions.current.chat_id
        return None if id is None else library.find(id)

    def listed() -> Chat | None:
        """The same, where it can be put elsewhere: one that is kept and not in the trash."""
        shown = chat()
        kept = shown is not None and shown.trashed_at is None and not window.sessions.current.is_temporary
        return shown if kept else None

    def rename() -> None:
        if (shown := chat()) is not None:
            window.showSidebar()
            window.sidebar.rename(shown.id)

    def pin() -> None:
        if (shown := listed()) is not None:
            deeds.pin([shown.id], pinned=not shown.pinned)

    def archive() -> None:
        if (shown := listed()) is not None:
            deeds.archive([shown.id], archived=not shown.archived)

    def move() -> None:
        if (shown := listed()) is not None:
            window.showSidebar()
            window.sidebar.open_folders([shown.id])

    def delete() -> None:
        if (shown := listed()) is not None:
            deeds.trash([shown.id])

    def answer_with_another() -> None:
        window.sessions.current.act("regenerate-with", window.view.handles()[-1])

    def has_answer() -> bool:
        said = window.view.history()
        return is_live() and not window.sessions.current.is_answering and bool(said) and said[-1].role == "assistant"

    def is_live() -> bool:
        shown = chat()
        return shown is not None and shown.trashed_at is None

    def is_listed() -> bool:
        return listed() is not None

    yield Action(
        "chat.again-with",
        translate("Actions", "Answer the last question again with another model"),
        answer_with_another,
        when=has_answer,
    )
    yield Action("chat.rename", translate("Actions", "Rename this chat"), rename, when=is_live)
    yield Action("chat.pin", translate("Actions", "Pin or unpin this chat"), pin, when=is_listed)
    yield Action(
        "chat.archive", translate("Actions", "Archive this chat, or take it out again"), archive, when=is_listed
    )
    yield Action("chat.move", translate("Actions", "Move this chat to a folder"), move, when=is_listed)
    yield Action("chat.delete", translate("Actions", "Delete this chat"), delete, when=is_listed)


def _of_the_list(window: MainWindow, services: Services) -> Iterator[Action]:
    def show(section: Section) -> None:
        window.showSidebar()
        window.sidebar.show_section(section)
        window.sidebar.focus_list()

    def new_folder() -> None:
        window.showSidebar()
        window.sidebar.chat_actions.new_folder()

    yield Action("list.chats", translate("Actions", "Go to the list of chats"), lambda: show("chats"), "Ctrl+Shift+L")
    yield Action("list.archive", translate("Actions", "Show the archive"), lambda: show("archive"))
    yield Action("list.trash", translate("Actions", "Show the trash"), lambda: show("trash"))
    yield Action("list.folder", translate("Actions", "New folder of chats"), new_folder)
