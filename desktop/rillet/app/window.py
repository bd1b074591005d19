"""The window: the list of chats, a header, and the chat that is shown.

It paints before it knows any chat and whom to talk to; ``serve`` brings that. Above: ``services``, ``chats``,
``sidebar``, ``widgets``. Below: ``main`` opens it. Guarantee: it comes back where it was, a question sent before it is
served is asked then, and closing it loses nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.panels import Header, SidePanel
from rillet.app.sizes import resize_to_fit
from rillet.app.viewers import Viewers
from rillet.widgets.blocks.button import Button
from rillet.widgets.chat_view import ChatView

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QResizeEvent

    from rillet.app.actions import Actions
    from rillet.app.chats.session import Session
    from rillet.app.chats.sessions import Sessions
    from rillet.app.first_run import FirstRun
    from rillet.app.look import Look
    from rillet.app.palette_entries import Entry
    from rillet.app.services import Services
    from rillet.app.settings.dialog import SettingsDialog
    from rillet.app.sidebar.sidebar import Sidebar
    from rillet.app.window_state import WindowState
    from rillet.core.providers.provider import Provider
    from rillet.core.types import ChatMessage
    from rillet.widgets.theme.palette import Theme

FIRST_SIZE = QSize(1120, 780)
BOTH_WIDTH = 720
"""Pixels that the list of chats and a chat need beside each other."""
RECENT_ACTIONS = 8
"""Choices of the palette that are remembered."""


class MainWindow(QMainWindow):
    """The chats beside the one that is shown.

    Before ``serve`` it shows one empty chat that nobody answers yet.
    """

    def __init__(self, state: WindowState, theme: Theme) -> None:
        super().__init__()
        self._state = state
        self._theme = theme
        self._services: Services | None = None
        self._sessions: Sessions | None = None
        self._look: Look | None = None
        self._settings: SettingsDialog | None = None
        self._first_run: FirstRun | None = None
        self._early: list[ChatMessage] = []
        self._sessions_restored = False
        self.setWindowTitle("Rillet")
        self.setMinimumSize(400, 360)
        self._side = SidePanel(theme)
        self._header = Header(theme)
        self._header.new_chat.clicked.connect(self.newChat)
        self._header.sidebar.clicked.connect(self.toggleSidebar)
        self._view = ChatView()
        self._view.sendRequested.connect(self.keepForLater)
        self._viewers = Viewers(self)
        self._connect(self._view)
        self._picker: Button | None = Button("chevron-down", state.choice_label, icon_size=12, icon_last=True)
        self._picker.set_theme(theme)
        self._view.composer.addFootWidget(self._picker)
        self._page = page = QWidget()
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._header)
        self._column.addWidget(self._view, 1)
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addLayout(self._column, 1)
        self.setCentralWidget(page)
        self._side.setVisible(not state.sidebar_folded)
        self._restore_geometry()
        self._view.setFocus()

    @property
    def view(self) -> ChatView:
        """The chat that is shown."""
        return self._view

    @property
    def look(self) -> Look | None:
        """How the program looks; None where nobody may change that."""
        return self._look

    @property
    def commands(self) -> Actions:
        """Everything that keys and the command palette can do. After ``serve`` only."""
        return self._actions

    @property
    def sidebar(self) -> Sidebar:
        """The list of chats. After ``serve`` only."""
        return self._sidebar

    @property
    def sessions(self) -> Sessions:
        """The chats that are open. After ``serve`` only."""
        assert self._sessions is not None
        return self._sessions

    def serve(self, services: Services, look: Look | None = None) -> None:
        """Become a working window: the list of chats, and an empty chat with whoever is chosen.

        ``look`` is what the settings change when the person wants the program to look otherwise.
        """
        from rillet.app.actions import Actions  # (all of it after the first paint)
        from rillet.app.banner import Banner
        from rillet.app.chat_actions import chat_actions
        from rillet.app.models.gauge import ContextGauge
        from rillet.app.notices import Notices
        from rillet.app.sidebar.sidebar import Sidebar
        from rillet.app.toast import Toast
        from rillet.app.window_actions import window_actions

        self._services = services
        self._look = look
        self._sidebar = Sidebar(services.library, services.desk, self._theme, self._state.folded_folders)
        self._sidebar.newChatRequested.connect(self.newChat)
        self._sidebar.temporaryChatRequested.connect(self.newTemporaryChat)
        self._sidebar.foldedChanged.connect(self.keepFolded)
        self._sidebar.left.connect(self.focusChat)
        self._sidebar.settingsRequested.connect(self.openSettings)
        self._side.hold(self._sidebar)
        self._banner = Banner(self._theme)
        self._column.insertWidget(1, self._banner)
        self._toast = Toast(self._page, self._theme)
        self._toast.gone.connect(services.library.forgetClosed)
        self._notices = Notices(services, self._banner, self)
        services.settingsReset.connect(self.forgetSettings)
        self._notices.backupsWanted.connect(partial(self.openSettings, "data"))
        self._sessions = self._made_sessions(services)
        self._sidebar.chat_actions.told.connect(self._toast.tell)
        self._sidebar.chat_actions.keepRequested.connect(self.keepChat)
        self._gauge = ContextGauge(services, self._theme)
        self._header.add(self._gauge, self._gauge.fit)
        services.library.chatChanged.connect(self.showTitle)
        self._view.sendRequested.disconnect(self.keepForLater)
        if self._picker is not None:  # (it stood in for that of the session)
            self._view.composer.replaceFootWidget(self._picker, QWidget())
            self._picker = None
        session = self._sessions.begin(self._view)
        self._actions = Actions(self, services.settings.shortcuts)
        self._actions.add(*window_actions(self, services), *chat_actions(self, services))
        self._actions.changed.connect(self.keepShortcuts)
        for message in self._early:
            session.send_early(message)
        self._early.clear()

    def _made_sessions(self, services: Services) -> Sessions:
        """The open chats, and what watches over them."""
        from rillet.app.chats.sessions import Sessions
        from rillet.app.leaving import Leaving
        from rillet.app.notifications import Notifications

        sessions = Sessions(services, self)
        sessions.opened.connect(self.adopt)
        sessions.closed.connect(self.release)
        sessions.currentChanged.connect(self.showSession)
        self._sidebar.chatChosen.connect(sessions.open)
        self._sidebar.hitChosen.connect(sessions.show_found)
        self._notifications = Notifications(self, services.library, sessions)
        self._notifications.called.connect(self.comeForward)
        self._leaving = Leaving(services, sessions, self)
        self._leaving.decided.connect(self.close)
        return sessions

    def leave(self) -> None:
        """Close, whatever may be lost by that: the system wants the program to end."""
        if self._sessions is None:
            self.close()
        else:
            self._leaving.insist()

    async def restore(self) -> None:
        """Open the chats that were open when the program ended. Wants the list of chats."""
        await self.sessions.restore(self._state.open_chats)
        self._sessions_restored = True
        self.keepOpenChats()

    @Slot()
    def keepOpenChats(self) -> None:
        """Remember which chats are open; not before those of the last time are."""
        if self._sessions_restored:
            self._state.open_chats = self.sessions.open_chats

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts, after the application has taken its palette."""
        self._theme = theme
        self._side.set_theme(theme)
        self._header.set_theme(theme)
        if self._picker is not None:
            self._picker.set_theme(theme)
        if self._sessions is not None:
            self._sidebar.set_theme(theme)
            self._banner.set_theme(theme)
            self._toast.set_theme(theme)
            self._sessions.set_theme(theme)
            self._gauge.set_theme(theme)
        for part in (self._settings, self._first_run):
            if part is not None:
                part.set_theme(theme)

    @Slot()
    def newChat(self) -> None:
        """Show an empty chat; answers that are under way go on."""
        if self._sessions is not None:
            self._sessions.new()
        self._view.setFocus()

    @Slot()
    def newTemporaryChat(self) -> None:
        """Show an empty chat of which nothing is kept."""
        if self._sessions is not None:
            self._sessions.new_temporary()
        self._view.setFocus()

    @Slot(int)
    def keepChat(self, chatId: int) -> None:
        """Keep a temporary chat."""
        self.sessions.open(chatId).restore()

    def closeChat(self, session: Session) -> None:
        """Close a temporary chat, which can be undone for a while; delete one of the trash for good."""
        if session.chat_id is None:
            self.sessions.drop(session)
        elif session.is_temporary:
            self._sidebar.chat_actions.trash([session.chat_id])
        else:
            self._sidebar.chat_actions.purge([session.chat_id])

    @Slot()
    def focusChat(self) -> None:
        """Go on writing."""
        self._view.setFocus()

    @Slot(object)
    def keepFolded(self, folderIds: frozenset[int]) -> None:
        """Remember which folders are folded."""
        self._state.folded_folders = folderIds

    @Slot()
    def showSidebar(self) -> None:
        """Bring the list of chats, as long as it is wanted."""
        self._side.show()

    @Slot()
    def toggleSidebar(self) -> None:
        """Fold the list of chats away, or bring it back."""
        self._side.setVisible(self._side.isHidden())
        if self.width() >= BOTH_WIDTH:
            self._state.sidebar_folded = self._side.isHidden()

    @Slot()
    def openSettings(self, pageId: str = "") -> None:
        """Show the settings, at this page if one is named."""
        if self._services is None:
            return
        if self._settings is None:
            from rillet.app.settings.dialog import SettingsDialog
            from rillet.app.settings.page import Context

            self._settings = SettingsDialog(Context(self._services, self._look, self._actions), self._theme, self)
        if pageId:
            self._settings.open_page(pageId)
        self._settings.show()
        self._settings.activateWindow()

    @Slot()
    def comeForward(self) -> None:
        """Come to the front, also from the task bar."""
        if self.isMinimized():
            self.showNormal()
        self.raise_()
        self.activateWindow()

    def welcome(self) -> None:
        """Help somebody to a first answer who has none and never had one; else do nothing."""
        assert self._services is not None
        settings = self._services.settings
        if settings.welcomed or settings.provider is not None or self._services.library.chats:
            return
        from rillet.app.first_run import FirstRun

        self._first_run = FirstRun(self._services, self._theme)
        self._first_run.chosen.connect(self.beginWith)
        self._first_run.closed.connect(self.endWelcome)
        self.sessions.current.created.connect(self.endWelcome)
        self._column.insertWidget(2, self._first_run)

    @Slot(object, bool)
    def beginWith(self, provider: Provider, needsModel: bool) -> None:
        """Have the first chat answered by somebody, whose model is yet to be chosen where there is no usual one."""
        self.endWelcome()
        self.sessions.current.picker.choose(provider)
        if needsModel:
            self.sessions.current.picker.open()

    @Slot()
    def endWelcome(self) -> None:
        """The person knows how to go on."""
        assert self._services is not None
        if self._first_run is not None:
            self._services.change(welcomed=True)
            self._first_run.stop()
            self._column.removeWidget(self._first_run)
            self._first_run.hide()
            self._first_run.deleteLater()
            self._first_run = None
            self._view.setFocus()

    @Slot()
    def openPalette(self) -> None:
        """Let anything be done by its name."""
        from rillet.app.palette_entries import all_entries
        from rillet.app.palette_window import PaletteWindow

        assert self._services is not None
        entries = all_entries(self, self._services, self._actions)
        palette = PaletteWindow(entries, self._services.settings.recent_actions, self._theme, self)
        palette.chosen.connect(self.noteChosen)

    @Slot(object)
    def noteChosen(self, entry: Entry) -> None:
        """Remember what was chosen in the palette."""
        assert self._services is not None
        if entry.id:
            others = [each for each in self._services.settings.recent_actions if each != entry.id]
            self._services.change(recent_actions=(entry.id, *others[: RECENT_ACTIONS - 1]))

    @Slot()
    def keepShortcuts(self) -> None:
        """Remember which keys the person chose."""
        assert self._services is not None
        self._services.change(shortcuts=dict(self._actions.bound))

    @Slot()
    def forgetSettings(self) -> None:
        """Look, and listen to keys, as at the first start."""
        from rillet.widgets.theme.options import ThemeOptions

        self._actions.reset()
        if self._look is not None:
            self._look.choose(ThemeOptions())
        self._state.forget_look()

    @Slot()
    def searchChats(self) -> None:
        """Go to the search over all chats."""
        self.showSidebar()
        self._sidebar.show_section("chats")
        self._sidebar.focus_search()

    @Slot()
    def escape(self) -> None:
        """Stop the answer that is being written, or the change of a question, and go on writing."""
        if self._sessions is not None:
            self._sessions.current.escape()
        self._view.setFocus()

    @Slot()
    def stop(self) -> None:
        """Stop the answer that is being written, if there is one."""
        if self._sessions is not None:
            self._sessions.current.stop()

    @Slot()
    def showContext(self) -> None:
        """Show what goes along with the next question."""
        self._gauge.open()

    @Slot(object)
    def keepForLater(self, message: ChatMessage) -> None:
        """Keep a question that was sent before anybody could answer it."""
        self._early.append(message)

    @Slot(object)
    def adopt(self, session: Session) -> None:
        """Give a chat that was opened its place."""
        session.created.connect(self.showTitle)
        session.created.connect(self.keepOpenChats)
        session.kept.connect(self.showTitle)
        session.kept.connect(self.keepOpenChats)
        session.told.connect(self._toast.tell)
        session.closeRequested.connect(partial(self.closeChat, session))
        session.wireRequested.connect(self._viewers.showWire)
        session.tools.settingsRequested.connect(self.openSettings)
        session.picker.settingsRequested.connect(self.openSettings)
        if session.view is not self._view:
            self._connect(session.view)
            session.view.hide()
            self._column.addWidget(session.view, 1)

    @Slot(object)
    def release(self, session: Session) -> None:
        """Take away the place of a chat that was let go."""
        self._column.removeWidget(session.view)

    @Slot(object)
    def showSession(self, session: Session) -> None:
        """Show this chat."""
        if session.view is not self._view:
            previous, self._view = self._view, session.view
            session.view.show()
            previous.hide()
        self.showTitle()
        self._gauge.follow(session)
        self._view.setFocus()
        self.keepOpenChats()

    def tellOfCrash(self, report: str) -> None:
        """Say that the program ended badly the last time."""
        self._notices.tell_of_crash(partial(self._show_report, report))

    def _show_report(self, report: str) -> None:
        from rillet.app.crash.report_dialog import ReportDialog

        ReportDialog(report, self._theme, self).show()

    @Slot()
    def showTitle(self) -> None:
        """Say which chat is shown."""
        assert self._services is not None
        chat_id = self.sessions.current.chat_id
        chat = None if chat_id is None else self._services.library.find(chat_id)
        self._header.set_title(chat.title if chat is not None else "")
        self._header.set_mark(self.tr("Temporary") if self.sessions.current.is_temporary else "")
        self._sidebar.show_chat(chat_id)

    @Slot(float)
    def keepZoom(self, zoom: float) -> None:
        """Have the text of every chat this large, and after the next start."""
        self._state.zoom = zoom
        for session in () if self._sessions is None else self._sessions:
            session.view.setZoom(zoom)

    def _connect(self, view: ChatView) -> None:
        view.setMinimumWidth(1)  # (beside the list of chats in a narrow window it gives way, and does not lie over it)
        view.setZoom(self._state.zoom)
        view.zoomChanged.connect(self.keepZoom)
        self._viewers.serve(view)

    def _restore_geometry(self) -> None:
        if not self.restoreGeometry(self._state.geometry):
            resize_to_fit(self, FIRST_SIZE)

    # Qt overrides

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave a narrow window to the chat; the list comes back with the room for both."""
        super().resizeEvent(event)
        if self._sessions is not None:
            self._toast.place()
        before = event.oldSize()
        room, had_room = event.size().width() >= BOTH_WIDTH, not before.isValid() or before.width() >= BOTH_WIDTH
        if room != had_room:
            self._side.setVisible(room and not self._state.sidebar_folded)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember where the window was, keep what is written, and let the program end; answers end with it."""
        if self._sessions is not None:
            if not self._leaving.admits():
                event.ignore()
                return
            self._sessions.save_drafts()
            self.keepOpenChats()
            self._notices.close()
        coroutines.cancel_all()
        self._state.geometry = self.saveGeometry()
        if self._services is not None:
            self._state.choice_label = self._services.choice.label
        super().closeEvent(event)
