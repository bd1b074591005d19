"""Start-up of the program, step by step; reading ``main`` tells what there is.

Above: everything. Guarantee: the window paints before anything of the network, of Markdown or of code colours is
imported (``Program.complete``), and no environment variable or damaged file keeps it from opening.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from rillet.app import coroutines
from rillet.app.display import explaining
from rillet.app.garbage import Collector
from rillet.app.look import Look
from rillet.app.pieces import Pieces
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QWidget

    from rillet.app.crash.hooks import Hooks
    from rillet.app.crash.log import CrashLog
    from rillet.app.instance import Instance
    from rillet.app.interrupt import Interrupt
    from rillet.app.services import Services


MODULES: Final = (
    "ssl",
    "asyncio",
    "msgspec",
    "rillet.core.types.saved",
    "rillet.app.library",
    "rillet.core.providers.builtin",
    "rillet.qt.client",
    "rillet.qt.desk",
    "rillet.app.services",
    "rillet.core.agent.agent",
    "rillet.core.chat.answering",
    "rillet.widgets.markdown.build",
    "rillet.widgets.transcript.model",
    "rillet.app.chats.sessions",
    "rillet.app.sidebar.sidebar",
    "rillet.app.window_actions",
    "qasync",
    "rillet.widgets.transcript.layout",
    "rillet.widgets.transcript.stage",
    "rillet.widgets.conversation",
    "rillet.widgets.composer.incoming",
    "rillet.widgets.composer.chips",
    "rillet.widgets.composer.folder_dialog",
)
"""What the window is served with, in pieces of some milliseconds, each after what it needs."""


def main(instance: Instance | None = None, log: CrashLog | None = None) -> int:
    """Open the window and run until it is closed.

    ``instance`` tells when the program is started again; with None nobody is kept from doing so. ``log`` takes what
    nobody handles.
    """
    app = make_application(log.end if log is not None else _nothing)
    state = WindowState(paths().window)
    look = Look(app, state.look, state.keep_look)
    window = MainWindow(state, look.theme)
    look.changed.connect(window.set_theme)
    program = Program(app, window, look, instance, log)
    window.show()
    FirstPaint(window, program.complete)
    try:
        return app.exec()
    finally:
        program.close()


class Program:
    """What the window needs once it is seen."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        look: Look,
        instance: Instance | None = None,
        log: CrashLog | None = None,
    ) -> None:
        self._app = app
        self._instance = instance
        self._log = log
        self._hooks: Hooks | None = None
        self._window = window
        self._look = look
        self._services: Services | None = None
        self._interrupt: Interrupt | None = None
        self._pieces: Pieces | None = None
        self._collector = Collector()

    def complete(self) -> None:
        """Bring everything that the first paint did without, while the window can be used already."""
        self._pieces = Pieces(self._complete())

    def _complete(self) -> Iterator[None]:
        if self._log is not None:
            from rillet.app.crash.hooks import Hooks

            self._hooks = Hooks(self._log)
            self._hooks.install()
        from rillet.app.interrupt import Interrupt

        self._interrupt = Interrupt(self._window.leave)
        if self._instance is not None:
            self._instance.wanted.connect(self._window.comeForward)
            self._instance.listen()
        for name in MODULES:
            yield
            import_module(name)
        yield
        from rillet.app.icon import program_icon
        from rillet.app.services import Services
        from rillet.app.warm_up import warm_up
        from rillet.core.config.settings import SettingsFile

        self._app.setWindowIcon(program_icon())
        settings_file = SettingsFile(paths().settings)
        settings_file.load()
        self._services = Services(settings_file)
        self._services.desk.open()
        self._services.keys.start()
        yield
        self._window.serve(self._services, self._look)
        self._collector.freeze()  # (the first collection would look at all of it)
        yield
        coroutines.start(self._fill(self._services))
        warm_up(self._collector)

    async def _fill(self, services: Services) -> None:
        await services.library.load()
        await self._window.restore()
        self._window.welcome()
        self._tell_of_crash()
        await services.library.purge_overdue()

    def _tell_of_crash(self) -> None:
        if self._log is not None and not self._log.last_ended_well:
            from rillet.app.crash.report import last_run

            self._window.tellOfCrash(last_run(self._log.path, self._log.before))

    def close(self) -> None:
        """Give everything back."""
        if self._window.isVisible():  # (the loop was ended from outside, as at the end of a session)
            self._window.leave()
        if self._pieces is not None:
            self._pieces.stop()
        if self._instance is not None:
            self._instance.stop_listening()
        if self._services is not None:
            self._services.close()
        if self._interrupt is not None:
            self._interrupt.close()
        if self._hooks is not None:
            self._hooks.remove()


def _nothing() -> None:
    """There is no log."""


def make_application(leave: Callable[[], object] = _nothing) -> QApplication:
    """The application object, with its names. ``leave`` is called where no window can open, before the process ends."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        with explaining(leave):
            app = QApplication([*sys.argv[:1], "-style", "fusion"])
    app.setApplicationName("rillet")
    app.setApplicationDisplayName("Rillet")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("rillet")
    return app


class FirstPaint(QObject):
    """Calls a function once a widget has painted for the first time."""

    def __init__(self, widget: QWidget, then: Callable[[], object]) -> None:
        super().__init__(widget)
        self._then = then
        widget.installEventFilter(self)

    @Slot()
    def painted(self) -> None:
        """The paint event has been dealt with."""
        self._then()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the paint event."""
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted)
        return False
