"""The card that asks before a tool runs: the exact call, and four answers.

The call is plain text in which nothing is invisible: control, bidirectional and zero-width characters are escaped, and
what does not fit is scrolled. Above: ``button``, ``transcript/tool``. Below: ``transcript/layout`` asks for the height,
``transcript/stage`` lends it to tiles. Guarantees: the answers that run something are dead for ``GUARD_MS`` after the
card appeared, so that a click or a key that was meant for something else does not hit them; the answer that runs
nothing works at once and has the focus, unless somebody is writing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QFrame, QGroupBox, QLabel, QPlainTextEdit, QTextEdit, QWidget

from rillet.core.visible import visible
from rillet.widgets.blocks.button import PADDING, Button, small_font
from rillet.widgets.blocks.diff_colours import DiffColours
from rillet.widgets.labels import tint
from rillet.widgets.transcript.arguments import ArgumentsPrinter
from rillet.widgets.transcript.tool import ApprovalAnswer, ToolSection

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QPaintEvent, QResizeEvent, QShowEvent

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile
    from rillet.widgets.transcript.tool import ApprovalRequest, Choice

translate = QCoreApplication.translate

GUARD_MS = 400
_X, _Y, _GAP = 16, 12, 8
_CALL_PADDING = 8
_CALL_SLACK = 6
"""What a QPlainTextEdit wants beyond its lines before it offers to scroll."""
_HIGHEST = 240
SHOWN = 64 << 10
"""Characters of arguments that a card holds."""
_LONG = 4000
"""Characters of a call that surely fill the highest field."""
_RADIUS = 8
_BUTTON_HEIGHT = 32
_KEYS: dict[Choice, str] = {"no": "Esc", "once": "Ctrl+1", "chat": "Ctrl+2", "always": "Ctrl+3", "folder": "Ctrl+4"}


def height(tile: Tile, width: int, theme: Theme) -> int:
    """Pixels that the card needs at ``width``."""
    request = _request(tile)
    rows = len(_rows(request, theme, width - 2 * _X))
    buttons = rows * _button_height(theme) + (rows - 1) * _GAP
    words = _prompt_height(request, width, theme) + _GAP + _notes_height(request, width, theme)
    return 2 * _Y + words + _call_height(request, width, theme) + _Y + buttons


class AnswerButton(Button):
    """An answer, with its key beside it."""

    def __init__(self, label: str, keys: str, parent: QWidget, *, filled: bool) -> None:
        super().__init__("", f"{label}  {keys}", f"{label}, {keys}", parent, look="filled" if filled else "outlined")
        self._label = label
        self._keys = keys

    def _draw_contents(self, painter: QPainter, area: QRect) -> None:
        assert self._theme is not None
        metrics = self.fontMetrics()
        first = metrics.horizontalAdvance(f"{self._label}  ")
        inner = area.adjusted(PADDING, 0, -PADDING, 0)
        painter.setPen(self._ink())
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, self._label)
        if self._look == "outlined" and self.isEnabled():
            painter.setPen(QColor(self._theme.tokens.muted))
        painter.drawText(inner.adjusted(first, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._keys)


class ApprovalCard(QGroupBox):
    """One question; a group box, because that is what assistive tools know as a group. It draws itself.

    Signals:
        answered(object, object, object): Entry, section, and the ``ApprovalAnswer``.
    """

    text_view: ClassVar[TextView | None] = None
    answered = Signal(object, object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self._theme: Theme | None = None
        self._asked: ApprovalRequest | None = None
        self._prompt = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._notes = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._notes.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._call = QPlainTextEdit(self, readOnly=True)
        self._colours = DiffColours(self._call.document())
        self._call.setFrameShape(QFrame.Shape.NoFrame)
        self._call.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self._call.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._call.setAccessibleName(self.tr("The exact call"))
        self._call.document().setDocumentMargin(_CALL_PADDING)
        option = self._call.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)  # right-to-left letters must not turn a line around
        self._call.document().setDefaultTextOption(option)
        self._call.setTabChangesFocus(True)
        self._buttons: dict[Choice, Button] = {}
        for choice, label in _labels().items():
            button = AnswerButton(label, _native(_KEYS[choice]), self, filled=choice == "once")
            button.clicked.connect(self._take_click)
            self._buttons[choice] = button
        self._guard = QTimer(self, singleShot=True, interval=GUARD_MS)
        self._guard.timeout.connect(self._arm)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._prompt.setFont(_bold(theme))
        self._notes.setFont(small_font(theme))
        tint(self._notes, theme.tokens.warning)
        self._colours.set_theme(theme)
        self._call.setFont(theme.mono)
        for button in self._buttons.values():
            button.set_theme(theme)
        self.update()

    def bind(self, entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Ask what the section of ``tile`` asks. A question that is new to this card starts guarded."""
        self._entry = entry
        self.tile = tile
        request = _request(tile)
        if request is not self._asked:
            self._asked = request
            self._prompt.setText(_prompt(request))
            self._notes.setText(_notes(request))
            self._colours.switch(on=bool(request.diff))
            self._call.setPlainText(call_text(request))
            self.setAccessibleName(_prompt(request))
            self._disarm()
        self._place()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None
        self._asked = None
        self._guard.stop()
        self._call.clear()

    @property
    def armed(self) -> bool:
        """Whether the answers that run something work."""
        return self._buttons["once"].isEnabled()

    def button(self, choice: Choice) -> Button:
        """The button of an answer."""
        return self._buttons[choice]

    def _present(self, tile: Tile) -> None:
        """Draw attention to a question that is new, once."""
        section = tile.section
        if not isinstance(section, ToolSection) or section.presented:
            return
        section.presented = True
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        if not _somebody_writes():
            self._buttons["no"].setFocus(Qt.FocusReason.OtherFocusReason)

    def _disarm(self) -> None:
        for choice, button in self._buttons.items():
            button.setEnabled(choice == "no")
        if self.isVisible():
            self._guard.start()

    @Slot()
    def _arm(self) -> None:
        for button in self._buttons.values():
            button.setEnabled(True)

    @Slot()
    def _take_click(self) -> None:
        for choice, button in self._buttons.items():
            if button is self.sender():
                self._answer(choice)
                return

    def _answer(self, choice: Choice) -> None:
        if self.tile is None or self._asked is None or choice not in _choices(self._asked):
            return
        if not self._buttons[choice].isEnabled():
            return
        self.answered.emit(self._entry, self.tile.section, ApprovalAnswer(self._asked, choice))

    def _place(self) -> None:
        if self._asked is None or self._theme is None:
            return
        width = self.width()
        prompt = _prompt_height(self._asked, width, self._theme)
        self._prompt.setGeometry(_X, _Y, width - 2 * _X, prompt)
        y = _Y + prompt + _GAP
        notes = _notes_height(self._asked, width, self._theme)
        self._notes.setGeometry(_X, y, width - 2 * _X, max(0, notes - _GAP))
        y += notes
        call = _call_height(self._asked, width, self._theme)
        # Left to itself a bar that came while the card was narrower would stay, for it makes the text narrower in turn.
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if call == _HIGHEST else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self._call.setVerticalScrollBarPolicy(policy)
        self._call.setGeometry(_X, y, width - 2 * _X, call)
        y += call + _Y
        button_height = _button_height(self._theme)
        for choice, button in self._buttons.items():
            button.setVisible(choice in _choices(self._asked))
        for row in _rows(self._asked, self._theme, width - 2 * _X):
            x = _X
            for choice, button_width in row:
                self._buttons[choice].setGeometry(x, y, button_width, button_height)
                x += button_width + _GAP
            y += button_height + _GAP

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """The guard counts from here. A new question takes the focus, unless it would tear it from a text."""
        super().showEvent(event)
        if not self.armed:
            self._guard.start()
        if self.tile is not None:
            self._present(self.tile)

    def hideEvent(self, event: QHideEvent) -> None:
        """A card that comes back into sight is guarded again."""
        super().hideEvent(event)
        self._guard.stop()
        self._disarm()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Put the children into their places."""
        self._place()

    def event(self, event: QEvent) -> bool:
        """The keys that stand on the buttons are ours while one of them has the focus, whatever the window does."""
        if event.type() == QEvent.Type.ShortcutOverride and _choice_of(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The keys that stand on the buttons."""
        choice = _choice_of(event)
        if choice is not None:
            self._answer(choice)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card with its accent border."""
        if self._theme is None:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.accent), 1.5))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75), _RADIUS, _RADIUS)
        painter.end()


def call_text(request: ApprovalRequest) -> str:
    """The call as it is shown: the tool, then its arguments laid out, everything visible.

    Of more than ``SHOWN`` characters the rest is named, not shown.
    """
    if request.shown:
        return _bounded(request.shown, request.shown)
    laid_out = _bounded(visible(ArgumentsPrinter().feed(request.arguments[:SHOWN])), request.arguments)
    call = f"{visible(request.name)} {laid_out}".rstrip()
    return f"{_bounded(request.diff, request.diff).rstrip()}\n\n{call}" if request.diff else call


def _bounded(text: str, whole: str) -> str:
    hidden = len(whole) - SHOWN
    if hidden <= 0:
        return text
    told = translate("ApprovalCard", "… and {count:,} more characters that are not shown here")
    return f"{text[:SHOWN]}\n{told.format(count=hidden)}"


def _request(tile: Tile) -> ApprovalRequest:
    assert isinstance(tile.section, ToolSection)
    assert tile.section.request is not None
    return tile.section.request


def _prompt(request: ApprovalRequest) -> str:
    usual = translate("ApprovalCard", "Run the tool {name}?")
    return visible(request.prompt) or usual.format(name=visible(request.name))


def _prompt_height(request: ApprovalRequest, width: int, theme: Theme) -> int:
    return _text_height(_prompt(request), width - 2 * _X, _bold(theme), 0)


def _notes(request: ApprovalRequest) -> str:
    return "\n".join(map(visible, request.notes))


def _notes_height(request: ApprovalRequest, width: int, theme: Theme) -> int:
    return _text_height(_notes(request), width - 2 * _X, small_font(theme), 0) + _GAP if request.notes else 0


def _choices(request: ApprovalRequest) -> tuple[Choice, ...]:
    return ("no", *request.choices)


def _call_height(request: ApprovalRequest, width: int, theme: Theme) -> int:
    if len(request.arguments) + len(request.diff) > _LONG:
        return _HIGHEST
    return min(_HIGHEST, _text_height(call_text(request), width - 2 * _X, theme.mono, _CALL_PADDING) + _CALL_SLACK)


def _text_height(text: str, width: int, font: QFont, margin: int) -> int:
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(margin)
    document.setDefaultFont(font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setPlainText(text)
    document.setTextWidth(width)
    return math.ceil(document.size().height())


def _bold(theme: Theme) -> QFont:
    font = QFont(theme.body)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def _button_height(theme: Theme) -> int:
    return max(_BUTTON_HEIGHT, QFontMetrics(small_font(theme)).height() + 2 * _GAP)


def _rows(request: ApprovalRequest, theme: Theme, width: int) -> list[list[tuple[Choice, int]]]:
    """The buttons with their widths, in as many rows as they need."""
    metrics = QFontMetrics(small_font(theme))
    rows: list[list[tuple[Choice, int]]] = [[]]
    left = width
    for choice, label in _labels().items():
        if choice not in _choices(request):
            continue
        button = min(width, metrics.horizontalAdvance(f"{label}  {_native(_KEYS[choice])}") + 2 * PADDING)
        if button > left and rows[-1]:
            rows.append([])
            left = width
        rows[-1].append((choice, button))
        left -= button + _GAP
    return rows


def _labels() -> dict[Choice, str]:
    """What stands on the buttons, in their order."""
    return {
        "no": translate("ApprovalCard", "No"),
        "once": translate("ApprovalCard", "Once"),
        "chat": translate("ApprovalCard", "For this chat"),
        "folder": translate("ApprovalCard", "In this folder"),
        "always": translate("ApprovalCard", "Always for exactly this"),
    }


def _choice_of(event: QEvent) -> Choice | None:
    """The answer whose key was pressed."""
    if not isinstance(event, QKeyEvent):
        return None
    pressed = QKeySequence(event.keyCombination())
    return next((choice for choice, keys in _KEYS.items() if pressed == QKeySequence(keys)), None)


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _somebody_writes() -> bool:
    focused = QApplication.focusWidget()
    if isinstance(focused, QPlainTextEdit | QTextEdit):
        return not focused.isReadOnly() and not focused.document().isEmpty()
    return False
