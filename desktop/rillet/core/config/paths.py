"""Where the program keeps things. ``RILLET_HOME`` overrides everything.

Knows no Qt: the library must agree with the program about these folders. Below: ``settings``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

HOME_VARIABLE = "RILLET_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one user. They may not exist yet: whoever writes makes them, for the user alone (0700)."""

    config: Path
    data: Path

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.config / "settings.json"

    @property
    def model_facts(self) -> Path:
        """Facts about models that the user knows better; see ``providers/facts``."""
        return self.data / "models.json"

    @property
    def store(self) -> Path:
        """The database with all chats."""
        return self.data / "rillet.db"

    @property
    def log(self) -> Path:
        """What went wrong, see ``app/crash``."""
        return self.data / "rillet.log"

    @property
    def window(self) -> Path:
        """Where the window was, and what it showed, for the next first paint."""
        return self.config / "window.ini"


def paths() -> Paths:
    """The folders as the environment says now."""
    if home := os.environ.get(HOME_VARIABLE):
        return Paths(Path(home).absolute(), Path(home).absolute())
    import platformdirs  # only who has no RILLET_HOME waits for it before the first paint

    folders = platformdirs.PlatformDirs("rillet", appauthor=False, roaming=True)
    return Paths(folders.user_config_path, folders.user_data_path)
