"""What a person does with tools and in the settings."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
)

from rillet.app.settings.dialog import SettingsDialog
from rillet.app.settings.fields import ChoiceBox
from rillet.app.tools.consent_dialog import ConsentDialog
from rillet.app.tools.popover import ToolsPopover
from rillet.app.tools.server_dialog import ServerDialog
from rillet.widgets.blocks.approval import ApprovalCard
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.fold import FoldBlock
from support.mcp.running import SCRIPTS
from support.ordinary.person import CTRL, SHIFT

if TYPE_CHECKING:
    from support.ordinary.person import Hands, Steps

SERVER = {"mcpServers": {"notes": {"command": sys.executable, "args": ["-S", str(SCRIPTS), "good"]}}}


def work_with_files(hands: Hands) -> Steps:
    """A folder, all tools, and four calls of which two are asked about."""
    yield from _new_chat_with_tools(hands)
    for word, asks in (("read", False), ("change", True), ("look", False), ("run", True)):
        yield from hands.ask(f"{word} it", wait=False)
        if asks:
            yield from _approve(hands)
        yield 0.3
        yield lambda: hands.is_settled() and hands.view.history()[-1].text == "That is done."
    folds = [each for each in hands.view.findChildren(FoldBlock) if each.isVisible()]
    for fold in folds[-2:]:
        fold.click()
        yield 0.3


def refuse_a_call(hands: Hands) -> Steps:
    yield from _new_chat_with_tools(hands)
    yield from hands.ask("run it", wait=False)
    yield lambda: _card(hands) is not None
    card = _card(hands)
    assert card is not None
    hands.press(Qt.Key.Key_Escape, at=card)
    yield 0.3
    yield hands.is_settled


def use_a_server(hands: Hands) -> Steps:
    """Add a server from its readme, agree to it, call a tool of it, look at its log, remove it."""
    yield from _open_settings(hands, "servers")
    page = hands.window._settings.page  # type: ignore[union-attr]  # (it is open)
    if "notes" not in hands.services.settings.tools.servers:
        hands.push("Add a server…", page)
        yield lambda: hands.find(ServerDialog, "") is not None or _dialog(ServerDialog) is not None
        dialog = _dialog(ServerDialog)
        dialog._kind.setCurrentIndex(2)
        dialog._json.setPlainText(json.dumps(SERVER))
        dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok).click()
        yield lambda: hands.find(Button, "Look at what would start…", page) is not None
        hands.push("Look at what would start…", page)
        yield lambda: _dialog(ConsentDialog) is not None
        consent = _dialog(ConsentDialog)
        yield 0.3
        next(each for each in consent.findChildren(QPushButton) if each.text() == "Start it").click()
    yield lambda: any(server.tools for server in hands.services.tools.state.servers)  # type: ignore[union-attr]
    yield 0.3
    yield from hands.leave_settings()
    yield from hands.new_chat()
    hands.click(hands.session.tools)
    yield lambda: hands.find(QCheckBox, "All of notes") is not None
    if not (switch := hands.named(QCheckBox, "All of notes")).isChecked():  # (an empty chat keeps what was chosen)
        switch.click()
    hands.window.findChildren(ToolsPopover)[-1].close()
    yield from hands.ask("server please", wait=False)
    yield from _approve(hands)
    yield lambda: hands.is_settled() and hands.view.history()[-1].text == "That is done."
    hands.services.tools.remove_server("notes")
    yield 0.5


def choose_tools(hands: Hands) -> Steps:
    yield from hands.new_chat()
    hands.press(Qt.Key.Key_T, CTRL | SHIFT, hands.view.composer.focusProxy())
    yield lambda: hands.find(ToolsPopover) is not None
    popover = hands.window.findChildren(ToolsPopover)[-1]
    for name in ("webfetch", "All tools", "todowrite", "All tools"):
        hands.named(QCheckBox, name, popover).click()
        yield 0.2
    popover.close()
    yield 0.2


def see_every_page(hands: Hands) -> Steps:
    for page in ("providers", "network", "appearance", "shortcuts", "personas", "prompts", "servers", "skills",
                 "permissions", "data", "privacy"):  # fmt: skip
        yield from _open_settings(hands, page)
        yield 0.4
    dialog = hands.window.findChild(SettingsDialog)
    assert dialog is not None
    field = hands.named(QLineEdit, "Search settings", dialog)
    yield from hands.type("proxy", field)
    yield 0.3
    hands.press(Qt.Key.Key_Escape, at=field)
    yield from hands.leave_settings()


def test_a_provider(hands: Hands) -> Steps:
    """Look at the address, have it tested and its models listed."""
    yield from _open_settings(hands, "providers")
    page = hands.window._settings.page  # type: ignore[union-attr]  # (it is open)
    listed = hands.named(QListWidget, "", page)
    listed.setCurrentItem(listed.findItems("127.0.0.1", Qt.MatchFlag.MatchStartsWith)[0])
    yield 0.3
    for name in ("Test the connection", "List the models"):
        hands.push(name, page)
        yield 1.5
    yield from hands.leave_settings()


def change_the_look(hands: Hands) -> Steps:
    """Dark and light, other text, in the middle of a long chat."""
    yield from _open_settings(hands, "appearance")
    page = hands.window._settings.page  # type: ignore[union-attr]  # (it is open)
    for name, words in (
        ("Scheme", "Dark"), ("Accent", "Violet"), ("Size", "16 points"), ("Density", "Compact"),
        ("Size", "12 points"), ("Density", "Comfortable"), ("Accent", "Rillet's own"), ("Scheme", "Light"),
    ):  # fmt: skip
        box = hands.named(ChoiceBox, name, page)
        box.setCurrentIndex(box.findText(words))
        yield 0.5
    yield from hands.leave_settings()


def bind_keys(hands: Hands) -> Steps:
    yield from _open_settings(hands, "shortcuts")
    page = hands.window._settings.page  # type: ignore[union-attr]  # (it is open)
    table = hands.named(QTreeWidget, "Actions and their keys", page)
    for row in (2, 5):
        table.setCurrentIndex(table.model().index(row, 0))
        yield 0.1
    hands.window.commands.bind("window.sidebar", "Ctrl+Shift+B")
    yield 0.3
    hands.window.commands.bind("window.sidebar", None)
    yield from hands.leave_settings()


def write_personas_and_prompts(hands: Hands) -> Steps:
    for id, add, label in (("personas", "Add a persona", "System prompt"), ("prompts", "Add a prompt", "")):
        yield from _open_settings(hands, id)
        page = hands.window._settings.page  # type: ignore[union-attr]  # (it is open)
        hands.push(add, page)
        yield 0.2
        yield from hands.type("You are careful and brief.", hands.named(QPlainTextEdit, label, page))
        yield 0.3
        hands.push("Delete", page)
        yield 0.3
    yield from hands.leave_settings()


def back_up(hands: Hands) -> Steps:
    yield from _open_settings(hands, "data")
    page = hands.window._settings.page  # type: ignore[union-attr]  # (it is open)
    listed = hands.named(QListWidget, "Backups", page) if hands.find(QListWidget, "Backups", page) else None
    before = listed.count() if listed is not None else 0
    yield 0.3
    hands.push("Back up now", page)
    yield lambda: (found := hands.find(QListWidget, "Backups", page)) is not None and found.count() > min(before, 4)
    yield 0.3
    yield from hands.leave_settings()


def _open_settings(hands: Hands, page: str) -> Steps:
    hands.window.openSettings(page)
    yield lambda: hands.find(SettingsDialog) is not None or hands.window._settings.isVisible()  # type: ignore[union-attr]
    yield 0.3


def _new_chat_with_tools(hands: Hands) -> Steps:
    yield from hands.new_chat()
    folder = QApplication.instance().property("files")  # type: ignore[union-attr]  # (it is there)
    hands.session.settings.set(tools="all", workspace=str(folder))
    yield 0.2


def _dialog(kind: type[ServerDialog | ConsentDialog]) -> Any:
    return next((each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()), None)


def _card(hands: Hands) -> ApprovalCard | None:
    cards = hands.view.findChildren(ApprovalCard)
    return next((each for each in cards if each.isVisible() and each.tile and each.armed), None)


def _approve(hands: Hands) -> Steps:
    yield lambda: _card(hands) is not None
    yield 0.3
    card = _card(hands)
    assert card is not None
    hands.press(Qt.Key.Key_1, CTRL, card)


CHORES = (
    work_with_files,
    refuse_a_call,
    use_a_server,
    choose_tools,
    see_every_page,
    test_a_provider,
    change_the_look,
    bind_keys,
    write_personas_and_prompts,
    back_up,
)
