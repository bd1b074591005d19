"""Server-sent events: the bytes of a response body → events, however the network cut them.

Sans-IO. Knows nothing of HTTP, of providers, or of what the data means. Above: ``lines``, ``lenient_json``. Below:
``sse_body``, and the codecs. Follows https://html.spec.whatwg.org/multipage/server-sent-events.html and, where servers
of language models do not, takes what they evidently meant:

- an event without data is skipped; of ``id`` and ``retry`` the last are kept, for those who open a stream again;
- a field name may have spaces before it, or the NULs of a keep-alive;
- a data line that begins another JSON object, or ends the stream, begins another event, though no blank line came;
- an unterminated last event counts if it is complete in itself (``finish``);
- a line that is no SSE is kept (``stray``), and an error that came so is found (``finish``).

Guarantee: the events depend on the bytes only, never on how they were cut; the work is linear in their number; what a
decoder holds is bounded whatever the input.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import msgspec

from rillet.core.wire import lenient_json
from rillet.core.wire.lines import LIMIT, LINE_COST, LineBuffer, too_large

_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"data", b"event", b"id", b"retry")


class SseEvent(msgspec.Struct, frozen=True, gc=False):
    """One event: its name ("message" when none was sent), and its data lines joined by LF."""

    event: str = "message"
    data: str = ""


class SseDecoder:
    """Decodes one body. Feed it every read, then call ``finish`` once.

    One line, the data of one event, and all stray lines together may each have ``limit`` bytes.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._head: bytes | None = b""
        """What was read while it may still be a byte order mark; None once that is decided."""
        self._after_cr = False
        """The last read ended in CR: an LF that comes first belongs to it."""
        self._lines = LineBuffer()
        self._name = ""
        self._data: list[bytes] = []
        self._data_size = 0
        self._stray: list[list[bytes]] = [[]]
        """Runs of lines that are no SSE, each run uninterrupted in the body."""
        self.stray_size = 0
        """What they count towards the limit."""
        self._overflow = False
        self.last_id = ""
        """What a stream that broke can be asked for again from, where its server numbers events (``Last-Event-ID``)."""
        self.retry: float | None = None
        """Seconds that the server wants to pass before that."""

    @property
    def stray(self) -> str:
        """The lines so far that are no SSE, joined by LF: a bare JSON error, a web page, a proxy's last words."""
        return _text(b"\n".join(chain.from_iterable(self._stray)))

    def stray_start(self, size: int) -> str:
        """The first ``size`` bytes of them: what is much too long to be read may still say what it is."""
        start = bytearray()
        for line in chain.from_iterable(self._stray):
            start += line[:size] + b"\n"
            if len(start) > size:
                break
        return _text(bytes(start[:size]))

    def feed(self, data: bytes) -> list[SseEvent]:
        """Decode the next read: the events that it completes.

        Raises:
            ServerError: The limit is exceeded. Events before that place were returned by earlier calls.
        """
        events: list[SseEvent] = []
        if self._head is not None or self._after_cr or b"\r" in data:
            data = self._normalize(data)
        if lines := self._lines.take(data):
            self._take_lines(lines, events)
        if self._lines.size > self._limit:
            self._overflow = True
        if self._overflow:
            self._overrun(events)
        return events

    def finish(self) -> list[SseEvent]:
        """The body has ended: the event it left open, and errors found among the stray lines.

        An open event counts if its data is ``[DONE]`` or parses as JSON; else it was cut, and is dropped. A JSON value
        among the stray lines, alone or behind a field name, becomes an event "error". It may hold something else than
        an error, such as the one JSON answer of a server that does not stream.

        Raises:
            ServerError: The limit is exceeded.
        """
        events: list[SseEvent] = []
        if self._head:
            self._lines.take(self._head)
        self._finish_line(events)
        if self._overflow:
            self._overrun(events)
            return events
        self._finish_event(events)
        events += (SseEvent("error", _text(value)) for run in self._stray for value in _json_values(run))
        return events

    def _overrun(self, events: list[SseEvent]) -> None:
        """Let go of what is held; fail as soon as there are no events left to return."""
        self._lines.clear()
        self._data.clear()
        if not events:
            raise too_large(self._limit)

    def _normalize(self, data: bytes) -> bytes:
        """Undo what is particular to the start and to line ends: behind this, a line ends in LF."""
        if self._head is not None:
            data = self._head + data
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._head = data
                return b""
            self._head = None
            data = data.removeprefix(_BOM)
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if b"\r" in data:
            self._after_cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return data

    def _take_lines(self, lines: bytes, events: list[SseEvent]) -> None:
        """Take whole lines, most of them as blocks between blank lines.

        Splitting at LF LF yields the same lines as splitting at LF, and a blank line behind each block but the last. A
        blank line resets the decoder; so only the first block can belong to an event that is open.
        """
        if len(lines) > self._limit:
            for line in lines.split(b"\n")[:-1]:
                if len(line) > self._limit:
                    self._overflow = True
                self._take_line(line, events)
            return
        blocks = lines.split(b"\n\n")
        last = blocks.pop()
        fresh = not (self._data or self._name or self._stray[-1] or self._overflow)
        for block in blocks:
            head, _, line = block.rpartition(b"\n")
            if fresh and line[:6] == b"data: " and (not head or (head[:7] == b"event: " and b"\n" not in head)):
                if len(line) > 6:  # the usual case: one data line, with or without a name before it
                    name = _text(head[7:]) if head else ""
                    events.append(SseEvent(name or "message", line[6:].decode("utf-8", "replace")))
                continue
            for line in block.split(b"\n"):
                self._take_line(line, events)
            self._take_line(b"", events)
            fresh = not self._overflow
        for line in last.split(b"\n")[:-1]:
            self._take_line(line, events)

    def _take_line(self, line: bytes, events: list[SseEvent]) -> None:
        if self._overflow:
            return
        if not line:
            self._dispatch(events)
            self._break_stray_run()
            return
        name, _, value = line.lstrip(b" \0").partition(b":")
        if name == b"data":
            value = value.removeprefix(b" ")
            if (value[:1] == b"{" or value.strip() == b"[DONE]") and self._is_whole():
                self._dispatch(events)
            self._data.append(value)
            self._data_size += len(value) + LINE_COST
            if self._data_size > self._limit + LINE_COST:
                self._overflow = True
        elif name == b"event":
            if self._name and self._is_whole():
                self._dispatch(events)
            self._name = _text(value.removeprefix(b" "))
        elif name == b"id":
            if b"\0" not in value:
                self.last_id = _text(value.removeprefix(b" "))
        elif name == b"retry":
            if (digits := value.strip()).isdigit() and len(digits) < 10:
                self.retry = int(digits) / 1000
        elif name and name not in _FIELDS:
            self._stray[-1].append(line)
            self.stray_size += len(line) + LINE_COST
            if self.stray_size > self._limit + LINE_COST:
                self._overflow = True
            return
        self._break_stray_run()

    def _is_whole(self) -> bool:
        """Whether the data so far is one JSON value in one line: nothing can follow it within its event.

        Some servers end an event with its line (GLM, Kimi: rexxars/eventsource-parser#31).
        """
        return len(self._data) == 1 and _is_container(self._data[0])

    def _dispatch(self, events: list[SseEvent]) -> None:
        if any(self._data):
            events.append(SseEvent(self._name or "message", _text(b"\n".join(self._data))))
        self._data.clear()
        self._data_size = 0
        self._name = ""

    def _break_stray_run(self) -> None:
        if self._stray[-1]:
            self._stray.append([])

    def _finish_line(self, events: list[SseEvent]) -> None:
        line = self._lines.rest()
        self._lines.clear()
        if line and not any(name.startswith(line) for name in _FIELDS):  # else a field name that was cut
            self._take_line(line, events)

    def _finish_event(self, events: list[SseEvent]) -> None:
        data = _text(b"\n".join(self._data))
        if data.strip() == "[DONE]" or _json(data) is not None:
            self._dispatch(events)
        self._data.clear()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _json(text: str | bytes) -> Any:
    """The value, or None for null and for what is no JSON: neither tells anything."""
    try:
        return lenient_json.decode(text)
    except ValueError:
        return None


def _json_values(run: list[bytes]) -> list[bytes]:
    """JSON texts in a run of stray lines: the whole run, or else single lines of it and what follows a field name."""
    whole = b"\n".join(run)
    if _is_container(whole):
        return [whole]
    found = []
    for line in run:
        name, _, value = line.partition(b":")
        if _is_container(line):
            found.append(line)
        elif _is_container(value) or (name.strip() == b"error" and _json(value) is not None):
            found.append(value.strip())
    return found


def _is_container(text: bytes) -> bool:
    return text.lstrip()[:1] in (b"{", b"[") and _json(text) is not None
