"""What was sent for an answer, what came, and when: the last requests, in memory, for whoever wants to see them.

Knows no JSON: whoever begins an exchange says how its texts are masked. Above: nothing. Below: ``client`` begins an
exchange where a log watches its task, ``transport`` tells what arrives, ``chat/desk`` keeps the log. Guarantees: where
nobody watches, a request costs one look at a context variable; what is kept has an end, whatever is sent; no text
leaves here unmasked.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

KEPT: Final = 20
"""Requests."""
MOST_BYTES: Final = 256 * 1024
"""Of a body; the rest is counted."""

_SECRET_HEADERS: Final = frozenset(
    {"authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "set-cookie"}
)
_MASK: Final = "…"

_watch: ContextVar[Watch | None] = ContextVar("rillet.exchange_log", default=None)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one read brought. ``after``: seconds since the request was begun."""

    after: float
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it, without secrets.

    Attributes:
        begun_at: Seconds since the epoch.
        body: What was sent, as far as it is kept.
        sent, received: Bytes of the bodies.
        status: HTTP status; None: there was no answer.
        answered_after: Seconds until the head of the answer.
        ended_after: Seconds until the last bytes.
        error: Why there is no answer, or not all of it; empty: nothing is known to have failed.
    """

    begun_at: float
    method: str
    url: str
    headers: Mapping[str, str]
    body: str
    sent: int
    status: int | None
    answered_after: float | None
    answer_headers: Mapping[str, str]
    pieces: tuple[Piece, ...]
    received: int
    ended_after: float | None
    error: str

    @property
    def is_whole(self) -> bool:
        """Whether all of what was sent is here."""
        return self.sent <= MOST_BYTES


class Recording:
    """An exchange that is under way. Belongs to one event loop."""

    def __init__(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None, mask: Callable[[str], str]
    ) -> None:
        self._mask = mask
        self._begun_at, self._begun = time.time(), time.monotonic()
        self._method, self._url, self._headers = method, url, dict(headers)
        self._content = (content or b"")[:MOST_BYTES]
        self._sent = len(content or b"")
        self._status: int | None = None
        self._answered: float | None = None
        self._ended: float | None = None
        self._answer_headers: Mapping[str, str] = {}
        self._pieces: list[tuple[float, bytes]] = []
        self._kept = self._received = 0
        self._error = ""

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of the answer is there."""
        self._status, self._answer_headers = status, dict(headers)
        self._answered = self._passed()

    def receive(self, data: bytes) -> None:
        """Bytes of the body arrived."""
        self._received += len(data)
        self._ended = self._passed()
        if kept := data[: MOST_BYTES - self._kept]:
            self._kept += len(kept)
            self._pieces.append((self._ended, kept))

    def failed(self, sentence: str) -> None:
        """There will be no more."""
        self._error = sentence

    def exchange(self) -> Exchange:
        """As far as it came."""
        mask = self._mask
        return Exchange(
            begun_at=self._begun_at,
            method=self._method,
            url=mask(self._url),
            headers=_masked(self._headers, mask),
            body=mask(self._content.decode(errors="replace")),
            sent=self._sent,
            status=self._status,
            answered_after=self._answered,
            answer_headers=_masked(self._answer_headers, mask),
            pieces=tuple(self._masked_pieces()),
            received=self._received,
            ended_after=self._ended,
            error=mask(self._error),
        )

    def _masked_pieces(self) -> Iterator[Piece]:
        """The pieces; where a secret lies across two of them, all of the text stands in the last."""
        whole = b"".join(data for _, data in self._pieces).decode(errors="replace")
        masked = [(after, self._mask(data.decode(errors="replace"))) for after, data in self._pieces]
        if "".join(text for _, text in masked) != self._mask(whole):
            masked = [*((after, "") for after, _ in masked[:-1]), (masked[-1][0], self._mask(whole))]
        return (Piece(after, text) for after, text in masked if text)

    def _passed(self) -> float:
        return time.monotonic() - self._begun


def _masked(headers: Mapping[str, str], mask: Callable[[str], str]) -> dict[str, str]:
    return {name: _MASK if name.lower() in _SECRET_HEADERS else mask(value) for name, value in headers.items()}


class Watch:
    """What one answer sends, turn by turn: a turn is one message of the answer, which may be asked for repeatedly."""

    def __init__(self, records: deque[tuple[Watch, int, Recording]]) -> None:
        self._records = records
        self._turn = 0
        self._messages: list[int] = []

    def begin_turn(self) -> None:
        """What is sent from now on is for another message."""
        self._turn += 1

    def place(self, message_id: int) -> None:
        """The next message has this id; it may be known later than it is asked for."""
        self._messages.append(message_id)

    def message_of(self, turn: int) -> int | None:
        """The message of a turn, counted from 1. What is sent before the first one (a summary) is for it, too."""
        place = max(turn, 1) - 1
        return self._messages[place] if place < len(self._messages) else None

    def begin(self, recording: Recording) -> None:
        """Keep this, in the place of the oldest."""
        self._records.append((self, self._turn, recording))


class ExchangeLog:
    """The last requests. Belongs to one event loop."""

    def __init__(self) -> None:
        self._records: deque[tuple[Watch, int, Recording]] = deque(maxlen=KEPT)

    @contextmanager
    def watching(self) -> Iterator[Watch]:
        """Keep what is sent by this task, and by those that it begins."""
        watch = Watch(self._records)
        token = _watch.set(watch)
        try:
            yield watch
        finally:
            _watch.reset(token)

    def of(self, message_ids: Collection[int]) -> tuple[Exchange, ...]:
        """What was sent for these messages, in its order, as far as it is still here."""
        return tuple(
            record.exchange() for watch, turn, record in self._records if watch.message_of(turn) in message_ids
        )

    def clear(self) -> None:
        """Keep nothing of what was sent until now."""
        self._records.clear()

    def forget(self, message_ids: Collection[int]) -> None:
        """Keep nothing of what was sent for these messages."""
        for record in [each for each in self._records if each[0].message_of(each[1]) in message_ids]:
            self._records.remove(record)


def watching() -> Watch | None:
    """Who wants to see what this task sends."""
    return _watch.get()
