"""The chat view: a conversation, and the composer to go on with it.

The widget to embed. It knows messages, but no providers, stores or settings: it asks for things by signals. Above:
``conversation``, ``composer``, ``welcome``. Below: ``binding`` makes it a working chat, hosts do what they like.
Guarantees: no network is touched from here, and no file but what a person pastes, drops or attaches; text that arrives
is in ``history`` at once and on the screen within a few frames; while an answer streams the composer offers Stop, and
Enter sends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Property, QEvent, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from rillet.widgets.composer import Composer
from rillet.widgets.theme.palette import applied, palette
from rillet.widgets.theme.tokens import MARGIN, MEASURE
from rillet.widgets.welcome import Welcome

# Not imported here: the conversation, which is made with the first message, and with it Markdown and the transcript.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QShowEvent, QWheelEvent

    from rillet.core.types import ChatMessage
    from rillet.widgets.conversation import Conversation
    from rillet.widgets.find_bar import FindBar
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.finding import FindOptions
    from rillet.widgets.transcript.view import Transcript

MESSAGE_ACTIONS = frozenset(
    {"copy", "regenerate", "regenerate-with", "edit", "versions", "fork", "details", "delete", "continue"}
)
"""What can be offered with messages."""
_OVERHANG = 12
"""The composer stands out from the text column by this much on both sides, so that its text is in line with it."""
_COMPOSER_SHARE = 0.4
_LOOK_EVENTS = (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange)
"""What a new theme of the application brings about, whatever it changes."""
_LEAST_ZOOM, _MOST_ZOOM, _ZOOM_STEP = 0.5, 3.0, 0.1
_WHEEL_STEP = 120
"""What one notch of a wheel comes as, in eighths of a degree."""


class ChatView(QWidget):
    """A conversation and the field to go on with it.

    Signals:
        sendRequested(object): A ``ChatMessage`` by the user. It is not in the view yet: ``addMessage`` it.
        stopRequested(): The answer that streams is to be stopped: its button was pressed, or it was removed.
        retryRequested(object): The ``MessageHandle`` of an answer that is wanted once more.
        messageActionRequested(str, object): One of ``MESSAGE_ACTIONS`` that was switched on (``setMessageActions``;
            "versions" comes as "previous" or "next"), or one of a mark (``MessageHandle.setMark``), and the
            ``MessageHandle`` it is wanted of.
        approvalAnswered(object): The ``ApprovalAnswer`` to what a ``ToolHandle`` asked.
        imageActivated(object): The ``ImagePart`` of a message that is to be seen large.
        fileActivated(object): The ``FilePart`` of a message of which is to be seen what is in it.
        linkActivated(QUrl): A link (http, https or mailto) was followed. The view opens nothing: the host does.
        imageRequested(QUrl): The placeholder of a picture from the net (http or https) was clicked. The view loads
            nothing: what the host does about it, is its affair.
        findChanged(int, int): The number of the hit that is shown, from 1 (0: none, or not all are counted yet), and
            how many have been counted.
        zoomChanged(float): The text is larger or smaller now.
    """

    follows_theme: ClassVar = True
    """See ``palette.apply``."""

    sendRequested = Signal(object)
    stopRequested = Signal()
    retryRequested = Signal(object)
    messageActionRequested = Signal(str, object)
    approvalAnswered = Signal(object)
    imageActivated = Signal(object)
    fileActivated = Signal(object)
    linkActivated = Signal(QUrl)
    imageRequested = Signal(QUrl)
    findChanged = Signal(int, int)
    zoomChanged = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = applied(self.palette())
        self._own_theme = False
        self._outdated = False
        self._restyle = QTimer(self, singleShot=True, interval=0)
        self._restyle.timeout.connect(self._apply_theme)
        self._zoom = 1.0
        self._find_bar: FindBar | None = None
        self._made: Conversation | None = None
        self._announcements = True
        self._actions: tuple[frozenset[str], frozenset[str]] = frozenset({"copy"}), frozenset({"copy"})
        self._welcome = Welcome(self)
        self._welcome.promptChosen.connect(self._take_prompt)
        self._composer = Composer(self)
        self._composer.setPlaceholderText(self.tr("Message"))
        self._composer.sendRequested.connect(self._send)
        self._composer.stopRequested.connect(self.stopRequested)
        self._composer.setMaximumWidth(MEASURE + 2 * _OVERHANG)
        self._composer.acceptDropsOn(self)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN - _OVERHANG, 0, MARGIN - _OVERHANG, MARGIN - _OVERHANG)
        row.addWidget(self._composer)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self._welcome, 1)
        self._column.addLayout(row)
        self.setAutoFillBackground(True)
        self._apply_theme()

    # The conversation

    def addMessage(self, message: ChatMessage, time: datetime | None = None) -> MessageHandle:
        """Show a message. System messages and tool results go into the history without being shown.

        ``time`` (local) is when it was written; where the day changes from one message to the next, a line says so.
        """
        return self.addMessages([message], [time])[0]

    def addMessages(
        self, messages: Iterable[ChatMessage], times: Iterable[datetime | None] = ()
    ) -> list[MessageHandle]:
        """Show messages, oldest first; a conversation of thousands costs one layout of what fits into the window."""
        return self._conversation.add(messages, times)

    def beginAssistantStream(self, time: datetime | None = None) -> MessageHandle:
        """Open an answer and turn Send into Stop, until the handle's ``finish`` or ``fail``."""
        return self._conversation.begin_stream(time)

    def clear(self) -> None:
        """Remove everything. Handles of what was removed do nothing from now on; ``stopRequested`` if one was open."""
        if self._made is not None:
            self._made.cut(0)

    def removeFrom(self, handle: MessageHandle) -> None:
        """Remove a message and all that come after it, as ``clear`` does.

        Raises:
            ValueError: the message is not in this view (any more).
        """
        self._conversation.cut(self.handles().index(handle))

    def showMessage(self, handle: MessageHandle) -> None:
        """Bring the beginning of a message into sight."""
        self.transcript.show_entry(handle.entry)

    def showFound(self, handle: MessageHandle, text: str) -> None:
        """Show a message, with ``text`` marked in it and everywhere, as if a person had looked for it in the bar."""
        from rillet.widgets.transcript.finding import FindOptions

        self.showMessage(handle)
        bar = self._find_bar_made()
        bar.show_found(text)
        self._place_find_bar()
        self.transcript.reading.finder.find(text, FindOptions(), handle.entry)

    def history(self) -> list[ChatMessage]:
        """All messages with something in them, oldest first; an answer that streams, failed or was stopped as it is."""
        return [message for handle in self.handles() for message in handle.messages]

    def handles(self) -> list[MessageHandle]:
        """The handles of all messages, oldest first."""
        return self._made.handles if self._made is not None else []

    # Reading

    def copySelection(self) -> None:
        """Put what is selected on the clipboard, as plain text, Markdown and HTML; nothing if nothing is."""
        self.transcript.reading.copy()

    def copyConversation(self) -> None:
        """Put all messages on the clipboard, as they were written."""
        self.transcript.reading.copy_all()

    # (Hides a static method of QWidget, which looks up a widget by its window's number.)
    def find(self, text: str, options: FindOptions | None = None) -> None:  # type: ignore[override]
        """Mark ``text`` everywhere and go to the first hit from here on. Empty text ends it.

        A few milliseconds are spent at a time, so in conversations of many thousands the number grows: ``findChanged``
        tells it.
        """
        from rillet.widgets.transcript.finding import FindOptions

        self.transcript.reading.finder.find(text, options or FindOptions())

    def findNext(self) -> None:
        """Go to the next hit, behind the last one to the first."""
        self.transcript.reading.finder.step(1)

    def findPrevious(self) -> None:
        """Go to the hit before, from the first one to the last."""
        self.transcript.reading.finder.step(-1)

    @Slot()
    def showFindBar(self) -> None:
        """Let a person type what to find."""
        bar = self._find_bar_made()
        self._place_find_bar()
        bar.open()

    def _find_bar_made(self) -> FindBar:
        if self._find_bar is None:
            from rillet.widgets.find_bar import FindBar

            self._find_bar = FindBar(self)
            self._find_bar.set_theme(self._theme)
            self._find_bar.findRequested.connect(self.find)
            self._find_bar.stepRequested.connect(self.transcript.reading.finder.step)
            self._find_bar.closed.connect(self._end_find)
            self.findChanged.connect(self._find_bar.show_count)
        return self._find_bar

    @Slot()
    def _end_find(self) -> None:
        self.find("")
        self.transcript.keep_clear(0)
        self._composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_find_bar(self) -> None:
        """Give the bar its place, where it covers no text: a hit might be under it."""
        if self._find_bar is not None:
            self.transcript.keep_clear(self._find_bar.place_in(self.width()))

    def zoom(self) -> float:
        """How large the text is, 1.0 being its usual size."""
        return self._zoom

    def setZoom(self, zoom: float) -> None:
        """Make the text larger or smaller, between 0.5 and 3.0. The line that is read stays in its place."""
        zoom = round(max(_LEAST_ZOOM, min(_MOST_ZOOM, zoom)), 2)
        if zoom != self._zoom:
            self._zoom = zoom
            if self.isHidden():
                self._outdated = True
            else:
                self._apply_theme()
            self.zoomChanged.emit(zoom)

    # Parts and looks

    @property
    def composer(self) -> Composer:
        """The field, to fill it or to add widgets to its row."""
        return self._composer

    @property
    def transcript(self) -> Transcript:
        """The scrolling part."""
        return self._conversation.transcript

    @property
    def welcome(self) -> Welcome:
        """What an empty chat shows."""
        return self._welcome

    def addAboveComposer(self, widget: QWidget) -> None:
        """Put a widget of the host between the conversation and the field, as wide as the field."""
        widget.setMaximumWidth(MEASURE + 2 * _OVERHANG)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN - _OVERHANG, 0, MARGIN - _OVERHANG, 0)
        row.addWidget(widget)
        self._column.insertLayout(self._column.count() - 1, row)

    def placeholderText(self) -> str:
        """What the empty composer says."""
        return self._composer.placeholderText()

    def setPlaceholderText(self, text: str) -> None:
        """Choose what the empty composer says."""
        self._composer.setPlaceholderText(text)

    def isReadOnly(self) -> bool:
        """Whether there is no composer."""
        return self._composer.isHidden()

    def setReadOnly(self, readOnly: bool) -> None:
        """Show the conversation only, without a composer to go on with it, or show it again."""
        self._composer.setVisible(not readOnly)
        self._welcome.setEnabled(not readOnly)

    placeholder = Property(str, placeholderText, setPlaceholderText)
    readOnly = Property(bool, isReadOnly, setReadOnly)
    zoomFactor = Property(float, zoom, setZoom)

    def setTheme(self, theme: Theme) -> None:
        """Use these colours and fonts from now on.

        Without this it looks as the application does since ``palette.apply``, or is light or dark as its palette is.
        """
        self._own_theme = True
        self._theme = theme
        self.setPalette(palette(theme.tokens))
        self._apply_theme()

    def setMessageActions(self, actions: Iterable[str], lastAnswer: Iterable[str] = ()) -> None:
        """Offer these of ``MESSAGE_ACTIONS`` with every message they suit, and ``lastAnswer`` with the last answer too.

        ``copy`` needs no host; it is all that is offered by default. Everything else comes as a signal.

        Raises:
            ValueError: there is no such action.
        """
        everywhere = frozenset(actions)
        last = everywhere | frozenset(lastAnswer)
        if unknown := last - MESSAGE_ACTIONS:
            raise ValueError(f"no such actions: {sorted(unknown)}")
        self._actions = everywhere, last
        if self._made is not None:
            self._made.transcript.set_offers(*self._actions)

    def setAnnouncements(self, on: bool) -> None:
        """Have screen readers say answers sentence by sentence while they are written. On by default.

        How an answer ended, and where a link leads, is said in any case.
        """
        self._announcements = on
        if self._made is not None:
            self._made.narrator.set_silent(not on)

    @property
    def _conversation(self) -> Conversation:
        """The conversation; the first look at it makes it."""
        if self._made is None:
            from rillet.widgets.conversation import Conversation

            self._made = Conversation(self._theme.zoomed(self._zoom), self)
            self._made.transcript.reading.finder.changed.connect(self.findChanged)
            self._made.changed.connect(self._show)
            self._made.said.connect(self._announce)
            self._made.narrator.set_silent(not self._announcements)
            self._made.answerRemoved.connect(self.stopRequested)
            self._made.retryRequested.connect(self.retryRequested)
            self._made.actionRequested.connect(self.messageActionRequested)
            self._made.approvalAnswered.connect(self.approvalAnswered)
            self._made.transcript.imageActivated.connect(self.imageActivated)
            self._made.transcript.fileActivated.connect(self.fileActivated)
            self._made.transcript.set_offers(*self._actions)
            self._made.transcript.linkActivated.connect(self.linkActivated)
            self._made.transcript.imageRequested.connect(self.imageRequested)
            self._made.transcript.linkReached.connect(self._announce)
            self._column.insertWidget(0, self._made.transcript, 1)
            self._show()
        return self._made

    @Slot()
    def _show(self) -> None:
        """Show the conversation, or the welcome while there is none, and offer Send or Stop."""
        made = self._made
        if made is not None:
            self._welcome.setVisible(made.empty)
            made.transcript.setVisible(not made.empty)
            self._composer.setBusy(made.streaming)

    @Slot(str)
    def _announce(self, sentence: str) -> None:
        """Have a screen reader say it, where one listens."""
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.transcript, sentence))

    @Slot(object)
    def _send(self, message: ChatMessage) -> None:
        self.transcript.jump_to_latest()
        self.sendRequested.emit(message)

    @Slot(str)
    def _take_prompt(self, prompt: str) -> None:
        self._composer.setText(prompt)
        self._composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _restyle_soon(self) -> None:
        """Take another look: a view that is hidden, as those of other chats are, when it is shown."""
        if self.isHidden():
            self._outdated = True
        else:
            self._restyle.start()

    @Slot()
    def _apply_theme(self) -> None:
        self._outdated = False
        if self._own_theme:
            # Under an application's style sheet Qt takes palettes of widgets away whenever it has a new one itself, and
            # a text field keeps one of its own.
            for widget in (self, self._composer, self._composer.focusProxy() or self):
                widget.setPalette(palette(self._theme.tokens))
        zoomed = self._theme.zoomed(self._zoom)
        if self._made is not None:
            self._made.transcript.set_theme(zoomed)
        self._welcome.set_theme(self._theme)
        self._composer.setTheme(zoomed)
        if self._find_bar is not None:
            self._find_bar.set_theme(self._theme)

    # Qt overrides

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Have the composer take the focus. A focus proxy would, but Tab skips whatever stands before a proxy."""
        super().focusInEvent(event)
        self._composer.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What nothing else here wants: text is meant for the composer, Ctrl+Up and Ctrl+Down for the messages."""
        moves = event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in (
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
        )
        if moves and self._made is not None:
            self._made.transcript.focus_entry(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.matches(QKeySequence.StandardKey.Find) and self._made is not None:
            self.showFindBar()
        elif event.matches(QKeySequence.StandardKey.ZoomIn) or _is_plus(event):
            self.setZoom(self._zoom + _ZOOM_STEP)
        elif event.matches(QKeySequence.StandardKey.ZoomOut):
            self.setZoom(self._zoom - _ZOOM_STEP)
        elif event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() == Qt.Key.Key_0:
            self.setZoom(1.0)
        elif self._composer.isHidden() or not self._composer.takeKey(event):
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the application from one look to another."""
        super().changeEvent(event)
        if event.type() not in _LOOK_EVENTS:
            return
        if self._own_theme:
            if event.type() == QEvent.Type.PaletteChange:
                self._restyle_soon()
        elif (theme := applied(self.palette())) != self._theme:
            self._theme = theme
            # Later: when the style sheet changes, Qt gives children back the fonts that they had before, after this.
            self._restyle_soon()

    def showEvent(self, event: QShowEvent) -> None:
        """Take the colours that were changed while nobody looked."""
        if self._outdated:
            self._apply_theme()
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the larger part to the transcript, however long the text in the composer is."""
        super().resizeEvent(event)
        self._composer.setHeightLimit(int(self.height() * _COMPOSER_SHARE))
        if self._find_bar is not None and self._find_bar.isVisible():
            self._place_find_bar()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl the wheel makes the text larger and smaller."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.setZoom(self._zoom + _ZOOM_STEP * event.angleDelta().y() / _WHEEL_STEP)
            event.accept()
        else:
            super().wheelEvent(event)


def _is_plus(event: QKeyEvent) -> bool:
    """Whether it is Ctrl and the key with the plus, which on many keyboards takes Shift, or is meant without it."""
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    return control and event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal)
