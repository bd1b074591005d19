"""What a program touches while it is watched: sockets and files, seen from Python, from the system and from the baits.

Python's audit hook (PEP 578) sees whatever Python code of any thread opens, connects or starts, also that of libraries.
It does not see what Qt opens by itself: for that there are two baits, a file whose folder the kernel watches (inotify,
so on Linux only; elsewhere its picture is looked for on the screen) and a server that counts who comes.

Files that Python opens in order to import a module are not counted: they are told from others by their suffix and by
lying in a folder that modules are imported from. Everything else is; so what is needed once (fonts, lexers, the layout
of formulas) has to be warmed up before watching.
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from contextlib import suppress
from importlib.machinery import all_suffixes
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from PySide6.QtGui import QImage

import rillet

if TYPE_CHECKING:
    from types import TracebackType

_TOUCHES = ("open", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.startfile", "subprocess.Popen")
_REACHES = ("socket.", "webbrowser.open", "urllib.Request", "http.client.connect", "ftplib.", "smtplib.")
_ON_OPEN = 0x20  # IN_OPEN of <sys/inotify.h>
_NO_WAIT = os.O_NONBLOCK | os.O_CLOEXEC if sys.platform == "linux" else 0

_watches: list[Watch] = []


class Watch:
    """Collects what is touched between ``with`` and its end.

    Attributes:
        seen: One line for each thing that was touched.
        base: Address of the server that is the bait.
        canary: The file that is the bait, a red picture.
    """

    def __init__(self, folder: Path) -> None:
        self.seen: list[str] = []
        self.canary = folder / "canary.png"
        picture = QImage(24, 24, QImage.Format.Format_RGB32)
        picture.fill(0xFF0000)
        assert picture.save(str(self.canary))
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.base = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._inotify = _watch_opening(folder)
        _install()

    def close(self) -> None:
        """Let go of the baits."""
        self._server.close()
        if self._inotify is not None:
            os.close(self._inotify)

    @property
    def watches_the_file(self) -> bool:
        """Whether the kernel tells when somebody opens the file."""
        return self._inotify is not None

    def __enter__(self) -> Self:
        self.seen.clear()
        self._drain()
        self._sockets = _sockets()
        _watches.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _watches.remove(self)
        self.seen += self._drain()
        if _sockets() > self._sockets:
            self.seen.append("a socket that is still open")

    def _drain(self) -> list[str]:
        seen = []
        try:
            while True:
                self._server.accept()[0].close()
                seen.append("the server was asked")
        except BlockingIOError:
            pass
        if self._inotify is not None:
            try:
                if os.read(self._inotify, 4096):
                    seen.append("the file was opened")
            except BlockingIOError:
                pass
        return seen


def _watch_opening(folder: Path) -> int | None:
    """A descriptor to read from when a file of ``folder`` is opened; None where there is no inotify."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    descriptor: int = library.inotify_init1(_NO_WAIT)
    if descriptor < 0 or library.inotify_add_watch(descriptor, os.fsencode(folder), _ON_OPEN) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    return descriptor


def _sockets() -> int:
    """How many sockets this process holds; 0 where that cannot be told."""
    count = 0
    for entry in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):  # closed since it was listed
            count += str(entry.readlink()).startswith("socket:")
    return count


def _install() -> None:
    """Add the hook, once: Python offers no way to take one away."""
    if not getattr(_install, "done", False):
        sys.addaudithook(_hear)
        _install.done = True  # type: ignore[attr-defined]


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watches:
        return
    if event in _TOUCHES or event.startswith(_REACHES):
        if event == "open" and _is_import(arguments[0]):
            return
        for watch in _watches:
            watch.seen.append(f"{event} {arguments[:2]!r}")


def _is_import(path: object) -> bool:
    if not isinstance(path, str | bytes):
        return False
    name = os.fsdecode(path)
    # An editable install finds the program without a folder in the path.
    folders = (*filter(None, sys.path), str(Path(rillet.__file__).parents[1]))
    return name.endswith((*all_suffixes(), ".pyc")) and name.startswith(folders)
