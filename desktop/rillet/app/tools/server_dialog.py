"""Adds an MCP server, or changes one: a form for a program or an address, or JSON as a README gives it.

Above: ``entries``. Below: ``servers_page`` opens it. Guarantees: nothing starts by adding; what cannot be used is not
added, and the dialog says why; a secret that was saved is not shown again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.sheet import settings_style_sheet
from rillet.app.tools.consent_dialog import consent_style_sheet
from rillet.app.tools.entries import checked, local_entry, read_entries, remote_entry, require_own
from rillet.app.tools.parts import Note
from rillet.app.tools.words import short
from rillet.core.visible import visible
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rillet.widgets.theme.palette import Theme

WIDTH = 560
LINES = 4

_JSON = 2
"""The place of JSON among the kinds."""


class ServerDialog(QDialog):
    """One or several servers.

    Signals:
        entered(object): Entries by the names of servers.
    """

    entered = Signal(object)

    def __init__(
        self,
        theme: Theme,
        taken: Collection[str],
        name: str = "",
        entry: Mapping[str, Any] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._taken = frozenset(taken) - {name}
        self._rest = dict(entry or {})
        self.setWindowTitle(self.tr("Add a server") if entry is None else self.tr("Change {0}").format(visible(name)))
        self.setStyleSheet(settings_style_sheet(theme.tokens) + consent_style_sheet(theme))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(WIDTH)
        self._kind = ChoiceBox()
        self._kind.setAccessibleName(self.tr("Kind of server"))
        self._kind.addItems([self.tr("Program on this machine"), self.tr("Server at an address"), self.tr("JSON")])
        self._stack = QStackedWidget()
        self._name, self._remote_name = QLineEdit(name), QLineEdit(name)
        self._command, self._folder, self._url = QLineEdit(), QLineEdit(), QLineEdit()
        self._arguments, self._variables, self._headers, self._json = (QPlainTextEdit() for _ in range(4))
        self._said = Note(theme, colour=theme.tokens.danger)
        self._said.hide()
        self._stack.addWidget(self._program_form())
        self._stack.addWidget(self._address_form())
        self._stack.addWidget(self._json_form())
        self._kind.currentIndexChanged.connect(self._stack.setCurrentIndex)
        self._arrange(is_new=entry is None)
        if entry is not None:
            self._fill(entry)
        self._fields()[0].setFocus()

    def paste(self) -> None:
        """Ask for JSON."""
        self._kind.setCurrentIndex(_JSON)
        self._json.setFocus()

    @Slot()
    def submit(self) -> None:
        """Take what was entered, if it can be used."""
        try:
            entries = self._entries()
            require_own(entries, self._rest)
            if twice := sorted(self._taken & entries.keys()):
                raise ValueError(self.tr("There is a server {name} already.").format(name=visible(twice[0])))
        except ValueError as error:
            self._said.setText(short(str(error)))
            self._said.show()
            return
        self.entered.emit(entries)
        self.accept()

    def _entries(self) -> dict[str, Any]:
        if self._kind.currentIndex() == _JSON:
            return read_entries(self._json.toPlainText())
        if self._kind.currentIndex() == 1:
            name = self._remote_name.text().strip()
            entry = remote_entry(self._url.text(), self._headers.toPlainText())
        else:
            name = self._name.text().strip()
            entry = local_entry(
                self._command.text(), self._arguments.toPlainText(), self._folder.text(), self._variables.toPlainText()
            )
        shown = ("command", "args", "cwd", "env", "environment", "url", "headers", "type")
        return checked({name: {key: value for key, value in self._rest.items() if key not in shown} | entry})

    def _fill(self, entry: Mapping[str, Any]) -> None:
        """Show an entry that is changed."""
        self._json.setPlainText(json.dumps({self._name.text(): entry}, indent=2, ensure_ascii=False))
        if "url" in entry:
            self._kind.setCurrentIndex(1)
            self._url.setText(entry["url"])
            self._headers.setPlainText(_lines(entry.get("headers") or {}, ": "))
            return
        command = entry.get("command", "")
        words = command if isinstance(command, list) else [command]
        self._command.setText(words[0] if words else "")
        self._arguments.setPlainText("\n".join([*words[1:], *entry.get("args", [])]))
        self._folder.setText(entry.get("cwd") or "")
        self._variables.setPlainText(_lines(entry.get("env") or entry.get("environment") or {}, "="))

    def _fields(self) -> list[QWidget]:
        return [self._name, self._remote_name, self._json][self._kind.currentIndex() :]

    def _program_form(self) -> QWidget:
        form, page = _form()
        self._command.setPlaceholderText("uvx")
        self._folder.setPlaceholderText(self.tr("The home folder"))
        self._arguments.setPlaceholderText(self.tr("One in each line"))
        self._variables.setPlaceholderText(self.tr("NAME=value in each line"))
        form.addRow(self.tr("&Name"), self._name)
        form.addRow(self.tr("&Program"), self._command)
        form.addRow(self.tr("A&rguments"), self._short(self._arguments))
        form.addRow(self.tr("&Folder"), self._folder)
        form.addRow(self.tr("&Variables"), self._short(self._variables))
        form.addRow(self._about_secrets())
        return page

    def _address_form(self) -> QWidget:
        form, page = _form()
        self._url.setPlaceholderText("https://example.com/mcp")
        self._headers.setPlaceholderText(self.tr("Name: value in each line"))
        form.addRow(self.tr("&Name"), self._remote_name)
        form.addRow(self.tr("&Address"), self._url)
        form.addRow(self.tr("&Headers"), self._short(self._headers))
        form.addRow(self._about_secrets())
        return page

    def _json_form(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(Note(self._theme, self.tr("As the README of a server gives it, with or without mcpServers.")))
        self._json.setFont(self._theme.mono)
        self._json.setTabChangesFocus(True)
        self._json.setAccessibleName("JSON")
        self._json.setPlaceholderText('{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}')
        column.addWidget(self._json, 1)
        column.addWidget(self._about_secrets())
        return page

    def _about_secrets(self) -> Note:
        return Note(
            self._theme,
            self.tr(
                "Values go into the key store of your system, not into a file. Write ${NAME} to take one from the "
                "environment."
            ),
        )

    def _short(self, field: QPlainTextEdit) -> QPlainTextEdit:
        field.setFixedHeight(LINES * self._theme.line)
        field.setTabChangesFocus(True)
        return field

    def _arrange(self, *, is_new: bool) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Add") if is_new else self.tr("Save"))
        buttons.accepted.connect(self.submit)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(self._kind)
        column.addWidget(self._stack, 1)
        column.addWidget(self._said)
        after = Note(self._theme, self.tr("Nothing starts by this: you are shown what would run first."))
        tint(after, self._theme.tokens.muted)
        column.addWidget(after)
        column.addWidget(buttons)


def _form() -> tuple[QFormLayout, QWidget]:
    page = QWidget()
    form = QFormLayout(page)
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(8)
    return form, page


def _lines(values: Mapping[str, str], sign: str) -> str:
    return "\n".join(f"{name}{sign}{value}" for name, value in values.items())
