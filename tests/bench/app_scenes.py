"""Render the window in states of the program to PNGs: ``python tests/bench/app_scenes.py FOLDER [NAME…]``.

Each is drawn light and dark, by a program that was never started before. What the chat view alone can show is in
``scenes``. Answers come from a server of this process. Needs a display with fonts; under X ``xvfb-run -a`` will do.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import scenes_chats, scenes_context, scenes_files, scenes_models, scenes_settings, scenes_tools
from bench.scenes_look import wait
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

_REPORT = """\
=== Rillet 0.1.0 began 2026-11-30 09:14:02 on linux 6.12.0, Python 3.12.4, PySide6 6.12.0
09:31:47 error
KeyError
    rillet/app/chats/session.py:412 in Session._show_version
Fatal Python error: Segmentation fault

Current thread 0x00007f41d2c3b740 (most recent call first):
  File "rillet/widgets/transcript/stage.py", line 133 in assign
  File "rillet/widgets/transcript/scroller.py", line 168 in _assign
  File "rillet/app/main.py", line 76 in main
"""

QUESTIONS = ("How do tides work?", "Rename all my pictures by their date", "Plan a week in Lisbon")


def main() -> None:
    """Render the scenes whose names begin with one of the arguments; without any, all."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    _render(folder)


def _render(folder: Path) -> None:
    from PySide6.QtWidgets import QApplication

    from rillet.widgets.theme.palette import apply
    from rillet.widgets.theme.tokens import DARK, LIGHT

    app = QApplication([])
    app.setApplicationName("rillet")
    for scheme, tokens in (("light", LIGHT), ("dark", DARK)):
        for name, scene in SCENES.items():
            if name.startswith(tuple(sys.argv[2:]) or ""):
                with tempfile.TemporaryDirectory() as home:
                    os.environ["RILLET_HOME"] = home
                    _shoot(scene, apply(app, tokens), folder / f"{name}-{scheme}.png")


def _shoot(scene: Callable[[MainWindow, Services], QWidget | None], theme: object, path: Path) -> None:
    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.app.window_state import WindowState
    from rillet.core.config.paths import paths
    from rillet.core.config.settings import SettingsFile

    settings_file = SettingsFile(paths().settings)
    settings_file.load()
    services = Services(settings_file, environment={"OPENAI_API_KEY": "sk-example"})
    services.desk.open()
    window = MainWindow(WindowState(paths().window), theme)  # type: ignore[arg-type]
    window.resize(1000, 680)
    window.serve(services)
    window.show()
    wait(200)
    shown = scene(window, services) or window
    wait(400)
    shown.grab().save(str(path))
    if shown is not window:
        shown.close()
    window.leave()
    wait(100)
    services.close()


def _have_chats(window: MainWindow, services: Services) -> None:
    for question in QUESTIONS:
        with FakeServer(answer("The moon pulls at the water, ", "and the earth turns under it.")) as server:
            services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
            window.newChat()
            window.view.composer.setText(question)
            window.view.composer.send()
            wait(600)


def _palette(window: MainWindow, services: Services) -> None:
    _have_chats(window, services)
    window.openPalette()


def _palette_search(window: MainWindow, services: Services) -> None:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit

    from rillet.app.palette_window import PaletteWindow

    _have_chats(window, services)
    window.openPalette()
    palette = window.findChild(PaletteWindow)
    field = None if palette is None else palette.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "ti")


def _notices(window: MainWindow, services: Services) -> None:
    from rillet.core.store.trouble import Damaged, DiskTrouble

    _have_chats(window, services)
    services.desk.troubled.emit(DiskTrouble("The disk is full", "database or disk is full"))
    window._notices.hear(Damaged("The file with all chats is damaged", "Page 22 is never used"))
    services.keeper.trouble = OSError(28, "No space left on device")
    services.keeper.troubled.emit()


def _leaving(window: MainWindow, services: Services) -> QWidget:
    from PySide6.QtWidgets import QMessageBox

    from rillet.core.store.trouble import DiskTrouble

    _have_chats(window, services)
    services.desk.trouble = DiskTrouble("The disk is full", "database or disk is full")
    services.desk.unwritten = 2
    services.keeper.trouble = OSError(28, "No space left on device")
    window.close()
    shown = window.findChild(QMessageBox)
    assert shown is not None
    return shown


def _first_run(window: MainWindow, _services: Services) -> None:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QLineEdit

    window.welcome()
    key = next(each for each in window.findChildren(QLineEdit) if each.accessibleName() == "Key")
    QTest.keyClicks(key, "sk-ant-an-example")


def _crash(window: MainWindow, services: Services) -> None:
    _have_chats(window, services)
    window.tellOfCrash(_REPORT)


def _crash_report(window: MainWindow, services: Services) -> QWidget:
    from rillet.app.crash.report_dialog import ReportDialog
    from rillet.widgets.blocks.button import Button

    _crash(window, services)
    next(each for each in window.findChildren(Button) if each.text() == "Show report").click()
    shown = window.findChild(ReportDialog)
    assert shown is not None
    return shown


def _wire(window: MainWindow, services: Services) -> QWidget:
    from rillet.app.wire_view import WireView

    _have_chats(window, services)
    window.view.messageActionRequested.emit("details", window.view.handles()[-1])
    wait(300)
    shown = window.findChild(WireView)
    assert shown is not None
    return shown


def _wire_received(window: MainWindow, services: Services) -> QWidget:
    from PySide6.QtWidgets import QTabWidget

    shown = _wire(window, services)
    tabs = shown.findChild(QTabWidget)
    assert tabs is not None
    tabs.setCurrentIndex(1)
    return shown


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    "crash": _crash,
    "crash-report": _crash_report,
    "first-run": _first_run,
    "leaving": _leaving,
    "notices": _notices,
    "palette": _palette,
    "palette-search": _palette_search,
    "wire": _wire,
    "wire-received": _wire_received,
    **scenes_chats.SCENES,
    **scenes_context.SCENES,
    **scenes_files.SCENES,
    **scenes_models.SCENES,
    **scenes_settings.SCENES,
    **scenes_tools.SCENES,
}

if __name__ == "__main__":
    main()
