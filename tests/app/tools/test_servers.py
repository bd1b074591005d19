"""MCP servers in the settings: nothing starts before its exact command was agreed to, and everything can be undone."""

from __future__ import annotations

import json
import sys
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from rillet.app.settings.data import DataPage
from rillet.app.settings.data import _restore as restore
from rillet.app.tools.consent_dialog import ConsentDialog
from rillet.app.tools.server_dialog import ServerDialog
from rillet.app.tools.servers_page import ServersPage
from rillet.app.tools.tools import SIGN_IN
from rillet.core.config.paths import paths
from rillet.core.config.settings import Settings
from rillet.core.store import grants
from rillet.core.tools.mcp.server import State
from rillet.core.tools.mcp.tokens import SignIn
from rillet.core.tools.policy.rules import HostRule
from rillet.widgets.blocks.button import Button
from support.fake_server import FakeServer, answer
from support.mcp.running import SCRIPTS
from support.processes import living
from support.tool_hands import ask, box, calling, card_of, open_tools, says, wait_for_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.core.chat.desk import Desk
    from support.key_stores import FakeKeyStore

SOON = 20_000


def good(**more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-S", str(SCRIPTS), "good"], **more}


@pytest.fixture
def page(window: MainWindow, services: Services, qtbot: QtBot) -> ServersPage:
    window.openSettings("servers")
    assert window._settings is not None
    page = window._settings.page
    assert isinstance(page, ServersPage)
    qtbot.waitUntil(lambda: services.tools.state is not None)
    return page


def press(page: QWidget, name: str) -> None:
    """Press the button that a screen reader calls so."""
    buttons = page.findChildren(Button)
    next(each for each in buttons if each.accessibleName() == name and each.isVisibleTo(page)).click()


def has(page: ServersPage, name: str) -> bool:
    return any(each.accessibleName() == name and each.isVisibleTo(page) for each in page.findChildren(Button))


def dialog(kind: type[QDialog]) -> Any:
    return next(each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible())


def add(page: ServersPage, text: str) -> ServerDialog:
    """Paste JSON into the dialog, and press Add."""
    press(page, "Add a server…")
    shown: ServerDialog = dialog(ServerDialog)
    shown._kind.setCurrentIndex(2)
    shown._json.setPlainText(text)
    (buttons,) = shown.findChildren(QDialogButtonBox)
    buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    return shown


def test_json_has_a_button_of_its_own(page: ServersPage, services: Services) -> None:
    press(page, "Add servers as a README shows them")
    shown: ServerDialog = dialog(ServerDialog)
    for hostile in ("[" * 50_000, '"a": ' + "[" * 50_000):
        shown._json.setPlainText(hostile)
        shown.submit()
        assert says(shown, "nested too deeply")
    shown._json.setPlainText(json.dumps({"n" * 20_000: {"command": "x"}}))
    shown.submit()
    assert len(shown._said.text()) <= 200
    shown._json.setPlainText('"one": ' + json.dumps(good(disabled=True)))
    shown.submit()
    assert list(services.tools.setup.servers) == ["one"]


def agree(page: ServersPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: has(page, "Look at what would start…"), timeout=SOON)
    press(page, "Look at what would start…")
    shown = dialog(ConsentDialog)
    next(each for each in shown.findChildren(QPushButton) if each.text() == "Start it").click()


def test_a_server_from_a_readme_starts_once_its_command_was_seen_and_agreed_to(
    page: ServersPage, services: Services, qtbot: QtBot
) -> None:
    add(page, json.dumps({"mcpServers": {"one": good(env={"NODE_OPTIONS": "--require x"})}}))
    qtbot.waitUntil(lambda: says(page, "Waits for your consent"), timeout=SOON)
    press(page, "Look at what would start…")
    shown = dialog(ConsentDialog)
    text = shown.findChild(QPlainTextEdit).toPlainText()
    assert f"program: {sys.executable}" in text
    assert "argument 3: good" in text
    assert "variable: NODE_OPTIONS = --require x" in text
    assert any("makes the program load other code" in each.text() for each in shown.findChildren(QLabel))
    QTest.keyClick(shown, Qt.Key.Key_Return)
    assert not shown.isVisible(), "Enter means: not now"
    assert says(page, "Waits for your consent")
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    assert services.tools.state is not None
    assert services.tools.state.servers[0].tools


def test_what_an_entry_says_of_itself_starts_nothing(page: ServersPage, services: Services, qtbot: QtBot) -> None:
    mark = uuid.uuid4().hex
    entry = good(enabled=True, disabled=False, autoStart=True, autoApprove=["*"], alwaysAllow=["*"], trust=True)
    entry["args"] = [*entry["args"], mark]
    add(page, json.dumps({"mcpServers": {"one": entry}, "consent": {"one": True}}))
    services.tools.begin()  # as a chat with tools does
    services.tools.look()
    qtbot.waitUntil(lambda: says(page, "Waits for your consent"), timeout=SOON)
    assert services.tools.state is not None
    assert [server.state for server in services.tools.state.servers] == [State.NEEDS_CONSENT]
    if sys.platform == "linux":
        assert living(mark) == []
    press(page, "Look at what would start…")
    assert f"argument 4: {mark}" in dialog(ConsentDialog).findChild(QPlainTextEdit).toPlainText()


def test_what_is_no_server_is_not_added_and_the_dialog_says_why(page: ServersPage, services: Services) -> None:
    shown = add(page, '{"one": {"command": "x", "url": "https://y"}}')
    assert shown.isVisible()
    assert says(shown, "one: it has both command and url")
    shown._json.setPlainText("{nonsense")
    shown.submit()
    assert says(shown, "This is no JSON")
    assert services.settings.tools.servers == {}
    shown.reject()


def test_secrets_of_a_server_stand_in_no_file_and_reach_it(page: ServersPage, services: Services, qtbot: QtBot) -> None:
    add(page, json.dumps({"one": good(env={"API_KEY": "canary-1234"})}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    services.keeper.close()
    assert "canary-1234" not in paths().settings.read_text()
    assert services.tools._secrets
    assert set(services.tools._secrets.values()) == {"canary-1234"}
    press(page, "Change…: one")
    shown = dialog(ServerDialog)
    assert all("canary" not in each.toPlainText() for each in shown.findChildren(QPlainTextEdit))
    shown.reject()


def test_a_server_can_be_stopped_switched_off_and_removed(page: ServersPage, services: Services, qtbot: QtBot) -> None:
    add(page, json.dumps({"one": good()}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: has(page, "Stop: one"), timeout=SOON)
    press(page, "Stop: one")
    qtbot.waitUntil(lambda: says(page, "Not running"), timeout=SOON)
    next(each for each in page.findChildren(QCheckBox) if each.accessibleName() == "one on").click()
    assert services.settings.tools.servers["one"]["disabled"] is True
    qtbot.waitUntil(lambda: says(page, "Off"), timeout=SOON)
    services.tools.remove_server("one")
    qtbot.waitUntil(lambda: not has(page, "Remove…: one"), timeout=SOON)
    assert services.settings.tools.servers == {}


def test_what_was_agreed_to_is_listed_with_the_permissions_and_revoking_it_ends_the_server(
    page: ServersPage, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    add(page, json.dumps({"one": good()}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    services.tools.trust("/somewhere", trusted=True)
    window.openSettings("permissions")
    assert window._settings is not None
    permissions = window._settings.page
    qtbot.waitUntil(lambda: says(permissions, f"program: {sys.executable}"), timeout=SOON)
    assert says(permissions, "Tools, as they described themselves then: ")
    press(permissions, "Revoke: one")
    qtbot.waitUntil(lambda: says(permissions, "You agreed to none."), timeout=SOON)
    press(permissions, "Revoke: /somewhere")
    assert says(permissions, "You trust none.")
    assert services.settings.tools.trusted_folders == ()
    window.openSettings("servers")
    qtbot.waitUntil(lambda: says(page, "Not running"), timeout=SOON)
    services.tools.start_server("one")
    qtbot.waitUntil(lambda: says(page, "Waits for your consent"), timeout=SOON)


def test_deleting_everything_forgets_what_was_agreed_to_and_ends_servers(
    page: ServersPage, window: MainWindow, services: Services, key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    add(page, json.dumps({"one": good(env={"TOKEN": "sk-canary"})}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    services.tools.add_rule(HostRule("docs.python.org"), allowed=True, folder=None, expires_at=None)
    services.keys.hold("https://example.com/v1", "of this session")
    window.commands.bind("window.palette", "Ctrl+J")
    qtbot.waitUntil(lambda: bool(services.tools.state and services.tools.state.grants), timeout=SOON)
    qtbot.waitUntil(lambda: "sk-canary" in key_store.secrets.values(), timeout=SOON)
    window.openSettings("data")
    assert window._settings is not None
    data = window._settings.page
    assert isinstance(data, DataPage)
    data._too.setChecked(True)
    data._typed.setText("delete")
    data._end.click()
    qtbot.waitUntil(lambda: data._end_note.text() == "Everything was deleted.", timeout=SOON)
    qtbot.waitUntil(lambda: services.tools.state is not None and services.tools.state.servers == (), timeout=SOON)
    state = services.tools.state
    assert state is not None
    assert (state.agreements, state.grants) == ((), ())
    assert (services.settings, key_store.secrets) == (Settings(), {})
    assert services.keys.secret("https://example.com/v1") is None
    assert window.commands.keys("window.palette").toString() == "Ctrl+K"
    kept = services.desk.read(grants.load).get(30)
    assert not any(sys.executable in book or "docs.python.org" in book for book in kept.values())
    window.openSettings("servers")
    add(page, json.dumps({"one": good()}))
    qtbot.waitUntil(lambda: has(page, "Look at what would start…"), timeout=SOON)


def test_a_backup_brings_back_nothing_that_was_revoked(page: ServersPage, services: Services, qtbot: QtBot) -> None:
    add(page, json.dumps({"one": good()}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    backup = services.desk.do(lambda desk: desk.store.back_up()).get(30)
    services.tools.revoke_server("one")
    qtbot.waitUntil(lambda: services.tools.state is not None and services.tools.state.agreements == (), timeout=SOON)
    services.desk.do(partial(restore, backup)).get(30)
    assert sys.executable not in services.desk.read(grants.load).get(30)["mcp"]


def test_a_tool_is_switched_off_without_a_restart_of_its_server(
    page: ServersPage, services: Services, qtbot: QtBot
) -> None:
    add(page, json.dumps({"one": good()}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    assert services.tools.state is not None
    tool = services.tools.state.servers[0].tools[0].tool
    count = len(services.tools.state.servers[0].tools)
    press(page, f"{count} of {count} tools")
    switch = next(each for each in page.findChildren(QCheckBox) if each.accessibleName() == tool)
    switch.click()
    qtbot.waitUntil(lambda: has(page, f"{count - 1} of {count} tools"), timeout=SOON)
    assert says(page, "Running")
    assert services.settings.tools.off_of_servers == (("one", tool),)


def test_a_tool_of_a_server_is_called_once_for_the_chat_and_not_asked_about_again(
    window: MainWindow, services: Services, page: ServersPage, qtbot: QtBot
) -> None:
    add(page, json.dumps({"one": good()}))
    agree(page, qtbot)
    qtbot.waitUntil(lambda: says(page, "Running"), timeout=SOON)
    window._settings.close()  # type: ignore[union-attr]
    name, arguments = "one_echo", {"text": "hello"}
    script = (calling(name, **arguments), answer("One."), calling(name, "c2", **arguments), answer("Two."))
    with FakeServer(*script) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        popover = open_tools(window)
        box(popover, "All of one").click()
        popover.close()
        ask(window, "Call")
        card = card_of(qtbot, window)
        card.button("chat").click()
        wait_for_text(qtbot, window, "One.")
        ask(window, "Again")
        wait_for_text(qtbot, window, "Two.")
        results = [each for each in server.requests[3].json["messages"] if each["role"] == "tool"]
        assert len(results) == 2


def test_a_sign_in_outlives_the_program_in_the_key_store_and_not_in_a_file(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    url = "https://example.com/mcp"
    services.tools.put_servers({"far": {"url": url}})
    services.tools.look()
    qtbot.waitUntil(lambda: services.tools.state is not None)
    services.desk.do(_signed_in_at(url)).get(30)
    account = f"{SIGN_IN}{url}"
    qtbot.waitUntil(lambda: services.keys.secret(account) is not None, timeout=SOON)
    assert "canary-token" in (services.keys.secret(account) or "")
    services.keeper.close()
    assert "canary-token" not in paths().settings.read_text()
    assert "canary-token" not in repr(services.tools.state)
    assert services.tools._sign_ins.keys() == {url}, "what the next start gives back to the engine"
    services.tools.remove_server("far")
    qtbot.waitUntil(lambda: services.keys.secret(account) is None, timeout=SOON)


def _signed_in_at(url: str) -> Callable[[Desk], Awaitable[None]]:
    kept = SignIn(server=url, issuer=url, resource=url, client_id="us", token_endpoint=url, access_token="canary-token")
    return lambda desk: desk.bench._sign_ins.put(kept)


def test_the_list_of_a_chat_leads_to_a_server_that_waits_for_consent_and_starts_nothing(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.tools.put_servers({"one": good()})
    popover = open_tools(window)
    qtbot.waitUntil(lambda: says(popover, "Not running"), timeout=SOON)
    start = next(each for each in popover.findChildren(Button) if each.accessibleName() == "Start one")
    start.click()
    qtbot.waitUntil(lambda: says(popover, "Waits for your consent"), timeout=SOON)
    buttons = popover.findChildren(Button)
    look = next(each for each in buttons if each.accessibleName() == "Look at what one needs" and each.isVisible())
    look.click()
    assert window._settings is not None
    assert isinstance(window._settings.page, ServersPage)
    assert says(window._settings.page, "Waits for your consent")
