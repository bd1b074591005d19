"""The frame of every decoder of an answer: when a body is over, and how it may end.

Sans-IO. Knows neither how the body is framed nor what is in it. Above: ``failures``. Below: ``sse_body`` and the
decoders of the styles, which extend it.

Guarantee: that of ``StreamDecoder``, if ``_take`` and what reads the frames raise nothing but ``LlmError``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from rillet.core.errors import LlmError, NetworkError
from rillet.core.wire.failures import classify_response
from rillet.core.wire.redact import redact
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.types import Delta

E = TypeVar("E")
"""What the framing makes of the bytes: an event, a line."""

_BROKEN_OFF = "the answer broke off before its end"
_LONGEST_HINT = 300
START = 64 * 1024
"""Bytes of something strange that are enough to tell what it is."""


class BodyDecoder(ABC, Generic[E]):
    """Decodes one body.

    Attributes:
        failure: see ``StreamDecoder``.
        finish_seen: see ``StreamDecoder``.
        ended: see ``StreamDecoder``.
    """

    def __init__(self) -> None:
        self.failure: LlmError | None = None
        self.finish_seen = False
        self.ended = False
        self._noise = ""
        """The last data that was no JSON: the best hint when the stream breaks off."""

    def feed(self, data: bytes) -> list[Delta]:
        """Decode the next chunk of the body."""
        if self._over:
            return []
        try:
            self._take(self._read(data), at_end=False)
        except LlmError as error:
            self._fail(error)
        return self._drain()

    def finish(self) -> list[Delta]:
        """The body has ended: an answer is complete when its reason, its end marker, or its one JSON value arrived."""
        if self._over:
            return []
        try:
            self._take(self._read_rest(), at_end=True)
        except LlmError as error:
            self._fail(error)
        if not self._over:
            if self.finish_seen:
                self._end()
            else:
                self._fail(self._broken_off())
        return self._drain()

    @property
    def _over(self) -> bool:
        return self.ended or self.failure is not None

    @property
    @abstractmethod
    def _began(self) -> bool:
        """Something of an answer arrived."""

    @property
    @abstractmethod
    def _stray(self) -> str:
        """What arrived beside the answer, or instead of it."""

    @property
    @abstractmethod
    def _stray_start(self) -> str:
        """Its first ``START`` bytes, without the cost of all of it."""

    @abstractmethod
    def _read(self, data: bytes) -> list[E]:
        """The frames that the next chunk completes."""

    @abstractmethod
    def _read_rest(self) -> list[E]:
        """The frames that can be made of what the body left over."""

    @abstractmethod
    def _take(self, frames: Iterable[E], *, at_end: bool) -> None:
        """Decode frames, up to the one that ends the answer. ``at_end``: they were made of what the body left over."""

    @abstractmethod
    def _end(self) -> None:
        """The answer is complete: set ``ended``, let go of everything, add ``Finished``."""

    @abstractmethod
    def _fail(self, error: LlmError) -> None:
        """The answer is over without being complete: set ``failure``, let go of everything."""

    @abstractmethod
    def _drain(self) -> list[Delta]:
        """The deltas since the last call."""

    def _broken_off(self, *, at_end: bool = True) -> LlmError:
        """The error of an answer without an end; in the middle of the body what is stray depends on the last read."""
        stray = self._stray_start.strip() if at_end else ""
        if stray[:1] == "<" and not self._began:
            return classify_response(200, {"content-type": "text/html"}, stray.encode())
        hint = " ".join((self._noise[:START] or stray).split())[:_LONGEST_HINT]
        return NetworkError(f"{_BROKEN_OFF}: {mend(redact(hint))}" if hint else _BROKEN_OFF)
