"""Keeps the program looking as the person wants it, and where that is as the desktop is, as the desktop is.

Above: ``widgets/theme``. Below: ``main`` makes it before the first paint, the settings change it. Knows not where the
choice is kept: that is handed in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication

from rillet.widgets.theme import palette

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QApplication

    from rillet.widgets.theme.options import Scheme, ThemeOptions
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.theme.tokens import Tokens


class Look(QObject):
    """How the program looks now.

    Attributes:
        theme: What was applied last.

    Signals:
        changed(object): The program looks different, by this theme.
    """

    changed = Signal(object)

    def __init__(
        self,
        app: QApplication,
        options: ThemeOptions | None = None,
        keep: Callable[[ThemeOptions], None] = lambda options: None,
    ) -> None:
        super().__init__()
        self._app = app
        self._options = options
        self._keep = keep
        self._desktop: Scheme = palette.system_scheme()
        self._tokens = self._wanted()
        self.theme = self._apply()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.onSchemeChanged)

    @property
    def options(self) -> ThemeOptions:
        """What the person chose."""
        from rillet.widgets.theme.options import ThemeOptions  # (nobody who chose nothing waits for it)

        return self._options or ThemeOptions()

    def choose(self, options: ThemeOptions) -> None:
        """Look like this from now on, and after the next start.

        Raises:
            ValueError: the accent is no colour.
        """
        if options == self.options:
            return
        options.tokens("light")  # (a colour that is none must not be kept)
        previous, self._options = self._options, options
        self._keep(options)
        if previous is not None and previous.scheme != "system":
            self._desktop = palette.system_scheme()
        self._tokens = self._wanted()
        self._show()

    @Slot()
    def onSchemeChanged(self) -> None:
        """The desktop has become light or dark."""
        hints = QGuiApplication.styleHints()
        self._desktop = "dark" if hints.colorScheme() is Qt.ColorScheme.Dark else "light"
        tokens = self._wanted()
        if tokens == self._tokens:
            return
        self._tokens = tokens
        self._show()

    def _show(self) -> None:
        self.theme = self._apply()
        self.changed.emit(self.theme)

    def _wanted(self) -> Tokens:
        contrast = palette.system_contrast()
        if self._options is not None:
            return self._options.tokens(self._desktop, high_contrast=contrast)
        return palette.tokens_for(self._desktop, high_contrast=contrast)

    def _apply(self) -> Theme:
        if self._options is None:
            return palette.apply(self._app, self._tokens, set_style=False)
        still = self._options.reduced_motion
        return palette.apply(self._app, self._tokens, self._options.typography, reduced_motion=still, set_style=False)
