"""Newline-delimited JSON: the bytes of a response body → lines, however the network cut them.

Sans-IO. Knows nothing of JSON: that a line is a value is the sender's promise, and checked by whoever decodes it.
Above: ``lines``. Below: the codec ``ollama``. A line ends in LF, or CR LF behind a proxy; blank ones are skipped; the
last one counts without its end. Nothing else divides lines: U+2028 and its like may stand inside a JSON string.

Guarantee: the lines depend on the bytes only, never on how they were cut; the work is linear in their number; what a
decoder holds is bounded whatever the input.
"""

from __future__ import annotations

from rillet.core.wire.lines import LIMIT, LineBuffer, too_large

_BLANK = " \t\r"
"""What JSON permits around a value, beside LF."""


class NdjsonDecoder:
    """Decodes one body. Feed it every read, then call ``finish`` once. A line may have ``limit`` bytes."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lines = LineBuffer()
        self._at_start = True
        self._overflow = False

    def feed(self, data: bytes) -> list[str]:
        """Decode the next read: the lines that it completes.

        Raises:
            ServerError: The limit is exceeded. Lines before that place were returned by earlier calls.
        """
        found: list[str] = []
        if (lines := self._lines.take(data)) and not self._overflow:
            found = self._split(lines)
        if self._lines.size > self._limit:
            self._overflow = True
        if self._overflow:
            self._overrun(found)
        return found

    def finish(self) -> list[str]:
        """The body has ended: the line it left open, whole or cut.

        Raises:
            ServerError: The limit is exceeded.
        """
        if self._overflow:
            self._overrun([])
        return self._split(self._lines.rest())

    def _overrun(self, found: list[str]) -> None:
        """Let go of what is held; fail as soon as there are no lines left to return."""
        self._lines.clear()
        if not found:
            raise too_large(self._limit)

    def _split(self, data: bytes) -> list[str]:
        """Lines up to the first that is too long."""
        if len(data) > self._limit:
            fitting = []
            for line in data.split(b"\n"):
                if len(line) > self._limit:
                    self._overflow = True
                    break
                fitting.append(line)
            data = b"\n".join(fitting)
        text = data.decode("utf-8", "replace")
        if self._at_start:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        return [stripped for line in text.split("\n") if (stripped := line.strip(_BLANK))]
