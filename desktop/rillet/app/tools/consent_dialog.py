"""Shows exactly what a server would start, or what its tool says of itself, and asks whether that may be.

Above: ``core/tools/mcp/consent``. Below: ``servers_page`` opens it. Guarantees: all of it is shown, with nothing hidden
(``core/visible``) and risky names marked; what is different from what was agreed to before stands first; only a press
on the one button agrees: the dialog opens with the focus on the other, and Enter means that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from rillet.app.tools.entries import is_ours
from rillet.app.tools.parts import Note, title
from rillet.core.tools.mcp.consent import SERVER, TOOL
from rillet.core.visible import visible
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    from rillet.core.tools.mcp.consent import Consent
    from rillet.widgets.theme.palette import Theme

WIDTH = 560
HEIGHT = 480


class ConsentDialog(QDialog):
    """One question.

    Signals:
        agreed(str): The digest of what the person agreed to.
    """

    agreed = Signal(str)

    def __init__(self, consent: Consent, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._consent = consent
        self._theme = theme
        self.setWindowTitle(self.tr("Consent"))
        self.setStyleSheet(consent_style_sheet(theme))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(WIDTH, HEIGHT)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        heading = title(self._question(), theme)
        heading.setWordWrap(True)
        column.addWidget(heading)
        column.addWidget(Note(theme, self._explanation()))
        for warning in consent.warnings:
            column.addWidget(Note(theme, visible(warning), colour=theme.tokens.warning))
        if consent.changes:
            column.addWidget(title(self.tr("What is different"), theme))
            column.addWidget(self._text(consent.changes, self.tr("What is different")), 1)
            column.addWidget(title(self.tr("All of it"), theme))
        lines = tuple(line for line in consent.lines if not _is_about_key_store(line))
        column.addWidget(self._text(lines, self.tr("What you agree to")), 2)
        column.addWidget(self._buttons())
        self._refuse.setFocus()

    def _question(self) -> str:
        name = visible(self._consent.server)
        if self._consent.subject != SERVER:
            tool = visible(self._consent.subject.removeprefix(TOOL))
            if self._consent.changes:
                return self.tr("{tool} of {server} has changed. May it be offered as it is now?").format(
                    tool=tool, server=name
                )
            return self.tr("{tool} of {server} is new. May it be offered?").format(tool=tool, server=name)
        if self._consent.url is not None:
            return self.tr("May Rillet connect to the server {server}?").format(server=name)
        return self.tr("May Rillet start the server {server}?").format(server=name)

    def _explanation(self) -> str:
        if self._consent.subject != SERVER:
            return self.tr("This is what models would be told. Every call is still judged by itself.")
        if self._consent.url is not None:
            return self.tr("It gets what models call its tools with. Every call is still judged by itself.")
        return self.tr("It is a program that runs on this machine with all your rights, as it stands here.")

    def _text(self, lines: tuple[str, ...], name: str) -> QPlainTextEdit:
        text = QPlainTextEdit("\n".join(map(visible, lines)))
        text.setReadOnly(True)
        text.setFont(self._theme.mono)
        text.setTabChangesFocus(True)
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        text.setAccessibleName(name)
        return text

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox()
        agree = box.addButton(self._agreement(), QDialogButtonBox.ButtonRole.ActionRole)
        agree.setAutoDefault(False)
        agree.clicked.connect(self.agree)
        self._refuse = box.addButton(self.tr("Not now"), QDialogButtonBox.ButtonRole.RejectRole)
        self._refuse.setDefault(True)
        box.rejected.connect(self.reject)
        return box

    def _agreement(self) -> str:
        if self._consent.subject != SERVER:
            return self.tr("Offer it")
        return self.tr("Start it") if self._consent.url is None else self.tr("Connect")

    @Slot()
    def agree(self) -> None:
        """Exactly this may be."""
        self.agreed.emit(self._consent.digest)
        self.accept()


def _is_about_key_store(line: str) -> bool:
    """Whether a line names where a value comes from that is in our key store: its variable has a line of its own."""
    kind, _, name = line.partition(": ")
    return kind in ("passed on from this program", "sent there from this program") and is_ours(name)


def consent_style_sheet(theme: Theme) -> str:
    """That of dialogs, and fields of several lines."""
    tokens = theme.tokens
    return (
        dialog_style_sheet(tokens)
        + f"""
QPlainTextEdit {{ background: {tokens.surface}; border: 1px solid {tokens.outline};
    border-radius: {tokens.radius}px; padding: 6px; }}
QPlainTextEdit:focus {{ border: 2px solid {tokens.accent}; padding: 5px; }}
QPlainTextEdit[readOnly="true"] {{ background: {tokens.code}; }}
"""
    )
