"""Start-up of the program, step by step; reading ``main`` tells what there is.

Above: everything. Guarantee: the window paints before anything of the network, of Markdown or of code colours is
imported (``Program.complete``), and no environment variable or damaged file keeps it from opening.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from rillet import __version__
from rillet.app import coroutines
from rillet.app.display import explaining
from rillet.app.garbage import Collector
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.widgets.theme import palette

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.interrupt import Interrupt
    from rillet.app.services import Services
    from rillet.widgets.theme.options import Scheme, ThemeOptions
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.theme.tokens import Tokens


def main() -> int:
    """Open the window and run until it is closed."""
    app = make_application()
    look = Look(app)
    window = MainWindow(WindowState(paths().window), look.theme)
    look.follow(window)
    program = Program(app, window)
    window.show()
    FirstPaint(window, program.complete)
    try:
        return app.exec()
    finally:
        program.close()


class Program:
    """What the window needs once it is seen."""

    def __init__(self, app: QApplication, window: MainWindow) -> None:
        self._app = app
        self._window = window
        self._services: Services | None = None
        self._interrupt: Interrupt | None = None
        self._collector = Collector()

    def complete(self) -> None:
        """Bring everything that the first paint did without."""
        from rillet.app.icon import program_icon
        from rillet.app.interrupt import Interrupt
        from rillet.app.services import Services
        from rillet.app.warm_up import warm_up
        from rillet.core.config.settings import SettingsFile

        self._app.setWindowIcon(program_icon())
        settings_file = SettingsFile(paths().settings)
        settings_file.load()
        self._services = Services(settings_file)
        self._services.desk.open()
        self._window.serve(self._services)
        coroutines.start(self._services.library.load())
        self._interrupt = Interrupt(self._window.close)
        warm_up(self._collector)

    def close(self) -> None:
        """Give everything back."""
        if self._services is not None:
            self._services.close()
        if self._interrupt is not None:
            self._interrupt.close()


def make_application() -> QApplication:
    """The application object, with its names."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        with explaining():
            app = QApplication([*sys.argv[:1], "-style", "fusion"])
    app.setApplicationName("rillet")
    app.setApplicationDisplayName("Rillet")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("rillet")
    return app


class Look(QObject):
    """Keeps the program as the person wants it, and where that is as the desktop is, as the desktop is."""

    def __init__(self, app: QApplication, options: ThemeOptions | None = None) -> None:
        super().__init__()
        self._app = app
        self._window: MainWindow | None = None
        self._options = options
        self._desktop: Scheme = palette.system_scheme()
        self._tokens = self._wanted()
        self.theme = self._apply()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.onSchemeChanged)

    def follow(self, window: MainWindow) -> None:
        """Tell this window of changes."""
        self._window = window

    @Slot()
    def onSchemeChanged(self) -> None:
        """The desktop has become light or dark."""
        hints = QGuiApplication.styleHints()
        self._desktop = "dark" if hints.colorScheme() is Qt.ColorScheme.Dark else "light"
        tokens = self._wanted()
        if tokens == self._tokens:
            return
        self._tokens = tokens
        self.theme = self._apply()
        if self._window is not None:
            self._window.set_theme(self.theme)

    def _wanted(self) -> Tokens:
        contrast = palette.system_contrast()
        if self._options is not None:
            return self._options.tokens(self._desktop, high_contrast=contrast)
        return palette.tokens_for(self._desktop, high_contrast=contrast)

    def _apply(self) -> Theme:
        typography = self._options.typography if self._options is not None else None
        return palette.apply(self._app, self._tokens, typography, set_style=False)


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
