"""One window per user and home: who comes second asks the first to show itself, and leaves.

The lock is the system's own on an open file, so that it ends with its process, however that ends; only its holder may
listen, and so may remove what a killed one left. Above: ``core/config/paths``. Below: ``__main__`` claims before the
window is imported, ``main`` listens after the first paint. Guarantees: of any number of starts at the same time one
goes on; where locks cannot be had, the program starts all the same.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from typing import TYPE_CHECKING, Final, cast
from zlib import crc32

from PySide6.QtCore import QObject, Signal, Slot

from rillet.core.config.paths import paths

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

    from PySide6.QtNetwork import QLocalServer, QLocalSocket

PATIENCE: Final = 10.0
"""Seconds that a second start waits for a first one that is starting or quitting."""
_PAUSE: Final = 0.05
_ANSWER_MS: Final = 1000
_SEEN: Final = b"seen"
_MOST: Final = 4096
"""Bytes of a token."""
_TOKEN_VARIABLE: Final = "XDG_ACTIVATION_TOKEN"  # noqa: S105 (the name of a variable)
"""What a Wayland desktop gives to whom the person started, and wants back from who comes to the front."""
_HELD: Final = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class Instance(QObject):
    """This process, when it is the one that goes on.

    Signals:
        wanted(): Somebody started the program again: the window is to come to the front.
    """

    wanted = Signal()

    def __init__(self, lock: IO[bytes] | None) -> None:
        super().__init__()
        self._lock = lock
        self._server: QLocalServer | None = None

    @classmethod
    def claim(cls) -> Instance | None:
        """Be the one that goes on; None: another one does, and was asked to show itself.

        Raises:
            TimeoutError: another one has the lock, and does not answer.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return cls(_locked(paths().data / "rillet.lock"))
            except BlockingIOError:
                if _knock():
                    return None
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(_PAUSE)  # (``__main__`` claims before it makes an application: there is no loop to hold up)

    @property
    def alone(self) -> bool:
        """Whether no other one can go on beside it: not so where locks cannot be had."""
        return self._lock is not None

    def listen(self) -> None:
        """Hear from those who come second."""
        from PySide6.QtNetwork import QLocalServer  # (after the first paint)

        if self._lock is None:
            return
        server = self._server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._answer)
        QLocalServer.removeServer(_address())
        server.listen(_address())

    def stop_listening(self) -> None:
        """Hear nobody any more: who comes now waits until this one has ended, and goes on then."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def close(self) -> None:
        """Let the next one go on."""
        self.stop_listening()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @Slot()
    def _answer(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._read)
            if socket.bytesAvailable():
                self._hear(socket)

    @Slot()
    def _read(self) -> None:
        self._hear(cast("QLocalSocket", self.sender()))

    def _hear(self, socket: QLocalSocket) -> None:
        token = bytes(socket.read(_MOST).data()).rstrip(b"\n").decode("ascii", "replace")
        if token:
            os.environ[_TOKEN_VARIABLE] = token
        socket.write(_SEEN)
        socket.flush()
        self.wanted.emit()


def _address() -> str:
    """Where the first one listens: a pipe on Windows, a socket of this user elsewhere."""
    name = f"rillet-{crc32(str(paths().data).encode()):08x}"
    if sys.platform == "win32":
        return name
    import tempfile

    return os.path.join(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), f"{name}-{os.getuid()}")  # noqa: PTH118 (Qt's)


def _knock() -> bool:
    """Ask the first one to show itself; whether it has heard."""
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(_address())
    if not socket.waitForConnected(_ANSWER_MS):
        return False
    socket.write(os.environ.get(_TOKEN_VARIABLE, "").encode("ascii", "replace")[: _MOST - 1] + b"\n")
    socket.flush()
    return socket.waitForReadyRead(_ANSWER_MS) and bytes(socket.readAll().data()) == _SEEN


def _opened(path: Path) -> IO[bytes]:
    """The file of the lock. On a disk that cannot be written now that of an earlier run serves as well."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path.open("ab")
    except OSError:
        return path.open("rb")


def _locked(path: Path) -> IO[bytes] | None:
    """The file, locked; None where there are no locks, or there is no file and none can be made.

    Raises:
        BlockingIOError: somebody else holds it.
    """
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(_opened(path))
        except OSError:
            return None
        try:
            _lock(file)
        except OSError as error:
            if error.errno in _HELD:
                raise BlockingIOError from error
            return None
        stack.pop_all()
        return file


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
