"""The last things that a server said beside the protocol: standard error, log messages, and what we note about it.

Pure. Below: ``server`` shows it. Guarantee: never more than ``LINES`` lines of ``WIDTH`` characters each, however much
a server writes, and no secret that the server was given.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from rillet.core.wire.redact import hide, redact
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable

LINES: Final = 500
WIDTH: Final = 2000
MOST_SKIPPED: Final = 200
"""Lines of noise that tell enough of it."""


class LogRing:
    """What is kept of one server's words."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        self._secrets: tuple[str, ...] = ()
        self._rest = b""
        self.skipped = 0
        """Lines on standard output that were no messages."""
        self.written = 0
        """Bytes that came on standard error."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Oldest first."""
        return tuple(self._lines)

    @property
    def last_words(self) -> str:
        """The last line, for the sentence that says why a server ended."""
        return self._lines[-1] if self._lines else ""

    def keep_secret(self, secrets: Iterable[str]) -> None:
        """Take these out of everything that is noted from now on."""
        self._secrets = tuple(secrets)

    def skip(self, line: str) -> None:
        """Count a line on standard output that was no message; the first of them are kept as well."""
        self.skipped += 1
        if self.skipped <= MOST_SKIPPED:
            self.note(line)

    def without_secrets(self, text: str) -> str:
        """The text without what the server was given to keep."""
        return redact(hide(mend(text), self._secrets))

    def note(self, line: str) -> None:
        """Keep a line."""
        shown = self.without_secrets(line[:WIDTH]).rstrip()
        if shown:
            self._lines.append(shown)

    def feed(self, data: bytes) -> None:
        """Keep what came on standard error; of a line without an end only its beginning."""
        self.written += len(data)
        *complete, rest = (self._rest + data[-LINES * WIDTH :]).split(b"\n")
        for line in complete[-LINES:]:
            self.note(line[: 4 * WIDTH].decode(errors="replace"))
        self._rest = rest[: 4 * WIDTH]
