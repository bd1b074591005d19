"""What dialogs and cards of servers show: everything, in the open, and nothing that agrees by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QPushButton, QWidget

from rillet.app.tools.consent_dialog import ConsentDialog
from rillet.app.tools.log_dialog import LogDialog
from rillet.app.tools.parts import Note
from rillet.app.tools.server_card import ServerCard
from rillet.core.chat.tool_state import ServerState
from rillet.core.tools.mcp.config import LocalServerConfig, RemoteServerConfig
from rillet.core.tools.mcp.consent import Consent, ConsentBook, server_consent
from rillet.core.tools.mcp.offer import Entry, Standing
from rillet.core.tools.mcp.server import State
from rillet.core.types.suspension import Request
from rillet.widgets.blocks.button import Button
from support.tool_hands import says

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.widgets.theme.palette import Theme

STATE = ServerState(name="notes", where="uvx notes", is_local=True, state=State.READY)


def shown(consent: Consent, theme: Theme, qtbot: QtBot) -> ConsentDialog:
    dialog = ConsentDialog(consent, theme)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def texts(dialog: QWidget) -> list[str]:
    return [each.toPlainText() for each in dialog.findChildren(QPlainTextEdit)]


def test_a_changed_command_is_asked_about_with_the_difference_first(theme: Theme, qtbot: QtBot) -> None:
    config = LocalServerConfig(name="notes", command=("uvx", "notes@1.0"))
    book = ConsentBook()
    book.ask(server_consent(config, book))
    book.approve(book.asked[0].digest)
    changed = server_consent(replace(config, command=("uvx", "notes@2.0")), book)
    difference, everything = texts(shown(changed, theme, qtbot))
    assert "- argument 1: notes@1.0" in difference
    assert "+ argument 1: notes@2.0" in difference
    assert "program: uvx" in everything


def test_nothing_in_a_command_can_be_hidden(theme: Theme, qtbot: QtBot) -> None:
    config = LocalServerConfig(name="no\u202etes", command=("uvx", "a\u200bb\nfolder: /"))
    (text,) = texts(shown(server_consent(config, ConsentBook()), theme, qtbot))
    assert "\u200b" not in text
    assert "⟨U+200B⟩" in text


def test_all_that_a_program_would_start_with_is_shown_and_what_is_risky_stands_out(theme: Theme, qtbot: QtBot) -> None:
    risky = (("NODE_OPTIONS", "--require ./x.js"), ("LD_PRELOAD", "/projects/x.so"), ("PATH", "/projects/bin"))
    config = LocalServerConfig(
        name="n", command=("npx", "-y", "pkg@1.0"), cwd="/projects/\u202ex", env=(("KEY", "canary"), *risky)
    )
    dialog = shown(server_consent(config, ConsentBook()), theme, qtbot)
    (text,) = texts(dialog)
    lines = text.splitlines()
    assert lines[:4] == ["program: npx", "argument 1: -y", "argument 2: pkg@1.0", "folder: /projects/⟨U+202E⟩x"]
    assert set(lines[4:]) == {"variable: KEY", *(f"variable: {name} = {value}" for name, value in risky)}
    for name, _ in risky:
        (warning,) = [label for label in dialog.findChildren(Note) if label.text().startswith(f"{name} ")]
        assert warning.isVisible()
        assert warning.palette().color(QPalette.ColorRole.WindowText).name().upper() == theme.tokens.warning


def test_a_server_elsewhere_is_shown_with_its_address_and_the_names_of_its_headers(theme: Theme, qtbot: QtBot) -> None:
    headers = (("Authorization", "Bearer canary"), ("X-Team", "${TEAM}"))
    config = RemoteServerConfig(name="n", url="http://10.0.0.1/mcp", headers=headers)
    dialog = shown(server_consent(config, ConsentBook()), theme, qtbot)
    (text,) = texts(dialog)
    for line in ("address: http://10.0.0.1/mcp", "header: Authorization", "header: X-Team"):
        assert line in text.splitlines()
    assert "sent there from this program: TEAM" in text.splitlines()
    assert "canary" not in text
    assert says(dialog, "Anybody on the way can read and change what is sent.")


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Space])
def test_no_key_agrees_before_somebody_went_to_the_button(theme: Theme, qtbot: QtBot, key: Qt.Key) -> None:
    dialog = shown(server_consent(LocalServerConfig(name="n", command=("x",)), ConsentBook()), theme, qtbot)
    agreed: list[str] = []
    dialog.agreed.connect(agreed.append)
    focused = dialog.focusWidget()
    assert isinstance(focused, QPushButton)
    QTest.keyClick(focused, key)
    assert agreed == []
    assert not dialog.isVisible()


def test_a_sign_in_is_shown_as_a_link_before_it_is_opened(theme: Theme, qtbot: QtBot) -> None:
    request = Request(
        id="s", kind="authorization", prompt="Sign in at id.example.com.", url="https://id.example.com/a?b=c"
    )
    card = ServerCard(replace(STATE, state=State.STARTING, sign_in=request), theme, shows_tools=False)
    qtbot.addWidget(card)
    card.show()
    wanted: list[str] = []
    card.wanted.connect(wanted.append)
    assert says(card, "https://id.example.com/a?b=c")
    for name in ("Open in the browser: notes", "Cancel: notes"):
        next(each for each in card.findChildren(Button) if each.accessibleName() == name).click()
    assert wanted == ["open", "cancel sign-in"]


def test_a_tool_that_is_held_or_refused_says_why(theme: Theme, qtbot: QtBot) -> None:
    def entry(name: str, standing: Standing, reason: str = "") -> Entry:
        return Entry(server="notes", tool=name, name=f"notes_{name}", standing=standing, reason=reason)

    tools = (
        entry("search", Standing.OFFERED),
        entry("off", Standing.OFF, "it is switched off"),
        entry("new", Standing.HELD, "it is new or has changed since it was approved"),
        entry("alike", Standing.REFUSED, "it could be taken for read"),
    )
    card = ServerCard(replace(STATE, tools=tools), theme, shows_tools=True)
    qtbot.addWidget(card)
    card.show()
    assert says(card, "It is new or has changed since it was approved.")
    assert says(card, "It could be taken for read.")
    boxes = {each.accessibleName(): each for each in card.findChildren(QCheckBox)}
    assert [boxes[tool.tool].isChecked() for tool in tools] == [True, False, True, False]
    assert [boxes[tool.tool].isEnabled() for tool in tools] == [True, True, True, False]
    switched: list[tuple[str, bool]] = []
    card.toolSwitched.connect(lambda tool, on: switched.append((tool, on)))
    boxes["search"].click()
    assert switched == [("search", False)]


def test_the_log_of_a_server_can_be_read_and_left_while_it_is_loading(
    window: MainWindow, services: Services, theme: Theme, qtbot: QtBot
) -> None:
    services.tools.put_servers({"one": {"command": "/nowhere/at/all"}})
    services.tools.start_server("one")
    services.tools.look()
    qtbot.waitUntil(lambda: services.tools.state is not None and bool(services.tools.state.servers[0].asked))
    assert services.tools.state is not None
    services.tools.approve(services.tools.state.servers[0].asked[0].digest)
    qtbot.waitUntil(lambda: services.tools.state.servers[0].state is State.FAILED)  # type: ignore[union-attr]
    dialog = LogDialog(services.tools, "one", theme, window)
    dialog.show()
    qtbot.waitUntil(lambda: "/nowhere/at/all" in dialog.text.toPlainText())
    dialog.refresh()
    dialog.reject()
