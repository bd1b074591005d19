"""Six secrets, and everything that the program does with them under way: they are where they belong and nowhere else.

What settings do with keys is in ``settings/test_canaries``, what errors of every style tell in ``core/test_secrets``.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from rillet.app import coroutines
from rillet.app.crash.hooks import Hooks
from rillet.app.crash.log import CrashLog
from rillet.app.crash.report import last_run
from rillet.app.services import Services
from rillet.app.wire_view import WireView
from rillet.core.config.paths import paths
from rillet.core.config.settings import EndpointSettings, SettingsFile
from rillet.core.providers.compatible import compatible
from rillet.qt import Engine
from rillet.widgets.blocks.button import Button
from support.chatting import PATIENCE, ask, texts
from support.fake_server import FakeServer, answer, respond
from support.mcp.running import SCRIPTS
from support.office import pdf
from support.processes import Family
from support.tool_hands import calling, card_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.app.window import MainWindow
    from support.fake_server import Exchange
    from support.key_stores import FakeKeyStore

VARIABLE, CHOSEN, OTHER, PROXY, OWN, HEADER = CANARIES = [f"sk-canary-{number}-9f3e7a" for number in range(6)]
"""A key in the environment, the key of the provider that answers, that of another one, the password of a proxy, a
secret of an MCP server that runs here, and one of a server elsewhere."""


@pytest.fixture
def services(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setenv("OPENAI_API_KEY", VARIABLE)
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{PROXY}@127.0.0.1:9")
    file = SettingsFile(paths().settings)
    file.load()
    services = Services(file)
    services.desk.open()
    yield services
    services.close()
    Engine.default().shutdown()


@pytest.fixture
def log() -> Iterator[CrashLog]:
    log = CrashLog.begin(paths().log, "1.0")
    hooks = Hooks(log)
    hooks.install()
    yield log
    hooks.remove()
    log.close()


def on_the_screen() -> str:
    """All that can be read, in the titles of windows as well."""
    said = []
    for top in QApplication.topLevelWidgets():
        said.append(top.windowTitle())
        for each in (top, *top.findChildren(QWidget)):
            said += [each.toolTip(), each.accessibleName(), each.accessibleDescription()]
            if isinstance(each, QPlainTextEdit | QTextEdit):
                said.append(each.toPlainText())
            elif isinstance(each, QLabel | QLineEdit | Button):
                said.append(each.text())
    return "\n".join(said)


def start_server(services: Services, qtbot: QtBot) -> None:
    """An MCP server with a secret of its own, beside one elsewhere that wants one."""
    entry = {"command": sys.executable, "args": ["-S", str(SCRIPTS), "good"], "env": {"API_KEY": OWN}}
    elsewhere = {"url": "https://mcp.example.com", "headers": {"Authorization": f"Bearer {HEADER}"}, "disabled": True}
    services.tools.put_servers({"one": entry, "two": elsewhere})
    services.tools.look()
    services.tools.start_server("one")

    def asked() -> bool:
        state = services.tools.state
        return state is not None and any(server.asked for server in state.servers)

    def runs() -> bool:
        state = services.tools.state
        return state is not None and any(server.tools for server in state.servers)

    qtbot.waitUntil(asked, timeout=PATIENCE)
    assert services.tools.state is not None
    for server in services.tools.state.servers:
        for consent in server.asked:
            services.tools.approve(consent.digest)
    qtbot.waitUntil(runs, timeout=PATIENCE)


def go_wrong() -> None:
    """Errors that quote what they had, as the next one does that nobody has thought of."""
    everything = " ".join(CANARIES)
    sys.excepthook(KeyError, KeyError(everything), None)
    logging.getLogger("rillet").warning("%s", everything, exc_info=ValueError(everything))
    qWarning(f'Could not parse "{everything}"')


@pytest.mark.skipif(sys.platform != "linux", reason="the environments of processes are read from /proc")
def test_what_runs_and_what_is_kept_holds_no_secret_of_others(
    *,
    window: MainWindow,
    services: Services,
    log: CrashLog,
    key_store: FakeKeyStore,
    tmp_path: Path,
    qtbot: QtBot,
    qtlog: Any,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "excepthook", log_only(sys.excepthook))
    work = tmp_path / "work"
    work.mkdir()
    (report := work / "report.pdf").write_bytes(pdf("A report."))
    script = (calling("bash", "c1", command="env; cat /proc/$PPID/environ"), calling("one_env", "c2"), answer("Done."))
    with FakeServer(*script) as server, Family(os.getpid()) as family, qtlog.disabled():
        address = f"{server.url}/v1"
        services.choose(services.enter_endpoint(address, None, "m"))
        for account, key in ((address, CHOSEN), ("https://api.mistral.ai/v1", OTHER)):
            keeping = coroutines.start(services.keys.keep(account, key))
            qtbot.waitUntil(keeping.done, timeout=PATIENCE)
        start_server(services, qtbot)
        window.sessions.current.settings.set(tools=["bash", "one_env"], workspace=str(work))
        window.view.composer.attachFiles([str(report)])
        qtbot.waitUntil(lambda: bool(window.view.composer.attachments()), timeout=PATIENCE)
        ask(window, "Look around")
        for _ in range(2):
            card_of(qtbot, window).button("once").click()
        qtbot.waitUntil(lambda: texts(window)[-1:] == ["Done."] and not window.view.composer.isBusy(), timeout=PATIENCE)
        window.view.messageActionRequested.emit("details", window.view.handles()[-1])
        qtbot.waitUntil(lambda: window.findChild(WireView) is not None, timeout=PATIENCE)
        shown = window.findChild(WireView)
        assert shown is not None
        copied = []
        for label in ("Copy as curl", "Copy everything"):
            next(each for each in shown.findChildren(Button) if each.text() == label).click()
            copied.append(QGuiApplication.clipboard().text())
        backing = coroutines.start(back_up(services))
        qtbot.waitUntil(backing.done, timeout=PATIENCE)
        go_wrong()
        screen = on_the_screen()
        shown.close()
        window.close()
    log.close()
    assert {CHOSEN, OTHER} <= set(key_store.secrets.values())
    assert all(CHOSEN in each.headers["authorization"] for each in server.requests), "it was used"
    results = [each["content"] for each in server.requests[-1].json["messages"] if each["role"] == "tool"]
    assert any("PATH=" in result for result in results), "the command did print its environment"
    children = {command: found for command, found in family.seen.items() if "mcp good" not in command}
    mine = next(found for command, found in family.seen.items() if "mcp good" in command)
    assert OWN in mine, "the server got what is its own"
    files = {str(file): file.read_bytes().decode("latin-1") for file in paths().data.rglob("*") if file.is_file()}
    assert any("backups" in name for name in files)
    assert str(paths().log) in files
    assert OWN not in files[str(paths().settings)] + files[str(paths().log)]
    output = capfd.readouterr()
    sent = "\n".join(each.body.decode() for each in server.requests)
    expect_none(
        {
            "on the screen": screen,
            "on the clipboard": "\n".join(copied),
            "in a report": last_run(paths().log, paths().log.stat().st_size),
            "in what a provider is sent": sent.replace(OWN, ""),  # (a server may tell what is its own)
            "in its server": mine.replace(OWN, ""),
            "in the output": output.out,
            "in a repr": f"{services.providers!r}{services.settings!r}{services.tools.state!r}",
            **{f"in {name}": content.replace(OWN, "") for name, content in files.items()},
            **{f"in the environment of {command}": found for command, found in children.items()},
            "in command lines": "\n".join(family.seen),
        }
    )


def log_only(hook: Any) -> Any:
    """The hook that writes into the log, without what pytest makes of an error."""
    hooks: Hooks = hook.__self__
    monkey = partial(Hooks._raised, hooks)
    hooks._excepthook = lambda *_: None
    return monkey


async def back_up(services: Services) -> None:
    await services.desk.do(lambda desk: desk.store.back_up())


def expect_none(places: dict[str, str]) -> None:
    found = {place: canary for place, text in places.items() for canary in CANARIES if canary in text}
    assert found == {}


# In the terminal


def quote(exchange: Exchange) -> None:
    """Refuse, and quote all that was sent."""
    said = f"you sent {exchange.request.path} {dict(exchange.request.headers)}"
    exchange.respond(401, {"error": {"message": said, "code": said}}, {"X-Request-Id": said.replace("\n", "")})


def command(server: FakeServer, *arguments: str) -> str:
    """All that the program says."""
    provider = compatible(f"{server.url}/v1", None, "m")
    endpoint = EndpointSettings(provider.base_url, "m", provider.style)
    SettingsFile(paths().settings).change(provider="openai", model="m", endpoints=(endpoint,))
    variables = {
        "OPENAI_API_KEY": CHOSEN,
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "HTTPS_PROXY": f"http://me:{PROXY}@127.0.0.1:9",
    }
    done = subprocess.run(
        [sys.executable, "-m", "rillet", *arguments],
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    return done.stdout + done.stderr


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("script", [quote, respond(307, b"", {"Location": f"https://x.example/?key={HEADER}"})])
def test_no_question_in_the_terminal_tells_a_key(form: tuple[str, ...], script: Any) -> None:
    with FakeServer(script) as server:
        said = command(server, "--ask", "Hi", *form)
        assert CHOSEN in json.dumps([dict(each.headers) for each in server.requests])
    expect_none({"in the output": said, "in files": everything_in_files()})


@pytest.mark.parametrize("target", ["openai", "address"])
def test_no_diagnosis_tells_a_key(target: str) -> None:
    with FakeServer(quote) as server:
        said = command(server, "--doctor", "openai" if target == "openai" else f"{server.url}/v1?key={VARIABLE}")
    assert said
    expect_none({"in the output": said, "in files": everything_in_files()})


def everything_in_files() -> str:
    return "\n".join(file.read_bytes().decode("latin-1") for file in paths().data.rglob("*") if file.is_file())
