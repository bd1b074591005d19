"""Scenes of tools, for ``app_scenes``: the list at the composer, the pages of the settings, the dialogs."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QDialog

from bench.scenes_look import wait
from rillet.app.settings.dialog import SettingsDialog
from rillet.app.tools.log_dialog import LogDialog
from rillet.core.tools.policy.rules import CommandRule, HostRule
from support.fake_server import FakeServer, sse, sse_end, sse_text, stream
from support.mcp.running import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

GOOD = {"command": sys.executable, "args": ["-S", str(SCRIPTS), "good"]}


def _server(services: Services, **more: object) -> None:
    services.tools.put_servers({"notes": {**GOOD, **more}, "search": {"url": "https://search.example.com/mcp"}})
    services.tools.look()
    services.tools.start_server("notes")
    wait(500)


def _agree(services: Services) -> None:
    assert services.tools.state is not None
    for server in services.tools.state.servers:
        for consent in server.asked:
            services.tools.approve(consent.digest)
    for _ in range(100):
        wait(100)
        if any(server.tools for server in services.tools.state.servers):
            return


def _settings(window: MainWindow, page: str) -> SettingsDialog:
    window.openSettings(page)
    wait(600)
    (settings,) = window.findChildren(SettingsDialog)
    return settings


def _dialog() -> QWidget:
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    return dialog


def _list(window: MainWindow, services: Services) -> None:
    _server(services)
    _agree(services)
    services.tools.put_set("Research", frozenset({"webfetch", "todowrite"}))
    folder = tempfile.mkdtemp(prefix="project-")
    window.sessions.current.settings.set(tools=["read", "glob", "webfetch"], workspace=folder)
    window.sessions.current.tools.click()


def _servers(window: MainWindow, services: Services) -> QWidget:
    _server(services)
    return _settings(window, "servers")


def _servers_running(window: MainWindow, services: Services) -> QWidget:
    _server(services)
    _agree(services)
    return _settings(window, "servers")


def _consent(window: MainWindow, services: Services) -> QWidget:
    _server(services, env={"NODE_OPTIONS": "--require ./x.js", "API_KEY": "secret"})
    settings = _settings(window, "servers")
    assert services.tools.state is not None
    settings.page.showConsent(services.tools.state.servers[0].asked[0])  # type: ignore[attr-defined]
    wait(300)
    return _dialog()


def _add_server(window: MainWindow, _services: Services) -> QWidget:
    _settings(window, "servers").page.addServer()  # type: ignore[attr-defined]
    wait(300)
    return _dialog()


def _skills(window: MainWindow, services: Services) -> QWidget:
    folder = Path(tempfile.mkdtemp(prefix="skills-"))
    for name, text in (("minutes", "description: How minutes of a meeting are written here.\n"), ("empty", "")):
        (folder / name).mkdir()
        (folder / name / "SKILL.md").write_text(f"---\nname: {name}\n{text}---\nBe brief.\n" if text else "")
    services.tools.add_skill_folder(str(folder))
    services.tools.note_folder(tempfile.mkdtemp(prefix="project-"))
    return _settings(window, "skills")


def _permissions(window: MainWindow, services: Services) -> QWidget:
    services.tools.add_rule(HostRule("docs.python.org"), allowed=True, folder=None, expires_at=None)
    services.tools.add_rule(CommandRule(("git", "push")), allowed=False, folder=None, expires_at=2e9)
    return _settings(window, "permissions")


def _approval(window: MainWindow, services: Services) -> None:
    folder = Path(tempfile.mkdtemp(prefix="project-"))
    (folder / "plan.md").write_text("# Lisbon\n\n1. Alfama, on foot\n2. Belém\n3. Sintra\n", encoding="utf-8")
    edit = {"path": "plan.md", "oldString": "2. Belém\n", "newString": "2. Belém, by tram\n3. The aquarium\n"}
    call = {"index": 0, "id": "c1", "function": {"name": "edit", "arguments": json.dumps(edit)}}
    window.sessions.current.settings.set(tools="all", workspace=str(folder))
    script = stream(sse_text("I put the tram in."), sse({"choices": [{"delta": {"tool_calls": [call]}}]}), sse_end())
    with FakeServer(script) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
        window.view.composer.setText("Add the tram and the aquarium to my plan")
        window.view.composer.send()
        wait(1500)


def _approval_kept(window: MainWindow, services: Services) -> None:
    window.newTemporaryChat()
    _approval(window, services)
    window.sessions.current.restore()
    wait(800)


def _log(window: MainWindow, services: Services) -> QWidget:
    settings = _servers_running(window, services)
    settings.page._show_log("notes")  # type: ignore[attr-defined]  # (of the servers)
    wait(300)
    (log,) = settings.findChildren(LogDialog)
    return log


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    "tools-list": _list,
    "tools-servers": _servers,
    "tools-servers-running": _servers_running,
    "tools-consent": _consent,
    "tools-add-server": _add_server,
    "tools-skills": _skills,
    "tools-permissions": _permissions,
    "tools-approval": _approval,
    "tools-approval-kept": _approval_kept,
    "tools-log": _log,
}
