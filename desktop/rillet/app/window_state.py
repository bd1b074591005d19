"""What the window needs to look as it did, before anything else of the program is loaded.

Kept by QSettings, which writes atomically, forgives a damaged file and costs no import; settings that mean something to
the rest of the program are in ``core/config/settings``. Above: ``core/config/paths``. Below: ``window``.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final, get_args

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rillet.widgets.theme.options import ThemeOptions

SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 3.0
NO_CHAT: Final = 0
SMALLEST: Final = 6.0
LARGEST: Final = 40.0
"""Points of running text that a person may ask for."""


class WindowState:
    """Where the window was, which chats were open, the label of the chosen model, and how the program is to look."""

    def __init__(self, path: Path) -> None:
        with contextlib.suppress(OSError):  # where nothing can be written, nothing is remembered
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def geometry(self) -> QByteArray:
        """As ``QWidget.saveGeometry`` gave it; empty at the first start."""
        value = self._file.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._file.setValue("geometry", value)
        self._file.sync()

    @property
    def choice_label(self) -> str:
        """What the model picker showed; empty at the first start."""
        value = self._file.value("choice")
        return value if isinstance(value, str) else ""

    @choice_label.setter
    def choice_label(self, value: str) -> None:
        self._file.setValue("choice", value)
        self._file.sync()

    @property
    def open_chats(self) -> tuple[int, ...]:
        """The chats that were looked at, the one that was shown last; ``NO_CHAT`` is one that was still empty."""
        ids = self._text("chats").split()
        return tuple(map(int, ids)) if all(each.isascii() and each.isdigit() for each in ids) else ()

    @open_chats.setter
    def open_chats(self, ids: Iterable[int]) -> None:
        self._file.setValue("chats", " ".join(map(str, ids)))  # written soon, without anybody waiting for the disk

    @property
    def zoom(self) -> float:
        """How large the text of chats is, 1.0 being its usual size."""
        with contextlib.suppress(ValueError):
            zoom = float(self._text("zoom"))
            return zoom if SMALLEST_ZOOM <= zoom <= LARGEST_ZOOM else 1.0
        return 1.0

    @zoom.setter
    def zoom(self, value: float) -> None:
        self._file.setValue("zoom", str(value))  # written soon, without anybody waiting for the disk

    @property
    def folded_folders(self) -> tuple[int, ...]:
        """The folders of which the list of chats shows the headings only."""
        ids = self._text("folders").split()
        return tuple(map(int, ids)) if all(each.isascii() and each.isdigit() for each in ids) else ()

    @folded_folders.setter
    def folded_folders(self, ids: Iterable[int]) -> None:
        self._file.setValue("folders", " ".join(map(str, sorted(ids))))

    @property
    def sidebar_folded(self) -> bool:
        """Whether the list of chats is out of sight."""
        return bool(self._file.value("sidebar") == "folded")

    @sidebar_folded.setter
    def sidebar_folded(self, value: bool) -> None:
        self._file.setValue("sidebar", "folded" if value else "shown")
        self._file.sync()

    @property
    def look(self) -> ThemeOptions | None:
        """How the program is to look; None: nobody has chosen anything."""
        if not self._file.contains("look/scheme"):
            return None
        from rillet.widgets.theme.options import ThemeOptions, WantedContrast, WantedScheme
        from rillet.widgets.theme.typography import Density, Typography

        typography = Typography(
            family=self._text("look/family") or None,
            mono_family=self._text("look/mono_family") or None,
            points=self._points(),
            density=self._one_of(Density, "look/density", "comfortable"),
        )
        chosen = ThemeOptions(
            scheme=self._one_of(WantedScheme, "look/scheme", "system"),
            contrast=self._one_of(WantedContrast, "look/contrast", "system"),
            reduced_motion=self._text("look/reduced_motion") == "yes",
            accent=self._text("look/accent") or None,
            typography=typography,
        )
        try:
            chosen.tokens("light")
        except ValueError:  # somebody wrote into the file
            return None
        return chosen

    def forget_look(self) -> None:
        """Look as the desktop does, as at the first start."""
        self._file.remove("look")
        self._file.sync()

    def keep_look(self, options: ThemeOptions) -> None:
        """Remember how the program is to look."""
        typography = options.typography
        for name, value in (
            ("scheme", options.scheme),
            ("contrast", options.contrast),
            ("reduced_motion", "yes" if options.reduced_motion else "no"),
            ("accent", options.accent),
            ("family", typography.family),
            ("mono_family", typography.mono_family),
            ("points", typography.points),
            ("density", typography.density),
        ):
            self._file.setValue(f"look/{name}", "" if value is None else str(value))
        self._file.sync()

    def _text(self, key: str) -> str:
        value = self._file.value(key)
        return value if isinstance(value, str) else ""

    def _points(self) -> float | None:
        with contextlib.suppress(ValueError):
            points = float(self._text("look/points"))
            return points if SMALLEST <= points <= LARGEST else None
        return None

    def _one_of(self, choices: Any, key: str, otherwise: Any) -> Any:
        """The value of a key where it is one of a literal type's."""
        value = self._text(key)
        return value if value in get_args(choices) else otherwise
