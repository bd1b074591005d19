"""What lies in a workspace and is not for a model: secrets, and files that make programs run something.

Goes by real names alone; of the machine it asks the home folder and a few variables. Above: ``paths``. Below:
``workspace`` asks about everything that it locates, ``walk`` about everything that it finds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rillet.core.tools.files.paths import fold_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SECRET_NAMES: Final = frozenset((".ssh", ".gnupg", ".netrc", "_netrc", ".pgpass", ".git-credentials"))
"""What keeps keys and passwords under a name of its own, wherever it lies."""
SECRET_PLACES: Final = (
    ".aws",
    ".azure",
    ".docker",
    ".kube",
    ".mozilla",
    ".password-store",
    ".thunderbird",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/microsoft-edge",
    ".config/opera",
    ".config/rillet",
    ".config/vivaldi",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/rillet",
    ".var/app/com.google.Chrome",
    ".var/app/org.mozilla.firefox",
    "snap/chromium",
    "snap/firefox",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Firefox",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Microsoft Edge",
    "Library/Application Support/rillet",
    "Library/Cookies",
    "Library/Keychains",
    "Library/Safari",
    "AppData/Local/BraveSoftware",
    "AppData/Local/Google/Chrome",
    "AppData/Local/Microsoft/Credentials",
    "AppData/Local/Microsoft/Edge",
    "AppData/Roaming/Microsoft/Credentials",
    "AppData/Roaming/Microsoft/Protect",
    "AppData/Roaming/Mozilla",
    "AppData/Roaming/rillet",
    "AppData/Roaming/Thunderbird",
)
"""Places in a home folder: profiles of browsers, key rings, credentials of cloud services, our own data."""
OWN_PLACES: Final = {"RILLET_HOME": "", "XDG_CONFIG_HOME": "rillet", "XDG_DATA_HOME": "rillet"}
"""Variables that put our own data elsewhere, and the folder below (see ``config/paths``, which stands below)."""
GUARDED_NAMES: Final = frozenset((".git", ".rillet", ".mcp.json"))
"""What makes git, or this program, run something: to be read, not written."""
_SENSITIVE: Final = re.compile(
    r"\.env(?:\.(?!example$|sample$|template$).*)?|\.(?:npmrc|pypirc|htpasswd|vault-token)|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|.*\.(?:pem|key|p12|pfx|kdbx|keystore)|credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml)",
    re.IGNORECASE,
)


def is_sensitive(name: str) -> bool:
    """Whether a file of this name may hold keys or passwords, as people do keep in folders they work in.

    It can be opened by who names it, and the policy asks first; a search does not come upon it.
    """
    return _SENSITIVE.fullmatch(name) is not None


class Guards:
    """The rules of one folder.

    Args:
        root: The real path of the folder.
        private: Real paths of secrets.
        writes_guarded: Whether also ``GUARDED_NAMES`` may be written.
    """

    def __init__(self, root: Path, private: Iterable[Path], *, writes_guarded: bool) -> None:
        here = _folded(root)
        places = [_folded(place) for place in private]
        self._is_all_secret = any(here[: len(place)] == place for place in places) or _holds(SECRET_NAMES, here)
        self._secret_below = tuple(place[len(here) :] for place in places if place[: len(here)] == here)
        self._writes_guarded = writes_guarded

    def is_secret(self, names: Sequence[str]) -> bool:
        """Whether what these names below the root lead to is a secret."""
        folded = tuple(map(fold_name, names))
        return (
            self._is_all_secret
            or _holds(SECRET_NAMES, folded)
            or any(folded[: len(place)] == place for place in self._secret_below)
        )

    def is_guarded(self, names: Sequence[str]) -> bool:
        """Whether what these names below the root lead to may only be read."""
        return not self._writes_guarded and _holds(GUARDED_NAMES, tuple(map(fold_name, names)))


def secret_places() -> tuple[Path, ...]:
    """The real paths of ``SECRET_PLACES`` in the home folder of who runs this, if there is one."""
    try:
        home = Path.home()
    except RuntimeError:  # a service without HOME and without an account
        return ()
    return tuple((home / place).resolve() for place in SECRET_PLACES)


def own_places() -> tuple[Path, ...]:
    """The real paths of ``OWN_PLACES``."""
    return tuple(Path(value, below).resolve() for name, below in OWN_PLACES.items() if (value := os.environ.get(name)))


def _folded(path: Path) -> tuple[str, ...]:
    return tuple(map(fold_name, path.parts))


def _holds(guarded: frozenset[str], folded: Sequence[str]) -> bool:
    return not guarded.isdisjoint(folded)
