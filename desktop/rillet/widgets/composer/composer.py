"""The composer: the field with its chips, a row for the host's widgets, and one button that sends or stops.

Above: the other modules of this package. Below: ``chat_view`` puts it under the transcript. Knows messages, but no
clients. Guarantees: text that an input method is still composing is never sent and never lost; one press sends at most
once, because sending empties the field at once; while an answer is written the button stops it, and Enter neither
sends nor loses what was typed; undo takes back text and attachments in the order in which they came; what is sent is
valid Unicode. Files are opened when a person pastes, drops or chooses them, and never else; what is sent while one is
still being read waits for it, and says so.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import PADDING, Button
from rillet.widgets.composer.choosing import Chooser
from rillet.widgets.composer.field import Field, SendKey
from rillet.widgets.composer.frame import paint_frame
from rillet.widgets.composer.history import History
from rillet.widgets.composer.notes import COUNTED_FROM, Notes
from rillet.widgets.composer.tray import Tray

# Not imported here: what deals with messages, attachments and offers. A program should not pay for it before its window
# is seen.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtCore import QAbstractItemModel, QEvent, QObject
    from PySide6.QtGui import QKeyEvent, QPaintEvent

    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.composer.completion import Completion
    from rillet.widgets.composer.draft import Draft
    from rillet.widgets.composer.incoming import Source
    from rillet.widgets.composer.limits import Limits
    from rillet.widgets.theme.palette import Theme

_BUTTON = 34
_LEAST_LIMIT = 96
_SPACING = 4


class Composer(QWidget):
    """What a person writes.

    Signals:
        sendRequested(object): A ``ChatMessage`` with text, attachments or both; the field is empty already.
        stopRequested(): The running answer is to be stopped.
        draftChanged(): Text or attachments changed.
        completed(object): A persistent index of the host's model: the command or mention that was chosen.
        attachmentRefused(str): A sentence about what cannot be attached. It is shown here too.
    """

    sendRequested = Signal(object)
    stopRequested = Signal()
    draftChanged = Signal()
    completed = Signal(object)
    attachmentRefused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
        self._busy = False
        self._sends_while_busy = False
        self._dropping = False
        self._height_limit = 0
        self._file_tokens = 0
        self._guard: Callable[[str], bool] | None = None
        self._awaits_files = False
        """Whether it is to be sent as soon as everything was read."""
        self._made_completion: Completion | None = None
        self._field = Field(self)
        self._field.sendPressed.connect(self.send)
        self._field.pasted.connect(self._take)
        self._field.heightChanged.connect(self.updateGeometry)
        self._field.focusChanged.connect(self.update)
        self._field.textChanged.connect(self._changed)
        self._button = Button("send", "", self.tr("Send"), look="filled", icon_size=18, round_ends=True)
        self._button.setFixedSize(_BUTTON, _BUTTON)
        self._button.clicked.connect(self._press)
        self._attach = Button("plus", "", self.tr("Attach files or a folder"))
        self._notes = Notes(self)
        self._build()
        self._tray = Tray(self._field, self._inset)
        self._tray.changed.connect(self._count_files)
        self._tray.refused.connect(self._refuse)
        self._chooser = Chooser(self._attach, self)
        self._chooser.filesChosen.connect(self.attachFiles)
        self._chooser.folderChosen.connect(self._tray.read_folder)
        self._tray.previewed.connect(self._chooser.preview)
        self._tray.folderFound.connect(self._chooser.show_folder)
        self.setFocusProxy(self._field)
        self.setAcceptDrops(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._update_button()

    def _build(self) -> None:
        self._foot = QHBoxLayout()
        self._foot.setContentsMargins(0, 0, 0, 0)
        self._foot.setSpacing(_SPACING)
        self._foot.addWidget(self._attach)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addLayout(self._foot)
        self._row.addStretch(1)
        self._row.addWidget(self._notes.count)
        self._row.addWidget(self._button)
        self._inset = QVBoxLayout()
        self._inset.setContentsMargins(PADDING, 0, 0, 0)
        self._inset.setSpacing(8)
        self._inset.addWidget(self._notes.notice)
        self._inset.addWidget(self._notes.waiting)
        self._inset.addWidget(self._field)
        self._column = QVBoxLayout(self)
        # The text of the row's first button, not its invisible edge, stands under the text of the field.
        self._column.setContentsMargins(16 - PADDING, 12, 10, 8)
        self._column.setSpacing(_SPACING)
        self._column.addLayout(self._inset)
        self._column.addLayout(self._row)

    # What is written

    def text(self) -> str:
        """What is written, an unfinished composition not included."""
        from rillet.widgets.composer.intake import sanitised

        return sanitised(self._field.toPlainText())

    def setText(self, text: str) -> None:
        """Replace what is written; undo brings it back. The cursor goes to the end."""
        self._field.replace(text)

    def select(self, text: str) -> bool:
        """Select this in the field, and give it the keyboard; whether it stands there."""
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._field.moveCursor(QTextCursor.MoveOperation.Start)
        return self._field.find(text, QTextDocument.FindFlag.FindCaseSensitively)

    def attachments(self) -> tuple[Attachment, ...]:
        """What is sent along with the text; not what is still being read."""
        return self._tray.attachments

    def isReading(self) -> bool:
        """Whether something that was attached is still being read."""
        return any(each.is_reading for each in self._tray.incoming)

    def attach(self, attachment: Attachment) -> bool:
        """Add an attachment, if it fits; whether it did. A refusal is shown."""
        return self._tray.attach(attachment)

    def removeAttachment(self, place: int) -> None:
        """Remove one; undo brings it back.

        Raises:
            IndexError: there is none at this place.
        """
        if not 0 <= place < len(self._tray.items):
            raise IndexError(place)
        self._tray.remove(place)

    def draft(self) -> Draft:
        """All of it as a value, for a host that keeps one per chat."""
        from rillet.widgets.composer.draft import Draft

        return Draft(self.text(), self._tray.items, self._field.textCursor().position())

    def setDraft(self, draft: Draft) -> None:
        """Go on with another draft. What was here before cannot be brought back by undo: it is another chat's."""
        self._await_files(False)
        self._tray.reset(draft.text, draft.items)
        cursor = self._field.textCursor()
        end = self._field.document().characterCount() - 1
        cursor.setPosition(end if draft.cursor is None else max(0, min(draft.cursor, end)))
        self._field.setTextCursor(cursor)

    def setHistory(self, texts: Iterable[str]) -> None:
        """What ↑ in the empty field fetches, oldest first. What is sent is added."""
        self._field.history = History(texts)

    # How it works

    def setPlaceholderText(self, text: str) -> None:
        """What the empty field says."""
        self._field.setPlaceholderText(text)

    def placeholderText(self) -> str:
        """What the empty field says."""
        return self._field.placeholderText()

    def sendKey(self) -> SendKey:
        """The key that sends."""
        return self._field.send_key

    def setSendKey(self, key: SendKey) -> None:
        """Choose the key that sends; with Ctrl+Enter, Enter breaks the line. Shift+Enter always does."""
        self._field.send_key = key

    def setAttachmentLimits(self, limits: Limits) -> None:
        """Choose how much may be attached from now on."""
        self._tray.limits = limits

    def setModelAbilities(self, *, takesFiles: bool, sees: bool = True) -> None:
        """Say whether the model that will be asked takes documents (PDF) as they are, and whether it looks at images.

        Of documents that it does not take only the text is sent; images are marked that it does not look at.
        """
        self._tray.set_abilities(takesFiles, sees)

    def setCommands(self, commands: QAbstractItemModel | Iterable[str | tuple[str, str]] | None) -> None:
        """Offer these behind a ``/`` at the start: a model, names, or (name, explanation)."""
        self._offer("/", commands)

    def setMentions(self, mentions: QAbstractItemModel | Iterable[str | tuple[str, str]] | None) -> None:
        """Offer these behind an ``@`` at the start of a word."""
        self._offer("@", mentions)

    def addFootWidget(self, widget: QWidget) -> None:
        """Put a widget of the host, such as a model picker, into the row below the field."""
        self._foot.addWidget(widget)
        self._order_tabs()

    def replaceFootWidget(self, old: QWidget, new: QWidget) -> None:
        """Put ``new`` in the place of ``old``, which is deleted."""
        self._foot.replaceWidget(old, new)
        old.hide()
        old.deleteLater()
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Have Tab go from the field along the row below it, and to the button that sends last."""
        items = [self._foot.itemAt(place) for place in range(self._foot.count())]
        row = [widget for item in items if item is not None and (widget := item.widget()) is not None]
        row = [widget for widget in row if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus]
        for before, after in pairwise((self._field, *row, self._button)):
            QWidget.setTabOrder(before, after)

    def isBusy(self) -> bool:
        """Whether an answer is being written, and the button stops it."""
        return self._busy

    def setBusy(self, busy: bool) -> None:
        """Turn the button into Stop, or back into Send."""
        if busy != self._busy:
            self._busy = busy
            self._button.set_icon("stop" if busy else "send")
            self._button.describe(self.tr("Stop") if busy else self.tr("Send"))
            self._update_button()

    def setSendsWhileBusy(self, on: bool) -> None:
        """Whether Enter sends also while an answer is being written: the host keeps it for later. Off by default."""
        self._sends_while_busy = on

    def setSendGuard(self, guard: Callable[[str], bool] | None) -> None:
        """Ask ``guard`` about each text before it is sent; where it says no, the text stays where it is."""
        self._guard = guard

    def acceptDropsOn(self, widget: QWidget) -> None:
        """Take what is dropped there, too: it need not be aimed."""
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def setHeightLimit(self, height: int) -> None:
        """Pixels that the whole composer may take before the field scrolls."""
        self._height_limit = max(_LEAST_LIMIT, height)
        self._limit_field()

    def setTheme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._chooser.theme = theme
        for part in (self._field, self._tray, self._made_completion):
            if part is not None:
                part.set_theme(theme)
        for button in (self._button, self._attach):
            button.set_theme(theme)
        self._notes.set_theme(theme)
        self.update()

    def takeKey(self, event: QKeyEvent) -> bool:
        """Go on with a key that was pressed elsewhere, if it writes something or pastes; whether it did."""
        text = event.text()
        writes = bool(text) and text.isprintable() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not writes and not event.matches(QKeySequence.StandardKey.Paste):
            return False
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._field.keyPressEvent(event)
        return True

    # What a person does

    @Slot()
    def send(self) -> None:
        """Send what is written, unless there is nothing; while an answer is written only to a host that queues."""
        from rillet.core.types import ChatMessage

        text = self.text().strip()
        if (self._busy and not self._sends_while_busy) or not (text or self._tray.items):
            return
        if failed := next((each for each in self._tray.incoming if each.problem), None):
            self._refuse(self.tr("{why} Remove it to send the rest.").format(why=failed.problem))
            return
        if self._guard is not None and not self._guard(text):
            return
        if self.isReading():
            self._await_files(True)
            return
        self._await_files(False)
        self._field.history.add(text)
        attachments = self._tray.take()
        self.sendRequested.emit(ChatMessage.user(text, *(each.part for each in attachments)))

    @Slot()
    def chooseFiles(self) -> None:
        """Let the person choose files to attach."""
        self._chooser.choose_files()

    @Slot()
    def chooseFolder(self) -> None:
        """Let the person choose a folder, and then what of it is attached."""
        self._chooser.choose_folder()

    @Slot(str)
    def attachFolder(self, path: str) -> None:
        """Show what is in the folder at this path; what is chosen of it is attached."""
        self._chooser.show_folder(Path(path))

    @Slot(list)
    def attachFiles(self, paths: list[str]) -> None:
        """Attach the files at these paths; refusals are shown."""
        self._tray.read_files(map(Path, paths))

    def attachAgain(self, sources: list[tuple[Source, str]]) -> None:
        """Attach what a draft was kept of before it was read, each with its name."""
        self._tray.read_again(sources)

    @Slot(object)
    def _take(self, source: QMimeData) -> None:
        """Write or attach what was pasted or dropped."""
        from rillet.widgets.composer.intake import read

        found = read(source, self._tray.limits)
        self._tray.read_files(found.paths)
        for content, name in found.unread:
            self._tray.read(content, name)
        if found.text:
            self._field.insertPlainText(found.text)
            self._field.ensureCursorVisible()
        for attachment in found.attachments:
            if not self.attach(attachment):
                return
        if found.refusals:
            self._refuse(found.refusals[0])

    def _await_files(self, on: bool) -> None:
        """Say that it will be sent once everything was read, or that it will not."""
        self._awaits_files = on
        reading = [each.name for each in self._tray.incoming if each.is_reading] if on else []
        self._notes.say_what_is_awaited(reading if on else None)
        self._limit_field()

    @Slot()
    def _press(self) -> None:
        if self._busy:
            self.stopRequested.emit()
            return
        # A mouse click does not end a composition; without this its text would stay behind.
        QGuiApplication.inputMethod().commit()
        self._field.setFocus()
        if not self._field.composing:
            self.send()

    # What follows

    @Slot()
    def _changed(self) -> None:
        """The text is another one. Whoever goes on writing does not want it sent yet."""
        if self._awaits_files:
            self._await_files(False)
        self._notes.notice.hide()
        self._follow()

    def _follow(self) -> None:
        self._limit_field()
        self._update_button()
        self._update_count()
        self.draftChanged.emit()

    def _update_button(self) -> None:
        blank = not self._field.toPlainText().strip() and not self._tray.items
        self._button.setEnabled(self._busy or not blank or self._field.composing)

    @Slot()
    def _count_files(self) -> None:
        """Once for each set of attachments: a file may be long, and the estimate is looked at with every key."""
        takes_files = self._tray.takes_files
        self._file_tokens = sum(each.tokens(takes_files) for each in self._tray.attachments)
        self._notes.notice.hide()
        self._follow()
        if self._awaits_files:
            is_reading = self.isReading()
            self._await_files(is_reading)
            if not is_reading:
                self.send()

    def _update_count(self) -> None:
        if self._field.document().characterCount() > COUNTED_FROM or self._file_tokens:
            self._notes.show_count(self._field.toPlainText(), self._file_tokens)
        else:
            self._notes.count.hide()

    def _limit_field(self) -> None:
        if self._height_limit:
            margins = self._column.contentsMargins()
            around = margins.top() + self._column.spacing() + self._row.sizeHint().height() + margins.bottom()
            self._field.set_limit(self._height_limit - around - self._tray.height)

    @Slot(str)
    def _refuse(self, sentence: str) -> None:
        self._notes.refuse(sentence)
        self.attachmentRefused.emit(sentence)

    def _offer(self, sign: str, offers: QAbstractItemModel | Iterable[str | tuple[str, str]] | None) -> None:
        from PySide6.QtCore import QAbstractItemModel

        from rillet.widgets.composer.completion import Completion, model_of

        if self._made_completion is None:
            self._made_completion = Completion(self._field, self)
            self._made_completion.completed.connect(self.completed)
            if self._theme is not None:
                self._made_completion.set_theme(self._theme)
        model = offers if offers is None or isinstance(offers, QAbstractItemModel) else model_of(offers, self)
        self._made_completion.set_model(sign, model)

    def _set_dropping(self, dropping: bool) -> None:
        if dropping != self._dropping:
            self._dropping = dropping
            self._field.show_ground(dropping)
            self.update()

    # Qt overrides

    def sizeHint(self) -> QSize:
        """The width is the host's; the height follows the text."""
        return QSize(480, super().sizeHint().height())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Treat drags on a widget of ``acceptDropsOn`` as those on this one."""
        if self.isHidden() or not isinstance(event, QDragEnterEvent | QDragLeaveEvent | QDropEvent):
            return False
        self.event(event)
        return event.isAccepted()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show that it may be dropped here."""
        from rillet.widgets.composer.intake import is_welcome

        if is_welcome(event.mimeData()):
            event.setDropAction(Qt.DropAction.CopyAction)  # never Move: the other program would delete its file
            event.accept()
            self._set_dropping(True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """It goes elsewhere."""
        self._set_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take it."""
        self._set_dropping(False)
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._take(event.mimeData())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame, with a ring while the field has the focus or something may be dropped."""
        if self._theme is None:
            return
        drop_row = self._row.geometry() if self._dropping else None
        paint_frame(self, self._theme, marked=self._field.hasFocus(), drop_row=drop_row)
